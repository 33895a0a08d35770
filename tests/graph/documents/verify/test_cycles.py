"""Cycles that nothing bounds."""

from typing import Any

import pytest

from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.verify.passes import diagnostics_of
from tests.graph.documents.written import STEP, found, sound, step

GUARD = {"op": "changed", "args": ["n"]}


def cycles(*ways: str, limit: Any = None) -> list[tuple[str, str]]:
    """Codes and places of a graph of the nodes a to d with ways such as "ab", or "ab?" if there is a guard."""
    edges: dict[str, Any] = {f"in-{name}": {"from": "$start", "to": name} for name in "abcd"}
    edges |= {f"out-{name}": {"from": name, "to": "$finish"} for name in "abcd"}
    for way in ways:
        edges[way.strip("?")] = {"from": way[0], "to": way[1], **({"guard": GUARD} if way.endswith("?") else {})}
    document = sound(
        nodes={name: {"implementation": STEP} for name in "abcd"}, edges=edges, policies={"max_supersteps": limit}
    )
    return [(code, place) for severity, code, place in found(document) if severity == "warning"]


@pytest.mark.parametrize("ways", [("ab", "bc", "cd"), ("ab", "ac", "bd", "cd"), ("ad", "bd", "cd")])
def test_graph_without_cycle_needs_no_limit(ways):
    """Ways that meet again are no cycle."""
    assert [] == cycles(*ways)
    assert [] == cycles(*ways, limit=3)


@pytest.mark.parametrize("ways", [("aa",), ("ab", "ba"), ("ab", "bc?", "cd", "da"), ("aa?",), ("ab", "ba", "cd", "dc")])
def test_cycle_without_limit_is_told_once(ways):
    """Guards make no difference, nor do several cycles."""
    assert [("unbounded_cycle", "policies.max_supersteps")] == cycles(*ways)


def test_all_cycles_without_limit_are_named():
    """In the one diagnostic that there is; of many the first ones."""
    nodes = {name: {"implementation": STEP} for name in "abcdefg"}
    edges: dict[str, Any] = {f"in-{name}": {"from": "$start", "to": name} for name in nodes}
    edges |= {f"out-{name}": {"from": name, "to": "$finish"} for name in nodes}
    two = {"ab": {"from": "a", "to": "b"}, "ba": {"from": "b", "to": "a"}, "d": {"from": "d", "to": "d"}}
    five = {name: {"from": name, "to": name} for name in "cdefg"}
    (told,) = diagnostics_of(read_document(sound(nodes=nodes, edges=edges | two)), {"step": step})
    (many,) = diagnostics_of(read_document(sound(nodes=nodes, edges=edges | five)), {"step": step})

    assert "the graph goes round through ['a', 'b'] and ['d'], and nothing limits its steps" == told.message
    assert "through ['c'] and ['d'] and ['e'] and 2 more, and" in many.message


def closing(*ways: str, limit: int | None = None) -> list[tuple[str, ...]]:
    """The edges to be marked, by diagnostic, of a graph that begins at x; ways as above."""
    edges: dict[str, Any] = {"0": {"from": "$start", "to": "x"}}
    for way in ways:
        edges[way.strip("?")] = {"from": way[0], "to": way[1], **({"guard": GUARD} if way.endswith("?") else {})}
    nodes = {name: {"implementation": STEP} for name in {*"".join(ways)} - {"?"}}
    told = diagnostics_of(
        read_document(sound(nodes=nodes, edges=edges, policies={"max_supersteps": limit})), {"step": step}
    )
    return [each.edges for each in told if each.code.endswith("_cycle")]


@pytest.mark.parametrize(
    ("ways", "limit", "expected"),
    [
        (("xx",), None, [("xx",)]),
        (("xb", "ba", "ab"), None, [("ab",)]),
        (("xb", "ba", "ab"), 9, [("ab",)]),
        (("xa", "ab", "bx?", "ax"), None, [("ax", "bx")]),
        (("xa", "ab", "bx?", "ax"), 9, [("ax",)]),
        (("xa", "aa", "xb", "bb"), 9, [("aa",), ("bb",)]),
        (("xa", "yz", "zy"), 9, [("zy",)]),
    ],
)
def test_edges_that_close_a_cycle_are_told(ways, limit, expected):
    """Those that lead back to where the way from the start has come by, whatever the names are."""
    assert expected == closing(*ways, limit=limit)


def test_join_that_closes_a_cycle_is_told_once():
    """Though it leaves several nodes."""
    document = sound(
        nodes={name: {"implementation": STEP} for name in "ab"},
        edges={
            "in": {"from": "$start", "to": "a"},
            "on": {"from": "a", "to": "b"},
            "back": {"from": ["a", "b"], "to": "a"},
            "out": {"from": "b", "to": "$finish"},
        },
    )
    (told,) = diagnostics_of(read_document(document), {"step": step})

    assert ("back",) == told.edges


@pytest.mark.parametrize(
    ("ways", "knots"),
    [
        (("aa",), ["a"]),
        (("aa?",), []),
        (("ab", "ba"), ["a"]),
        (("ab", "ba", "aa", "bb"), ["a"]),
        (("ab", "ba?"), []),
        (("ab", "bc?", "ca", "ba"), ["a"]),
        (("ab", "bc", "ca?", "cd", "dc"), ["c"]),
        (("ab", "ba", "cd", "dc", "bc"), ["a", "c"]),
        (("ab", "bc", "cd", "da", "ac"), ["a"]),
    ],
)
def test_cycle_with_limit_needs_a_guard_on_its_way(ways, knots):
    """Each knot of cycles that no guard can leave is told, at its first node."""
    assert [("unguarded_cycle", f"nodes.{name}") for name in knots] == cycles(*ways, limit=9)


def test_join_in_a_cycle_counts_for_each_of_its_sources():
    """It fires once per round."""
    document = sound(
        nodes={name: {"implementation": STEP} for name in "ab"},
        edges={
            "in": {"from": "$start", "to": "a"},
            "on": {"from": "a", "to": "b"},
            "back": {"from": ["a", "b"], "to": "a"},
            "out": {"from": "b", "to": "$finish"},
        },
        policies={"max_supersteps": 5},
    )

    assert [("warning", "unguarded_cycle", "nodes.a")] == found(document)
