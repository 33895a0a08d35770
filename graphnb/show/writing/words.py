"""Names, messages and numbers of things as they stand in a sentence of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphnb.trace.instances import Unit

UNITS: Final[Mapping[Unit, str]] = {
    "instance": "instances",
    "branch": "branches",
    "delegate": "delegates",
    "candidate": "candidates",
}
"""The parts of a node that runs several at once, with their plurals."""


def printable(text: object) -> str:
    """A name or message with control characters, lone surrogates and unseen marks as escapes, on one line.

    >>> printable("a\\x1b\\nb\\u202e")
    'a\\\\x1b\\\\nb\\\\u202e'
    """
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


def clipped(text: str, limit: int) -> str:
    """The text in at most `limit` characters, with … at its end if something was cut.

    >>> clipped("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= limit else f"{text[: max(limit - 1, 0)]}…"


def things(count: int, one: str, *, many: str = "") -> str:
    """A number of things in words.

    >>> things(1, "item"), things(1200, "entry", many="entries")
    ('1 item', '1,200 entries')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def units(count: int, unit: Unit, *, more: bool = False) -> str:
    """A number of parts of a node in words, or of so many `more`.

    >>> units(3, "delegate"), units(2, "branch", more=True)
    ('3 delegates', '2 more branches')
    """
    word = "more " if more else ""
    return things(count, f"{word}{unit}", many=f"{word}{UNITS[unit]}")
