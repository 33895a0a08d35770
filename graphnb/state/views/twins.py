"""Twins: guarded forms of the items of a long list or dict, made once for all versions and all readers.

They lie where C code looks, so that it finds what refuses to be changed; ordinary readers get forms of their own,
copies where the value is a model, a dataclass or a set. What has no form that refuses (an array, an object of any
other class) has no twin: C code cannot be made to wait for a copy, and a copy that all readers share would carry
what one of them does to it to the next. A list that holds one such item is copied whole for each reader.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from graphnb.state.values.atom_types import ATOMS
from graphnb.state.values.grown import GrownDict, GrownList

Guarding = Callable[[Any], Any]
_making = threading.Lock()  # graphs that run at the same time may read one list


class Met(Protocol):
    """What was met while twins were made: something of which readers get a copy; something that has no twin."""

    copied: bool
    unshared: bool


class Twins:
    """The twins of the newest version that was read, whose `stop` is kept.

    `are_atoms` while all items are; `are_plain` while they are made of atoms, lists and dicts; `are_shared` until
    one is met that has no twin.
    """

    __slots__ = ("are_atoms", "are_plain", "are_shared", "entries", "items", "stop")

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.entries: dict[Any, Any] = {}
        self.stop = -1
        self.are_atoms = True
        self.are_plain = True
        self.are_shared = True


def twins_of(value: GrownList | GrownDict, guard: Guarding, met: Met) -> Twins | None:
    """The twins of at least the version's items; None if an item has none, or a later dict was read before.

    `guard` makes a twin and notes what it `met`.
    """
    twins: Twins | None = value.twins
    if twins is None or twins.stop < value.stop:
        with _making:
            twins = value.twins = value.twins or Twins()
            if twins.are_shared and twins.stop < value.stop:
                _make(twins, value, guard, met)
    if not twins.are_shared or (isinstance(value, GrownDict) and twins.stop > value.stop):
        return None
    return twins


def _make(twins: Twins, value: GrownList | GrownDict, guard: Guarding, met: Met) -> None:
    if isinstance(value, GrownList):
        made = [guard(item) for item in value[max(twins.stop, 0) :]]
        twins.items += made
    else:
        entries = {key: guard(item) for update in value.updates_since(twins.stop) for key, item in update.items()}
        made = list(entries.values())
        twins.entries.update(entries)
    twins.are_atoms = twins.are_atoms and ATOMS.issuperset(map(type, made))
    twins.are_plain = twins.are_plain and not met.copied
    twins.stop = value.stop
    if met.unshared:
        twins.are_shared = False
        twins.items, twins.entries = [], {}
