"""What is an id."""

import pytest

from graphnb.errors import InvalidPublicId, ReservedId
from graphnb.graph.documents.ids import id_fault


@pytest.mark.parametrize("name", ["a", "Z9", "0", "a_b-c", "9-"])
def test_letters_digits_and_two_separators_make_an_id(name):
    """Beginning with a letter or a digit."""
    assert id_fault(name) is None


@pytest.mark.parametrize("name", ["", "_a", "-a", "a b", "a\n", "\na", "ä", "a.b", "$", "$other", "１", 3, None, ["a"]])
def test_whole_text_has_to_match(name):
    """A trailing newline, a digit of another script, and whatever is no text, are refused."""
    kind, what, mend = id_fault(name)

    assert InvalidPublicId is kind
    assert what
    assert mend


@pytest.mark.parametrize("name", ["$start", "$finish"])
def test_endpoints_are_reserved(name):
    """They belong to every graph."""
    assert ReservedId is id_fault(name)[0]
