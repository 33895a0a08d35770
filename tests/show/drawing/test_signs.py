"""Signs where something is wrong or hardly meant: their numbers, their few words, and what is left out."""

from graphnb.graph.topology import TopologyBranch, TopologyEdge, TopologyNode
from graphnb.show.drawing.signs import error_tag, marks_of, ranges, tag_of, tip_of, warning_lines, words_of
from tests.show.drawings import chain, fault, warning


def test_numbers_that_follow_one_another_are_a_range():
    """From three of them on; of many groups a few are told."""
    assert "1" == ranges([1])
    assert "1, 2" == ranges([1, 2])
    assert "2–5, 8" == ranges([2, 3, 4, 5, 8])
    assert "1, 3, 5, …" == ranges([1, 3, 5, 7])


def test_errors_and_warnings_differ_by_more_than_colour():
    """In sign and in ground."""
    error, odd = tag_of("error", [1]), tag_of("warning", [1])

    assert ("✗ 1", True) == (error.text, error.is_filled)
    assert ("⚠ 1", False) == (odd.text, odd.is_filled)
    assert error.colour != odd.colour


def test_errors_at_one_place_share_a_tag():
    """Warnings have none of it."""
    assert "✗ 1, 4" == error_tag([fault("a"), warning("b", number=2), fault("c", number=4)]).text
    assert error_tag([warning("b")]) is None


def test_warnings_with_the_same_words_are_one_line():
    """With all their numbers."""
    lines = warning_lines([warning("a", "odd", number=1), fault("b", number=2), warning("c", "odd", number=3)])

    assert [("odd", "⚠ 1, 3")] == [(each.text, each.tag.text) for each in lines]


def test_more_than_three_warnings_are_counted():
    """The last line has the numbers of those that have none."""
    lines = warning_lines([warning("", word, number=i) for i, word in enumerate("abcd", start=1)])

    assert [("a", "⚠ 1"), ("b", "⚠ 2"), ("2 more", "⚠ 3, 4")] == [(each.text, each.tag.text) for each in lines]


def test_words_tell_errors_as_well():
    """For drawings that have nothing beside them; of more than three the first two."""
    assert ("✗ wrong", "⚠ odd") == words_of([fault("a"), warning("b", "odd"), warning("c", "odd")])
    assert ("⚠ a", "⚠ b", "⚠ 2 more") == words_of([warning("", word) for word in "abcd"])


def test_tooltip_tells_all_of_it():
    """Below what the place is."""
    assert "plan\n✗ 1 Wrong.\n⚠ 2 here: Odd." == tip_of(
        "plan", [fault("Wrong."), warning("Odd.", number=2, place="here")]
    )
    assert "plan" == tip_of("plan", [])


def test_folded_node_has_what_concerns_all_inside_it():
    """Of nodes and edges at any depth, each once and by number; opened it has its own."""
    edge = TopologyEdge("a", "b", "edge", marks=(fault("edge", number=3),))
    inner = chain("a")._replace(nodes=(TopologyNode("a", "node", marks=(fault("node", number=2),)),), edges=(edge,))
    branch = TopologyBranch("left", "inner", inner=inner, marks=(fault("branch", number=1),))
    node = TopologyNode("both", "branches", branches=(branch,), marks=(fault("own", number=4), fault("edge", number=3)))

    assert [1, 2, 3, 4] == [each.number for each in marks_of(node, folded=True)]
    assert [4, 3] == [each.number for each in marks_of(node, folded=False)]
