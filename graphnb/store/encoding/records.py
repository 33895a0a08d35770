"""The forms of records and enums: an object with a key for each field, and the name of a member.

Reading one calls nothing of the class: neither its constructor nor its validators.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from graphnb.errors.text import choices, shown
from graphnb.store.encoding.entries import EntriesForm
from graphnb.store.encoding.forms import attempted, wanted
from graphnb.store.encoding.shape import Later, Refused, Work, attribute

_UNSET: Final = "$unset"
_EXTRA: Final = "$extra"
_PRIVATE: Final = "$private"
_ABSENT: Final = object()


class Members(NamedTuple):
    """The shapes of what a record holds; all else is as `other` has it."""

    fields: Mapping[str, Later]
    private: Mapping[str, Later]
    other: Later


class ModelForm(NamedTuple):
    """A pydantic model. What was not set, extra fields and private attributes stand behind the fields."""

    tag: str
    cls: Any
    members: Callable[[], Members]
    kind: str = "object"

    def write(self, value: Any, work: Work) -> Any:
        """The fields that it has, in declared order."""
        held, members = value.__dict__, self.members()
        fields = {name: shape for name, shape in members.fields.items() if name in held}
        made = {name: work.part(shape.shape, held[name], attribute(name)) for name, shape in fields.items()}
        unset = [name for name in fields if name not in value.__pydantic_fields_set__]
        if unset:
            made[_UNSET] = unset
        extra, private = value.__pydantic_extra__, value.__pydantic_private__
        if extra or (extra is None) is _has_extra(self.cls):
            made[_EXTRA] = None if extra is None else _other(members, {}).write(extra, work)
        if private is not None:
            made[_PRIVATE] = _other(members, members.private).write(private, work)
        return made

    def read(self, data: Any, work: Work) -> Any:
        """A model of these fields."""
        given, members = dict(wanted(data, dict, "an object")), self.members()
        unset, extra, private = (given.pop(each, _ABSENT) for each in (_UNSET, _EXTRA, _PRIVATE))
        fields = _fields_read(given, members.fields, work)
        made: Any = attempted(object.__new__, self.cls)
        own: dict[str, Any] | None = {} if _has_extra(self.cls) else None
        if extra is not _ABSENT:
            own = _others_read(members, extra, work, named={})
        left = wanted([] if unset is _ABSENT else unset, list, "names of fields")
        if any(type(each) is not str or each not in fields for each in left):
            raise Refused(f"want names of fields that were not set, not {shown(left)}")
        put = object.__setattr__
        put(made, "__dict__", fields)
        put(made, "__pydantic_fields_set__", fields.keys() - set(left) | (own or {}).keys())
        put(made, "__pydantic_extra__", own)
        hidden = None if private is _ABSENT else private
        put(made, "__pydantic_private__", _others_read(members, hidden, work, named=members.private))
        return made


class DataclassForm(NamedTuple):
    """A dataclass, of whatever kind."""

    tag: str
    cls: Any
    members: Callable[[], Members]
    kind: str = "object"

    def write(self, value: Any, work: Work) -> Any:
        """The fields that it has, in declared order; those that a class allows beside them stand behind."""
        members = self.members()
        held = {name: getattr(value, name) for name in members.fields if hasattr(value, name)}
        made = {name: work.part(members.fields[name].shape, each, attribute(name)) for name, each in held.items()}
        rest = {name: each for name, each in getattr(value, "__dict__", {}).items() if name not in members.fields}
        if rest and _has_extra(self.cls):
            made[_EXTRA] = _other(members, {}).write(rest, work)
        return made

    def read(self, data: Any, work: Work) -> Any:
        """A record of these fields."""
        given, members = dict(wanted(data, dict, "an object")), self.members()
        extra = given.pop(_EXTRA, _ABSENT) if _has_extra(self.cls) else _ABSENT
        fields = _fields_read(given, members.fields, work)
        rest = {} if extra is _ABSENT else _others_read(members, extra, work, named={}) or {}
        made: Any = attempted(object.__new__, self.cls)
        for name, each in {**fields, **rest}.items():
            object.__setattr__(made, name, each)
        return made


class NamedTupleForm(NamedTuple):
    """A named tuple, with all its items."""

    tag: str
    cls: Any
    members: Callable[[], Members]
    kind: str = "object"

    def write(self, value: Any, work: Work) -> Any:
        """An object of the items by name."""
        shapes = self.members().fields
        return {name: work.part(shapes[name].shape, value[i], attribute(name)) for i, name in enumerate(shapes)}

    def read(self, data: Any, work: Work) -> Any:
        """The tuple again."""
        shapes = self.members().fields
        fields = _fields_read(wanted(data, dict, "an object"), shapes, work)
        if len(fields) != len(shapes):
            raise Refused(f"lacks {', '.join(name for name in shapes if name not in fields)}")
        return tuple.__new__(self.cls, [fields[name] for name in shapes])


class EnumForm(NamedTuple):
    """A member of an enum, by name; flags joined by `|`, as a number where they have no name."""

    tag: str
    cls: Any
    kind: str = "string"

    def write(self, value: Any, work: Work) -> Any:
        """The name."""
        if self.cls.__members__.get(value._name_) is value:
            return value._name_
        names = (value._name_ or "").split("|")
        is_known = all(name in self.cls.__members__ for name in names)
        return "|".join(names) if is_known and self._flags(names) is value else str(value._value_)

    def read(self, data: Any, work: Work) -> Any:
        """The member."""
        name, members = wanted(data, str, "the name of a member"), self.cls.__members__
        if name in members:
            return members[name]
        if issubclass(self.cls, enum.Flag):
            names = name.split("|")
            if name.removeprefix("-").isdecimal() and name.isascii():
                return attempted(self.cls, attempted(int, name))
            if all(each in members for each in names):
                return attempted(self._flags, names)
        raise Refused(f"{shown(name)} is no member of {self.cls.__name__}", choices("Members", members, name))

    def _flags(self, names: list[str]) -> Any:
        return self.cls(reduce(or_, (self.cls.__members__[name].value for name in names)))


def _fields_read(given: Mapping[str, Any], shapes: Mapping[str, Later], work: Work) -> dict[str, Any]:
    unknown = next((name for name in given if name not in shapes), None)
    if unknown is not None:
        raise Refused(f"{shown(unknown)} is no field", choices("Fields", shapes, unknown))
    return {name: work.part(shapes[name].shape, given[name], attribute(name)) for name in shapes if name in given}


def _other(members: Members, named: Mapping[str, Later]) -> EntriesForm:
    """How names of the user's own choice are written, which may be any text."""
    return EntriesForm("dict", lambda entries: entries, members.other, members.other, named)


def _others_read(members: Members, data: Any, work: Work, *, named: Mapping[str, Later]) -> dict[str, Any] | None:
    if data is None:
        return None
    made: dict[str, Any] = _other(members, named).read(data, work)
    for name in made:
        wanted(name, str, "a name")
    return made


def _has_extra(cls: Any) -> bool:
    config: Any = cls.model_config if issubclass(cls, BaseModel) else getattr(cls, "__pydantic_config__", None)
    return bool(config) and config.get("extra") == "allow"
