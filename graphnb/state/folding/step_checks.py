"""What may be written to a field of the step family: each write is checked by its shape, with exact types.

Source: step reducers, validating one write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Protocol

from pydantic import ConfigDict, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from graphnb.errors.text import choices, shown
from graphnb.state.annotations.classes import declared_fields
from graphnb.state.annotations.hints import bare_of, element_of, hint_of
from graphnb.state.checking.exact import ExactValidator
from graphnb.state.checking.validators import Validator, unfit
from graphnb.state.reducers.stepwise.base import StepReducer


class WriteCheck(Protocol):
    """What checks one write; its `check` gives the write, owned by the caller, or raises ValidationError."""

    @property
    def check(self) -> Callable[[Any], Any]:
        """See above."""


class ItemsCheck:
    """Checks what is added to a list of these elements: one of them, or a list of them."""

    def __init__(self, reducer: StepReducer, annotation: Any, config: ConfigDict | None) -> None:
        element = element_of(annotation)
        self._reducer = reducer
        self._item = ExactValidator(element, config)
        self._items = ExactValidator(list[element], config)  # type: ignore[valid-type]  # a type at run time
        self._is_flat = bare_of(element) is not list

    def check(self, update: Any) -> Any:
        """One write, owned by the caller. Raises ValidationError."""
        return (self._items if isinstance(update, list) else self._item).check(update)

    def hint(self, update: Any) -> str:
        """What would take a write that is refused; empty if nothing comes to mind."""
        if isinstance(update, (tuple, set, frozenset)):
            return "To add its items make it a list: list(...)."
        if self._is_flat and isinstance(update, list) and any(isinstance(each, list) for each in update):
            return f"{self._reducer} opens one level of lists; gn.concat_flatten takes a list of lists."
        return ""


class EntriesCheck:
    """Checks entries that are laid over a dict or a TypedDict, or over the fields of a model."""

    def __init__(self, reducer: StepReducer, annotation: Any, config: ConfigDict | None) -> None:
        bare = hint_of(annotation).bare
        self._reducer = reducer
        self._entries = ExactValidator(bare, config) if bare_of(bare) is dict else None
        self._parts = {} if self._entries else _validators_of(bare, config)

    def check(self, update: Any) -> Any:
        """One write, owned by the caller. Raises ValidationError."""
        if not isinstance(update, Mapping):
            raise unfit("Input should be a mapping of the entries to write", update, kind="dict_type")
        return self._entries.check(update) if self._entries else _checked_parts(self._parts, update)

    def hint(self, update: Any) -> str:
        """What would take a write that is refused; empty if nothing comes to mind."""
        is_list = isinstance(update, list) and any(isinstance(each, Mapping) for each in update)
        return f"{self._reducer} takes one mapping; gn.merge_all takes a list of them." if is_list else ""


def _validators_of(cls: type, config: ConfigDict | None) -> dict[str, Validator]:
    """For each field of a TypedDict or a model what checks it."""
    return {
        each.name: ExactValidator(
            Annotated[(each.annotation, *each.metadata)] if each.metadata else each.annotation, config
        )
        for each in declared_fields(cls)
    }


def _checked_parts(parts: Mapping[str, Validator], update: Mapping[Any, Any]) -> dict[str, Any]:
    """Some fields, each checked by itself. Raises ValidationError with all that is wrong."""
    checked, faults = {}, []
    for name, value in update.items():
        if name not in parts:
            told = PydanticCustomError("extra_forbidden", f"There is no such key. {choices('Keys', parts, name)}")
            faults.append(
                InitErrorDetails(type=told, loc=(name if isinstance(name, str) else shown(name),), input=value)
            )
            continue
        try:
            checked[name] = parts[name].check(value)
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_context=False):
                told = PydanticCustomError(fault["type"], fault["msg"])
                faults.append(InitErrorDetails(type=told, loc=(name, *fault["loc"]), input=fault["input"]))
    if faults:
        raise ValidationError.from_exception_data("field", faults)
    return checked
