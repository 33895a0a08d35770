"""What an annotation promises of its values: never changing, copied by validation, refusing, nested so deep."""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin

from graphnb.state.annotations.hints import element_of, hint_of, is_constraint
from graphnb.state.values.atom_types import ATOMS, PATHS


def is_atomic(annotation: Any) -> bool:
    """True if every valid value of the annotated type is an atom.

    A frozen record is none: the value may be of a subclass that holds a list.

    >>> is_atomic(int), is_atomic(str | None), is_atomic(tuple[int, ...]), is_atomic(list[int]), is_atomic(Any)
    (True, True, True, False, False)
    """
    bare, metadata, _ = hint_of(annotation)
    if not all(map(is_constraint, metadata)):
        return False
    origin = get_origin(bare)
    if origin is Literal or bare is None:
        return True
    if origin in (Union, types.UnionType, tuple, frozenset):
        return _all_parts(is_atomic, bare)
    return isinstance(bare, type) and (bare in ATOMS or bare in PATHS or issubclass(bare, enum.Enum))


def is_copied(annotation: Any) -> bool:
    """True if validating a value of the type makes a copy all the way down, so that nobody else holds a part.

    >>> is_copied(int), is_copied(list[dict[str, int]]), is_copied(list), is_copied(list[Any])
    (True, True, False, False)
    """
    return _is_made_of(annotation, is_copied, origins=(list, dict, set, frozenset, tuple, Union, types.UnionType))


def can_refuse(annotation: Any) -> bool:
    """True if every valid value of the type is made of what refuses to be changed when it is guarded.

    >>> can_refuse(list[dict[str, int]]), can_refuse(set[int]), can_refuse(Any)
    (True, False, False)
    """
    return _is_made_of(annotation, can_refuse, origins=(list, dict, tuple, Union, types.UnionType))


def levels_of(annotation: Any) -> int:
    """How many levels of lists and dicts every value has above atoms; 0 if that is not sure, or if there are none.

    >>> levels_of(list[int]), levels_of(list[dict[str, int]]), levels_of(list[Any]), levels_of(list[int] | None)
    (1, 2, 0, 0)
    """
    element = element_of(annotation)
    if element is None or not all(map(is_constraint, hint_of(annotation).metadata)):
        return 0
    below = levels_of(element)
    return below + 1 if below or is_atomic(element) else 0


def _is_made_of(annotation: Any, is_fine: Callable[[Any], bool], *, origins: tuple[Any, ...]) -> bool:
    bare, metadata, _ = hint_of(annotation)
    if is_atomic(annotation):
        return True
    return get_origin(bare) in origins and all(map(is_constraint, metadata)) and _all_parts(is_fine, bare)


def _all_parts(is_fine: Callable[[Any], bool], annotation: Any) -> bool:
    """True if all type arguments are fine; False for none, since they are `Any` then."""
    parts = get_args(annotation)
    return bool(parts) and all(part is Ellipsis or is_fine(part) for part in parts)
