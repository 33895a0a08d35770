"""Which nodes can be reached, and which can reach an end."""

from typing import Any

import pytest

from tests.graph.documents.written import STEP, found, sound


def edges(*pairs: tuple[Any, str], nodes: str = "abc") -> list[str]:
    """Codes and last steps of the places of a graph with these edges."""
    document = sound(
        nodes={name: {"implementation": STEP} for name in nodes},
        edges={f"e{i}": {"from": source, "to": target} for i, (source, target) in enumerate(pairs)},
    )
    return [f"{code} {place.rpartition('.')[2]}" for _, code, place in found(document)]


IN, OUT = "$start", "$finish"


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(IN, "a"), ("a", "b"), ("b", "c"), ("c", OUT)], []),
        ([(IN, "a"), (IN, "b"), (["a", "b"], "c"), ("c", OUT)], []),
        ([(IN, "a"), ("a", OUT), ("b", "c")], ["unreachable_node b", "unreachable_node c"]),
        ([(IN, "a"), ("a", OUT), (["a", "b"], "c")], ["unreachable_node b", "unreachable_node c"]),
        ([(IN, "a"), ("a", "b"), ("a", "c"), ("c", OUT)], ["dead_end_node b"]),
        ([(IN, "a"), ("a", "b"), (["a", "b"], "c"), (["a", "b", "c"], OUT)], []),
        ([(IN, "a"), ("a", "b"), ("b", "c")], ["no_terminal_edge edges"]),
        (
            [("a", "b"), ("b", "c"), ("c", OUT)],
            ["no_entrypoint edges", "unreachable_node a", "unreachable_node b", "unreachable_node c"],
        ),
        ([(IN, OUT)], ["unreachable_node a", "unreachable_node b", "unreachable_node c"]),
    ],
)
def test_ways_are_looked_for(pairs, expected):
    """A join is a way if all its sources are reached; an unreachable node is not told twice."""
    assert expected == edges(*pairs)


def test_start_in_a_list_is_no_entry():
    """It is an error of its own."""
    assert ["invalid_start_endpoint from", "no_entrypoint edges"] == edges(
        (["$start"], "a"), ("a", "$finish"), nodes="a"
    )


def test_long_chain_is_walked():
    """Nothing recurses."""
    names = [f"n{i}" for i in range(3000)]
    document = sound(
        nodes={name: {"implementation": STEP} for name in names},
        edges={
            f"e{i}": {"from": source, "to": target}
            for i, (source, target) in enumerate(zip(["$start", *names], [*names, "$finish"], strict=True))
        },
    )

    assert [] == found(document)
