"""The step family by hand: the shared cases, laws, options, and how the reducers show themselves."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from graphnb import UNSET, Replace, interrupt, step
from graphnb.errors import ReducerConfigurationInvalid
from graphnb.state.reducers.step import STEP_REDUCERS, step_reducer_of
from graphnb.state.reducers.stepwise.totals import ReductionFailed
from graphnb.state.storable.values import exact_key, is_exact
from tests.docket import cases

LEAVES = st.sampled_from([None, True, False, 1, 0, 1.0, 0.0, "a", ""])
ITEMS = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
RECORDS = st.dictionaries(st.sampled_from(["id", "v"]), LEAVES, max_size=2) | ITEMS
MAPPINGS = st.recursive(
    LEAVES, lambda inner: st.dictionaries(st.sampled_from("ab"), inner, max_size=2), max_leaves=6
).filter(lambda value: isinstance(value, dict))
NUMBERS = st.integers(-(2**70), 2**70)
ALL = [
    (step.append, RECORDS, st.lists(RECORDS, max_size=4)),
    (step.append(unique=True), RECORDS, st.lists(RECORDS, max_size=4)),
    (step.append(max_length=2), RECORDS, st.lists(RECORDS, max_size=4)),
    (step.append(unique=True, max_length=2), RECORDS, st.lists(RECORDS, max_size=4)),
    (step.union, RECORDS, st.lists(RECORDS, max_size=4)),
    (step.union(by="id"), RECORDS, st.lists(RECORDS, max_size=4)),
    (step.merge, MAPPINGS, MAPPINGS),
    (step.merge(deep=True), MAPPINGS, MAPPINGS),
    (step.sum, NUMBERS, NUMBERS),
    (step.first_value, ITEMS, ITEMS),
    (step.last_value, ITEMS, ITEMS),
]
IDS = [repr(reducer) for reducer, _, _ in ALL]


@pytest.mark.parametrize("case", cases("reduce"))
def test_shared_case(case):
    """The writes of one step, in the order of their nodes, folded into what was there; compared strictly."""
    reducer = step_reducer_of(case["reducer"] or "last_value", case.get("opts"))
    prior = case["default"] if case.get("default") is not None else reducer.zero
    if "prior" in case:
        prior = case["prior"]
    writes = {each["node"]: each["value"] for each in case["writes"]}
    before = copy.deepcopy((prior, writes))
    found = reducer.fold(prior, writes)

    assert is_exact(case["expected"], found), found
    assert is_exact(list(before), [prior, writes])


@pytest.mark.parametrize("case", cases("zero"))
def test_shared_zero(case):
    """Null in a case stands for none."""
    zero = step_reducer_of(case["reducer"]).zero

    assert is_exact(case["expected"], None if zero is UNSET else zero)


@pytest.mark.parametrize(("reducer", "write", "prior"), ALL, ids=IDS)
@given(data=st.data())
def test_nothing_given_is_changed(reducer, write, prior, data):
    """Neither the value before nor a write, and the value after is not the list or dict before."""
    before = data.draw(prior)
    writes = data.draw(st.lists(write, min_size=1, max_size=3))
    kept = copy.deepcopy([before, writes])
    after = reducer.fold(before, writes)

    assert is_exact(kept, [before, writes])
    if reducer.zero in ([], {}):
        assert after is not before
        after.clear()
        assert is_exact(kept, [before, writes])


@pytest.mark.parametrize(
    ("reducer", "write", "prior"), [each for each in ALL if "unique=True, max" not in repr(each[0])]
)
@given(data=st.data())
def test_all_writes_at_once_or_one_after_the_other(reducer, write, prior, data):
    """The same, but for a window over items without repetitions, where an evicted item may come back."""
    before = data.draw(prior)
    writes = data.draw(st.lists(write, min_size=1, max_size=4))
    after = before
    for each in writes:
        after = reducer.fold(after, [each])

    assert is_exact(after, reducer.fold(before, writes))


@pytest.mark.parametrize("reducer", [step.append(unique=True), step.union])
@given(st.lists(ITEMS, max_size=6), st.lists(ITEMS, max_size=4))
def test_first_of_exactly_equal_items_stays(reducer, prior, write):
    """Also of those before; 1, 1.0 and True are three items."""
    expected: list[Any] = []
    for item in prior + write:
        if not any(is_exact(item, known) for known in expected):
            expected.append(item)

    assert is_exact(expected, reducer.fold(prior, [write]))


@pytest.mark.parametrize("write", [True, None, "1", [1], {"n": 1}, 1j])
def test_sum_takes_numbers_alone(write):
    """By hand as in a run, also behind good writes."""
    with pytest.raises(TypeError, match=r"step.sum takes numbers as writes, not \w+: "):
        step.sum.fold(1, [2, write])


@pytest.mark.parametrize("reducer", [each for each, _, _ in ALL], ids=IDS)
@pytest.mark.parametrize("write", [UNSET, Replace(1), interrupt("x")])
def test_what_no_field_takes_is_no_write(reducer, write):
    """What stands for no value, goes round reducers, or is returned by itself; a run refuses or takes it before."""
    for writes in ([write], {"a": write}):
        with pytest.raises(TypeError, match=r"takes values as writes, not (UNSET|Replace|Interrupt): "):
            reducer.fold(UNSET, writes)


@given(st.lists(LEAVES, max_size=8), st.lists(LEAVES, max_size=8), st.integers(1, 4))
def test_window_is_cut_after_repetitions_are_left_out(prior, write, size):
    """The last items of what `unique` gives."""
    unique = step.append(unique=True).fold(prior, [write])

    assert is_exact(unique[-size:], step.append(unique=True, max_length=size).fold(prior, [write]))


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(), min_size=1), st.floats(-1e6, 1e6) | st.integers())
def test_sum_is_plain_addition_of_the_total(writes, prior):
    """From left to right, beginning at the integer 0; then the value before joins."""
    total: Any = 0
    for each in writes:
        total += each

    assert is_exact(prior + total, step.sum.fold(prior, writes))


@pytest.mark.parametrize(
    ("prior", "writes"), [(1e308, [1e308]), (0, [float("inf")]), (10**400, [1.0]), (0, [1.0, 10**400])]
)
def test_total_beyond_all_floats_fails(prior, writes):
    """It has no value that could be stored."""
    with pytest.raises(ReductionFailed, match=r"step\.sum: "):
        step.sum.fold(prior, writes)


class User(BaseModel):
    id: int
    name: str = ""


@dataclass
class Row:
    user: User


def test_union_finds_its_key_in_models_and_dataclasses_too():
    """A path leads through their fields as through keys."""
    rows = [Row(User(id=1, name="a")), Row(User(id=1, name="b")), Row(User(id=2))]

    assert [rows[0], rows[2]] == step.union(by=["user", "id"]).fold([], [rows])
    assert rows[:2] == step.union(by=("user", "name")).fold([], [rows[:2]])
    assert [rows[0].user] == step.union(by="id").fold([], [rows[0].user, rows[1].user])


def test_deep_merge_has_no_limit():
    """Dicts nested far deeper than the interpreter's stack."""

    def deep(leaf: Any) -> Any:
        for _ in range(5_000):
            leaf = {"in": leaf}
        return leaf

    assert is_exact(deep({"x": 1, "y": 2}), step.merge(deep=True).fold(deep({"x": 1}), [deep({"y": 2})]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: step.append(max_length=0), "step.append: max_length is 0, it must be an int of at least 1"),
        (lambda: step.append(max_length=True), "max_length is True, it must be an int of at least 1"),
        (lambda: step.append(max_length=2.0), "max_length is 2.0"),
        (lambda: step.append(max_length=None), "max_length is None"),
        (lambda: step.append(unique=1), "unique is 1, it must be True or False"),
        (lambda: step.append(unique=True)(max_length=-1), "max_length is -1"),
        (lambda: step.union(by=[]), "by is [], it must be a key, or a list of at least one key"),
        (lambda: step.union(by=["a", 1]), "by is ['a', 1]"),
        (lambda: step.union(by=len), "by is <built-in function len>"),
        (lambda: step.merge(deep="yes"), "step.merge: deep is 'yes', it must be True or False"),
        (lambda: step.append(max_len=3), "step.append: has no option 'max_len'\nOptions: ['unique', 'max_length']."),
        (lambda: step.sum(start=1), "step.sum: has no option 'start'\nWrite step.sum alone."),
    ],
)
def test_bad_option_is_refused_at_once(make, message):
    """With what it must be, or the options that there are."""
    with pytest.raises(ReducerConfigurationInvalid) as caught:
        make()

    assert message in str(caught.value)


def test_values_instead_of_options_are_told_how_to_fold():
    """The very call, written with `fold`."""
    with pytest.raises(ReducerConfigurationInvalid) as caught:
        step.append([1], [2])
    with pytest.raises(ReducerConfigurationInvalid) as lone:
        step.append(unique=True)([1])

    assert "write step.append.fold([1], [[2]]): the value before, then the list of a step's writes" in str(caught.value)
    assert "step.append(unique=True).fold([1], [...])" in str(lone.value)


@pytest.mark.parametrize("writes", [[], {}, "text", 5, None])
def test_fold_takes_a_list_of_at_least_one_write(writes):
    """A text is no list of writes."""
    with pytest.raises(TypeError, match=r"step\.append\.fold takes the value before and a list of at least one write"):
        step.append.fold([], writes)


def test_writes_by_node_are_sorted_by_its_name():
    """By code point, as in a run; a tuple is a list of writes."""
    assert ["Z", "n10", "n9"] == step.append.fold(UNSET, {"n9": "n9", "Z": "Z", "n10": "n10"})
    assert [1, 2] == step.append.fold([], (1, 2))


def test_reducers_show_themselves_with_their_prefix():
    """Options in the order in which they were given; those of a document as they are."""
    assert ["step.append", "step.union", "step.merge", "step.sum", "step.first_value", "step.last_value"] == [
        repr(each) for each in STEP_REDUCERS.values()
    ]
    assert "step.append(unique=True, max_length=50)" == repr(step.append(unique=True)(max_length=50))
    assert "step.union(by='id')" == str(step.union(by="id"))
    assert "step.append(limit=[1])" == repr(step_reducer_of("append", {"limit": [1]}))


def test_reducers_are_values():
    """Equal by kind and options, hashable, and copied and pickled as such; without options the same object."""
    one = step.union(by=["a", "b"])

    assert one == step.union(by=["a", "b"]) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(step.union(by=["a", "b"]))
    assert step.append(unique=True) != step.append(unique=False) != step.append != step.union
    assert step.append != "step.append"
    assert step.append() is step.append
    assert (
        step.append is step_reducer_of("append", {}) is step_reducer_of("append", None) is step_reducer_of("append", [])
    )


def test_options_of_documents_are_kept_and_unknown_types_are_not_made_up():
    """As they are given, whatever they mean."""
    opts = {"max_length": True, "other": None}

    assert opts == step_reducer_of("append", opts).opts
    assert exact_key(opts) == exact_key(step_reducer_of("append", opts).opts)
    with pytest.raises(KeyError):
        step_reducer_of("concat")


def test_the_module_offers_the_six_alone():
    """What `from graphnb.state.reducers.step import *` and help() show."""
    assert sorted(STEP_REDUCERS) == step.__all__
    assert all(getattr(step, name).type == name for name in step.__all__)
