"""Where a node stands: the enclosing nodes, from the outermost graph down."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """One link of the path to a node: an enclosing node, and which of its instances or parallel branches."""

    node: str
    instance: int | str | None


def path_text(parents: tuple[Part, ...], node: str) -> str:
    """The path as text, instances and branches in brackets.

    >>> path_text((Part("read", 2), Part("child", None)), "a")
    'read[2]/child/a'
    """
    links = [part.node if part.instance is None else f"{part.node}[{part.instance}]" for part in parents]
    return "/".join([*links, node])
