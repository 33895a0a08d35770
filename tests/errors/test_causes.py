"""What caused an error: the links of its chain, and the category and message that count."""

import itertools
from typing import Any

import pytest

from graphnb.errors import (
    Cause,
    FanOutError,
    NodeException,
    ParallelBranchesBranchFailed,
    ReducerError,
    category_of,
    causes_of,
)


class Named(Exception):
    """An error with a category of its own."""

    def __init__(self, message: str, category: Any) -> None:
        super().__init__(message)
        self.category = category


def chain(*errors: BaseException) -> BaseException:
    """The first error, each caused by the next."""
    for error, cause in itertools.pairwise(errors):
        error.__cause__ = cause
    return errors[0]


def wrapper(what: str = "raised") -> NodeException:
    """A carrier."""
    return NodeException("node 'a'", what)


def test_bare_error_is_its_own_cause():
    """One link, without a category."""
    causes = causes_of(ValueError("no"))

    assert ((Cause(None, "no", is_carrier=False),), None, "no") == (causes.links, causes.category, causes.message)


def test_links_lead_from_the_error_down_to_the_first_cause():
    """Each with its own category and message, carriers marked."""
    causes = causes_of(chain(wrapper(), Named("busy", "provider_unavailable"), ValueError("timed out")))

    assert (
        Cause("node_exception", "node 'a': raised", is_carrier=True),
        Cause("provider_unavailable", "busy", is_carrier=False),
        Cause(None, "timed out", is_carrier=False),
    ) == causes.links


@pytest.mark.parametrize(
    "carrier",
    [NodeException("w", "x"), FanOutError("w", "x", fan_out_category="y"), ParallelBranchesBranchFailed("w", "x")],
    ids=lambda each: type(each).__name__,
)
def test_wrappers_of_nodes_are_carriers(carrier):
    """Their own category is not what went wrong."""
    causes = causes_of(chain(carrier, Named("busy", "provider_unavailable")))

    assert ("provider_unavailable", "busy") == (causes.category, causes.message)


def test_error_of_a_run_that_is_no_wrapper_counts():
    """A reducer's refusal says what went wrong."""
    error = chain(ReducerError("node 'a'", "refused"), TypeError("no list"))

    assert ("reducer_error", "node 'a': refused") == (causes_of(error).category, causes_of(error).message)


def test_outermost_category_below_the_carriers_counts():
    """A later one does not, and the message is that of the same link."""
    causes = causes_of(chain(wrapper(), wrapper(), ValueError("odd"), Named("first", "one"), Named("second", "two")))

    assert ("one", "first") == (causes.category, causes.message)


def test_without_a_category_the_first_error_below_the_carriers_tells():
    """There is none to be told."""
    causes = causes_of(chain(wrapper(), ValueError("outer"), ValueError("inner")))

    assert (None, "outer") == (causes.category, causes.message)


def test_carriers_alone_tell_the_message_of_the_first():
    """And no category."""
    causes = causes_of(chain(wrapper("first"), wrapper("second")))

    assert (None, "node 'a': first") == (causes.category, causes.message)


def test_chain_that_bites_its_tail_ends_there():
    """Every error once."""
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one

    assert ["one", "other"] == [link.message for link in causes_of(one).links]


def test_context_is_no_cause():
    """Only what was said to be one."""
    try:
        try:
            raise KeyError("context")
        except KeyError:
            raise ValueError("no")  # noqa: B904  the context is the subject
    except ValueError as error:
        causes = causes_of(error)

    assert ["no"] == [link.message for link in causes.links]


def test_interruptions_have_causes_too():
    """Anything that can be raised."""
    assert [None, None] == [link.category for link in causes_of(chain(KeyboardInterrupt(), ValueError())).links]


@pytest.mark.parametrize("category", ["", None, 5, b"bytes", ["listed"]])
def test_category_that_is_no_text_is_none(category):
    """An attribute of that name may mean anything."""
    assert None is category_of(Named("x", category)) is causes_of(Named("x", category)).category


def test_category_and_text_that_fail_to_be_read_are_left_out():
    """A user's exception may do anything."""

    class Broken(Exception):
        @property
        def category(self) -> str:
            raise RuntimeError("no")

        def __str__(self) -> str:
            raise RuntimeError("no")

    assert (Cause(None, "", is_carrier=False),) == causes_of(Broken()).links


def test_what_is_no_error_has_no_causes():
    """A handle or a run given by mistake is refused with its type."""
    with pytest.raises(TypeError, match=r"^causes_of takes an error, not str: 'lost'$"):
        causes_of("lost")
