"""A guard as one would write it in Python, for drawings and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graphnb.errors.text import shown

if TYPE_CHECKING:
    from graphnb.graph.guards.guard import Guard

_MOST_LEVELS: Final = 20  # of guards within guards
_SIGNS: Final = {"all": " & ", "any": " | "}


def guard_text(guard: Guard) -> str:
    """The text; what could not be written with `field` is shown by operation and arguments."""
    return _text(guard, _MOST_LEVELS)


def _text(guard: Guard, levels: int) -> str:
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
    return all(_is_guard(each) for each in args)


def _is_guard(value: object) -> bool:
    return hasattr(value, "op") and hasattr(value, "args")


def _inner(guard: Guard, levels: int) -> str:
    """In parentheses where what stands around it would bind tighter."""
    text = _text(guard, levels - 1)
    is_one = guard.op in ("changed", "exists", "not", "path") or text.startswith(("Guard(", "..."))
    return text if is_one else f"({text})"


def _reference(reference: Any, levels: int) -> str:
    return f"field({shown(reference)})" if not _is_guard(reference) else _text(reference, levels - 1)


def _value(value: Any, levels: int) -> str:
    return _inner(value, levels) if _is_guard(value) else shown(value)
