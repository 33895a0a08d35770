"""The one text of a document, and its hash. Source: graph document §3.3."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator
from typing import Any, Final

from graphnb.graph.documents.records import Document
from graphnb.graph.documents.writing import to_wire

_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')
_POSITIONAL_BELOW: Final = 2.0**53
_FIRST: Final = ("",)
_OTHERS: Final = itertools.repeat(",")
_MOST_DIGITS: Final = 600  # no limit of Python's can be set lower than 640
_MOST_BITS: Final = 1990  # less than 600 digits


def hash_of(document: Document) -> str:
    """The SHA-256 of the document's canonical text, in lower-case hex.

    Raises InvalidDocument if the records hold what no document can.
    """
    return hashlib.sha256(canonical_text(to_wire(document)).encode()).hexdigest()


def canonical_text(value: Any) -> str:
    """The value as text: no spaces, keys sorted by code point, only what must be escaped.

    The value is storable. Nothing here recurses, however deep it is nested, and its integers may be of any size.

    >>> canonical_text({"b": [1, 1.0, None, True], "a": 'é"'})
    '{"a":"é\\\\"","b":[1,1.0,null,true]}'
    """
    written: list[str] = []
    levels: list[Iterator[tuple[str, Any]]] = [iter((("", value),))]
    ends = [""]
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
            written.append(ends.pop())
            continue
        before, part = entry
        if isinstance(part, dict):
            levels.append(_entries(part))
            ends.append("}")
            written.append(f"{before}{{")
        elif isinstance(part, list):
            levels.append(zip(itertools.chain(_FIRST, _OTHERS), part, strict=False))
            ends.append("]")
            written.append(f"{before}[")
        else:
            written.append(before + _leaf(part))
    return "".join(written)


def _entries(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values of a dict, each with what stands before it."""
    for i, key in enumerate(sorted(value)):
        yield f"{',' if i else ''}{_quoted(key)}:", value[key]


def _leaf(value: Any) -> str:
    if type(value) is int:
        return integer_text(value)
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return float_text(value) if isinstance(value, float) else integer_text(value)


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def integer_text(number: int) -> str:
    """The decimal digits of an integer of any size: Python itself refuses to write more than some thousands.

    >>> integer_text(-42), len(integer_text(10**9_999))
    ('-42', 10000)
    """
    if number.bit_length() <= _MOST_BITS:
        return str(number)
    count = number.bit_length() * 31 // 100 + 1  # at least as many as there are: a bit is 0.301 digits
    return ("-" if number < 0 else "") + _digits(abs(number), count).lstrip("0")


def _digits(number: int, count: int) -> str:
    """So many digits, zeros among the first ones: those of two halves, as often as it takes."""
    if count <= _MOST_DIGITS:
        return str(number).zfill(count)
    high, low = divmod(number, 10 ** (count // 2))
    return _digits(high, count - count // 2) + _digits(low, count // 2)


def float_text(number: float) -> str:
    """The fewest digits that give the number back, positional or scientific, whichever is shorter.

    Positional where both are as long; scientific from 2**53 on.

    >>> [float_text(each) for each in (100.0, 1000.0, 0.001, 0.00012, 1e16, -0.0)]
    ['100.0', '1.0e3', '0.001', '1.2e-4', '1.0e16', '-0.0']
    """
    mantissa, _, power = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(power or 0) - (len(whole + fraction) - len(digits))  # digits before the decimal point
    digits = digits.rstrip("0") or "0"
    sign = "-" if repr(number).startswith("-") else ""
    if number == 0:
        return f"{sign}0.0"
    scientific = f"{digits[0]}.{digits[1:] or '0'}e{point - 1}"
    positional = _positional(digits, point)
    is_short = len(positional) <= len(scientific) and abs(number) < _POSITIONAL_BELOW
    return sign + (positional if is_short else scientific)


def _positional(digits: str, point: int) -> str:
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    return f"{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return f"\\{character}" if character in '"\\' else f"\\u{ord(character):04x}"
