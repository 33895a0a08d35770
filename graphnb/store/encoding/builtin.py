"""Python's own types: which tag is whose, and which of them an annotation such as `Sequence` allows."""

from __future__ import annotations

import collections
import collections.abc as abc
import os
import pathlib
import re
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any, Final

from graphnb.store.encoding.entries import DICTS, DefaultsForm, EntriesForm
from graphnb.store.encoding.forms import (
    CONSTANT_TYPES,
    NUMBERS,
    ItemsForm,
    MembersForm,
    PatternForm,
    ScalarForm,
    TextForm,
    constants,
)
from graphnb.store.encoding.scalars import SCALARS
from graphnb.store.encoding.shape import Form, Later, Shape

_LISTS: Final[Mapping[str, Any]] = {"list": list, "tuple": tuple, "deque": collections.deque}
_SETS: Final[Mapping[str, Any]] = {"set": set, "frozenset": frozenset}
ITEMS: Final = (*_LISTS, *_SETS)
MAPS: Final = (*DICTS, "defaultdict")
TYPES: Final[Mapping[type, str]] = {
    **{kind: kind.__name__ for kind in (str, int, float)},
    **{each.types[0]: each.name for each in SCALARS},
    **{kind: tag for tag, kind in {**_LISTS, **_SETS}.items()},
    **{getattr(collections, tag, dict): tag for tag in MAPS},
    **CONSTANT_TYPES,
    re.Pattern: "Pattern",
}
"""The tag of each type that has a form of its own."""
_PATHS: Final = ("Path", "PurePosixPath", "PureWindowsPath")
ALLOWED: Final[Mapping[Any, tuple[str, ...]]] = {
    **{kind: (tag,) for kind, tag in TYPES.items()},
    **{kind: (each.name,) for each in SCALARS for kind in each.types},
    pathlib.PurePath: _PATHS,
    os.PathLike: _PATHS,
    abc.Sequence: tuple(_LISTS),
    abc.MutableSequence: ("list", "deque"),
    abc.Set: tuple(_SETS),
    abc.MutableSet: ("set",),
    **dict.fromkeys((abc.Collection, abc.Iterable, abc.Container, abc.Reversible), ITEMS),
    **dict.fromkeys((abc.Mapping, abc.MutableMapping), MAPS),
}
"""The tags that a type allows which stands in an annotation."""
NATIVE: Final[Mapping[Any, tuple[type, ...]]] = {
    None: (NoneType,),
    NoneType: (NoneType,),
    bool: (bool,),
    int: (int,),
    float: (float, int),  # a float field of the step family takes ints, which stay ints
    str: (str,),
}
"""The types that mean themselves, by the type that allows them."""


def items_form(tag: str, items: Later, positions: tuple[Later, ...] = ()) -> Form:
    """The form of a list, tuple, deque or set."""
    if tag in _LISTS:
        return ItemsForm(tag, _LISTS[tag], items, positions)
    return MembersForm(tag, _SETS[tag], items)


def entries_form(tag: str, keys: Later, values: Later, named: Mapping[str, Later]) -> Form:
    """The form of a dict, of whatever kind."""
    if tag == "defaultdict":
        return DefaultsForm(EntriesForm("dict", DICTS["dict"], keys, values, {}))
    return EntriesForm(tag, DICTS[tag], keys, values, named)


def simple_form(tag: str) -> Form:
    """The form of what has no parts, or parts that no annotation tells."""
    return _SIMPLE[tag]


def _any() -> Shape:
    return Shape("Any", forms={}, classes={}, natives=frozenset(), is_open=True)


ANY: Final = Later(_any)
_TEXT: Final = TextForm()
_EITHER: Final = Later(
    lambda: Shape(
        "str | bytes",
        forms={"str": _TEXT, "bytes": _SIMPLE["bytes"]},
        classes={},
        natives=frozenset({str}),
        is_open=False,
    )
)


def _simple() -> Iterable[Form]:
    yield _TEXT
    yield from NUMBERS
    yield from map(ScalarForm, SCALARS)
    yield from constants()
    yield PatternForm(_EITHER)


_SIMPLE: Final[Mapping[str, Form]] = {each.tag: each for each in _simple()}
FORMS: Final[Mapping[str, Form]] = {
    **_SIMPLE,
    **{tag: items_form(tag, ANY) for tag in ITEMS},
    **{tag: entries_form(tag, ANY, ANY, {}) for tag in MAPS},
}
"""The forms of all of them where nothing is said of their parts."""
