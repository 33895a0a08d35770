"""What cannot be declared as map-reduce is told where it is declared, by the names of its options."""

from typing import Any

import pytest

import graphnb as gn


class Words(gn.State):
    words: list[str] = []
    total: int = 0
    sizes: int = 0


def words(mapper: Any = len, **options: Any) -> gn.Graph:
    """A graph whose one node adds up how long the words are."""
    graph = gn.Graph(Words, entry="measure")
    graph.map_reduce("measure", mapper, sum, **{"over": "words", "into": "total", **options}, to=gn.END)
    return graph


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"into": None}, "does not say which field receives what the reducer makes\nGive into='field'"),
        ({"into": 3}, "into names a field, not int: 3\nWrite into='field'"),
        ({"results_into": 3}, "results_into names a field, not int: 3\nWrite results_into='field'"),
    ],
)
def test_what_cannot_be_a_field_is_told_at_once(options, told):
    """By the name of the option that was given."""
    with pytest.raises(gn.InvalidDeclaration, match=f"^graph 'Words', node 'measure': {told}"):
        words(**options)


def test_graph_that_does_not_say_what_is_its_result_is_told_at_once():
    """The reducer would get a None for each item."""
    with pytest.raises(gn.InvalidDeclaration, match="does not say which field of the mapper is its result"):
        words(gn.Graph(Words), item="words", into="total")


def test_name_is_judged_before_all_else():
    """Messages that follow name the node."""
    with pytest.raises(gn.InvalidDeclaration, match="a node's name is a text, not int: 3"):
        gn.Graph(Words).map_reduce(3, len, None, over="words", into="total")


def test_write_that_does_not_fit_is_told_by_the_option_that_was_given():
    """The list of results is what `results_into` names."""

    def size(word: str) -> int:
        return len(word)

    (found,) = [each for each in words(size, results_into="sizes").check() if each.code == "unfit_write"]

    assert "results_into gives field 'sizes' a list[int], one int per instance" in found.message
