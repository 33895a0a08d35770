"""Whether two runs have asked the same."""

import pytest

from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.trace.reading.questions import is_same_question

ASKED = Interrupt("field", "?", list[int], {"a": [1]}, "1:a", "a")


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (Interrupt("field", "?", list[int], {"a": [1]}, "own", "a"), True),
        (Interrupt("other", "?", list[int], {"a": [1]}, "1:a", "a"), False),
        (Interrupt("field", "!", list[int], {"a": [1]}, "1:a", "a"), False),
        (Interrupt("field", "?", list[str], {"a": [1]}, "1:a", "a"), False),
        (Interrupt("field", "?", list[int], {"a": [True]}, "1:a", "a"), False),
        (Interrupt("field", "?", list[int], {"a": [1]}, "1:a", "b"), False),
        (Answer("1:a"), False),
        (None, False),
    ],
)
def test_interrupts_are_the_same_if_they_ask_the_same(other, is_same):
    """Ids count for nothing, types of values do."""
    assert is_same is is_same_question(ASKED, other)
    assert is_same is is_same_question(other, ASKED)


def test_answers_are_the_same_whatever_they_answer():
    """What was asked is compared where it was asked."""
    assert is_same_question(Answer("1:a"), Answer("2:b"))
    assert is_same_question(None, None)
    assert not is_same_question(Answer("1:a"), None)
