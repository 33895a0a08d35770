"""What JSON has no word for, in words: halves of surrogate pairs, huge integers, numbers that are not finite."""

from __future__ import annotations

import math
import re
from typing import Any, Final

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_ESCAPES: Final = re.compile(r"\\(?:\\|u(d[89a-f][0-9a-f]{2}))")
_MOST_BITS: Final = 2048  # 617 digits: where Python is told to read few, at least 640 are read


def escaped(text: str) -> str:
    """The text with halves of surrogate pairs as escapes, and backslashes doubled.

    >>> print(escaped("a\\ud800"), unescaped(escaped("a\\ud800")) == "a\\ud800")
    a\\ud800 True
    """
    return _SURROGATES.sub(lambda found: f"\\u{ord(found.group()):04x}", text.replace("\\", "\\\\"))


def unescaped(text: str) -> str:
    """The text that `escaped` was given."""
    return _ESCAPES.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", text)


def is_plain_number(number: float) -> bool:
    """True for an int or a float that any reader of JSON takes as it is.

    >>> is_plain_number(-0.0), is_plain_number(math.inf), is_plain_number(1 << 5000)
    (True, False, False)
    """
    return number.bit_length() <= _MOST_BITS if isinstance(number, int) else math.isfinite(number)


def number_text(number: float) -> str:
    """Any number as text: an int as hexadecimal digits, a float as Python writes it.

    >>> number_text(255), number_text(-math.inf)
    ('0xff', '-inf')
    """
    return hex(number) if isinstance(number, int) else repr(number)


def int_of(text: str) -> int:
    """The int of its hexadecimal digits. Raises ValueError."""
    return int(text, 16)


def kind_of_json(data: Any) -> str:
    """What JSON calls the value: text, an array, an object, or what means itself."""
    kind = type(data)
    return "string" if kind is str else "array" if kind is list else "object" if kind is dict else "itself"
