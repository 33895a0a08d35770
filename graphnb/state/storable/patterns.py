"""Whether a pattern is found in a text: the answer of Python's `re`, most often in time that is linear in the text.

`re` tries one way after the other, and for `(a+)+$` there are as many as there are ways to cut the text. An automaton
gives the same answer in one pass, if the pattern is made of characters, classes, groups, alternatives and repetitions.
Such a pattern is written anew for it, each character as a number and each class as what Python takes it for; whatever
else a pattern may have is left to `re`.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from typing import Final

from pydantic_core import SchemaError, SchemaValidator, core_schema

_ESCAPE: Final = r"\\[^0-9A-Za-z]|\\[afnrtv]"
_TOKEN: Final = re.compile(
    rf"""(?P<open>\((?:\?:|(?!\?))) | (?P<close>\)) | (?P<bar>\|)
    | (?P<often>[*+?]|\{{[0-9]+(?:,[0-9]*)?\}}) \?? (?![*+?])
    | (?P<start>\^|\\A) | (?P<end>\\Z) | (?P<last>\$)(?=\||\Z)
    | \\(?P<kind>[dswDSW]) | (?P<any>\.)
    | \[(?P<but>\^?+)(?P<items>(?:\\[dswDSW]|{_ESCAPE}|[^\\\]])(?:\\[dswDSW]|{_ESCAPE}|[^\\\]])*)\]
    | (?P<character>{_ESCAPE}|[^\\()\[{{}}|*+?.^$])""",
    re.VERBOSE | re.DOTALL,
)
_ITEM: Final = re.compile(rf"\\(?P<kind>[dswDSW])|(?P<first>{_ESCAPE}|[^\\])(?:-(?P<last>{_ESCAPE}|[^\\]))?", re.DOTALL)
_NAMED: Final = {r"\a": "\a", r"\f": "\f", r"\n": "\n", r"\r": "\r", r"\t": "\t", r"\v": "\v"}
_DOUBTFUL: Final = re.compile(r"\[.*(?:\[|--|&&|~~|\|\|)", re.DOTALL)


def is_found(pattern: str, text: str) -> bool:
    """True if the pattern is found somewhere in the text, as by `re.search`.

    Raises re.error, OverflowError or RecursionError for what `re` cannot compile.

    >>> is_found("b+", "abc"), is_found("^b", "abc"), is_found("c$", "abc\\n"), is_found("^(a+)+$", "a" * 99 + "!")
    (True, False, True, False)
    """
    return _search_of(pattern, is_ascii=text.isascii())(text)


@functools.lru_cache(maxsize=256)
def _search_of(pattern: str, *, is_ascii: bool) -> Callable[[str], bool]:
    """What looks for the pattern in a text that is ASCII, or in one that is not."""
    compiled = _compiled(pattern)
    written = _for_automaton(pattern, is_ascii=is_ascii) or ""
    automaton = _automaton(written)
    if not written or automaton is None:
        return lambda text: compiled.search(text) is not None
    has_end = r"(?:\z)" in written

    def search(text: str) -> bool:
        if not is_ascii and not _is_unicode(text):
            return compiled.search(text) is not None
        return automaton(text) or (has_end and text[-1:] == "\n" and automaton(text[:-1]))

    return search


def _compiled(pattern: str) -> re.Pattern[str]:
    if not _DOUBTFUL.search(pattern):
        return re.compile(pattern)
    with warnings.catch_warnings():  # a pattern means what it means today, and nobody here can write it otherwise
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern)


def _for_automaton(pattern: str, *, is_ascii: bool) -> str | None:
    r"""A pattern that `re` has compiled, as the automaton takes it; None if that is not sure to find the same.

    `$` is met at the end and before a newline there: it becomes `(?:\z)`, and has to be looked for in a text without
    its last newline too. That is enough where it stands last, or last in an alternative, and no `\Z` is about.
    """
    written: list[str] = []
    kinds: set[str | None] = set()
    depth = at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None or (token.lastgroup == "last" and depth):
            return None
        kind = str(token.lastgroup)
        kinds.add(kind)
        depth += {"open": 1, "close": -1}.get(kind, 0)
        written.append(_PLAIN.get(kind) or _token(token, is_ascii=is_ascii))
        at = token.end()
    return None if {"end", "last"} <= kinds else "".join(written)


_PLAIN: Final = {"open": "(?:", "close": ")", "start": r"\A", "end": r"\z", "last": r"(?:\z)", "any": r"[^\n]"}


def _token(token: re.Match[str], *, is_ascii: bool) -> str:
    """An alternative, a repetition (a lazy one finds no less), a class, or a character."""
    if token["kind"] is not None:
        return f"[{_ranges(token['kind'], is_ascii=is_ascii)}]"
    if token["items"] is not None:
        items = (_item(each, is_ascii=is_ascii) for each in _ITEM.finditer(token["items"]))
        return f"[{token['but']}{''.join(items)}]"
    return token["often"] or token["bar"] or _number(token["character"])


def _item(item: re.Match[str], *, is_ascii: bool) -> str:
    if item["kind"] is not None:
        return _ranges(item["kind"], is_ascii=is_ascii)
    return _number(item["first"]) + (f"-{_number(item['last'])}" if item["last"] else "")


def _number(character: str) -> str:
    meant = _NAMED.get(character, character[-1])  # what is escaped otherwise means itself
    return rf"\x{{{ord(meant):x}}}"


@functools.cache
def _ranges(kind: str, *, is_ascii: bool) -> str:
    r"""What Python takes for \d, \s or \w, or for anything else, as the inside of a class."""
    size = 0x80 if is_ascii else 0x110000
    characters = "".join(chr(code) for code in range(size) if not 0xD800 <= code < 0xE000)
    runs = re.findall(rf"\{kind}+", characters)
    return "".join(f"{_number(run[0])}-{_number(run[-1])}" for run in runs)


def _automaton(pattern: str) -> Callable[[str], bool] | None:
    """What looks for the pattern in one pass; None for one that would grow too large."""
    try:
        schema = core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")
        return SchemaValidator(schema).isinstance_python
    except SchemaError:
        return None


def _is_unicode(text: str) -> bool:
    """False if there is half of a surrogate pair in it, which no automaton takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
