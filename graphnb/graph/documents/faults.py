"""What is told of a graph that cannot be a document: all parts that have no name there, each with its place."""

from __future__ import annotations

from graphnb.errors import InvalidDocument
from graphnb.graph.documents.ids import id_fault


class Faults:
    """What has no name in a document, in the order in which it was found."""

    def __init__(self, graph: str) -> None:
        self.graph = f"graph '{graph}'"
        self.found: list[InvalidDocument] = []

    def tell(self, part: str, what: str, mend: str) -> None:
        """Adds one; `part` is its place within the graph, empty for the graph itself."""
        where = f"{self.graph}, {part}" if part else self.graph
        self.found.append(InvalidDocument(where, what, mend))

    def check(self) -> None:
        """Raises the first one; its `problems` are all of them."""
        if self.found:
            self.found[0].problems = tuple(self.found)
            raise self.found[0]


def check_id(name: str, part: str, *, faults: Faults) -> None:
    """Tells of a name that is no id in a document."""
    fault = id_fault(name)
    if fault is not None:
        faults.tell(part, fault[1], fault[2])
