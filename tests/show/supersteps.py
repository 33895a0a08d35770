"""Graphs of which several nodes run in one super-step: forks, joins, guarded edges, interrupts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import graphnb as gn
from graphnb.notebook.run import Run


class Desk(gn.State):
    topic: str = "tides"
    log: Annotated[list[str], gn.append] = []
    facts: Annotated[list[str], gn.dedupe_append()] = []
    score: Annotated[dict[str, int], gn.merge] = {}
    cost: Annotated[int, gn.step.sum] = 0
    tags: Annotated[list[str], gn.step.union] = []
    verdict: str = ""
    answers: Annotated[list[str], gn.append] = []
    rounds: int = 0


def logs(name: str, **more: Any) -> Callable[[Any], dict[str, Any]]:
    """Make a node that logs its name and writes what else is given."""
    return lambda s: {"log": [name], **more}


def fails(s: Any) -> dict[str, Any]:
    """Fail always."""
    raise ValueError("no such page")


def diamond() -> gn.Graph:
    """Make a graph that forks and joins, and folds what the two sides wrote."""
    graph = gn.Graph(Desk, entry="plan", name="diamond")
    graph.node("plan", logs("plan", facts=["the moon pulls"]), to=("read", "ask"))
    graph.node("read", logs("read", facts=["the sea is salt", "the moon pulls"], score={"read": 2, "deep": 1}, cost=3))
    graph.node("ask", logs("ask", facts=["ebb and flow"], score={"ask": 5, "deep": 4}, cost=4))
    graph.edge(("read", "ask"), "write")
    graph.node("write", logs("write", verdict="done"), to=gn.END)
    return graph


def three_writers() -> gn.Graph:
    """Make a graph in which three nodes write every field, through reducers of both families."""
    graph = gn.Graph(Desk, entry="plan", name="three_writers")
    graph.node("plan", logs("plan", tags=["sea"], score={"plan": 1}, verdict="open"), to=("ann", "bob", "cyd"))
    for name, cost in (("ann", 1), ("bob", 2), ("cyd", 4)):
        graph.node(
            name,
            logs(name, tags=["sea", name], score={name: cost, "all": cost}, cost=cost, verdict=f"{name} says yes"),
            to=gn.END,
        )
    return graph


def guard_loop() -> gn.Graph:
    """Make a graph whose guarded edges lead back until there were two rounds."""
    graph = gn.Graph(Desk, entry="draft", name="guard_loop")
    graph.node("draft", lambda s: {"log": ["draft"], "rounds": s.rounds + 1}, to="judge")
    graph.node("judge", lambda s: {"log": ["judge"], "verdict": "good" if s.rounds > 1 else "poor"})
    is_good = (gn.field("verdict") == "good") & ~(gn.field("topic") == "weather") & gn.field("log").changed()
    graph.edge("judge", "print", when=is_good)
    graph.edge("judge", "draft", when=gn.field("verdict") == "poor")
    graph.node("print", logs("print"), to=gn.END)
    return graph


def stalled() -> gn.Graph:
    """Make a graph whose join waits for a node to which no edge was taken."""
    graph = gn.Graph(Desk, entry="plan", name="stalled")
    graph.node("plan", logs("plan"))
    graph.edge("plan", "read", when=gn.field("topic") == "tides")
    graph.edge("plan", "ask", when=gn.field("topic") == "weather")
    graph.node("read", logs("read"))
    graph.node("ask", logs("ask"))
    graph.edge(("read", "ask"), "write", when=gn.field("rounds") == 0)
    graph.node("write", logs("write"), to=gn.END)
    return graph


def asking() -> gn.Graph:
    """Make a graph that asks beside another node, and joins both."""
    graph = gn.Graph(Desk, entry="plan", name="asking")
    graph.node("plan", logs("plan"), to=("gate", "read"))

    def gate(s: Any) -> Any:
        if not s.answers:
            return gn.interrupt("answers", "May it be printed?", schema=list[str])
        return {"log": ["gate"]}

    graph.node("gate", gate)
    graph.node("read", logs("read"), to="check")
    graph.node("check", logs("check"))
    graph.edge(("gate", "check"), "print", when=gn.field("rounds") == 0)
    graph.node("print", logs("print", verdict="printed"), to=gn.END)
    return graph


def two_asking() -> gn.Graph:
    """Make a graph in which two nodes ask at once."""
    graph = gn.Graph(Desk, entry="plan", name="two_asking")
    graph.node("plan", logs("plan"), to=("left", "right"))

    def asks(name: str) -> Callable[[Any], Any]:
        return lambda s: logs(name)(s) if len(s.answers) > 1 else gn.interrupt("answers", f"What says {name}?", id=name)

    graph.node("left", asks("left"), to=gn.END)
    graph.node("right", asks("right"), to=gn.END)
    return graph


def broken() -> gn.Graph:
    """Make a graph of which two nodes of a step fail after a third one has finished."""
    graph = gn.Graph(Desk, entry="plan", name="broken")
    graph.node("plan", logs("plan"), to=("ask", "read", "view"))
    graph.node("ask", fails, middleware=[gn.retry(2, classifier=lambda error, state: True, backoff=0)], to=gn.END)
    graph.node("read", logs("read"), to=gn.END)
    graph.node("view", fails, to=gn.END)
    return graph


class Page(gn.State):
    item: str = ""
    notes: Annotated[list[str], gn.append] = []


class Shelf(gn.State):
    log: Annotated[list[str], gn.append] = []
    pages: list[str] = ["one", "two", "three"]
    notes: Annotated[list[str], gn.concat_flatten] = []


def mixed() -> gn.Graph:
    """Make a graph that forks into a fan-out and a subgraph, which forks in its turn."""
    inner = gn.Graph(Shelf, entry="open", name="inner")
    inner.node("open", logs("open"), to=("left", "right"))
    inner.node("left", logs("left"))
    inner.node("right", logs("right"))
    inner.edge(("left", "right"), "close")
    inner.node("close", logs("close"), to=gn.END)
    graph = gn.Graph(Shelf, entry="plan", name="mixed")
    graph.node("plan", logs("plan"), to=("each", "sub", "note"))
    reader = gn.Graph(Page, entry="look", name="reader")
    reader.node("look", lambda s: {"notes": [f"saw {s.item}"]}, to=gn.END)
    graph.fan_out("each", reader, over="pages", item="item", collect="notes", into="notes")
    graph.subgraph("sub", inner, outputs={"log": "log"})
    graph.node("note", logs("note", notes=[["by hand"]]))
    graph.edge(("each", "sub", "note"), "end")
    graph.node("end", logs("end"), to=gn.END)
    return graph


def twelve() -> gn.Graph:
    """Make a graph that goes twelve ways and joins them."""
    graph = gn.Graph(Desk, entry="plan", name="twelve")
    names = tuple(f"worker_{i:02}" for i in range(12))
    graph.node("plan", logs("plan"), to=names)
    for name in names:
        graph.node(name, logs(name, verdict=name))
    graph.edge(names, "gather")
    graph.node("gather", logs("gather"), to=gn.END)
    return graph


def run_of(graph: gn.Graph) -> Run:
    """Run the graph; give the record as a run also where it fails."""
    try:
        return graph.run()
    except gn.RunError as error:
        if error.trace is None:
            raise
        return Run(error.trace)
