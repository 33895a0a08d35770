"""The one text of a document, and its hash. Source: graph document §3.3."""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final

from graphnb.graph.documents.records import Document
from graphnb.graph.documents.writing import to_wire

_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')
_POSITIONAL_BELOW: Final = 2.0**53


def hash_of(document: Document) -> str:
    """The SHA-256 of the document's canonical text, in lower-case hex.

    Raises InvalidDocument if the records hold what no document can.
    """
    return hashlib.sha256(canonical_text(to_wire(document)).encode()).hexdigest()


def canonical_text(value: Any) -> str:
    """The value as text: no spaces, keys sorted by code point, only what must be escaped.

    The value is storable and nested in bounds, as a written document is.

    >>> canonical_text({"b": [1, 1.0, None, True], "a": 'é"'})
    '{"a":"é\\\\"","b":[1,1.0,null,true]}'
    """
    if isinstance(value, str):
        return f'"{_ESCAPED.sub(_escape, value)}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, dict):
        return f"{{{','.join(f'{canonical_text(key)}:{canonical_text(value[key])}' for key in sorted(value))}}}"
    return f"[{','.join(map(canonical_text, value))}]" if isinstance(value, list) else str(value)


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
