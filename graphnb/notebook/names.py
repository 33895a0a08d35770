"""Names as users give them: of nodes, middleware, observers, and where an edge leads."""

from __future__ import annotations

from collections.abc import Iterable

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.graph.ends import END, Endpoint, Target
from graphnb.graph.spec import is_graph


def own_name(place: str, function: object, *, name: str | None, mend: str, of: str = "node") -> str:
    """The name under which a function is declared: the one that is given, else its own."""
    own = getattr(function, "__name__", None) if name is None else name
    if own is None or own == "<lambda>":
        raise InvalidDeclaration(place, f"{shown(function)} has no name", mend)
    return checked_name(place, own, of=of)


def checked_name(place: str, name: object, *, of: str = "node") -> str:
    """The name of a node, or of what else has one: any text that is not empty."""
    if isinstance(name, str) and name:
        return str.__str__(name)  # the bare text of one that knows more, such as a member of an Enum
    article = "an" if of[0] in "aeiou" else "a"
    mend = "An empty text is no name." if isinstance(name, str) else _mend_name(name) or "Write it in quotes."
    raise InvalidDeclaration(place, f"{article} {of}'s name is a text, not {kind_of(name)}: {shown(name)}", mend)


def checked_target(place: str, target: object) -> Target:
    """A node's name or END."""
    if target is END:
        return END
    if isinstance(target, Endpoint):
        raise InvalidDeclaration(place, "START cannot be a target", "Name the entry: gn.Graph(..., entry='name').")
    if isinstance(target, str):
        return checked_name(place, target)
    mend = _mend_name(target) or "Name a node in quotes, or end there: gn.END."
    if isinstance(target, Iterable):
        mend = "To go to several at once give a tuple: to=('a', 'b'); to choose one of them declare a router."
    what = f"an edge leads to a node's name or END, not to {kind_of(target)}: {shown(target)}"
    raise InvalidDeclaration(place, what, mend)


def checked_source(place: str, source: object) -> str:
    """The name of the node that a branch leaves."""
    if callable(source) and not is_graph(source):
        what = f"a branch leaves a node, and {shown(source)} is a function"
        raise InvalidDeclaration(place, what, "Name the node: graph.branch('source', router, to=(...)).")
    return checked_name(place, source)


def _mend_name(given: object) -> str:
    """How to name what was given in place of its name; empty for what has none."""
    if given is END:
        return "Nothing follows END."
    if isinstance(given, Endpoint):
        return "Name the first node when the graph is made: gn.Graph(..., entry='name')."
    if is_graph(given):
        return "Write the name of the node that runs it: graph.subgraph('name', graph) declares one."
    own = getattr(given, "__name__", None) if callable(given) else None
    return "" if own is None or own == "<lambda>" else f"Write its name: {own!r}."
