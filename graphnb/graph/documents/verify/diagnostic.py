"""What checking a document tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graphnb.graph.documents.expect import place_of
from graphnb.state.storable.values import Path


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong (`error`), or that is allowed and hardly meant (`warning`).

    `code` is a name of graph document §4, `path` leads into the document's written form, `public_id` is the id of
    the graph, or of the input, field, output, node or edge that it concerns. A graph written in Python has no
    such form: there `path` is empty, and `place` says in words where it is. `edges` are the ids of those that a drawing
    is to mark.
    """

    severity: Literal["error", "warning"]
    code: str
    path: Path
    public_id: str
    message: str
    mend: str = ""
    place: str = ""
    edges: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The place in words: `edges.again.guard` of a document, `graph 'review', node 'plan'` otherwise."""
        return self.place or place_of(self.path)

    def __str__(self) -> str:
        return "\n".join(part for part in (f"{self.where}: {self.message}", self.mend) if part)


def error(code: str, path: Path, message: str, mend: str = "") -> Diagnostic:
    """A diagnostic that refuses the document."""
    return Diagnostic("error", code, path, _id_in(path), message, mend)


def warning(code: str, path: Path, message: str, mend: str = "", *, edges: tuple[str, ...] = ()) -> Diagnostic:
    """A diagnostic that refuses nothing."""
    return Diagnostic("warning", code, path, _id_in(path), message, mend, edges=edges)


def _id_in(path: Path) -> str:
    """The id of the record that the path leads to; empty for the graph, whose id the caller fills in."""
    return str(path[1]) if len(path) > 1 and path[0] in ("inputs", "fields", "outputs", "nodes", "edges") else ""
