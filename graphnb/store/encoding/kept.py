"""What a run keeps, as values that can be encoded: nothing is copied but what somebody else may still grow."""

from __future__ import annotations

import dataclasses
from typing import Any, Final, NamedTuple, Union

from pydantic import BaseModel

from graphnb.errors import InvalidDeclaration
from graphnb.state.annotations.classes import declared_fields
from graphnb.state.annotations.hints import bare_of, element_of
from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import written_value
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList, added_since
from graphnb.state.values.guarded import GuardedDict, GuardedList, GuardedSet
from graphnb.state.values.guarded_items import GuardedEntries, GuardedItems
from graphnb.state.values.guarded_records import GuardedRecord

_EITHER: Final[Any] = Union  # of what is known when it runs, as no type checker can
_GUARDED: Final = (GuardedList, GuardedDict, GuardedSet, GuardedItems, GuardedEntries, GuardedRecord)


class Added(NamedTuple):
    """What a fold added to a value that went on as it was: items of a list, or entries of a dict."""

    parts: list[Any] | dict[Any, Any]


def readable(value: Any) -> Any:
    """A kept value as a plain one, to be read and not changed; lists and dicts in it are shared.

    >>> readable(GrownList([1, 2])), readable(GrownDict({"a": 1})), readable("a")
    ([1, 2], {'a': 1}, 'a')
    """
    if type(value) is GrownList:
        return value.to_list()  # the buffer itself may grow while it is read
    if type(value) is GrownDict:
        return value.to_dict()
    return detach(value) if isinstance(value, _GUARDED) else value


def readable_values(values: dict[str, Any]) -> dict[str, Any]:
    """A state's kept values by field, plain."""
    return {name: readable(value) for name, value in values.items()}


def readable_after(fold: Fold) -> Any:
    """The value after a fold: what it `Added` where that is all, else the whole value.

    What is stored of a step then costs what its nodes wrote.
    """
    added = added_since(fold.before, fold.after)
    return readable(fold.after) if added is None else Added(added)


def written_type(annotation: Any) -> Any:
    """What a write to a field of this type may be made of, for encoding it with `is_open`.

    A reducer may want items, lists of them, or lists of whole values; one that merges takes part of a record.

    >>> written_type(list[int])
    typing.Union[list[int], list[list[int]], int]
    """
    said = [annotation, list[annotation]]
    element = element_of(annotation)
    if element is not None:
        said.append(element)
    bare = bare_of(annotation)
    try:
        if isinstance(bare, type) and (issubclass(bare, BaseModel) or dataclasses.is_dataclass(bare)):
            parts = tuple(each.annotation for each in declared_fields(bare))
            said.append(dict[str, _EITHER[parts]] if parts else dict)
        return _EITHER[tuple(said)]
    except (InvalidDeclaration, TypeError):  # fields without names; metadata without a hash, which no union takes
        return annotation


def readable_write(fold: Fold) -> Any:
    """What was written, plain; of several writers the list of theirs."""
    return readable(written_value(fold.written, fold.before, fold.after))
