"""Advice for what a node tried to do to a field's value: it fits the method, the reducer and the value."""

import copy
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import pytest

import graphnb as gn
from graphnb.errors import MutatedState
from graphnb.state.folding.fold import fold
from graphnb.state.schema import schema_of, start_values


class Diary(gn.State):
    log: Annotated[list[int], gn.append] = [3, 1, 2]
    table: Annotated[dict[str, int], gn.merge] = {"a": 1, "b": 2}
    plain: list[int] = [3, 1, 2]
    bare: dict[str, int] = {"a": 1, "b": 2}
    rows: Annotated[list[list[int]], gn.append] = [[2, 1]]
    loose: list[list[int]] = [[2, 1]]
    maybe: Annotated[list[int] | None, lambda prior, update: update] = [1]


class Entries(TypedDict):
    log: Annotated[list[int], gn.append]


def mend_of(act: Callable[[Any], Any], cls: Any = Diary, **given: Any) -> str:
    """What the message offers to a node that does this to its state."""
    schema = schema_of(cls)
    with pytest.raises(MutatedState) as caught:
        act(schema.view(start_values(schema, given, "start"), "plan"))

    return caught.value.mend


def _remove(value: Any, key: Any) -> None:
    del value[key]


def _times(value: Any) -> None:
    value *= 2


def _more(value: Any) -> None:
    value += [4]


LIST_CHANGES: dict[str, Callable[[Any], Any]] = {
    "insert": lambda value: value.insert(0, 9),
    "remove": lambda value: value.remove(1),
    "pop": lambda value: value.pop(),
    "clear": lambda value: value.clear(),
    "sort": lambda value: value.sort(),
    "reverse": lambda value: value.reverse(),
    "item assignment": lambda value: value.__setitem__(1, 9),
    "del": lambda value: _remove(value, 1),
    "*=": _times,
}
DICT_CHANGES: dict[str, Callable[[Any], Any]] = {
    "pop": lambda value: value.pop("a"),
    "popitem": lambda value: value.popitem(),
    "clear": lambda value: value.clear(),
    "del": lambda value: _remove(value, "a"),
}
CHANGES = [("log", "plain", each) for each in LIST_CHANGES.values()]
CHANGES += [("table", "bare", each) for each in DICT_CHANGES.values()]


@pytest.mark.parametrize(("reduced", "plain", "change"), CHANGES, ids=[*LIST_CHANGES, *DICT_CHANGES])
def test_advice_does_what_the_change_was_meant_to_do(reduced, plain, change):
    """Taken by its word and returned, it gives the value that the change would have given, reducer or not."""
    start = start_values(schema_of(Diary), {}, "start")
    for field, prefix in ((reduced, ", past the reducer"), (plain, "")):
        wanted = copy.deepcopy(getattr(Diary(), field))
        change(wanted)
        mend = mend_of(lambda s, field=field: change(getattr(s, field)))
        words, _, form = mend.partition(": return ")
        view = schema_of(Diary).view(start, "plan")
        names = {"gn": gn, "s": view, "item": 1, "i": 1, "gone": "b" if "b" not in wanted else "a"}
        update = eval(form.replace("the new item", "9"), names)

        assert f"Return the whole new value instead{prefix}" == words
        assert (prefix != "") == isinstance(update[field], gn.Replace)
        after = fold(schema_of(Diary), start, update, "node 'plan'")[0][field]
        assert wanted == getattr(schema_of(Diary).view({**start, field: after}, "next"), field)


@pytest.mark.parametrize(
    ("act", "form"),
    [
        (lambda s: s.log.append(4), "Return the change instead: return {'log': [the new items]}"),
        (lambda s: s.log.extend([4]), "Return the change instead: return {'log': [the new items]}"),
        (lambda s: _more(s.log), "Return the change instead: return {'log': [the new items]}"),
        (lambda s: s.table.update(c=3), "Return the change instead: return {'table': {the new entries}}"),
        (lambda s: s.table.__setitem__("c", 3), "Return the change instead: return {'table': {the new entries}}"),
        (lambda s: s.table.setdefault("c", 3), "Return the change instead: return {'table': {the new entries}}"),
        (
            lambda s: s.plain.append(4),
            "Return the whole new value instead: return {'plain': [*s.plain, the new items]}",
        ),
        (
            lambda s: s.bare.update(c=3),
            "Return the whole new value instead: return {'bare': {**s.bare, the new entries}}",
        ),
    ],
)
def test_advice_for_adding_is_the_reducer_s_form_or_the_longer_value(act, form):
    """With a reducer what is new is enough; without one the old items have to be in the update."""
    assert form == mend_of(act)


def test_advice_for_a_nested_value_is_to_change_a_copy():
    """What was changed may lie within; for adding both forms are shown."""
    copied = "change a copy, value = copy.deepcopy(s.rows), and return {'rows': gn.Replace(value)}"

    assert f"Instead, {copied}" == mend_of(lambda s: s.rows.sort()) == mend_of(lambda s: s.rows[0].sort())
    assert f"Return the change instead: return {{'rows': [the new items]}}. For what lies within, {copied}" == mend_of(
        lambda s: s.rows[0].append(3)
    )


def test_advice_for_a_nested_value_without_a_reducer_is_the_whole_value():
    """Whatever was tried."""
    whole = "Return the change instead: return {'loose': the whole new value}"

    assert whole == mend_of(lambda s: s.loose.sort()) == mend_of(lambda s: s.loose[0].append(1))


def test_advice_for_a_field_that_may_be_no_list_is_to_change_a_copy():
    """The type does not say what forms would fit."""
    copied = "Instead, change a copy, value = copy.deepcopy(s.maybe), and return {'maybe': gn.Replace(value)}"

    assert copied == mend_of(lambda s: s.maybe.append(2))


def test_advice_for_a_typed_dict_reads_by_key():
    """Its fields are no attributes."""
    assert "Return the whole new value instead, past the reducer: return {'log': gn.Replace(sorted(s['log']))}" == (
        mend_of(lambda s: s["log"].sort(), Entries, log=[2, 1])
    )
