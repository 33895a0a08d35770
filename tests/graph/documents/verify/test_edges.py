"""Endpoints and guards of edges."""

from dataclasses import replace
from typing import Any

import pytest

from graphnb.graph.documents.reading import read_document
from tests.graph.documents.written import found, sound


def edge(**parts: Any) -> list[tuple[str, str]]:
    """Codes and places of a sound document with one edge more."""
    document = sound()
    document["edges"]["e"] = parts
    return [(code, place.removeprefix("edges.e.")) for _, code, place in found(document)]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("a", "$finish", []),
        (["a"], "$finish", []),
        ("$start", "$finish", []),
        ("b", "$finish", [("unknown_edge_source", "from")]),
        (None, "$finish", [("unknown_edge_source", "from")]),
        ("$finish", "a", [("invalid_finish_endpoint", "from")]),
        (["$finish", "a"], "a", [("invalid_finish_endpoint", "from")]),
        (["$start", "a"], "a", [("invalid_start_endpoint", "from")]),
        ("a", "$start", [("invalid_start_endpoint", "to")]),
        ("a", "b", [("unknown_edge_target", "to")]),
        ("a", None, [("unknown_edge_target", "to")]),
        ("a", "a\n", [("unknown_edge_target", "to")]),
        ([], "$finish", [("empty_edge_sources", "from")]),
        (["a", "a"], "$finish", [("duplicate_edge_source", "from")]),
        (["b", "b", "c"], "$finish", [("duplicate_edge_source", "from"), *[("unknown_edge_source", "from")] * 2]),
        ("b", "c", [("unknown_edge_source", "from"), ("unknown_edge_target", "to")]),
    ],
)
def test_endpoints_are_checked(source, target, expected):
    """Each fault once, those of the sources first."""
    told = {"from": source} if source is not None else {}

    assert expected == [each for each in edge(to=target, **told) if each[0] != "unbounded_cycle"]


def test_problems_of_guards_are_told_at_the_guard():
    """In the order of its arguments, by their own codes."""
    guard = {
        "op": "any",
        "args": [
            {"op": "changed", "args": ["gone"]},
            {"op": "exists", "args": []},
            {"op": "exists", "args": [{"$guard": {"op": "path", "args": ["n", [1.5]]}}]},
        ],
    }

    assert [
        ("unknown_guard_field", "guard"),
        ("invalid_guard", "guard"),
        ("invalid_guard_path", "guard"),
    ] == edge(**{"from": "a", "to": "$finish", "guard": guard})


def test_guard_made_wrongly_is_told():
    """A record that is no guard."""
    document = read_document(sound())
    edges = {**document.edges, "out": replace(document.edges["out"], guard="n > 3")}  # type: ignore[arg-type]

    assert [("error", "invalid_guard", "edges.out.guard")] == found(replace(document, edges=edges))
