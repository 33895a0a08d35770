"""Any value as bounded text or HTML: abbreviated with its true size told, without addresses, all of it escaped."""

from __future__ import annotations

import dataclasses
import enum
import html
import itertools
import math
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel

from graphnb.errors.text import kind_of
from graphnb.show.writing.leaves import LEAVES, Pieces, cut_to_pieces, own_text
from graphnb.show.writing.tags import QUIET
from graphnb.show.writing.words import printable, things
from graphnb.state.marks import UNSET
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded import GuardedDict, GuardedList, GuardedSet

_DEPTH: Final = 6


def value_text(value: object, limit: int = 80) -> str:
    """The value in about `limit` characters, on one line.

    >>> value_text(list(range(10_000)), 30)
    '[0, 1, 2, 3, 4, … 9,995 more]'
    >>> value_text("ab" * 500, 30)
    "'abababab…' (1,000 characters)"
    """
    return "".join(text for text, _ in _pieces_of(value, limit))


def value_html(value: object, limit: int = 240) -> str:
    """The value as escaped HTML in about `limit` characters; what was left out is told in a quieter colour.

    >>> value_html(["<b>"])
    '[&#x27;&lt;b&gt;&#x27;]'
    """
    pieces = ((html.escape(text), is_note) for text, is_note in _pieces_of(value, limit))
    return "".join(f'<i style="{QUIET}">{text}</i>' if is_note else text for text, is_note in pieces)


def _pieces_of(value: object, limit: int) -> Pieces:
    """The value as text and notes, about `limit` characters in all. Never raises."""
    return _Shortener().pieces(value, max(limit, 0))  # else fewer items would be looked at than are told of


class _Shortener:
    """Renders one value; knows which containers it is inside of."""

    def __init__(self) -> None:
        self._inside: list[int] = []

    def pieces(self, value: Any, limit: int) -> Pieces:
        if id(value) in self._inside:
            return [("… itself again", True)]
        self._inside.append(id(value))
        try:
            return self._of(value, limit)
        except Exception:  # noqa: BLE001  showing runs the value's own code
            return [(f"<{type(value).__name__}>", False)]
        finally:
            self._inside.pop()

    def _of(self, value: Any, limit: int) -> Pieces:
        kind = type(value)
        if kind in LEAVES:
            return LEAVES[kind](value, limit)
        if isinstance(value, enum.Enum):
            return cut_to_pieces(f"{kind.__name__}.{value.name}" if value.name else repr(value), limit)
        if isinstance(value, BaseModel) and getattr(kind, "__repr__", None) is BaseModel.__repr__:
            # what step.merge has filled in part lacks the rest
            return self._record(kind, [(name, getattr(value, name, UNSET)) for name in kind.model_fields], limit=limit)
        if dataclasses.is_dataclass(value) and hasattr(kind.__repr__, "__wrapped__"):  # the generated one
            fields = [each.name for each in dataclasses.fields(value) if each.repr]
            return self._record(kind, [(name, getattr(value, name)) for name in fields], limit=limit)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._record(kind, list(zip(value._fields, value, strict=True)), limit=limit)
        if isinstance(value, (list, tuple, deque, GrownList)):
            return self._sequence(value, limit)
        if isinstance(value, (dict, GrownDict)):
            return self._dict(value, limit)
        if isinstance(value, (set, frozenset)):
            return self._set(value, limit)
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple) and shape and not isinstance(value, type):
            return self._array(value, shape, limit=limit)
        return cut_to_pieces(own_text(value), limit)

    def _sequence(self, value: Any, limit: int) -> Pieces:
        most = limit // 3 + 2
        items = value[:most] if isinstance(value, GrownList) else itertools.islice(value, most)
        plain = "()" if isinstance(value, tuple) else "[]"
        around = _around(value, (list, tuple, GrownList), brackets=plain)
        if isinstance(value, tuple) and len(value) == 1:
            around = (around[0], "," + around[1])
        return self._listed([("", item) for item in items], len(value), limit=limit, around=around)

    def _dict(self, value: Any, limit: int) -> Pieces:
        most = limit // 6 + 2
        entries = value.first_items(most) if isinstance(value, GrownDict) else itertools.islice(value.items(), most)
        named = [(f"{value_text(key, 40)}: ", item) for key, item in entries]
        return self._listed(named, len(value), limit=limit, around=_around(value, (dict, GrownDict), brackets="{}"))

    def _set(self, value: set[Any] | frozenset[Any], limit: int) -> Pieces:
        kinds = set(map(type, value))
        by_value = len(kinds) == 1 and kinds <= {int, str, bytes}
        items = sorted(value) if by_value else sorted(value, key=lambda item: value_text(item, 60))
        around = _around(value, (set,), brackets="{}") if value else (f"{kind_of(value)}(", ")")
        return self._listed([("", item) for item in items], len(value), limit=limit, around=around)

    def _record(self, kind: type, fields: list[tuple[str, Any]], *, limit: int) -> Pieces:
        named = [(f"{name}=", item) for name, item in fields]
        return self._listed(named, len(named), limit=limit, around=(f"{kind.__name__}(", ")"))

    def _array(self, value: Any, shape: tuple[Any, ...], *, limit: int) -> Pieces:
        name = type(value).__name__
        columns = getattr(value, "columns", None)
        if columns is not None and len(shape) == 2:
            names = ", ".join(printable(each) for each in list(columns)[:20])
            told = f"{things(shape[0], 'row')} × {things(shape[1], 'column')}"
            return cut_to_pieces(f"<{name} {told}: {names}>" if names else f"<{name} {told}>", max(limit, 40))
        head = f"<{name} shape {tuple(shape)} {getattr(value, 'dtype', '')}".rstrip()
        small = all(isinstance(each, int) for each in shape) and 0 < math.prod(shape) <= 8
        return (
            [(f"{head}: ", False), *self._of(value.tolist(), limit), (">", False)] if small else [(f"{head}>", False)]
        )

    def _listed(self, named: Iterable[tuple[str, Any]], size: int, *, limit: int, around: tuple[str, str]) -> Pieces:
        """The items between brackets as far as they fit, then how many more there are."""
        start, end = around
        if size and len(self._inside) > _DEPTH:
            return [(f"{start}…{end} {things(size, 'item')}", True)]
        pieces: Pieces = [(start, False)]
        used = len(start) + len(end)
        for i, (label, item) in enumerate(named):
            separator = ", " if i else ""
            after = size - i - 1
            room = limit - used - len(separator) - len(label) - (len(f", … {after:,} more") if after else 0)
            inner = self.pieces(item, max(room if not after else min(room, max(limit * 2 // 3, 16)), 6))
            if i and _length(inner) > max(room, 0):
                return [*pieces, (f", … {size - i:,} more", True), (end, False)]
            pieces += [(separator + label, False), *inner]
            used += len(separator) + len(label) + _length(inner)
        return [*pieces, (end, False)]


def _around(value: object, plain_kinds: tuple[type, ...], *, brackets: str) -> tuple[str, str]:
    """Brackets; with the type's name before them if it is not the usual one. A guarded list counts as a list."""
    kind = type(value)
    if kind in plain_kinds or issubclass(kind, (GuardedList, GuardedDict, GuardedSet)):
        return brackets[0], brackets[1]
    return f"{kind.__name__}({brackets[0]}", f"{brackets[1]})"


def _length(pieces: Pieces) -> int:
    return sum(len(text) for text, _ in pieces)
