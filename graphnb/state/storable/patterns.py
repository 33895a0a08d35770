"""Whether a pattern is found in a text: the answer of Python's `re`, most often in time that is linear in the text.

`re` tries one way after the other, and for `(a+)+$` there are as many as there are ways to cut the text. An automaton
gives the same answer in one pass, if the pattern is made of characters, classes, groups, alternatives and repetitions.
It is made for an alphabet of its own, in which all characters that the pattern cannot tell apart are one letter, and
the text is written in that. Whatever else a pattern may have is left to `re`; what is too large for one is not,
because it is there that `re` would never end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Final

from pydantic_core import SchemaError, SchemaValidator, core_schema

from graphnb.state.storable.pattern_parts import Parts, Sign, compiled, parts_of, sign_of

_Reader = tuple[Callable[[str], bool], dict[int, str]]
_NOTHING: Final = "[a&&b]"
_FIRST: Final = 0x21


class PatternTooLarge(ValueError):
    """An automaton for the pattern would be too large, or its groups are nested too deeply."""


def is_found(pattern: str, text: str) -> bool:
    """True if the pattern is found somewhere in the text, as by `re.search`.

    Raises re.error, OverflowError or RecursionError for what `re` cannot compile, PatternTooLarge for what nothing here
    could look for in linear time, however much it would.

    >>> is_found("b+", "abc"), is_found("^b", "abc"), is_found("c$", "abc\\n"), is_found("^(a+)+$", "a" * 99 + "!")
    (True, False, True, False)
    """
    written = compiled(pattern)
    parts = parts_of(pattern)
    if parts is None:
        return written.search(text) is not None
    if text.isascii():
        search, table = _ascii_reader(pattern)
    else:
        others = sorted(each for each in set(text) if not each.isascii())
        search, table = _reader(pattern, signs=_ascii_signs(pattern) | {each: sign_of(parts, each) for each in others})
    has_newline = text[-1:] == "\n"
    return search(text[:-1].translate(table) + "\n" if has_newline else text.translate(table))


@functools.lru_cache(maxsize=256)
def _ascii_reader(pattern: str) -> _Reader:
    return _reader(pattern, signs=_ascii_signs(pattern))


@functools.lru_cache(maxsize=256)
def _ascii_signs(pattern: str) -> dict[str, Sign]:
    parts = _parts(pattern)
    return {chr(code): sign_of(parts, chr(code)) for code in range(0x80)}


def _reader(pattern: str, *, signs: dict[str, Sign]) -> _Reader:
    """What looks for the pattern in a text that is written in letters, and the letter of each character."""
    search, letters = _automaton(pattern, signs=frozenset(signs.values()))
    return search, {ord(character): letters[sign] for character, sign in signs.items()}


@functools.lru_cache(maxsize=256)
def _automaton(pattern: str, *, signs: frozenset[Sign]) -> tuple[Callable[[str], bool], dict[Sign, str]]:
    """What looks for the pattern in letters, and the letter of each sign.

    A newline stays one at the end of the text alone. So `$` is met before it and after it, and nowhere else.
    """
    parts = _parts(pattern)
    letters = {sign: chr(_code(i)) for i, sign in enumerate(sorted(signs))}
    newline = sign_of(parts, "\n")
    characters = {own: [i] for i, (own, _) in enumerate(letters) if own}
    sets = {each: _set(characters.get(each, ()), has_newline=each == "\n") for each in parts.characters}
    classes = [
        _set((i for i, sign in enumerate(letters) if sign[1][place]), has_newline=newline[1][place])
        for place in range(len(parts.classes))
    ]
    written = "".join(_written(kind, part, sets=sets, classes=classes) for kind, part in parts.order)
    try:
        schema = core_schema.str_schema(pattern=written, regex_engine="rust-regex")
        return SchemaValidator(schema).isinstance_python, letters
    except SchemaError as error:
        raise PatternTooLarge("too large with its repetitions written out, or nested too deeply") from error


def _parts(pattern: str) -> Parts:
    parts = parts_of(pattern)
    assert parts is not None
    return parts


def _written(kind: str, part: str | int, *, sets: dict[str, str], classes: list[str]) -> str:
    if isinstance(part, int):
        return classes[part]
    return part if kind == "text" else sets[part]


def _set(places: Iterable[int], *, has_newline: bool) -> str:
    """The letters at these places as a class of the automaton."""
    runs: list[list[int]] = []
    for i in places:
        if runs and runs[-1][1] == i - 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    inside = "".join(rf"\x{{{_code(first):x}}}-\x{{{_code(last):x}}}" for first, last in runs)
    inside += r"\n" if has_newline else ""
    return f"[{inside}]" if inside else _NOTHING


def _code(place: int) -> int:
    """The code of the letter at this place; halves of surrogate pairs are no letters."""
    code = _FIRST + place
    return code if code < 0xD800 else code + 0x800
