"""Guards of edges: conditions as data, which read as they are written in Python. Source: graph document §10."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import shown
from graphnb.state.storable.values import exact_key, is_exact

LOGICAL: Final = ("all", "any", "not")
"""The operations whose arguments are guards."""
OPERATIONS: Final = ("changed", "version_at_least", "exists", "equals", *LOGICAL, "path")
_MOST_LEVELS: Final = 20  # of guards within guards that are written out
_SIGNS: Final = {"all": " & ", "any": " | "}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Guard:
    """A condition, or with the operation `path` a way into a value, which alone is no condition.

    `args` are storable values and guards. `&`, `|` and `~` make guards of guards; a guard itself is neither true nor
    false, because that depends on a run.

    >>> Guard("exists", ("notes",)) & ~Guard("changed", ("notes",))
    field('notes').exists() & ~field('notes').changed()
    """

    op: str
    args: tuple[Any, ...] = ()

    def __and__(self, other: object) -> Guard:
        return _joined(self, other, op="all")

    def __or__(self, other: object) -> Guard:
        return _joined(self, other, op="any")

    def __invert__(self) -> Guard:
        return Guard("not", (self,))

    def __bool__(self) -> bool:
        mend = "Join conditions with & | ~ instead of `and`, `or`, `not`, and put each of them in parentheses."
        raise InvalidDeclaration(shown(self), "is neither true nor false before a run", mend)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guard) and self.op == other.op and is_exact(list(self.args), list(other.args))

    def __hash__(self) -> int:
        return hash((self.op, exact_key([*self.args])))

    def __repr__(self) -> str:
        return _text(self, _MOST_LEVELS)


def references_of(guard: Guard) -> Iterator[str]:
    """The ids that the guard reads, each as often as it does; a guard need not be sound for that."""
    rest: list[Any] = [guard]
    while rest:
        each = rest.pop()
        if not isinstance(each, Guard):
            continue
        if each.op not in LOGICAL and each.args and isinstance(each.args[0], str):
            yield each.args[0]
        rest += reversed(each.args)


def _joined(left: Guard, right: object, *, op: str) -> Guard:
    """Flat where the left side was joined by the same operation: the values are the same, and it reads better."""
    if not isinstance(right, Guard):
        what = f"cannot be joined with {shown(right)}, which is no guard"
        raise InvalidDeclaration(shown(left), what, "Comparisons beside & and | need parentheses of their own.")
    return Guard(op, (*left.args, right) if left.op == op and len(left.args) > 1 else (left, right))


def _text(guard: Guard, levels: int) -> str:
    """The guard as one would write it in Python; what could not be is shown by operation and arguments."""
    if levels == 0:
        return "..."
    args = guard.args
    match guard.op, args:
        case "changed" | "exists", (reference,):
            return f"{_reference(reference, levels)}.{guard.op}()"
        case "version_at_least", (str() as name, int() as least):
            return f"field({shown(name)}).version >= {least}"
        case "equals", (reference, value):
            return f"{_reference(reference, levels)} == {_value(value, levels)}"
        case "not", (_,) if _are_guards(args):
            return f"~{_inner(args[0], levels)}"
        case "all" | "any", (_, _, *_) if _are_guards(args):
            return _SIGNS[guard.op].join(_inner(each, levels) for each in args)
        case "path", (str() as name, list() as segments):
            return f"field({shown(name)}).at({', '.join(map(shown, segments))})"
    parts = ", ".join(_value(each, levels) for each in args)
    return f"Guard({shown(guard.op)}, ({parts}{',' if len(args) == 1 else ''}))"


def _are_guards(args: tuple[Any, ...]) -> bool:
    return all(isinstance(each, Guard) for each in args)


def _inner(guard: Guard, levels: int) -> str:
    """In parentheses where what stands around it would bind tighter."""
    text = _text(guard, levels - 1)
    is_one = guard.op in ("changed", "exists", "not", "path") or text.startswith(("Guard(", "..."))
    return text if is_one else f"({text})"


def _reference(reference: Any, levels: int) -> str:
    return f"field({shown(reference)})" if not isinstance(reference, Guard) else _text(reference, levels - 1)


def _value(value: Any, levels: int) -> str:
    return _inner(value, levels) if isinstance(value, Guard) else shown(value)
