"""Keys that a TypedDict does not declare, refused where a pydantic class that says nothing of them checks states."""

from __future__ import annotations

from typing import Any

from pydantic_core import SchemaValidator

from graphnb.state.annotations.classes import tells_of_extra


def whole_validator(cls: Any) -> Any:
    """What validates instances of the class: pydantic's own, or one that takes no unknown keys in its TypedDicts.

    Pydantic would drop them without a word. What lies within another model, or has a configuration of its own, is
    that one's business.
    """
    if tells_of_extra(cls):
        return cls.__pydantic_validator__
    found: list[str] = []
    schema = _closed(cls.__pydantic_core_schema__, cls, found=found)
    return _built(schema) if found else cls.__pydantic_validator__


def _built(schema: Any) -> Any:
    """The validator of a schema, though the class that it is of has one already, which pydantic would take instead."""
    try:
        return SchemaValidator(schema, _use_prebuilt=False)
    except TypeError:  # an older pydantic has no such option
        return SchemaValidator(schema)


def _closed(part: Any, cls: Any, *, found: list[str]) -> Any:
    """A part of a core schema in which TypedDicts are closed; `found` gets the name of each that was not."""
    if isinstance(part, list | tuple):
        return type(part)(_closed(each, cls, found=found) for each in part)
    if not isinstance(part, dict):
        return part
    kind = part.get("type")
    if kind in ("model", "dataclass") and part.get("cls") is not cls:
        return part
    rest = {
        key: _closed(each, cls, found=found) for key, each in part.items() if key not in ("metadata", "serialization")
    }
    if kind == "typed-dict" and not _tells_of_extra(part):
        found.append(str(part.get("cls_name")))
        rest["extra_behavior"] = "forbid"
    return rest


def _tells_of_extra(schema: dict[str, Any]) -> bool:
    """True if the TypedDict itself says it: pydantic writes down that others ignore keys, or nothing."""
    return schema.get("extra_behavior", "ignore") != "ignore" or "extra_fields_behavior" in schema.get("config", {})
