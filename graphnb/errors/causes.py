"""What caused an error: its chain of causes, and the category that counts. Source: pipeline-utilities §6.4."""

from __future__ import annotations

from typing import NamedTuple

from graphnb.errors.running import NodeException
from graphnb.errors.text import kind_of, shown


class Cause(NamedTuple):
    """One link: its category (None if it has none), its message, and whether it only carries another error."""

    category: str | None
    message: str
    is_carrier: bool


class Causes(NamedTuple):
    """The links from the error itself down to the first cause.

    `category` is that of the outermost link that is no carrier and has one, else None; `message` that link's
    own, else that of the first link that is no carrier, else that of the error itself.
    """

    links: tuple[Cause, ...]
    category: str | None
    message: str


def causes_of(error: BaseException) -> Causes:
    """The causes of an error, along `__cause__`; a cause that comes again ends the chain.

    A carrier is a NodeException: it tells where something happened, not what. Raises TypeError for what is no error.

    >>> broken = NodeException("node 'a'", "raised KeyError")
    >>> broken.__cause__ = KeyError("x")
    >>> causes = causes_of(broken)
    >>> [(link.category, link.is_carrier) for link in causes.links], causes.category, causes.message
    ([('node_exception', True), (None, False)], None, "'x'")
    """
    if not isinstance(error, BaseException):
        raise TypeError(f"causes_of takes an error, not {kind_of(error)}: {shown(error)}")
    links: list[Cause] = []
    seen: set[int] = set()
    each: object = error
    while isinstance(each, BaseException) and id(each) not in seen:
        seen.add(id(each))
        links.append(Cause(category_of(each), _message_of(each), isinstance(each, NodeException)))
        each = each.__cause__
    bare = [link for link in links if not link.is_carrier]
    telling = next((link for link in bare if link.category is not None), None)
    told = telling or (bare or links)[0]
    return Causes(tuple(links), telling.category if telling else None, told.message)


def category_of(error: BaseException) -> str | None:
    """The error's own category, a text that is not empty; None if it has none.

    >>> category_of(ValueError()), category_of(NodeException("node 'a'", "raised"))
    (None, 'node_exception')
    """
    try:
        category = getattr(error, "category", None)
    except Exception:  # noqa: BLE001  an attribute of a user's exception may be a property
        return None
    return category if isinstance(category, str) and category else None


def _message_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  so may its text
        return ""
