"""Graphs of nodes that only say that they ran: for what comes after what, and at once with what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import graphnb as gn
from graphnb import step


class Log(gn.State):
    log: Annotated[list[str], gn.append] = []
    seen: Annotated[list[str], step.append]
    n: int = 0
    total: Annotated[int, step.sum]
    note: str = gn.UNSET
    box: Any = None


def says(name: str) -> Callable[[Any], dict[str, Any]]:
    """A node that appends its name to the log, and adds 1 to the total."""
    return lambda s: {"log": [name], "total": 1}


def later(node: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same node, asynchronous."""

    async def node_later(s: Any) -> Any:
        return node(s)

    return node_later


def graph_of(
    edges: Mapping[Any, Any], *, entry: str = "a", state: type = Log, name: str = "fork", **nodes: Any
) -> gn.Graph:
    """A graph of these edges: source or sources -> target, targets, or a function to choose one; all nodes `says`."""
    graph = gn.Graph(state, entry=entry, name=name)
    sources = [each for source in edges for each in (source if isinstance(source, tuple) else (source,))]
    for source in dict.fromkeys([*sources, *nodes]):
        graph.node(source, nodes.get(source, says(source)))
    for source, target in edges.items():
        if callable(target):
            graph.branch(source, target)
        else:
            graph.edge(source, target)
    return graph


def rounds(run: Any) -> list[str]:
    """The nodes of each super-step, joined by +; one that has asked with ?, an answer with !."""
    told: list[str] = []
    for each in run.steps:
        if each.parents:
            continue
        mark = {"Interrupt": "?", "Answer": "!"}.get(type(each.interrupt).__name__, "")
        if each.is_joined:
            told[-1] += f"+{each.node}{mark}"
        else:
            told.append(each.node + mark)
    return told
