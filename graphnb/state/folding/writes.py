"""What a node wrote, kept as briefly as it can be said beside the value before and after."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from graphnb.state.values.grown import GrownDict


class _Added:
    """The write is exactly what the fold added."""

    def __reduce__(self) -> str:
        return "ADDED"


class Split(NamedTuple):
    """The write is what the fold added, cut into lists of these lengths."""

    lengths: tuple[int, ...]


class Replaced:
    """The write was a `Replace`; its value is the one after."""

    def __reduce__(self) -> str:
        return "REPLACED"


class InFull(NamedTuple):
    """The write itself, where the value after does not go on where the one before ends."""

    value: Any


class Contribution(NamedTuple):
    """What one of several writers gave to a field.

    `is_replace`: it went round the reducer. `is_lost`: a later write took its place, or the first value stayed.
    """

    writer: str
    written: Any
    is_replace: bool
    is_lost: bool


class Writes(NamedTuple):
    """The writes of all writers of one step to one field, in the order in which they were folded."""

    parts: tuple[Contribution, ...]


ADDED: Final = _Added()
REPLACED: Final = Replaced()


def written_value(written: Any, before: Any, after: Any) -> Any:
    """The write itself, from its brief form; of several writers the list of theirs. May be read but not changed.

    >>> from graphnb.state.values.grown import GrownList
    >>> one = GrownList([1])
    >>> written_value(ADDED, one, one.extended([2, 3]))
    [2, 3]
    >>> written_value(Split((1, 0, 1)), one, one.extended([4, 5]))
    [[4], [], [5]]
    """
    if written is REPLACED:
        return after
    if written is ADDED:
        return _added(before, after)
    if type(written) is InFull:
        return written.value
    if type(written) is Writes:
        return [each.written for each in written.parts]
    if type(written) is Split:
        items, start, parts = _added(before, after), 0, []
        for length in written.lengths:
            parts.append(items[start : start + length])
            start += length
        return parts
    return written


def _added(before: Any, after: Any) -> Any:
    if isinstance(after, GrownDict):
        return {} if after is before else after.last_update()
    return after.since(before)
