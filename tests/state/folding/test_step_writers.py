"""Fields of the step family in a state: their defaults, what may be written to them, and what comes of it."""

import dataclasses
import datetime
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

import graphnb as gn
from graphnb import step
from graphnb.errors import ReducerError, StateValidationError
from graphnb.state.folding.fold import fold
from graphnb.state.folding.writes import written_value
from graphnb.state.schema import schema_of, start_values, state_of
from graphnb.state.storable.values import is_exact
from graphnb.state.values.detach import detach
from tests.state.folding.boards import SCHEMA, Board, Profile


def after(*updates: dict[str, Any], schema: Any = SCHEMA, **given: Any) -> Any:
    """The state after these updates, one after the other."""
    values = start_values(schema, given, "start")
    for update in updates:
        values, _ = fold(schema, values, update, "node")
    return state_of(schema, values)


LOG = Annotated[list[str], step.append]
TOTAL = Annotated[float, step.sum]
FIRST = Annotated[str, step.first_value]


class PlainModel(BaseModel):
    log: LOG
    total: TOTAL
    first: FIRST


@dataclasses.dataclass
class PlainDataclass:
    log: LOG
    total: TOTAL
    first: FIRST


@pydantic_dataclass
class PydanticDataclass:
    log: LOG
    total: TOTAL
    first: FIRST


class PlainDict(TypedDict):
    log: LOG
    total: TOTAL
    first: FIRST


class PartialDict(TypedDict):
    log: NotRequired[LOG]
    total: NotRequired[TOTAL]
    first: NotRequired[FIRST]


class Declared(gn.State):
    log: LOG = gn.UNSET
    total: TOTAL = 0
    first: FIRST = gn.UNSET


class Inherited(Declared):
    more: Annotated[dict[str, int], step.merge]


KINDS = [PlainModel, PlainDataclass, PydanticDataclass, PlainDict, PartialDict, Declared, Inherited]


@pytest.mark.parametrize("kind", KINDS)
def test_no_field_has_to_be_given(kind):
    """Zeros are the defaults, the integer 0 also of a float field; a first value is not set before it is written."""
    schema = schema_of(kind)
    values = start_values(schema, {}, "start")
    values, _ = fold(schema, values, {"log": "a", "total": 1, "first": "x"}, "node")
    again, _ = fold(schema, values, {"log": ["b"], "total": 2, "first": "y"}, "node")
    state = state_of(schema, again)
    read = state if isinstance(state, dict) else vars(state)

    assert not [each.name for each in schema.fields.values() if each.required]
    assert is_exact(
        {"log": ["a", "b"], "total": 3, "first": "x"}, {name: read[name] for name in ("log", "total", "first")}
    )


def test_state_can_be_made_without_them():
    """Its own defaults are the zeros, made anew each time."""
    one, other = Board(), Board()
    one.log.append("x")
    one.profile.age = 4

    assert (["x"], []) == (one.log, other.log)
    assert is_exact([0, 0, {}], [other.total, other.count, other.flat])
    assert 3 == Board().profile.age
    assert not hasattr(other.profile, "name")
    assert "first" not in other and "final" not in other
    assert {} == Inherited().more


def test_zeros_need_not_fit_bounds_and_are_shared_by_nobody():
    """Of two runs each has its own."""
    one = after({"flat": {"a": 1}, "profile": {"name": "n"}})
    other = after()

    assert is_exact([0, {}], [other.count, other.flat])
    assert Profile(name="n", age=3) == one.profile
    assert not hasattr(other.profile, "name")
    assert "[], 0, UNSET" == ", ".join(str(SCHEMA.fields[name].default) for name in ("log", "total", "first"))


def test_default_none_of_a_first_value_is_none():
    """Else nothing could ever be the first; None that was given or written is a value."""

    class Firsts(gn.State):
        a: Annotated[str | None, step.first_value] = None
        b: Annotated[str | None, step.last_value] = None
        c: Annotated[str | None, step.first_value] = "set"

    class Model(BaseModel):
        a: Annotated[str | None, step.first_value] = None

    schema = schema_of(Firsts)
    written = {"a": "x", "b": "x", "c": "x"}

    assert gn.UNSET is Firsts().a
    assert ("x", "x", "set") == (lambda s: (s.a, s.b, s.c))(after(written, schema=schema))
    assert None is after({"a": None}, {"a": "x"}, schema=schema).a
    assert None is after({"a": "x"}, schema=schema, a=None).a
    assert "x" == after({"a": "x"}, schema=schema_of(Model)).a


@pytest.mark.parametrize(
    ("updates", "field", "expected"),
    [
        ([{"log": "a"}, {"log": ["b", "c"]}, {"log": []}], "log", ["a", "b", "c"]),
        ([{"unique": 1}, {"unique": [1.0, True, 1]}, {"unique": None}], "unique", [1, 1.0, True, None]),
        ([{"last": [1, 2, 3]}, {"last": 4}], "last", [3, 4]),
        ([{"tags": {"id": 1}}, {"tags": [{"id": 1, "v": 2}, {"v": 2}]}], "tags", [{"id": 1}, {"v": 2}]),
        ([{"flat": {"a": 1, "b": 1}}, {"flat": {"b": 2}}], "flat", {"a": 1, "b": 2}),
        ([{"deep": {"a": {"x": 1}}}, {"deep": {"a": {"y": 2}, "b": [1]}}], "deep", {"a": {"x": 1, "y": 2}, "b": [1]}),
        (
            [{"entry": {"inner": {"a": 1}}}, {"entry": {"x": 1, "inner": {"b": 2}}}],
            "entry",
            {"inner": {"a": 1, "b": 2}, "x": 1},
        ),
        ([{"total": 9}, {"total": 50}], "total", 59),
        ([{"total": 0.5}, {"total": 1}], "total", 1.5),
        ([{"count": -5}], "count", -5),
        ([{"first": None}, {"first": "x"}], "first", None),
        ([{"final": 1}, {"final": 2}], "final", 2),
    ],
)
def test_writes_are_folded_and_the_result_is_never_checked(updates, field, expected):
    """Exactly: no coercion on the way in or out, bounds of the whole field pass."""
    assert is_exact(expected, getattr(after(*updates), field))


def test_model_is_filled_field_by_field():
    """By dicts or instances, of which the fields count that were set; what is given is left alone."""
    given = Profile(name="n")
    one = after({"profile": {"age": 5}}, {"profile": given}, {"profile": {"name": "m"}})

    assert ("m", 5) == (one.profile.name, one.profile.age)
    assert "n" == given.name


def test_total_beyond_all_floats_is_the_reducers_error():
    """Unless some write does not fit: that is found before anything is folded."""
    values, _ = fold(SCHEMA, start_values(SCHEMA, {}, "start"), {"total": 1.7e308}, "node")
    update = {"total": 1.7e308, "count": 1}
    with pytest.raises(ReducerError, match=r"field 'total': reducer step\.sum refused the update 1\.7e\+308") as caught:
        fold(SCHEMA, values, update, "node")
    with pytest.raises(StateValidationError):
        fold(SCHEMA, values, {**update, "log": 1}, "node")

    assert ("total", "step.sum") == (caught.value.field, caught.value.reducer)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"total": "1"}, "total: Input should be a valid number, not str: '1'"),
        ({"total": True}, "total: Input should be a valid number"),
        ({"total": 11}, "total: Input should be less than or equal to 10"),
        ({"last": [1.0]}, "last[0]: Input should be a valid integer"),
        ({"log": "a"}, "log: Input should be a valid list"),
    ],
)
def test_start_values_are_checked_as_the_whole_field(given, told):
    """Exactly, with the bounds of the field."""
    with pytest.raises(StateValidationError) as caught:
        start_values(SCHEMA, given, "start")

    assert told in str(caught.value)


def test_start_values_are_kept_as_they_are_and_belong_to_the_run():
    """An int of a float field stays one; changing what was given changes nothing."""
    given = ["a"]
    values = start_values(SCHEMA, {"total": 2, "log": given}, "start")
    given.append("b")
    state = state_of(SCHEMA, values)

    assert is_exact([2, ["a"]], [state.total, state.log])
    assert is_exact(2, after(total=2).total)
    assert is_exact(2, Board(total=2).total)


def test_replace_goes_round_the_reducer():
    """As for the strict family: the whole field."""
    one = after({"log": ["a"]}, {"log": gn.Replace(["b", "b"])}, {"log": "c"})
    other = after({"unique": [1]}, {"unique": gn.Replace([2, 2])}, {"unique": []}, {"unique": [2, 3]})

    assert (["b", "b", "c"], [2, 3]) == (one.log, other.unique)


def test_nothing_that_is_written_leaks():
    """What a node returned may be changed afterwards, also deep inside."""
    item = {"id": 1}
    values = start_values(SCHEMA, {}, "start")
    update = {"tags": [item], "deep": {"a": item}, "unique": [[item]]}
    values, folds = fold(SCHEMA, values, update, "node")
    item["id"] = 2
    update["tags"].append(item)

    assert [[{"id": 1}], {"a": {"id": 1}}, [[{"id": 1}]]] == [detach(values[name]) for name in update]
    assert [[{"id": 1}], {"a": {"id": 1}}, [[{"id": 1}]]] == [
        written_value(each.written, each.before, each.after) for each in folds
    ]


ITEMS = st.lists(st.sampled_from([1, 1.0, True, "a", None]), max_size=4)


@pytest.mark.parametrize("reducer", [step.append, step.append(unique=True), step.append(max_length=3), step.union])
@given(start=ITEMS, writes=st.lists(ITEMS | st.sampled_from([1, "a"]), max_size=5), bad=st.integers(0, 5))
def test_a_run_folds_as_the_reducer_by_hand(reducer, start, writes, bad):
    """However the list is kept; a fold that came to nothing in between, and one that went on from an older value."""

    class S(gn.State):
        f: Annotated[list[Any], reducer] = []
        n: Annotated[int, step.sum] = 0

    schema = schema_of(S)
    values = start_values(schema, {"f": start}, "start")
    expected = start
    versions = [(values, expected)]
    for i, write in enumerate(writes):
        if i == bad:
            with pytest.raises(StateValidationError):
                fold(schema, values, {"f": write, "n": "x"}, "node")
            fold(schema, values, {"f": ["elsewhere"]}, "node")
        values, [change] = fold(schema, values, {"f": write}, "node")
        assert is_exact(write, written_value(change.written, change.before, change.after))
        assert is_exact(expected, detach(change.before))
        expected = reducer.fold(expected, [write])
        versions.append((values, expected))

    assert all(is_exact(known, detach(each["f"])) for each, known in versions)


def test_many_different_items_take_no_time_that_grows_with_the_square():
    """Keys of a growing list are made once each, however many writes there are."""

    class S(gn.State):
        f: Annotated[list[Any], step.union(by="id")]

    schema = schema_of(S)
    values = start_values(schema, {}, "start")
    known = {id(values["f"].known)}
    for i in range(50):
        values, _ = fold(schema, values, {"f": {"id": i % 40}}, "node")
        known.add(id(values["f"].known))

    assert 40 == len(values["f"])
    assert 2 == len(known)  # none before the first write, and one that goes on from there


class Checked(gn.State):
    """A class with a validator of its own."""

    log: LOG
    deep: Annotated[dict[str, Any], step.merge(deep=True)]
    total: TOTAL
    first: FIRST
    seen: int = 0

    @model_validator(mode="after")
    def _count(self) -> "Checked":
        object.__setattr__(self, "seen", len(self.log))
        return self


def test_class_with_validators_is_checked_as_a_whole():
    """What it changes is told beside the folds, and nothing is coerced."""
    schema = schema_of(Checked)
    values = start_values(schema, {}, "start")
    values, folds = fold(schema, values, {"log": "a", "total": 1, "deep": {"a": {"x": 1}}}, "node")
    values, folds = fold(schema, values, {"log": ["b"], "total": 2, "deep": {"a": {"y": 1}}}, "node")
    values, [replaced, _] = fold(schema, values, {"log": gn.Replace(["c"])}, "node")
    state = state_of(schema, values)

    assert is_exact([["c"], 3, {"a": {"x": 1, "y": 1}}, 1], [state.log, state.total, state.deep, state.seen])
    assert "first" not in state
    assert [["b"], 2, {"a": {"y": 1}}, 2] == [written_value(each.written, each.before, each.after) for each in folds]
    assert "Replace" == replaced.reducer


@dataclasses.dataclass
class Initialised:
    """The same for a dataclass."""

    total: Annotated[int, step.sum, Field(le=10, ge=1)]
    count: Annotated[int, Field(le=10), step.sum] = 0

    def __post_init__(self) -> None:
        assert self.total != 13


class Validated(gn.State):
    """And for a model, whichever way round the bound and the reducer stand."""

    total: Annotated[int, step.sum, Field(le=10, ge=1)]
    count: Annotated[int, Field(le=10), step.sum] = 0

    @model_validator(mode="after")
    def _check(self) -> "Validated":
        assert self.total != 13
        return self


@pytest.mark.parametrize("kind", [Initialised, Validated])
def test_folded_values_pass_their_bounds_in_classes_with_validators_too(kind):
    """Start values do not, and the class's own validators are asked."""
    schema = schema_of(kind)
    state = after({"total": 9, "count": 9}, {"total": 9, "count": 9}, schema=schema)

    assert (18, 18) == (state.total, state.count)
    with pytest.raises(StateValidationError, match="13"):
        after({"total": 13}, schema=schema)
    for name in ("total", "count"):
        with pytest.raises(StateValidationError, match=f"{name}: Input should be less than or equal to 10"):
            after(schema=schema, **{name: 11})
        with pytest.raises(StateValidationError, match=f"{name}: Input should be a valid integer"):
            after(schema=schema, **{name: True})


def test_run_shows_every_fold_and_nodes_see_what_was_written():
    """A graph from its start to its table, in which each reducer bears its prefix."""
    graph = gn.Graph(Board, entry="one")

    @graph.node(to="two")
    def one(s):
        assert is_exact(0, s.total)
        assert "first" not in s
        return {"log": "a", "unique": [1, 1], "last": [1, 2, 3], "flat": {"k": 1}, "total": 9, "first": "x"}

    @graph.node(to=gn.END)
    def two(s):
        with pytest.raises(gn.MutatedState, match=r"return \{'log': \[the new items\]\}"):
            s.log.append("b")
        return {"log": ["b"], "unique": 1, "flat": {"k": 2}, "deep": {"a": {"b": 1}}, "total": 9, "first": "y"}

    run = graph.run()
    text = str(run.diff())

    assert is_exact(18, run.state.total)
    assert [["a", "b"], [1], [2, 3], {"k": 2}, "x"] == [
        run.state.log,
        run.state.unique,
        run.state.last,
        run.state.flat,
        run.state.first,
    ]
    assert "cannot compare" not in text
    assert all(f"step.{name}" in text for name in ("append", "merge", "sum", "first_value"))
    assert run == graph.run()
    assert run.steps[1].deltas[0].written == ["b"]
    assert run.steps[0].deltas[0].written == "a"


def test_any_type_that_pydantic_checks_can_be_an_element():
    """Dates, models and dataclasses, as they are."""

    @dataclasses.dataclass
    class Pair:
        x: int

    class S(gn.State):
        dates: Annotated[list[datetime.date], step.union]
        pairs: Annotated[list[Pair], step.append(unique=True)]
        profiles: Annotated[list[Profile], step.union(by="name")]

    day = datetime.date(2026, 1, 1)
    ada = Profile(name="ada")
    update = {"dates": [day, day], "pairs": [Pair(1), Pair(1)], "profiles": [ada, Profile(name="ada", age=9)]}
    state = after(update, update, schema=schema_of(S))

    assert ([day], [Pair(1)], [ada]) == (state.dates, state.pairs, state.profiles)
    with pytest.raises(StateValidationError, match=r"profiles\[0\]: Input should be an instance of Profile"):
        after({"profiles": [{"name": "ada"}]}, schema=schema_of(S))


def test_what_functions_in_the_annotation_make_of_a_start_value_is_kept():
    """Wherever they stand; and a value whose equality cannot be asked stays as it is."""

    class S(gn.State):
        a: Annotated[str, AfterValidator(str.lower), step.last_value] = "x"
        b: Annotated[str, step.last_value, AfterValidator(str.lower)] = "x"
        c: Annotated[Any, step.last_value] = None

    state = after(schema=schema_of(S), a="AB", b="AB", c=np.arange(3))

    assert ("ab", "ab", 3) == (state.a, state.b, len(state.c))


def test_fields_that_count_twice_are_known():
    """What goes in and comes back through them is added once more."""
    assert ["log", "last", "total", "count"] == [each.name for each in SCHEMA.fields.values() if each.counts_twice]


class Exact(gn.State):
    level: Annotated[Literal[1, 2], step.last_value] = 1
    share: Annotated[float, step.first_value]
    card: Annotated[dict[str, Any], step.merge]
    rows: Annotated[list[Literal[0, "x"]], step.append]


@pytest.mark.parametrize(
    "given",
    [
        {"level": True},
        {"level": 2.0},
        {"share": float("nan")},
        {"share": float("-inf")},
        {"card": {"a": [float("inf")]}},
        {"rows": [False]},
        {"rows": [0.0]},
    ],
)
def test_values_are_told_apart_as_a_store_would(given):
    """Where a run starts and where a node writes: True is no 1, and no float is without end."""
    schema = schema_of(Exact)
    with pytest.raises(StateValidationError, match=r"Input should be (1 or 2|a finite number|0 or 'x')"):
        start_values(schema, given, "start")
    with pytest.raises(StateValidationError, match=r"Input should be (1 or 2|a finite number|0 or 'x')"):
        fold(schema, start_values(schema, {}, "start"), given, "node")


def test_default_without_end_is_none_of_a_step_field():
    """It would be no write either; a strict field may have one."""

    class Best(gn.State):
        plain: float = float("inf")
        best: Annotated[float, step.last_value] = float("inf")

    with pytest.raises(StateValidationError, match="start: best: Input should be a finite number"):
        start_values(schema_of(Best), {}, "start")
    assert float("inf") == start_values(schema_of(Best), {"best": 1.0}, "start")["plain"]
