"""Guarding a value that a node reads: whatever it does to it, what the run keeps stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from graphnb.state.values.atom_types import ATOMS
from graphnb.state.values.atoms import is_atom
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList, entries_of, items_of
from graphnb.state.values.guarded import GuardedDict, GuardedList, GuardedSet, Place
from graphnb.state.values.guarded_items import guarded_entries, guarded_items
from graphnb.state.values.guarded_records import guarded_record, is_guardable
from graphnb.state.values.same import has_changed
from graphnb.state.values.unwound import unwound
from graphnb.state.views.twins import twins_of

__all__ = ["GuardedDict", "GuardedList", "Place", "check_copies", "guarded", "guarded_to"]

Leaf = Callable[[Any, Place], Any]
"""What becomes of something that is neither an atom nor a list or dict."""

_are_atoms: Final = ATOMS.issuperset
FEW: Final = 16  # items up to which all of them are guarded at once


def guarded(value: Any, place: Place, *, flat: bool = False) -> Any:
    """The value in a form that cannot be changed; what cannot refuse is copied, and `place` remembers the copy.

    `flat` promises that items are atoms. Costs one copy of all lists and dicts in the value.
    """
    return guarded_to(1 if flat else 0, value, place)


def guarded_to(levels: int, value: Any, place: Place) -> Any:
    """The same for a value that has so many levels of lists and dicts, with atoms below; 0 for not known."""
    # As a rule all of it is guarded at once, not part by part when read: whoever reads round the guard
    # (list.__getitem__, pydantic, any C code) must not get hold of what the run keeps.
    try:
        if levels != 1 and isinstance(value, (GrownList, GrownDict)) and len(value) > FEW:
            return _guarded_items(value, place, levels)
        return _guarded(value, place, levels, _checked_copy)
    except RecursionError:  # a list that holds itself
        place.copies[:] = [each for each in place.copies if each[0] is not place]
        return _guarded_ring(value, place, _checked_copy)


def check_copies(copies: Iterable[tuple[Place, Any, Any]], *, who: str = "node") -> None:
    """Raises MutatedState if one of the copies that `guarded` gave out differs from the value it was made of.

    `who` has run meanwhile: a node, or a fan-out's worker.
    """
    for place, original, own in copies:
        if has_changed(original, own):
            raise place.refuse(f"the value differs after the {who} has run")


def _guarded_items(value: GrownList | GrownDict, place: Place, levels: int) -> Any:
    """A long list or dict, whose items are guarded when they are read: reading one must not cost all of them."""
    below = max(levels - 1, 0)
    anybody, leaf = Place("", place.field, place.mend), _SharedLeaf()
    twins = twins_of(value, lambda item: _guarded(item, anybody, below, leaf), leaf)
    if twins is None:
        return _guarded(value, place, levels, _checked_copy)
    own: Any
    if twins.are_atoms:
        own = GuardedList(twins.items[: value.stop]) if isinstance(value, GrownList) else GuardedDict(twins.entries)
        own._place = place
        return own

    def guard(item: Any) -> Any:
        return _guarded(item, place, below, _checked_copy)

    if isinstance(value, GrownList):
        return guarded_items(value, twins.items[: value.stop], guard, place, is_plain=twins.are_plain)
    return guarded_entries(value, twins.entries, guard, place, is_plain=twins.are_plain)


def _guarded(value: Any, place: Place, levels: int, leaf: Leaf) -> Any:
    own: Any
    kind = type(value)
    if levels == 1 and (kind is list or kind is dict):  # the rows of a table, as a rule
        own = (GuardedList if kind is list else GuardedDict)(value)
        own._place = place
        return own
    if kind in ATOMS:
        return value
    if kind is list or kind is GrownList:
        items = items_of(value)
        if levels > 1:
            items = [_guarded(each, place, levels - 1, leaf) for each in items]
        elif not levels and not _are_atoms(map(type, items)):
            items = [each if type(each) in ATOMS else _guarded(each, place, 0, leaf) for each in items]
        own = GuardedList(items)
        own._place = place
        return own
    if kind is dict or kind is GrownDict:
        entries = entries_of(value)
        if levels > 1:
            entries = {key: _guarded(each, place, levels - 1, leaf) for key, each in entries.items()}
        elif not levels and not _are_atoms(map(type, entries.values())):
            entries = {
                key: each if type(each) in ATOMS else _guarded(each, place, 0, leaf) for key, each in entries.items()
            }
        own = GuardedDict(entries)
        own._place = place
        return own
    if kind is tuple:
        return tuple([_guarded(each, place, 0, leaf) for each in value])
    if isinstance(value, (GuardedList, GuardedDict)) or is_atom(value):
        return value
    return leaf(value, place)


def _guarded_ring(value: Any, place: Place, leaf: Leaf) -> Any:
    of_list, of_dict = (lambda: _guarded([], place, 1, leaf)), (lambda: _guarded({}, place, 1, leaf))
    makers: dict[Any, Any] = {list: of_list, GrownList: of_list, dict: of_dict, GrownDict: of_dict}
    return unwound(value, makers, lambda each: each if is_atom(each) else leaf(each, place))


def _checked_copy(value: Any, place: Place) -> Any:
    own = detach(value)
    if own is not value:  # what cannot be copied is handed on as it is
        place.copies.append((place, value, own))
    return own


class _SharedLeaf:
    """What all readers of a twin can share, and a note of what was met on the way."""

    def __init__(self) -> None:
        self.copied = self.unshared = False

    def __call__(self, value: Any, place: Place) -> Any:
        self.copied = True
        if is_guardable(value):
            return _refusing(value, place)
        own = detach(value)
        self.unshared = self.unshared or own is not value
        return own


def _refusing(value: Any, place: Place) -> Any:
    """The form that refuses to be changed, of a set, a model or a dataclass."""
    if type(value) is set:
        own = GuardedSet(value)
        own._place = place
        return own
    own = guarded_record(value, _guarded_part, place)
    return detach(value) if own is None else own  # what a class has computed meanwhile may be anything


def _guarded_part(held: Any, place: Place) -> Any:
    """What a record holds, guarded for all readers."""
    try:
        return _guarded(held, place, 0, _refusing)
    except RecursionError:  # a list that holds itself
        return _guarded_ring(held, place, _refusing)
