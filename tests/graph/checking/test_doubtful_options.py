"""Options that are allowed and hardly meant: told before a run, as the run itself warns or fails."""

import warnings
from typing import Annotated, Any

import pytest

import graphnb as gn


class Inner(gn.State):
    item: int = 0
    log: Annotated[list[str], gn.append] = []


class Outer(gn.State):
    items: list[int] = [1]
    logs: Annotated[list[Any], gn.append] = []


def inner() -> gn.Graph:
    """A graph of one node."""
    graph = gn.Graph(Inner, entry="n", name="inner")
    graph.node("n", lambda s: {"log": ["n"]}, to=gn.END)
    return graph


def told_of(options: dict[str, Any], worker: Any = None) -> list[tuple[str, str, str, str]]:
    """What check() tells of a fan-out with these options."""
    graph = gn.Graph(Outer, entry="each")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        graph.fan_out("each", worker or inner(), into="logs", to=gn.END, **options)
    return [(each.severity, each.code, each.message, each.mend) for each in graph.check()]


OVER = {"over": "items", "item": "item", "collect": "log"}


@pytest.mark.parametrize(
    ("options", "code", "what", "mend"),
    [
        (
            {**OVER, "item": "none"},
            "lost_value",
            "no instance gets its item: 'none' is no field of the worker",
            "Fields: ['item', 'log'].",
        ),
        (
            {"over": "items", "item": "item"},
            "lost_value",
            "into 'logs' receives nothing",
            "Give collect='field of the worker'.",
        ),
        (
            {**OVER, "concurrency": 0},
            "fan_out_invalid_concurrency",
            "concurrency is 0 (int), so that every run fails here",
            "It must be an int of at least 1.",
        ),
        (
            {"collect": "log", "count": -1},
            "fan_out_invalid_count",
            "count is -1 (int), so that every run fails here",
            "It must be an int of at least 0.",
        ),
    ],
)
def test_what_a_fan_out_cannot_mean_is_told(options: dict[str, Any], code: str, what: str, mend: str) -> None:
    """Each with what to write instead."""
    assert [("warning", code, what, mend)] == [each for each in told_of(options) if each[1] != "unfit_write"]


def test_fan_out_that_means_what_it_says_is_not_told_of() -> None:
    """Nor one of a function, whose items go to its parameter."""
    assert [] == told_of({**OVER, "concurrency": 1})
    assert [] == told_of({"over": "items", "item": "whatever"}, worker=lambda i: i)


def test_branch_whose_graph_has_no_outputs_is_told() -> None:
    """By its name."""
    graph = gn.Graph(Outer, entry="both")
    branches = {"l": gn.ParallelBranch(inner()), "r": lambda s: {}, "t": gn.ParallelBranch(inner(), outputs={})}
    with pytest.warns(UserWarning, match="is lost"):
        graph.branches("both", branches, to=gn.END)

    assert [("lost_value", "branch 'l': what the graph gives is lost: it has no outputs")] == [
        (each.code, each.message) for each in graph.check()
    ]


@pytest.mark.parametrize("option", ["count", "concurrency"])
@pytest.mark.parametrize("given", ["3", 1.5, True])
def test_number_that_is_none_is_refused_where_it_is_declared(option: str, given: Any) -> None:
    """Which numbers there may be the specification has told at run time; what is none can be nothing else."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"node 'each': {option} is {given!r} "):
        told_of({option: given})
