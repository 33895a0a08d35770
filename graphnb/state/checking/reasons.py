"""Pydantic's complaints in our words: field, path within the value, reason, and what was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from graphnb.errors import StateValidationError
from graphnb.errors.text import bounded, choices, kind_of, shown, visible

_MOST = 5  # reasons that a message has per field; the rest is counted
_MOST_LINES = 40  # of one message

_EXTRA = "Extra inputs are not permitted"
_NO_KEY = "There is no such key."

CHOICE = "[choice]"
"""What stands in a path for a part of a union, and is no step into the value."""
Reasons = dict[str, tuple[str, ...]]
"""Field -> why its value does not fit; what concerns no single field stands under an empty name."""


class Unfit(Exception):
    """Values that do not fit the state, with the reasons."""

    def __init__(self, reasons: Reasons) -> None:
        super().__init__(reasons)
        self.reasons = reasons


class Misfit(ValueError):
    """A value that is none of its field's: all that is wrong with it, each with its path within the value."""

    def __init__(self, problems: Sequence[tuple[Sequence[int | str], str]]) -> None:
        super().__init__("; ".join(f"{_steps(path)}: {what}" if path else what for path, what in problems))
        self.problems = problems


def reasons_of(error: Exception, field: str | None = None) -> Reasons:
    """Reasons such as `log[1]: Input should be a valid string, not int: 3`, in pydantic's order.

    With `field`, all paths lie within that field; else a path's first part names the field. Anything but a
    ValidationError was raised by a validator that the user wrote.
    """
    if isinstance(error, Misfit):
        name = field or ""
        return {name: tuple(f"{_path(name, path)}: {what}" for path, what in error.problems)}
    if not isinstance(error, ValidationError):
        return {field or "": (f"{field or 'the state'}: {raised(error)}",)}
    reasons: dict[str, list[str]] = {}
    for fault in error.errors(include_url=False, include_context=False):
        if fault["type"] == "default_factory_not_called":  # what hindered it is told already
            continue
        loc = fault["loc"]
        name, inner = (field, loc) if field is not None else (str(loc[0]) if loc else "", loc[1:])
        told = bounded(visible(_NO_KEY if fault["msg"] == _EXTRA else fault["msg"]))
        reasons.setdefault(name, []).append(f"{_path(name, inner)}: {told}{_given(fault) if name else ''}")
    return {name: tuple(each) for name, each in reasons.items()}


def first_of(reasons: Mapping[str, Sequence[str]]) -> list[str]:
    """What a message has room for: the first reasons of each field, and how many more there are.

    >>> first_of({"n": [f"n[{i}]: wrong" for i in range(99)]})[4:]
    ['n[4]: wrong', 'and 94 more, see `details`']
    """
    lines: list[str] = []
    for each in reasons.values():
        hidden = len(each) - _MOST
        lines += [*each[:_MOST], *([f"and {hidden:,} more, see `details`"] if hidden > 0 else [])]
    hidden = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"and {hidden:,} more, see `details`"] if hidden > 0 else lines


def all_reasons_of(error: StateValidationError) -> str:
    """What is wrong, as the error says it, but with every reason."""
    lines = [line for each in error.details.values() for line in each]
    return _list_of(lines) if len(lines) > _MOST else error.what


def invalid_state(where: str, reasons: Mapping[str, Sequence[str]], mend: str = "") -> StateValidationError:
    """The error that lists the reasons of every field, the first ones of each; its `details` have all."""
    error = StateValidationError(where, _list_of(first_of(reasons)), mend)
    error.fields = tuple(name for name in reasons if name)
    error.details = {name: tuple(each) for name, each in reasons.items()}
    return error


def unknown_fields(where: str, names: Sequence[object], *, fields: Sequence[str]) -> StateValidationError:
    """The error for names that are no fields, with the nearest right one."""
    listed = ", ".join(map(shown, names[:_MOST])) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
    what = f"{listed} is no field of the state" if len(names) == 1 else f"{listed} are no fields of the state"
    error = StateValidationError(where, what, choices("Fields", fields, names[0]))
    error.fields = tuple(name if isinstance(name, str) else shown(name) for name in names)
    error.details = {name: (f"{name}: is no field of the state",) for name in error.fields}
    return error


def raised(error: BaseException) -> str:
    """What user code raised, as `KeyError: 'x'`, bounded."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  an exception's own text is user code
        text = ""
    return bounded(visible(f"{type(error).__name__}: {text}" if text else type(error).__name__))


def _list_of(lines: Sequence[str]) -> str:
    return lines[0] if len(lines) == 1 else "".join(f"\n  - {line}" for line in lines)


def _path(name: str, inner: Sequence[int | str]) -> str:
    return (name or "the state") + _steps(inner)


def _steps(inner: Sequence[int | str]) -> str:
    return "".join(f"[{shown(part)}]" for part in inner if part not in ("[key]", CHOICE))


def _given(fault: Mapping[str, object]) -> str:
    if fault["type"] in ("missing", "extra_forbidden"):
        return ""
    return f", not {kind_of(fault['input'])}: {shown(fault['input'])}"
