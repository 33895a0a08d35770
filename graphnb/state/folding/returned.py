"""What a node means that returns a whole state instead of a dict: the fields that it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from graphnb.errors import InvalidUpdate
from graphnb.state.annotations.classes import is_typeddict
from graphnb.state.checking.whole import read_fields
from graphnb.state.fields import Field
from graphnb.state.marks import UNSET, Replace
from graphnb.state.reducers.keyed import BoundedAppend, DedupeAppend, MergeByKey
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.stepwise.dicts import Merge
from graphnb.state.reducers.stepwise.lists import Append, Union
from graphnb.state.reducers.stepwise.picking import LastValue
from graphnb.state.reducers.stepwise.totals import Sum
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all
from graphnb.state.schema import Schema
from graphnb.state.values.detach import detach
from graphnb.state.values.same import has_changed, is_same
from graphnb.state.views.dictview import DictView

_UNCLEAR: Final = object()


def is_state(schema: Schema, returned: object) -> bool:
    """True for an instance of the state class, such as the very state that a node was given."""
    return isinstance(returned, DictView if is_typeddict(schema.cls) else schema.cls)


def update_of(
    schema: Schema, view_values: Mapping[str, Any], returned: object, where: str = "node"
) -> Mapping[str, Any]:
    """The update that says the same as the returned state: what differs from the values that the node was given.

    A list under `append` and the like that goes on where the given one ends counts as its new items, a dict
    under `merge` or `merge_all` as its changed entries, a field without a reducer as its new value. `where`
    begins the message. Raises InvalidUpdate for a change that cannot be put as an update.
    """
    update: dict[str, Any] = {}
    if getattr(returned, "_graphnb_values", None) is view_values:  # the very state that the node was given
        return update
    for name, value in _changed_by_user(returned).items():
        if name not in schema.fields or value is UNSET:
            continue
        old, new = detach(view_values[name]), detach(value)
        if old is not UNSET and not has_changed(old, new):
            continue
        update[name] = _difference(schema.fields[name], old, new=new)
    unclear = [name for name, each in update.items() if each is _UNCLEAR]
    if unclear:
        raise _unclear(schema, unclear, where=where)
    return update


def _changed_by_user(returned: Any) -> Mapping[str, Any]:
    """The fields that the user can have meant: of a new pydantic model those that were given."""
    values = read_fields(returned)
    if isinstance(returned, BaseModel):
        return {name: value for name, value in values.items() if name in returned.model_fields_set}
    return values


def _difference(field: Field, old: Any, *, new: Any) -> Any:
    """The write that leads from the old value to the new one; _UNCLEAR if none surely does."""
    reducer = field.function
    if reducer is None or reducer is last_write_wins:
        return new
    if isinstance(reducer, StepReducer):
        return _of_step(field, old, new=new)
    if old is UNSET:
        return Replace(new)
    if isinstance(old, list) and isinstance(new, list):
        return _of_lists(old, new, reducer=reducer)
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() <= new.keys():
        entries = {key: each for key, each in new.items() if key not in old or has_changed(old[key], each)}
        if reducer is merge:
            return entries
        return [entries] if reducer is merge_all else _UNCLEAR
    return _UNCLEAR


def _of_step(field: Field, old: Any, *, new: Any) -> Any:
    """The write for a reducer of the step family; _UNCLEAR if none leads to the new value."""
    reducer: Any = field.function
    if old is UNSET or isinstance(reducer, LastValue):
        return new
    if isinstance(reducer, (Append, Union)):
        goes_on = isinstance(new, list) and len(new) >= len(old) and not any(map(has_changed, old, new))
        return new[len(old) :] if goes_on else _UNCLEAR
    try:
        update = new - old if isinstance(reducer, Sum) else new
        if isinstance(reducer, Merge) and isinstance(new, dict):
            update = {key: each for key, each in new.items() if key not in old or has_changed(old[key], each)}
        after, _ = field.writer.settle(field.writer.keep(detach(old)), update)
    except Exception:  # noqa: BLE001  validators may be user code
        return _UNCLEAR
    return update if is_same(detach(after), new) else _UNCLEAR


def _of_lists(old: Sequence[Any], new: Sequence[Any], *, reducer: Any) -> Any:
    if isinstance(reducer, MergeByKey):
        items = [each for i, each in enumerate(new) if i >= len(old) or has_changed(old[i], each)]
        return items if _leads(old, new, reducer=reducer, update=items) else _UNCLEAR
    if len(new) < len(old) or any(map(has_changed, old, new)):
        return _UNCLEAR
    if reducer is append or isinstance(reducer, (BoundedAppend, DedupeAppend)):
        return new[len(old) :]
    return [new[len(old) :]] if reducer is concat_flatten else _UNCLEAR


def _leads(old: Any, new: Any, *, reducer: MergeByKey, update: Any) -> bool:
    try:
        return is_same(reducer(old, update), new)
    except Exception:  # noqa: BLE001  a key is user code
        return False


def _unclear(schema: Schema, names: Sequence[str], *, where: str) -> InvalidUpdate:
    field = schema.fields[names[0]]
    others = f" (likewise {', '.join(names[1:])})" if names[1:] else ""
    what = (
        f"returned a {schema.name} whose field '{field.name}' has changed in a way that no update for "
        f"reducer {field.reducer} expresses{others}"
    )
    form = field.mend.removeprefix("Return the change instead: return ")
    return InvalidUpdate(where, what, f"Return a dict of updates: {form}. To set it as a whole: gn.Replace(value).")
