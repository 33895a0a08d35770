"""From an annotation to what may stand where it is: the shape of a type."""

from __future__ import annotations

import abc
import collections
import functools
import types
from collections.abc import Callable, Hashable
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

from graphnb.state.annotations.classes import declared_fields, is_typeddict
from graphnb.state.annotations.hints import filled, hint_of, is_constraint, type_text
from graphnb.store.encoding.builtin import (
    ALLOWED,
    ANY,
    ITEMS,
    MAPS,
    NATIVE,
    entries_form,
    items_form,
    simple_form,
)
from graphnb.store.encoding.class_forms import class_form, parameters_of
from graphnb.store.encoding.shape import Form, Later, Shape

_Annotations = tuple[Any, ...]


def shape_of(*annotations: Any, is_open: bool) -> Shape:
    """What may stand where any of the annotations is; with `is_open` whatever else Python has as well, tagged."""
    try:
        return _kept(annotations, is_open)
    except TypeError:  # metadata need not be hashable
        return _made(annotations, is_open)


def later(annotations: _Annotations, is_open: bool) -> Later:  # noqa: FBT001  both are always given
    """The same when it is asked for; anything where nothing is said."""
    return Later(lambda: shape_of(*annotations, is_open=is_open)) if annotations else ANY


class _Found:
    """What the annotations of one place name, their parts not looked at yet."""

    __slots__ = ("classes", "is_open", "items", "keys", "named", "natives", "positions", "tags", "values")

    def __init__(self) -> None:
        self.is_open = False
        self.natives: set[type] = set()
        self.tags: dict[str, None] = {}
        self.items: dict[str, list[Any]] = {}
        self.positions: list[_Annotations | None] = []  # of tuples: None for one of any length
        self.keys: dict[str, list[Any]] = {}
        self.values: dict[str, list[Any]] = {}
        self.named: list[dict[str, Any] | None] = []  # of dicts: None for one whose keys no TypedDict declares
        self.classes: dict[type, list[dict[Any, Any]]] = {}

    def look(self, annotation: Any) -> None:
        """Notes what one annotation allows."""
        bare, metadata, _ = hint_of(annotation)
        while hasattr(bare, "__supertype__"):  # NewType
            bare, more, _ = hint_of(bare.__supertype__)
            metadata = (*metadata, *more)
        if not all(map(is_constraint, metadata)):  # a function, which may give anything
            self.is_open = True
        origin, parts = get_origin(bare) or bare, get_args(bare)
        if origin in (Union, types.UnionType):
            for part in parts:
                self.look(part)
        elif origin is Literal:
            for part in parts:
                self._look_at_class(type(part), ())
        elif isinstance(bare, TypeVar):
            for part in bare.__constraints__ or (bare.__bound__ or Any,):
                self.look(part)
        elif is_typeddict(origin):
            self._look_at_keys(origin, parts)
        else:
            self._look_at_class(origin, parts)

    def _look_at_class(self, origin: Any, parts: _Annotations) -> None:
        tags = ALLOWED.get(origin, ()) if isinstance(origin, Hashable) else ()
        if origin in NATIVE:
            self.natives |= set(NATIVE[origin])
            self.tags |= dict.fromkeys(each.__name__ for each in NATIVE[origin] if each in (int, float, str))
            self._note_class(origin, {})
        elif tags and tags[0] in ITEMS:
            self._look_at_items(tags, parts)
        elif tags and tags[0] in MAPS:
            for tag in tags:
                key, value = (*parts, Any, Any)[:2] if tag != "Counter" else (*parts[:1], *[Any] * (not parts), int)
                self.keys.setdefault(tag, []).append(key)
                self.values.setdefault(tag, []).append(value)
            self.named += [None] * ("dict" in tags)
            self._note_class(origin, {})
        elif tags:
            self.tags |= dict.fromkeys(tags)
            self._note_class(origin, {})
        elif _says_nothing(origin):
            self.is_open = True
        else:
            self._note_class(origin, dict(zip(parameters_of(origin), parts, strict=False)))

    def _look_at_items(self, tags: tuple[str, ...], parts: _Annotations) -> None:
        is_fixed = tags == ("tuple",) and parts[1:] != (...,) and bool(parts)
        self.positions += [parts if is_fixed else None] * ("tuple" in tags)
        for tag in tags:
            self.items.setdefault(tag, []).extend(parts if is_fixed else parts[:1] or (Any,))

    def _look_at_keys(self, cls: Any, parts: _Annotations) -> None:
        chosen = dict(zip(parameters_of(cls), parts, strict=False))
        try:
            named = {each.name: filled(each.annotation, chosen) for each in declared_fields(cls)}
        except Exception:  # noqa: BLE001  a name in an annotation may mean nothing at run time
            named = {}
        self.named.append(named)
        self.keys.setdefault("dict", []).append(str)
        self.values.setdefault("dict", []).append(Any)

    def _note_class(self, cls: Any, chosen: dict[Any, Any]) -> None:
        if isinstance(cls, type):
            self.classes.setdefault(cls, []).append(chosen)


def _says_nothing(origin: Any) -> bool:
    """True for what is no class that a value could be of: Any, object, a name without a meaning, a protocol."""
    if not isinstance(origin, type) or origin in (Any, object):  # Any is a class of its own
        return True
    is_abstract = isinstance(origin, abc.ABCMeta) and origin.__module__ in ("collections.abc", "numbers")
    return (is_abstract and origin is not collections.abc.Callable) or getattr(origin, "_is_protocol", False)


def _made(annotations: _Annotations, is_open: bool) -> Shape:  # noqa: FBT001  as it is kept
    found = _Found()
    for each in annotations:
        found.look(each)
    is_open = is_open or found.is_open
    forms: dict[str, Form] = {tag: simple_form(tag) for tag in found.tags}
    for tag, items in found.items.items():
        fixed = found.positions[0] if tag == "tuple" and len(found.positions) == 1 else None
        positions = tuple(later((each,), is_open) for each in fixed or ())
        forms[tag] = items_form(tag, later(tuple(items), is_open), positions)
    for tag, keys in found.keys.items():
        named = found.named[0] if tag == "dict" and len(found.named) == 1 else None
        values = found.values[tag] + [each for own in found.named if own and not named for each in own.values()]
        shapes = {name: later((each,), is_open) for name, each in (named or {}).items()}
        forms[tag] = entries_form(tag, later(tuple(keys), is_open), later(tuple(values), is_open), shapes)
    classes: dict[type, Form | None] = {
        cls: None if cls in ALLOWED or cls in NATIVE else class_form(cls, chosen, _LATER)
        for cls, chosen in found.classes.items()
    }
    text = " | ".join(dict.fromkeys(map(type_text, annotations)))
    return Shape(text, forms=forms, classes=classes, natives=frozenset(found.natives), is_open=is_open)


_LATER: Final[Callable[..., Later]] = later
_kept: Final = functools.lru_cache(maxsize=512)(_made)
