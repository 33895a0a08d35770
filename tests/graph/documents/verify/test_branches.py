"""Groups of edges that a node shows together."""

from typing import Any

import pytest

from tests.graph.documents.written import STEP, found, sound

GUARD = {"op": "exists", "args": ["n"]}


def groups(branches: Any) -> list[tuple[str, str, str]]:
    """Diagnostics of a sound document whose node shows these groups; two of its edges leave it, one has a guard."""
    return [
        (severity, code, place.removeprefix("nodes.a.branches."))
        for severity, code, place in found(
            sound(
                nodes={"a": {"implementation": STEP, "branches": branches}},
                edges={
                    "in": {"from": "$start", "to": "a"},
                    "out": {"from": "a", "to": "$finish", "guard": GUARD},
                    "join": {"from": ["a"], "to": "$finish", "guard": GUARD},
                    "bare": {"from": "a", "to": "$finish"},
                },
            )
        )
    ]


@pytest.mark.parametrize(
    "branches",
    [
        {},
        {"b": {"edges": ["out"], "label": "B"}, "c": {"edges": ["join"]}},
        [{"edges": ["out", "join"]}],
        {"b": "out", "c": {"edges": "out"}, "d": {"edges": [1, None]}, "e": {}, "f": ["out"]},
    ],
)
def test_sound_groups_pass(branches):
    """What has another form says nothing that could be checked."""
    assert [] == groups(branches)


@pytest.mark.parametrize(
    ("branches", "expected"),
    [
        ({"b": {"edges": ["gone"]}}, [("error", "unknown_branch_edge", "b.edges.0")]),
        ({"b": {"edges": ["out", "bare"]}}, [("warning", "unguarded_branch_edge", "b.edges.1")]),
        ({"b": {"edges": ["out", "out"]}}, [("error", "duplicate_branch_edge", "b.edges.1")]),
        ([{"edges": ["out"]}, {"edges": ["out"]}], [("error", "duplicate_branch_edge", "1.edges.0")]),
        (
            {"b": {"edges": ["gone", "gone"]}},
            [
                ("error", "unknown_branch_edge", "b.edges.0"),
                ("error", "duplicate_branch_edge", "b.edges.1"),
                ("error", "unknown_branch_edge", "b.edges.1"),
            ],
        ),
        (
            {"b": {"edges": ["in"]}},
            [("error", "branch_edge_source_mismatch", "b.edges.0"), ("warning", "unguarded_branch_edge", "b.edges.0")],
        ),
    ],
)
def test_groups_at_fault_are_told(branches, expected):
    """An edge that is not there, leaves another node, stands twice, or is always followed."""
    assert expected == groups(branches)
