"""The marks of single elements of a value: how a kept, added, replaced or dropped one is written."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from graphnb.show.diff.text_marks import are_alike, text_marks
from graphnb.show.writing.values import value_text
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.trace.comparing.differences import Change
from graphnb.trace.comparing.placing import ALREADY

# fmt: off
MarkKind = Literal[
    "plain", "kept", "added", "dropped", "old", "new", "cut", "put", "lost", "note", "item", "line", "opened", "failed",
    "writer", "instance", "branch", "delegate", "candidate",
]
# fmt: on

_ELEMENT: Final = 60
_MOST_KEPT: Final = 3
_NEW: Final = ("added", "replaced")


class Mark(NamedTuple):
    """A stretch of text.

    `kept` was there before; `added` is new; `dropped` was there and is gone; `old` gave way to the `new` that
    follows it; `cut` and `put` are such words within a text; `lost` was written and never got
    in; `opened` is a bracket of the write that the reducer took away; `instance`, `branch`, `delegate` and `candidate`
    name one of these, `item` is what it was given, `writer` names a node that wrote what follows, or none, and `line`
    begins a line of its own; `failed` tells that one failed; a `note` is ours.
    """

    kind: MarkKind
    text: str


def element_marks(some: Iterable[Change], *, after: Any, changes: Sequence[Change]) -> Iterator[list[Mark]]:
    """The marks of each element, kept ones abbreviated; `changes` are all those that made the value `after`."""
    is_dict = isinstance(after, (dict, GrownDict))
    for change in some:
        if change.kind == "kept" and not change.note:
            yield from _kept_marks(change, after, changes=changes)
            continue
        name = f"{value_text(change.key, 40)}: " if is_dict else ""
        if change.kind == "kept":
            yield [Mark("kept", name + value_text(change.after, _ELEMENT)), Mark("note", f" {change.note}")]
        elif change.kind == "added":
            yield [Mark("added", name + value_text(change.after, _ELEMENT))]
        elif change.kind == "replaced":
            yield _replaced_marks(name, change)
        elif change.kind == "dropped":
            note = [Mark("note", f" {change.note}")] if change.note else []
            yield [Mark("dropped", name + value_text(change.before, _ELEMENT)), *note]
        else:
            short = "already there" if change.note == ALREADY else "overwritten"
            yield [Mark("lost", name + value_text(change.after, _ELEMENT)), Mark("note", f" {short}")]


def _replaced_marks(name: str, change: Change) -> list[Mark]:
    if isinstance(change.before, str) and isinstance(change.after, str) and are_alike(change.before, change.after):
        return [Mark("plain", name), *(Mark(kind, text) for kind, text in text_marks(change.before, change.after))]
    note = [Mark("note", f" {change.note}")] if change.note else []
    return [Mark("plain", name), *pair_marks(change.before, change.after), *note]


def pair_marks(old: Any, new: Any, *, old_room: int = _ELEMENT, new_room: int = _ELEMENT) -> list[Mark]:
    """The marks of a value in place of another, each in about so many characters."""
    marks = [Mark("old", value_text(old, old_room)), Mark("plain", " → "), Mark("new", value_text(new, new_room))]
    looks_same = type(old) is type(new) and value_text(old, new_room) == marks[-1].text
    return [*marks, Mark("note", " differs where this is cut short")] if looks_same else marks


def _kept_marks(change: Change, after: Any, *, changes: Sequence[Change]) -> Iterator[list[Mark]]:
    """A run of kept elements: all of a few, else the first, how many, and of a list the last."""
    count = change.count
    texts = _kept_texts(change, after, changes=changes)
    if count > _MOST_KEPT:
        last = texts[1:]
        yield [Mark("kept", texts[0])]
        yield [Mark("note", f"… {count - len(texts):,} kept")]
        yield from ([Mark("kept", text)] for text in last)
    else:
        yield from ([Mark("kept", text)] for text in texts)


def _kept_texts(change: Change, after: Any, *, changes: Sequence[Change]) -> list[str]:
    """The texts of a few kept elements. Of dicts and sets those that no change tells of."""
    count = change.count
    if isinstance(after, (list, tuple, GrownList)):
        start = change.key
        places = range(start, start + count) if count <= _MOST_KEPT else (start, start + count - 1)
        return [value_text(after[i], _ELEMENT) for i in places]
    most = count if count <= _MOST_KEPT else 1
    told = [each for each in changes if each.kind in _NEW or each.note]
    changed = {key for each in told for key in (each.after if each.count > 1 and each.after else [each.key])}
    if isinstance(after, (set, frozenset)):
        members = sorted(value_text(each, _ELEMENT) for each in after if each not in changed)
        return members[:most]
    entries = after.first_items(len(changed) + most) if isinstance(after, GrownDict) else after.items()
    kept = ((key, value) for key, value in entries if key not in changed)
    return [f"{value_text(key, 40)}: {value_text(value, _ELEMENT)}" for key, value in itertools.islice(kept, most)]
