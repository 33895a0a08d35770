"""Declaring nodes without a graph."""

from collections.abc import Callable
from typing import Any

from graphnb.graph.edges import Edge
from graphnb.graph.ends import Target
from graphnb.graph.spec import FunctionNode
from graphnb.notebook.declarations import Declarations


def work(state: object) -> dict[str, object]:
    """Serve as the function of every node."""
    return {}


def node(declared: Declarations, name: str, to: Target | None = None, function: Callable[..., Any] = work) -> None:
    """Declare as `@graph.node(to=...)` does."""
    declared.declare(FunctionNode(name, function), None if to is None else Edge(name, to))
