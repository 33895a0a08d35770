"""Every way to run a graph to its end."""

import asyncio
from typing import Annotated, Any

import graphnb as gn


class Diary(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []


def graph_of(cls: type, node: Any = lambda s: {}) -> gn.Graph:
    """A graph of one node."""
    graph = gn.Graph(cls, entry="a", name="g")
    graph.node("a", node, to=gn.END)
    return graph


START = {
    "run": lambda graph, *state, **fields: graph.run(*state, **fields),
    "arun": lambda graph, *state, **fields: asyncio.run(graph.arun(*state, **fields)),
    "start": lambda graph, *state, **fields: graph.start(*state, **fields).result(20),
    "session": lambda graph, *state, **fields: graph.session(*state, **fields).finish(),
    "compiled run": lambda graph, *state, **fields: graph.compile().run(*state, **fields),
    "compiled arun": lambda graph, *state, **fields: asyncio.run(graph.compile().arun(*state, **fields)),
    "compiled start": lambda graph, *state, **fields: graph.compile().start(*state, **fields).result(20),
    "compiled session": lambda graph, *state, **fields: graph.compile().session(*state, **fields).finish(),
}
