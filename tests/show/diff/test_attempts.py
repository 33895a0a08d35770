"""The attempts at a node, in words."""

import pytest

from graphnb.errors import NodeException
from graphnb.show.diff.attempts import attempts_text, errors_text
from graphnb.state.model import State
from graphnb.trace.log import Failure
from graphnb.trace.reading.walking import walk
from tests.traces import Made


class Count(State):
    n: int = 0


def step(**told):
    """A completed step of which the log tells this."""
    made = Made(Count).step("a", {"n": 1})
    made.log.commits[0] = made.log.commits[0]._replace(**told)
    return next(walk(made.log))


def failed(**told):
    """A failed step of which the log tells this."""
    made = Made(Count)
    made.log.failure = Failure("a", NodeException("node 'a'", "raised ValueError: no"), **told)
    return next(walk(made.log))


NO = ValueError("no")


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (step(), ""),
        (step(failures=(NO,)), "1 attempt failed: ValueError: no"),
        (
            step(failures=(NO, NO), is_degraded=True),
            "2 attempts failed: ValueError: no (2×); middleware put an update in place of the failure",
        ),
        (step(is_entered=False), "middleware answered, the node was not asked"),
        (failed(), ""),
        (failed(failures=(NO,)), "1 attempt failed: ValueError: no"),
        (failed(is_entered=False), "middleware failed without asking the node"),
    ],
)
def test_attempts_are_told_in_words(made, text):
    """What failed, and what middleware made of it."""
    assert text == attempts_text(made)


def test_many_errors_are_bounded():
    """Three different ones, each of bounded length; the others are counted."""
    text = errors_text([ValueError("x" * 1000), *(KeyError(i) for i in range(9))])

    assert text.endswith("KeyError: 0, KeyError: 1, … 7 more")
    assert len(text) < 220
