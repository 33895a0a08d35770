"""The parts of a pattern that an automaton takes, and what sets of characters they name.

A set is written as Python's `re` has it and asked of `re`, one character at a time: what a class means is told nowhere
else. What characters have in common, as far as a pattern can tell them apart, is their sign.
"""

from __future__ import annotations

import functools
import re
import warnings
from typing import Final, NamedTuple

Sign = tuple[str, tuple[bool, ...]]
"""The character itself where the pattern names it, else no text; and for each class, whether it is in there."""

_COUNT: Final = r"\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}"
_TOKEN: Final = re.compile(
    rf"""(?P<open>\((?:\?:|\?P<\w+>|(?!\?))) | (?P<close>\)) | (?P<bar>\|) | (?P<comment>\(\?\#[^)]*\))
    | (?P<often>[*+?]|{_COUNT}) \?? (?![*+?])
    | (?P<start>\^|\\A) | (?P<end>\\Z) | (?P<last>\$)
    | (?P<character>(?!{_COUNT})[^\\()\[|*+?.^$]|\\[^0-9A-Za-z])
    | (?P<class>\.|\\[dswDSWafnrtv]|\\x[0-9A-Fa-f]{{2}}|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}}|\\N\{{[^}}]+\}}
        |\\0[0-7]{{0,2}}|\\[1-3][0-7]{{2}}|\[\^?+(?:\\.|[^\\])(?:\\.|[^\\\]])*+\])""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN: Final = {"open": "(?:", "close": ")", "bar": "|", "comment": "", "start": r"\A", "end": r"\z", "last": "(?m:$)"}
_DOUBTFUL: Final = re.compile(r"\[.*(?:\[|--|&&|~~|\|\|)", re.DOTALL)


class Parts(NamedTuple):
    """A pattern in order: text for the automaton, a character that is meant, or the place of a class in `classes`."""

    order: tuple[tuple[str, str | int], ...]
    characters: frozenset[str]
    classes: tuple[re.Pattern[str], ...]


@functools.lru_cache(maxsize=256)
def parts_of(pattern: str) -> Parts | None:
    """The parts of a pattern that `re` has compiled; None if there is something in it that no automaton takes.

    A lazy repetition finds no less than a greedy one, and what a group is called does not matter: neither is kept.
    """
    order: list[tuple[str, str | int]] = []
    classes: dict[str, int] = {}
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        kind = str(token.lastgroup)
        if kind == "often":
            order.append(("text", token["often"].replace("{,", "{0,")))
        elif kind == "character":
            order.append((kind, token[0][-1]))
        elif kind == "class":
            order.append((kind, classes.setdefault(token[0], len(classes))))
        else:
            order.append(("text", _PLAIN[kind]))
        at = token.end()
    characters = frozenset(str(each) for kind, each in order if kind == "character")
    return Parts(tuple(order), characters, tuple(map(compiled, classes)))


def sign_of(parts: Parts, character: str) -> Sign:
    """What the pattern can tell of the character."""
    own = character if character in parts.characters else ""
    return own, tuple(each.match(character) is not None for each in parts.classes)


@functools.lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern as `re` has it. Raises re.error, OverflowError or RecursionError for what it cannot compile."""
    if not _DOUBTFUL.search(pattern):
        return re.compile(pattern)
    with warnings.catch_warnings():  # a pattern means what it means today, and nobody here can write it otherwise
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern)
