"""Pydantic's complaints in our words: field, path within the value, reason, and what was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from graphnb.errors import StateValidationError
from graphnb.errors.text import choices, kind_of, shown

_MOST = 5  # reasons shown per field; the rest is counted


def reasons_of(error: ValidationError, field: str | None = None) -> dict[str, tuple[str, ...]]:
    """Field -> reasons such as `log[1]: Input should be a valid string, not int: 3`, in pydantic's order.

    With `field`, all paths lie within that field; else a path's first part names the field.
    """
    reasons: dict[str, list[str]] = {}
    for fault in error.errors(include_url=False, include_context=False):
        loc = fault["loc"]
        name, inner = (field, loc) if field is not None else (str(loc[0]) if loc else "", loc[1:])
        reasons.setdefault(name, []).append(f"{_path(name, inner)}: {fault['msg']}{_given(fault)}")
    return {
        name: (*each[:_MOST], *([f"and {len(each) - _MOST} more"] if len(each) > _MOST else []))
        for name, each in reasons.items()
    }


def invalid_state(where: str, reasons: Mapping[str, Sequence[str]], mend: str = "") -> StateValidationError:
    """The error that lists the reasons of every field."""
    lines = [line for each in reasons.values() for line in each]
    what = lines[0] if len(lines) == 1 else "".join(f"\n  - {line}" for line in lines)
    error = StateValidationError(where, what, mend)
    error.fields = tuple(reasons)
    error.details = {name: tuple(each) for name, each in reasons.items()}
    return error


def unknown_fields(where: str, names: Sequence[str], fields: Sequence[str]) -> StateValidationError:
    """The error for names that are no fields, with the nearest right one."""
    listed = ", ".join(repr(name) for name in names)
    what = f"{listed} is no field of the state" if len(names) == 1 else f"{listed} are no fields of the state"
    error = StateValidationError(where, what, choices("Fields", fields, names[0]))
    error.fields = tuple(map(str, names))
    error.details = {str(name): ("no such field",) for name in names}
    return error


def _path(name: str, inner: Sequence[int | str]) -> str:
    return name + "".join(f"[{part!r}]" for part in inner if part != "[key]")


def _given(fault: Mapping[str, object]) -> str:
    if fault["type"] == "missing":
        return ""
    return f", not {kind_of(fault['input'])}: {shown(fault['input'])}"
