"""What was stored, without any type: dicts, lists, text and numbers, whoever has written it."""

from __future__ import annotations

from typing import Any, Final

from graphnb.store.encoding.json_text import with_room
from graphnb.store.encoding.shape import TAG, VALUE
from graphnb.store.encoding.wording import int_of, unescaped

_KEYS: Final = (str, int, float, bool, type(None))


def plain(data: Any) -> Any:
    """The data as a reader would want them; what only a type could make is told with the name of its tag.

    Never raises for what `json_of` gives, and neither imports nor makes anything.

    >>> plain({"when": {"$": "date", "value": "2024-05-01"}, "most": {"$": "float", "value": "inf"}})
    {'when': {'type': 'date', 'value': '2024-05-01'}, 'most': inf}
    """
    return with_room(lambda: _plain(data))


def _plain(data: Any) -> Any:
    if type(data) is list:
        return [_plain(each) for each in data]
    if type(data) is not dict:
        return data
    tag = data.get(TAG)
    if type(tag) is not str or not data.keys() <= {TAG, VALUE}:
        return {key: _plain(each) for key, each in data.items()}
    if VALUE not in data:
        return {"type": tag}
    value = _plain(data[VALUE])
    return _untagged(tag, value) if tag in ("str", "int", "float", "list", "dict") else {"type": tag, "value": value}


def _untagged(tag: str, value: Any) -> Any:
    """What plain data can say itself; with its tag if it is damaged."""
    try:
        if tag == "str" and type(value) is list:
            return unescaped(*value)
        if tag in ("int", "float") and type(value) is str:
            return int_of(value) if tag == "int" else float(value)
        if tag == "dict" and type(value) is list:
            made = {key: each for key, each in value if type(key) in _KEYS}
            return made if len(made) == len(value) else {"type": tag, "value": value}
    except (ValueError, TypeError):
        return {"type": tag, "value": value}
    return value
