"""Graphs whose branches run at once, within middleware: for drawings and tables of what came in issue 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any
from unittest import mock

import graphnb as gn
from graphnb.engine.drivers import sharing
from graphnb.trace.trace import Trace


class Busy(Exception):
    """A failure that may pass by itself."""

    category = "provider_unavailable"


class Note(gn.State):
    file: str = ""
    depth: int = 1
    notes: list[str] = []


class Scan(gn.State):
    files: list[str] = []
    found: Annotated[list[str], gn.concat_flatten] = []
    best: str = ""


class Review(gn.State):
    files: list[str] = ["a.py", "b.py"]
    log: Annotated[list[str], gn.append] = []
    found: Annotated[list[str], gn.append] = []
    verdict: str = ""
    score: Annotated[dict[str, int], gn.merge] = {}
    faults: list[dict[str, str]] = []


def style(s: Any) -> dict[str, Any]:
    """Judge how it looks."""
    return {"log": ["style"], "verdict": "style: fine", "score": {"style": 3}}


def types(s: Any) -> dict[str, Any]:
    """Fail always."""
    raise ValueError("no type checker here")


def spell(s: Any) -> dict[str, Any]:
    """Judge how it is spelled."""
    return {"log": ["spell"], "verdict": "spell: 2 faults", "score": {"spell": 1, "style": 4}}


def is_long(s: Any) -> bool:
    """Tell whether there is much to read."""
    return len(s.files) > 5


def cached(state: Any, following: Callable[[Any], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Answer without asking the node."""
    return {"log": ["from cache"]}


def timed(state: Any, following: Callable[[Any], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Do nothing but go on."""
    return following(state)


def after_judge(s: Any) -> Any:
    """End always."""
    return gn.END


def watch(event: object) -> None:
    """Look on."""


def scan() -> gn.Graph:
    """Make the graph of one branch, with a fan-out inside."""
    reader = gn.Graph(Note, entry="open", name="reader")
    reader.node("open", lambda s: {"depth": 2}, to="note")
    reader.node("note", lambda s: {"notes": [f"{s.file}: long line"]}, to=gn.END)
    graph = gn.Graph(Scan, entry="read_each", name="scan")
    graph.fan_out("read_each", reader, over="files", item="file", collect="notes", into="found", to="pick")
    graph.node("pick", lambda s: {"best": s.found[0]}, to=gn.END)
    return graph


def together() -> gn.Graph:
    """Make a graph with five branches, retries, a node that is answered for and one that fails for good."""
    graph = gn.Graph(Review, entry="plan", name="together")
    left = [Busy("model overloaded"), Busy("model overloaded")]

    def plan(s: Any) -> dict[str, Any]:
        if left:
            raise left.pop()
        return {"log": ["plan"]}

    def judge(s: Any) -> dict[str, Any]:
        raise Busy("judge is down")

    graph.node("plan", plan, middleware=[gn.retry(3, backoff=0)], to="both")
    outputs = {"found": "found", "verdict": "best"}
    scanned = gn.ParallelBranch(scan(), inputs={"files": "files"}, outputs=outputs, middleware=[gn.retry(2, backoff=0)])
    deep = gn.ParallelBranch(style, when=is_long)
    branches = {"scan": scanned, "style": style, "types": types, "spell": spell, "deep": deep}
    graph.branches("both", branches, error_policy="collect", errors_into="faults", to="rate")
    graph.node("rate", lambda s: {"log": ["rate"]}, middleware=[cached], to="judge")
    isolated = gn.failure_isolation({"verdict": "unknown"}, event_name="judge_down")
    graph.node("judge", judge, middleware=[isolated, gn.retry(2, backoff=0)])
    graph.branch("judge", after_judge, to=("plan", gn.END))
    graph.observer(watch)
    return graph


def failed() -> gn.Graph:
    """Make a graph of which a branch fails, and with it the node, twice."""
    graph = gn.Graph(Review, entry="both", name="failed")
    again = gn.retry(2, classifier=lambda error, state: True, backoff=0)
    scanned = gn.ParallelBranch(scan(), inputs={"files": "files"}, outputs={"found": "found"})
    branches = {"style": style, "types": types, "scan": scanned}
    graph.branches("both", branches, middleware=[again], to=gn.END)
    return graph


def round_trip() -> gn.Graph:
    """Make a graph in which a log comes back into itself; everything is timed."""
    child = gn.Graph(Review, entry="ask", name="talk")
    child.node("ask", lambda s: {"log": ["ask"]}, to=gn.END)
    graph = gn.Graph(Review, entry="talk", name="trip")
    graph.subgraph("talk", child, inputs={"log": "log"}, outputs={"log": "log"}, to="end")
    graph.node("end", lambda s: {}, to=gn.END)
    graph.middleware(timed)
    return graph


def trace_of(graph: gn.Graph) -> Trace:
    """Run the graph and give the record, also of a run that fails.

    No thread helps, however slow the machine: so branches come one after the other, and how far each had come when
    another one failed does not depend on who was quicker.
    """
    try:
        with mock.patch.object(sharing._LOOKOUT, "watch"):
            return graph.run().trace
    except gn.RunError as error:
        if error.trace is None:
            raise
        return error.trace
