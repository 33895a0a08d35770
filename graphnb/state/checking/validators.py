"""Pydantic validators for one field, made when first needed, whose results nobody else holds a part of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from graphnb.errors.text import shown
from graphnb.state.annotations.kinds import is_copied
from graphnb.state.marks import UNSET, find_no_value
from graphnb.state.values.detach import detach


class Validator:
    """`check(value)` gives the validated value, owned by the caller, or raises pydantic's ValidationError.

    `kind` is list or dict for a field whose elements can be validated by themselves, else None.
    """

    __slots__ = ("_annotation", "_config", "check", "kind")

    def __init__(self, annotation: Any, config: ConfigDict | None, *, kind: type | None = None) -> None:
        self._annotation = annotation
        self._config = config
        self.kind = kind
        self.check: Callable[[Any], Any] = self._check_first  # building a validator takes longer than most runs

    def build(self) -> None:
        """Makes the validator now. Raises what pydantic raises for a type that it cannot check."""
        self.check = self._built()

    def _check_first(self, value: Any) -> Any:
        self.build()
        return self.check(value)

    def _built(self) -> Callable[[Any], Any]:
        validate: Callable[[Any], Any] = self._adapter(self._annotation).validator.validate_python
        return validate if is_copied(self._annotation) else lambda value: _owned(validate(value))

    def _adapter(self, annotation: Any) -> TypeAdapter[Any]:
        try:
            return TypeAdapter(annotation, config=self._config)
        except PydanticUserError:  # of a type that may have its own it takes none, though in a model it counts there
            field: Any = TypeAliasType("field", annotation)
            return TypeAdapter(field, config=self._config)


def check_set(value: object) -> None:
    """Raises ValidationError for UNSET and interrupts, which a type such as Any would let pass; these as items too."""
    if value is UNSET:
        raise unfit("UNSET belongs in a declaration and cannot be written", value, kind="unset")
    if found := find_no_value(value):
        path, part = found
        raise unfit("Input should be a value", part, kind="no_value", path=path)


def unfit(what: str, value: object, *, kind: str, path: tuple[Any, ...] = ()) -> ValidationError:
    """Pydantic's error for a value that it would take itself; `path` leads to it within what is validated."""
    fault = PydanticCustomError(kind, what)
    loc = tuple(each if isinstance(each, (int, str)) else shown(each) for each in path)
    return ValidationError.from_exception_data("field", [{"type": fault, "loc": loc, "input": value}])


def _owned(value: Any) -> Any:
    check_set(value)
    return detach(value)
