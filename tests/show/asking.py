"""Graphs that ask delegates: for drawings and tables of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import graphnb as gn


class Bridge(gn.State):
    briefs: list[str] = ["Look at the steel", "Count the cars", "Look at the river below, after days of rain"]
    answers: Annotated[list[Any], gn.append] = []
    latest: list[Any] = []
    faults: list[dict[str, Any]] = []
    won: str | None = None


class Watch(gn.State):
    brief: str
    seen: Annotated[list[str], gn.append] = []
    result: str = ""


def ada(brief: str) -> str:
    """Answer with what was asked."""
    return f"done: {brief.lower()}"


def cy(brief: str) -> Any:
    """Fail always."""
    raise ValueError("no <b>way</b> down")


def crew() -> gn.Graph:
    """Make the graph that is one of the delegates."""
    made = gn.Graph(Watch, entry="look", name="bo")
    made.node("look", lambda s: {"seen": ["rust"]}, to="write")
    made.node("write", lambda s: {"result": "safe"}, to=gn.END)
    return made


def named(name: str) -> Callable[[Any], Any]:
    """Make a delegate of this name."""

    def answer(brief: Any) -> str:
        return f"{name} says yes"

    answer.__name__ = name
    return answer


def asking(delegates: Any, *, name: str = "asking", briefs: Any = "briefs", **options: Any) -> gn.Graph:
    """Make a graph of one node that asks these."""
    graph = gn.Graph(Bridge, entry="ask", name=name)
    graph.delegates("ask", delegates, briefs=briefs, **{"into": "answers", "to": gn.END, **options})
    return graph


def asked() -> gn.Graph:
    """Make one whose delegates all answer: a function, a graph, the function again."""
    return asking([ada, crew(), ada])


def kept() -> gn.Graph:
    """Make one in which a delegate fails and the others count."""
    return asking([ada, crew(), cy], name="kept", on_error="keep", errors_into="faults")


def refused() -> gn.Graph:
    """Make one that fails with a delegate."""
    return asking([ada, crew(), cy], name="refused")


def many(count: int) -> gn.Graph:
    """Make one that asks so many."""
    return asking([named(f"d{i}") for i in range(count)], name="many", briefs="Look well")
