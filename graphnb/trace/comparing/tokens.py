"""Numbers for elements, equal for the same elements: what matching two lists needs instead of equality."""

from __future__ import annotations

from typing import Any, Final

from graphnb.state.values.same import is_same

PLAIN: Final = frozenset({bool, int, float, complex, str, bytes, type(None)})
_MOST_OPAQUE: Final = 400  # objects that a further one is compared with


class Tokens:
    """Gives elements a number each: equal numbers for the same elements."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._opaque: list[tuple[Any, int]] = []
        self._next = 0

    def of(self, element: Any) -> int:
        """The element's number."""
        try:
            key = _frozen(element)
        except (TypeError, RecursionError):
            return self._of_opaque(element)
        if key not in self._numbers:
            self._numbers[key] = self._take()
        return self._numbers[key]

    def _of_opaque(self, element: Any) -> int:
        for known, number in self._opaque[:_MOST_OPAQUE]:
            if is_same(known, element):
                return number
        self._opaque.append((element, self._take()))
        return self._opaque[-1][1]

    def _take(self) -> int:
        self._next += 1
        return self._next


def _frozen(value: Any) -> Any:
    """A hashable stand-in, equal for the same plain data. Raises TypeError for anything else."""
    kind = type(value)
    if kind in PLAIN:
        return (kind, value) if value == value else (kind, "nan")
    if kind is list or kind is tuple:
        return (kind, *map(_frozen, value))
    if kind is dict:
        return (kind, frozenset((key, _frozen(each)) for key, each in value.items()))
    raise TypeError(kind)
