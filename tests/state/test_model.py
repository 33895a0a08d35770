"""The class from which states derive."""

import pytest
from pydantic import ValidationError

import graphnb as gn


class Answer(gn.State):
    n: int = 0
    late: str = gn.UNSET


def test_in_tells_whether_a_field_is_set():
    """A declared field with a value; neither an unset one, nor a method, nor what is no text."""
    assert ["n"] == [name for name in ("n", "late", "nope", "model_dump", 3) if name in Answer()]
    assert "late" in Answer(late="x")


def test_state_cannot_be_changed():
    """It is frozen."""
    with pytest.raises(ValidationError, match="frozen"):
        Answer().n = 1


def test_unknown_field_is_refused():
    """A slip of the fingers is found where it is made."""
    with pytest.raises(ValidationError, match="Extra inputs"):
        Answer(m=1)
