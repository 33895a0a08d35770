"""Graphs with a warning of each kind that a drawing marks: at nodes, edges and fields, in Python and as documents."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import graphnb as gn
from graphnb import step
from graphnb.graph.topology import Topology


class Verdict(TypedDict):
    verdict: str


class Note(gn.State):
    log: Annotated[list[str], gn.append] = []
    odd: Annotated[str, gn.append] = ""


class Desk(gn.State):
    items: list[str] = []
    log: Annotated[list[str], gn.append] = []
    verdict: str = ""
    rows: Annotated[list[list[str]], step.append]
    seen: Annotated[set[str], gn.append] = set()


def vote(s: Any) -> Verdict:
    """Write what another node writes in the same step."""
    return {"verdict": "yes"}


def letters(item: str) -> list[str]:
    """Give a list for each item."""
    return list(item)


def warned() -> gn.Graph:
    """Make a graph of which there is much to say, and which runs all the same."""
    inner = gn.Graph(Note, entry="say", name="inner")
    inner.node("say", lambda s: {}, to=gn.END)
    graph = gn.Graph(Desk, entry="plan", name="warned")
    graph.node("plan", lambda s: {}, to=("ann", "bob"))
    graph.node("ann", vote)
    graph.node("bob", vote)
    graph.edge(("ann", "bob"), "talk")
    graph.subgraph("talk", inner, inputs={"log": "log"}, outputs={"log": "log"}, to="each")
    graph.fan_out("each", letters, over="items", into="log")
    graph.branch("each", lambda s: gn.END)
    graph.node("loose", lambda s: {})
    return graph


def document(*, ends: bool = False, **policies: Any) -> dict[str, Any]:
    """A document that goes round, and has a field that nothing reads; if it `ends`, but for one of its nodes."""
    nodes = ("draft", "judge", "print", "lost")
    rows = {"type": "list", "item": {"type": "list", "item": {"type": "string"}}}
    written: dict[str, Any] = {name: {"implementation": {"type": "module", "implementation": name}} for name in nodes}
    written["draft"]["branches"] = {"ways": {"edges": ["on", "side"]}}
    return {
        "schema_version": 1,
        "id": "loop",
        "fields": {
            "rows": {"schema": rows, "reducer": {"type": "append"}},
            "spare": {"schema": {"type": "string"}},
        },
        "outputs": {"rows": {"source": "rows"}},
        "nodes": written,
        "edges": {
            "in": {"from": "$start", "to": "draft"},
            "on": {"from": "draft", "to": "judge"},
            "side": {"from": "draft", "to": "lost"},
            "again": {"from": "judge", "to": "draft", "guard": {"op": "changed", "args": ["rows"]}},
            "out": {"from": ["judge"], "to": "print"},
            "self": {"from": ["print"], "to": "print"},
            **({"end": {"from": "print", "to": "$finish"}} if ends else {}),
        },
        "policies": policies,
    }


def read(*, ends: bool = False, **policies: Any) -> Topology:
    """The topology of that document."""
    registry = dict.fromkeys(("draft", "judge", "print", "lost"), lambda view, context: {})
    return gn.graph_of(document(ends=ends, **policies), nodes=registry).topology()
