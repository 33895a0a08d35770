"""What happened inside a value in one fold, told element by element."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from graphnb.state.folding.several import fold_step
from graphnb.state.marks import UNSET, Replace
from graphnb.state.model import State
from graphnb.state.reducers import step
from graphnb.state.reducers.annotated import name_of
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all
from graphnb.state.schema import schema_of, start_values
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.same import is_same
from graphnb.trace.comparing.changes import changes_of
from graphnb.trace.comparing.differences import MOST_RECORDS, Change, common_start, differences
from graphnb.trace.comparing.placing import SAME
from graphnb.trace.reading.steps import Delta
from tests.traces import delta, fan_out, folded

plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(width=16) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
    max_leaves=6,
)
small_lists = st.lists(st.integers(0, 6), max_size=8)
small_dicts = st.dictionaries(st.integers(0, 5), st.integers(0, 3), max_size=5)


def _list_state(reducer: Any, element: Any = int) -> type:
    class Lists(State):
        value: Annotated[list[element], reducer] = []

    return Lists


def _bound_list_state(reducer: Any, element: Any = int) -> type:
    """A state whose list is constrained as a whole, so that it is kept as a plain list."""

    class Bound(State):
        value: Annotated[list[element], Field(max_length=1000), reducer] = []

    return Bound


def _dict_state(reducer: Any) -> type:
    class Dicts(State):
        value: Annotated[dict[int, int], reducer] = {}

    return Dicts


def _bound_dict_state(reducer: Any) -> type:
    class Bound(State):
        value: Annotated[dict[int, int], Field(max_length=1000), reducer] = {}

    return Bound


def applied(before: Any, changes: Iterable[Change]) -> Any:
    """The value that the changes make of `before`."""
    if isinstance(before, (dict, GrownDict)):
        return _applied_to_dict(before, changes)
    result: list[Any] = []
    at = 0
    for change in changes:
        if change.kind == "changed":
            return change.after
        if change.kind == "kept":
            result += before[at : at + change.count]
            at += change.count
        elif change.kind == "added":
            result += change.after if change.count > 1 else [change.after]
        elif change.kind == "replaced":
            result.append(change.after)
            at += 1
        elif change.kind == "dropped" and change.key < len(before):
            at += change.count
    assert at == len(before)
    return result


def _applied_to_dict(before: Any, changes: Iterable[Change]) -> dict[Any, Any]:
    result = dict(before)
    for change in changes:
        if change.kind in ("added", "replaced"):
            result.update(change.after if change.count > 1 else {change.key: change.after})
        elif change.kind == "dropped":
            for key in change.before if change.count > 1 else [change.key]:
                del result[key]
    return result


def _check_applies(made: Delta) -> None:
    changes = changes_of(made)

    assert changes
    assert "cannot compare" not in {change.note for change in changes}
    assert is_same(made.after, applied(made.before, changes)), changes


def brief(changes: Iterable[Change]) -> list[tuple[Any, ...]]:
    """The changes as (kind, key, value or count)."""
    values = {"kept": "count", "dropped": "before"}
    return [(each.kind, each.key, getattr(each, values.get(each.kind, "after"))) for each in changes]


LIST_REDUCERS = [append, bounded_append(3), dedupe_append(), merge_by_key(lambda item: item % 3), last_write_wins]


@pytest.mark.parametrize("reducer", LIST_REDUCERS, ids=name_of)
@pytest.mark.parametrize("state", [_list_state, _bound_list_state])
@given(before=small_lists, update=small_lists)
def test_changes_of_a_list_turn_before_into_after(
    state: Any, reducer: Any, before: list[int], update: list[int]
) -> None:
    """For every list reducer the changes are an edit script, whichever way the list is kept."""
    _check_applies(folded(state(reducer), {"value": update}, {"value": before}))


@pytest.mark.parametrize("state", [_list_state, _bound_list_state])
@given(before=small_lists, update=st.lists(small_lists, max_size=4))
def test_changes_of_concat_flatten_turn_before_into_after(
    state: Any, before: list[int], update: list[list[int]]
) -> None:
    """Each added item comes from the list of the write that held it."""
    made = folded(state(concat_flatten), {"value": update}, {"value": before})
    added = [change for change in changes_of(made) if change.kind == "added"]

    _check_applies(made)
    assert [(part, item) for part, items in enumerate(update) for item in items] == [(c.part, c.after) for c in added]


@pytest.mark.parametrize("state", [_dict_state, _bound_dict_state])
@given(before=small_dicts, update=small_dicts)
def test_changes_of_merge_turn_before_into_after(state: Any, before: dict[int, int], update: dict[int, int]) -> None:
    """Entries are added, replaced or kept, and the kept ones are counted."""
    made = folded(state(merge), {"value": update}, {"value": before})
    changes = changes_of(made)

    _check_applies(made)
    assert len(made.after) == sum(change.count for change in changes)


@pytest.mark.parametrize("state", [_dict_state, _bound_dict_state])
@given(before=small_dicts, update=st.lists(small_dicts, max_size=4))
def test_changes_of_merge_all_name_the_last_dict_that_wrote_a_key(
    state: Any, before: dict[int, int], update: list[dict[int, int]]
) -> None:
    """A new entry comes from the last written dict with its key; earlier ones are told as lost."""
    made = folded(state(merge_all), {"value": update}, {"value": before})
    changes = changes_of(made)
    last = {key: part for part, entries in enumerate(update) for key in entries}

    _check_applies(made)
    for change in changes:
        if change.kind in ("added", "replaced"):
            assert last[change.key] == change.part
    lost = [change for change in changes if change.kind == "deduplicated"]
    assert sum(map(len, update)) - len(last) == len(lost)


@given(before=plain_values, after=plain_values)
def test_any_overwritten_value_is_told_as_a_whole(before: Any, after: Any) -> None:
    """`last_write_wins` does not look inside: a value of any shape is kept or changed."""
    made = delta(before, after, after, "last_write_wins")
    changes = changes_of(made)

    assert [("kept" if is_same(before, after) else "changed")] == [change.kind for change in changes]


@given(before=small_lists, after=small_lists)
def test_changes_of_a_custom_reducer_turn_before_into_after(before: list[int], after: list[int]) -> None:
    """A reducer that does anything at all is told by comparing."""
    _check_applies(delta(before, [1], after))


def test_append_tells_of_the_write_alone() -> None:
    """What was there is one record, whatever its length."""
    made = folded(_list_state(append), {"value": [8, 9]}, {"value": list(range(5))})

    assert [("kept", 0, 5), ("added", 5, 8), ("added", 6, 9)] == brief(changes_of(made))


def test_append_of_nothing_keeps_all() -> None:
    """An empty write is told as kept, also on an empty list."""
    state = _list_state(append)

    assert [("kept", 0, 2)] == brief(changes_of(folded(state, {"value": []}, {"value": [1, 2]})))
    assert [("kept", 0, 0)] == brief(changes_of(folded(state, {"value": []})))


def test_changes_of_append_do_not_read_what_was_there() -> None:
    """The cost follows the write: the items before are never looked at."""

    class Locked(GrownList):
        def to_list(self) -> list[Any]:
            raise AssertionError("copied")

        def __iter__(self) -> Any:
            raise AssertionError("read")

    before = Locked([0] * 100_000)
    after = before.extended([1])
    made = folded(_list_state(append), {"value": [1]})
    kept = made.kept._replace(before=before, after=Locked(after._buffer, after.stop))

    assert [("kept", 0, 100_000), ("added", 100_000, 1)] == brief(changes_of(Delta(kept)))


def test_bounded_append_drops_at_the_front() -> None:
    """What leaves the window is told, and so is what never got in."""
    state = _list_state(bounded_append(3))

    assert [("dropped", 0, 1), ("kept", 0, 2), ("added", 2, 4)] == brief(
        changes_of(folded(state, {"value": [4]}, {"value": [1, 2, 3]}))
    )
    changes = changes_of(folded(state, {"value": [2, 3, 4, 5]}, {"value": [1]}))
    assert [("dropped", 0, 1), ("dropped", 1, 2), ("added", 0, 3), ("added", 1, 4), ("added", 2, 5)] == brief(changes)
    assert [None, 0, 1, 2, 3] == [change.part for change in changes]
    assert "fell out at once" == changes[1].note


def test_bounded_append_of_nothing_keeps_a_list_that_is_too_long() -> None:
    """An empty write cuts nothing."""
    made = folded(_list_state(bounded_append(1)), {"value": []}, {"value": [1, 2]})

    assert [("kept", 0, 2)] == brief(changes_of(made))


def test_a_reducer_that_bears_a_known_name_is_compared() -> None:
    """A name is a hint: values that do not bear it out are told as they are."""
    assert [("replaced", 0, 9), ("kept", 1, 1)] == brief(
        changes_of(delta([1, 2], [3], [9, 2], "bounded_append(max_len=2)"))
    )
    assert [("dropped", 0, 1), ("kept", 0, 1)] == brief(changes_of(delta([1, 2], [3], [2], "append")))
    assert [("kept", 0, 1), ("added", 1, 2)] == brief(changes_of(delta([1], ["ab"], [1, 2], "concat_flatten")))
    assert [("kept", None, 1), ("added", 2, 2)] == brief(changes_of(delta({1: 1}, [3], {1: 1, 2: 2}, "merge_all")))
    assert [("dropped", 0, 1), ("kept", 0, 1)] == brief(changes_of(delta([1, 2], [3], [2], "merge_by_key(key=f)")))


def test_dedupe_append_tells_what_it_left_out() -> None:
    """Items whose key was there are told with their place in the write."""
    made = folded(_list_state(dedupe_append(key=abs)), {"value": [-1, 3, -3]}, {"value": [1]})
    changes = changes_of(made)

    assert [("kept", 0, 1), ("deduplicated", 0, -1), ("added", 1, 3), ("deduplicated", 2, -3)] == brief(changes)
    assert [None, 0, 1, 2] == [change.part for change in changes]


def test_dedupe_append_of_coerced_items_adds_what_was_added() -> None:
    """Where validation changed the items, the added ones are still those in the list."""
    made = folded(_list_state(dedupe_append()), {"value": ["3", "3", "4"]}, {"value": [1]})
    changes = changes_of(made)

    assert [3, 4] == [change.after for change in changes if change.kind == "added"]
    assert 1 == sum(change.kind == "deduplicated" for change in changes)


def test_merge_by_key_replaces_in_place_and_adds_behind() -> None:
    """Each new item comes from the last item of the write with its key; the others are told as lost."""
    made = folded(_list_state(merge_by_key(lambda item: item % 10)), {"value": [11, 21, 33]}, {"value": [1, 2]})
    changes = changes_of(made)

    assert [("replaced", 0, 21), ("kept", 1, 1), ("added", 2, 33), ("deduplicated", 0, 11)] == brief(changes)
    assert [1, None, 2, 0] == [change.part for change in changes]


def test_merge_by_key_of_coerced_items_claims_no_origin() -> None:
    """Items that validation changed cannot be told apart, so that none is called lost."""
    made = folded(_list_state(merge_by_key(int)), {"value": ["1", "2", "2"]}, {"value": [1]})

    assert [("kept", 0, 1), ("added", 1, 2)] == brief(changes_of(made))


def test_merge_by_key_of_nothing_on_nothing_is_kept() -> None:
    """An empty list stays one record."""
    assert [("kept", 0, 0)] == brief(changes_of(folded(_list_state(merge_by_key(int)), {"value": []})))


def test_merge_of_the_same_value_keeps_the_entry() -> None:
    """Writing what is there already changes nothing; a number of another type does."""
    state = _dict_state(merge)

    assert [("kept", None, 2)] == brief(changes_of(folded(state, {"value": {1: 1}}, {"value": {1: 1, 2: 2}})))
    changes = changes_of(delta({1: 1}, {1: True}, {1: True}, "merge"))
    assert [("replaced", 1, True)] == brief(changes)
    assert "type int → bool" == changes[0].note


def test_replace_is_told_as_a_whole() -> None:
    """A `Replace` tells the sizes, whatever the reducer would have done; an equal value is kept."""

    def told(state: Any, before: Any, after: Any) -> list[tuple[str, str]]:
        changes = changes_of(folded(state, {"value": Replace(after)}, {"value": before}))
        return [(change.kind, change.note) for change in changes]

    assert [("changed", "replaced (2 items → 1 item)")] == told(_list_state(append), [1, 2], [2])
    assert [("changed", "replaced (1 entry → 0 entries)")] == told(_dict_state(merge), {1: 1}, {})
    assert [("kept", "")] == told(_list_state(append), [1, 2], [1, 2])


@pytest.mark.parametrize("state", [_dict_state, _bound_dict_state])
def test_merge_all_tells_entries_that_were_there_with_an_equal_value(state: Any) -> None:
    """They bear the dict that wrote them last, and are not counted among the others that were kept."""
    made = folded(state(merge_all), {"value": [{1: 1}, {2: 2, 3: 9}, {2: 2}]}, {"value": {1: 1, 2: 2, 3: 3, 4: 4}})
    changes = changes_of(made)

    assert [("kept", None, 1), ("replaced", 3, 9), ("kept", 1, 1), ("kept", 2, 1), ("deduplicated", 2, 2)] == brief(
        changes
    )
    assert [None, 1, 0, 2, 1] == [change.part for change in changes]
    assert ["", "", SAME, SAME] == [change.note for change in changes[:4]]
    all_same = changes_of(folded(state(merge_all), {"value": [{1: 1}]}, {"value": {1: 1}}))
    assert [("kept", 1, 1)] == brief(all_same)


def test_merge_all_tells_a_bounded_number_of_equal_entries() -> None:
    """The others are among those kept."""
    many = {i: i for i in range(MOST_RECORDS + 500)}
    changes = changes_of(folded(_dict_state(merge_all), {"value": [many]}, {"value": many}))

    assert (500, MOST_RECORDS) == (changes[0].count, len(changes) - 1)


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        (1, True, "type int → bool"),
        (1, 1.0, "type int → float"),
        ([1], (1,), "type list → tuple"),
        (None, 1, ""),
        (1, None, ""),
        ("a", "b", ""),
        (UNSET, 1, "first value"),
    ],
)
def test_a_whole_value_that_changed_says_how(before: Any, after: Any, note: str) -> None:
    """Types are told where they differ and both values are there."""
    (change,) = changes_of(delta(before, after, after, "last_write_wins"))

    assert ("changed", note) == (change.kind, change.note)


@pytest.mark.parametrize("value", [math.nan, [1.0, math.nan], {"a": math.nan}, (math.nan,)])
def test_nan_that_stays_nan_is_kept(value: Any) -> None:
    """NaN equals NaN, also within lists and dicts."""
    other = type(value)(value) if not isinstance(value, float) else float("nan")

    assert ["kept"] == [change.kind for change in changes_of(delta(value, other, other, "last_write_wins"))]


def test_nan_within_lists_that_differ_is_matched() -> None:
    """A NaN on either side is the same element."""
    before, after = [1.0, math.nan, 2.0], [3.0, float("nan"), 4.0, 5.0]

    assert ["replaced", "kept", "replaced", "added"] == [change.kind for change in differences(before, after)]


def test_objects_with_an_equality_of_their_own_are_matched() -> None:
    """Dates, say, are found again at another place."""
    first, second = datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)
    changes = differences([first, 1, 2], [3, datetime.date(2020, 1, 1), second])

    assert [("added", 0, 3), ("kept", 1, 1), ("replaced", 2, second), ("dropped", 2, 2)] == brief(changes)


def test_dicts_within_lists_are_matched_whatever_their_order() -> None:
    """An equal dict is found again at another place."""
    changes = differences([{"a": 1, "b": 2}, 1, 2], [3, {"b": 2, "a": 1}, 4])

    assert [("added", 0, 3), ("kept", 1, 1), ("replaced", 2, 4), ("dropped", 2, 2)] == brief(changes)


def test_sets_tell_their_members_in_a_fixed_order() -> None:
    """Members are sorted by type and text."""
    changes = differences({"b", "c", 1}, {"b", "z", "a", 2})

    assert [("kept", None, 1), ("added", 2, 2), ("added", "a", "a"), ("added", "z", "z")] == brief(changes[:4])
    assert [("dropped", 1, 1), ("dropped", "c", "c")] == brief(changes[4:])
    assert [("kept", None, 1)] == brief(differences({1}, {1}))
    assert "0 members → 3,000 members" == differences(frozenset(), frozenset(range(3000)))[0].note


def test_long_lists_that_differ_throughout_are_told_as_changed() -> None:
    """Matching is bounded; the sizes are told."""
    (change,) = differences(list(range(1000)), list(range(1500, 0, -1)))

    assert ("changed", "1,000 items → 1,500 items") == (change.kind, change.note)


def test_long_lists_with_one_difference_are_told_exactly() -> None:
    """What both begin and end with costs nothing to match."""
    before = list(range(5000))
    after = [*before[:2500], -1, *before[2501:]]

    assert [("kept", 0, 2500), ("replaced", 2500, -1), ("kept", 2501, 2499)] == brief(differences(before, after))


def test_lists_that_begin_alike_are_compared_up_to_the_first_difference() -> None:
    """Flat stretches are compared at once, nested items one by one."""
    assert 2000 == common_start([*map(float, range(2000)), 1], [*map(float, range(2000)), 2])
    assert 1 == common_start([[1], [2]], [[1], [3]])
    assert 2 == common_start([[1], [2]], [[1], [2], 3])
    assert 0 == common_start([1], [True])


def test_many_elements_become_one_record_after_the_first() -> None:
    """A million added items do not make a million records."""
    many = list(range(MOST_RECORDS + 500))
    pairs = {i: i for i in many}
    appended = folded(_list_state(append), {"value": many})
    merged = folded(_dict_state(merge), {"value": pairs})

    for made in (appended, merged, delta(many, [], []), delta([], many, many), delta(pairs, {}, {}, "merge")):
        changes = changes_of(made)
        assert MOST_RECORDS + 1 == len(changes)
        assert (500, None) == (changes[-1].count, changes[-1].part)
        _check_applies(made)
    negative = {key: -key - 1 for key in pairs}
    _check_applies(delta(pairs, negative, negative, "merge"))


MANY = list(range(MOST_RECORDS + 500))


def of_instances(reducer: Any, written: Any, before: Any = None, failed: Iterable[int] = ()) -> tuple[Change, ...]:
    """The changes where a fan-out gave what was written."""
    state = _dict_state(reducer) if reducer is merge_all else _list_state(reducer, Any)
    made = folded(state, {"value": written}, {} if before is None else {"value": before})
    count = len(written) + len(list(failed))
    return changes_of(Delta(made.kept, fan_out(count, ["value"], errors={i: ValueError() for i in failed})))


def test_elements_of_a_fan_out_name_their_instance_and_the_rest_all_of_theirs() -> None:
    """The first ones one by one; after them a record of many knows from which items of the write they came."""
    *told, rest = of_instances(append, MANY, failed=[0])

    assert [i + 1 for i in MANY[:MOST_RECORDS]] == [change.instance for change in told]
    assert (500, MOST_RECORDS, MOST_RECORDS + 1) == (rest.count, rest.part, rest.instance)
    assert MANY[MOST_RECORDS:] == list(rest.parts) == rest.after


def test_rest_of_opened_lists_knows_those_that_gave_some_of_it() -> None:
    """Each once, and not those that gave nothing; the one that gave some of both is among them."""
    lists = [[1], [], [0] * (MOST_RECORDS + 100), [], [2, 2], [3]]
    *told, rest = of_instances(concat_flatten, lists)

    assert {0, 2} == {change.instance for change in told}
    assert (104, 2, [2, 4, 5]) == (rest.count, rest.instance, list(rest.parts))


def test_rest_of_a_window_begins_where_it_does() -> None:
    """What fell out at once counts as items of the write too."""
    changes = of_instances(bounded_append(MOST_RECORDS + 100), MANY, before=[-1])
    rest = changes[-1]

    assert ("added", 100, MANY[-100:]) == (rest.kind, rest.count, rest.after)
    assert MANY[-100:] == list(rest.parts)
    assert 400 == sum(change.count for change in changes if change.note == "fell out at once")


@pytest.mark.parametrize("known", [[], [0, 1, 2]])
def test_rest_of_what_is_there_once_is_told_by_kind(known: list[int]) -> None:
    """A record for what was new and one for what was there already."""
    written = [i // 2 for i in range(2 * len(MANY))]
    changes = of_instances(dedupe_append(), written, before=known)
    added = [each for each in changes if each.kind == "added"]
    lost = [each for each in changes if each.kind == "deduplicated"]

    assert len(MANY) - len(known) == sum(each.count for each in added)
    assert len(MANY) + len(known) == sum(each.count for each in lost)
    assert MOST_RECORDS + 2 + bool(known) == len(changes)
    assert written[MOST_RECORDS:] == sorted([*added[-1].after, *lost[-1].after])
    assert sorted([*added[-1].parts, *lost[-1].parts]) == list(range(MOST_RECORDS, len(written)))
    assert len(MANY) - len(added[-1].after) == added[-1].key
    assert lost[-1].key == lost[-1].part == lost[-1].parts[0]


def test_one_more_element_is_told_like_the_others() -> None:
    """A record of many is one of two at least."""
    *_, last = of_instances(dedupe_append(), [*range(MOST_RECORDS), -1])
    *_, lost = of_instances(dedupe_append(), [*range(MOST_RECORDS), 0])
    *_, over = of_instances(
        merge_all, [{i: 0} for i in range(MOST_RECORDS + 1)] + [dict.fromkeys(range(MOST_RECORDS + 1), 1)]
    )

    assert ("added", -1, 1, MOST_RECORDS) == (last.kind, last.after, last.count, last.part)
    assert ("deduplicated", 0, 1, MOST_RECORDS) == (lost.kind, lost.after, lost.count, lost.part)
    assert ("deduplicated", MOST_RECORDS, 0, 1) == (over.kind, over.key, over.after, over.count)
    for made in (
        folded(_list_state(append), {"value": MANY[: MOST_RECORDS + 1]}),
        delta(MANY[: MOST_RECORDS + 1], [], []),
        folded(_dict_state(merge), {"value": dict.fromkeys(MANY[: MOST_RECORDS + 1], 0)}),
    ):
        assert [1] * (MOST_RECORDS + 1) == [change.count for change in changes_of(made)]
        _check_applies(made)


def test_rest_of_overwritten_entries_is_one_record() -> None:
    """In the order of the write, so that the first instances are told one by one."""
    written = [{i: 0} for i in MANY] + [dict.fromkeys(MANY, 1)]
    lost = [each for each in of_instances(merge_all, written) if each.kind == "deduplicated"]

    assert MOST_RECORDS + 1 == len(lost)
    assert MANY[:MOST_RECORDS] == [each.instance for each in lost[:-1]]
    assert (500, MOST_RECORDS, MANY[MOST_RECORDS:]) == (lost[-1].count, lost[-1].instance, list(lost[-1].parts))


def test_rest_of_novel_records_knows_their_items() -> None:
    """Of `merge_by_key`; where an item cannot be told for certain, nothing is said of what was lost."""
    written = [{"k": i, "v": i} for i in MANY]
    changes = of_instances(merge_by_key(lambda item: item["k"]), written, before=[{"k": 0, "v": -1}])

    assert ("replaced", 0) == (changes[0].kind, changes[0].instance)
    assert list(range(1, MOST_RECORDS + 1)) == [each.instance for each in changes[1:-1]]
    assert (499, MANY[MOST_RECORDS + 1 :]) == (changes[-1].count, list(changes[-1].parts))


@pytest.mark.parametrize("state", [_list_state, _bound_list_state])
def test_fan_out_elements_name_their_instance(state: Any) -> None:
    """Instances that failed gave nothing, so that the second collected value is of instance 2."""
    made = folded(state(concat_flatten), {"value": [[1, 2], [3]]}, {"value": [0]})
    changes = changes_of(Delta(made.kept, fan_out(3, ["value"], errors={1: ValueError()})))

    assert [None, 0, 0, 2] == [change.instance for change in changes]


def test_fan_out_entries_name_their_instance() -> None:
    """`merge_all`: the last instance that wrote a key gave it."""
    made = folded(_dict_state(merge_all), {"value": [{1: 1}, {1: 2, 2: 2}]}, {"value": {0: 0}})
    changes = changes_of(Delta(made.kept, fan_out(2, ["value"])))

    assert [("kept", None), ("added", 1), ("added", 1), ("deduplicated", 0)] == [(c.kind, c.instance) for c in changes]


def test_fan_out_values_are_traced_through_other_reducers() -> None:
    """An element that equals exactly one collected value is of that instance; an ambiguous one of none."""
    instances = fan_out(3, ["value"])

    def traced(before: Any, written: Any, after: Any, reducer: str = "custom") -> list[int | None]:
        return [change.instance for change in changes_of(delta(before, written, after, reducer, instances))]

    assert [0, 1, 2] == traced([], [7, 7, 8], [7, 7, 8])
    assert [0, 1, 2] == traced([9, 9, 9], [7, 7, 8], [7, 7, 8])
    assert [None] == traced([9, 9, 9], [7, 7, 8], [7, 7, 8], "last_write_wins")
    assert [2, None] == traced([], [7, 7, 8], [8, 7])
    assert [None] == traced(0, [7, 7, 8], 22)
    assert [0, 1, None] == traced([1], [2, 3, 4], [2, 3, 9], "merge_by_key(key=f)")
    assert [None, None] == traced({9}, 0, {9, 1})
    assert [None] == traced(0, 1, 2)


class _Raises:
    """Whatever is asked of it, it raises."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("no")

    __hash__ = None  # type: ignore[assignment]


class _RaisingTruth:
    """Compares to something that has no truth."""

    def __eq__(self, other: object) -> Any:
        return _NoTruth()

    __hash__ = None  # type: ignore[assignment]


class _NoTruth:
    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


class _Nameless:
    pass


class _BadList(list[int]):
    def __len__(self) -> int:
        raise ValueError("no")


@pytest.mark.parametrize("kind", [_Raises, _RaisingTruth])
def test_values_that_cannot_be_compared_are_told_so(kind: type) -> None:
    """Comparing never raises."""
    (change,) = changes_of(delta(kind(), kind(), kind(), "last_write_wins"))

    assert ("changed", "cannot compare") == (change.kind, change.note)


def test_a_list_that_raises_is_told_as_changed() -> None:
    """A user's own list may do what it likes."""
    assert "cannot compare" == changes_of(delta(_BadList(), [], _BadList(), "custom"))[0].note


def test_objects_without_equality_are_told_apart() -> None:
    """Nobody knows whether two such objects are equal; it is said that they are two."""
    one = _Nameless()

    assert "another object" == changes_of(delta(one, one, _Nameless()))[0].note
    assert "kept" == changes_of(delta(one, one, one))[0].kind
    assert ["replaced"] == [change.kind for change in differences([one], [_Nameless()])]


def test_a_list_that_holds_itself_is_compared() -> None:
    """Self-reference ends in a record, not in a stack overflow."""
    one: list[Any] = [1]
    one.append(one)
    other: list[Any] = [2]
    other.append(other)

    assert changes_of(delta(one, other, other))


def test_arrays_and_tables_tell_shape_and_type() -> None:
    """Shapes come first, then the type of the elements; equal ones are kept, NaN included."""
    np = pytest.importorskip("numpy")
    pd = pytest.importorskip("pandas")

    def told(before: Any, after: Any) -> str:
        (change,) = changes_of(delta(before, after, after, "last_write_wins"))
        return change.note if change.kind == "changed" else change.kind

    assert "shape (2,) → (3,)" == told(np.array([1, 2]), np.array([1, 2, 3]))
    assert "dtype int64 → float64" == told(np.array([1], dtype="int64"), np.array([1], dtype="float64"))
    assert "" == told(np.array([1, 2]), np.array([1, 3]))
    assert "kept" == told(np.array([1, math.nan]), np.array([1, math.nan]))
    assert "shape (1, 1) → (1, 2)" == told(pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1], "b": [2]}))
    assert "" == told(pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]}))


def test_a_change_shows_itself_within_bounds() -> None:
    """Its text is bounded and tells what is set."""
    change = Change("replaced", 0, "x" * 10_000, 2, instance=1, note="n")

    assert len(repr(change)) < 500
    assert repr(change).startswith("Change(replaced, key=0, count=1, before='x")
    assert repr(change).endswith("after=2, instance=1, note='n')")


class Stepwise(State):
    log: Annotated[list[str], step.append]
    once: Annotated[list[Any], step.union] = [1, 1]
    deep: Annotated[dict[str, Any], step.merge(deep=True)] = {"a": {"x": 1}, "b": 2}
    last: Annotated[int, step.last_value] = 1


def _stepwise(*updates: dict[str, Any]) -> list[Any]:
    """The changes of the one field that these nodes write in one step."""
    schema = schema_of(Stepwise)
    _, [fold] = fold_step(
        schema, start_values(schema, {}, "start"), [(str(i), "", each) for i, each in enumerate(updates)]
    )
    return [(each.kind, each.key, each.after, each.part) for each in changes_of(Delta(fold))]


@pytest.mark.parametrize(
    ("updates", "told"),
    [
        ([{"log": "ab"}], [("added", 0, "ab", 0)]),
        ([{"log": ["a", "b"]}], [("added", 0, "a", 0), ("added", 1, "b", 1)]),
        ([{"once": 1}], [("kept", 0, None, None), ("dropped", 1, None, None)]),
        ([{"once": [2]}], [("kept", 0, None, None), ("replaced", 1, 2, None)]),
        ([{"last": 2}], [("changed", None, 2, None)]),
        ([{"log": "a"}, {"log": ["b"]}], [("added", 0, "a", 0), ("added", 1, "b", 1)]),
    ],
)
def test_folds_of_the_step_family_are_told(updates, told):
    """A single item is part 0 of its write; where the list before is not kept as it was, both are compared."""
    assert told == _stepwise(*updates)


def test_deep_merge_tells_the_entries_that_it_laid_over():
    """Not those that stayed."""
    found = _stepwise({"deep": {"a": {"y": 1}, "c": 3}})

    assert {"kept", "added", "replaced"} >= {kind for kind, *_ in found}
    assert ("added", "c", 3, None) in found
