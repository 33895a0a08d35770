"""Validating what was written, and nothing else, cannot be told from validating the whole field."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Len
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, field_validator, model_validator

from graphnb.errors import ReducerError, StateValidationError
from graphnb.state.folding.fold import fold
from graphnb.state.model import State
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all
from graphnb.state.schema import schema_of, start_values
from graphnb.state.values.detach import detach
from graphnb.state.values.same import is_same


class Color(enum.Enum):
    red = "red"
    blue = "blue"


class Point(BaseModel):
    x: int
    tags: list[str] = []


def _no_more_than_six(items: Any) -> Any:
    if len(items) > 6:
        raise ValueError("more than six")
    return items


def _key(item: Any) -> Any:
    return item["id"] if isinstance(item, dict) else getattr(item, "x", str(item))


LIST_REDUCERS: list[Callable[..., Any]] = [
    append,
    concat_flatten,
    bounded_append(3),
    dedupe_append(),
    dedupe_append(key=_key),
    merge_by_key(key=_key),
    last_write_wins,
]
DICT_REDUCERS: list[Callable[..., Any]] = [merge, merge_all, last_write_wins]


def _mostly(good: st.SearchStrategy[Any], other: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Seven times of eight a good value, so that whole updates pass often enough."""
    return st.integers(0, 7).flatmap(lambda i: other if i == 7 else good)


strange = st.sampled_from([None, "x", " 1 ", 1.5, True, float("nan"), [1], {"id": 1}])
numbers = _mostly(st.one_of(st.integers(-1, 3), st.sampled_from(["1", "2", 1.0])), strange)
texts = _mostly(st.sampled_from(["a", "b", " c ", ""]), strange)
points = _mostly(
    st.one_of(st.builds(Point, x=st.integers(0, 3)), st.fixed_dictionaries({"x": st.sampled_from([1, "2"])})), strange
)
records = _mostly(st.fixed_dictionaries({"id": st.integers(0, 3)}, optional={"n": st.sampled_from([1, "2"])}), strange)
colors = _mostly(st.sampled_from(["red", "blue", Color.red]), strange)
days = _mostly(st.sampled_from(["2024-01-02", datetime.date(2024, 1, 2)]), strange)
pairs = _mostly(st.lists(st.integers(0, 2), max_size=2), strange)
keys = _mostly(st.one_of(st.integers(0, 1), st.sampled_from(["0", "1", "01", 1.0, True])), st.sampled_from(["a", None]))
names = _mostly(st.sampled_from(["a", "b", "c"]), st.sampled_from([1, None]))
LIST_TYPES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (list[int], numbers),
    (list[str], texts),
    (list[float | None], numbers),
    (list[int | str], numbers),
    (list[bool], numbers),
    (list[Color], colors),
    (list[Literal["a", "b"]], texts),
    (list[datetime.date], days),
    (list[Point], points),
    (list[dict[str, int]], records),
    (list[list[int]], pairs),
    (list[Annotated[int, Ge(0)]], numbers),
    (list, numbers),
    (list[Any], records),
    (Any, numbers),
    (Annotated[list[int], Len(0, 4)], numbers),
    (Annotated[list[int], Field(max_length=4)], numbers),
    (Annotated[list[int], AfterValidator(_no_more_than_six)], numbers),
    (Annotated[list[int], "how many"], numbers),
    (list[int] | None, numbers),
    (tuple[int, ...], numbers),
    (set[int], numbers),
]
DICT_TYPES: list[tuple[Any, st.SearchStrategy[Any], st.SearchStrategy[Any]]] = [
    (dict[str, int], names, numbers),
    (dict[int, str], keys, texts),
    (dict[int, float], keys, numbers),
    (dict[float, Any], keys, numbers),
    (dict[str, Point], names, points),
    (dict[str, list[int]], names, pairs),
    (dict[Any, int], keys, numbers),
    (dict, keys, numbers),
    (dict[Color, int], colors, numbers),
    (Any, keys, numbers),
    (Annotated[dict[str, int], Len(0, 3)], names, numbers),
    (Annotated[dict[int, int], AfterValidator(_no_more_than_six)], keys, numbers),
    (dict[str, int] | None, names, numbers),
    (Mapping[str, int], names, numbers),
]
CONFIGS: list[ConfigDict] = [
    ConfigDict(),
    ConfigDict(strict=True),
    ConfigDict(str_strip_whitespace=True, coerce_numbers_to_str=True, allow_inf_nan=False),
]


class _Validated(State):
    """A base whose validators make every check one of the whole model."""

    @field_validator("value", mode="after", check_fields=False)
    @classmethod
    def few(cls, value: Any) -> Any:
        """Refuses more than six parts."""
        return _no_more_than_six(value) if isinstance(value, (list, dict)) else value

    @model_validator(mode="after")
    def no_seven(self) -> _Validated:
        """Refuses a five among the parts."""
        if 5 in (self.value if isinstance(self.value, list) else []):  # type: ignore[attr-defined]
            raise ValueError("no five")
        return self


Run = tuple[Any, Callable[..., Any], Any, list[Any]]
"""Annotation, reducer, the value to start from, updates."""


@st.composite
def _list_runs(draw: st.DrawFn) -> Run:
    annotation, element = draw(st.sampled_from(LIST_TYPES))
    reducer = draw(st.sampled_from(LIST_REDUCERS))
    flat = st.lists(element, max_size=4)
    update = st.lists(flat, max_size=3) if reducer is concat_flatten else flat
    return annotation, reducer, [], draw(st.lists(_mostly(update, strange), min_size=1, max_size=5))


@st.composite
def _dict_runs(draw: st.DrawFn) -> Run:
    annotation, key, value = draw(st.sampled_from(DICT_TYPES))
    reducer = draw(st.sampled_from(DICT_REDUCERS))
    flat = st.dictionaries(key.filter(lambda each: not isinstance(each, (list, dict))), value, max_size=4)
    update = st.lists(flat, max_size=3) if reducer is merge_all else flat
    return annotation, reducer, {}, draw(st.lists(_mostly(update, strange), min_size=1, max_size=5))


def _outcome_by_whole(model: type[State], reducer: Any, prior: Any, update: Any) -> tuple[str, Any]:
    """What pydantic makes of the raw-folded whole: how it ends, and the value."""
    try:
        raw = reducer(prior, update)
    except Exception:
        return "reducer_error", None
    try:
        return "folded", model.model_validate({"value": raw}).value  # type: ignore[attr-defined]
    except Exception:
        return "state_validation_error", None


def _alike(one: Any, other: Any) -> bool:
    """Equal, of the same types, and dicts in the same order."""
    if isinstance(one, dict):
        return list(map(repr, one)) == list(map(repr, other)) and is_same(one, other)
    return is_same(one, other)


@given(run=st.one_of(_list_runs(), _dict_runs()), config=st.sampled_from(CONFIGS), validated=st.booleans())
@example(run=(dict[int, str], merge, {}, [{1: "p"}, {"1": "a", 1: "b"}]), config=ConfigDict(), validated=False)
@example(
    run=(dict[int, str], merge, {}, [{1: "p"}, {"01": "a", "2": "c", "1": "b"}]), config=ConfigDict(), validated=False
)
@example(
    run=(dict[int, int], merge_all, {}, [[{"2": 1}, {2: 2}], [{2: 3}, {"2": 4}]]), config=ConfigDict(), validated=False
)
def test_fold_accepts_and_gives_what_validating_the_whole_would(run: Run, config: ConfigDict, validated: bool) -> None:
    """Every built-in reducer on every kind of field ends as pydantic does with the raw-folded whole value."""
    annotation, reducer, start, updates = run
    base = _Validated if validated else State
    made = type("Base", (base,), {"model_config": config, "__module__": __name__})
    field = (Annotated[annotation, reducer], Field(default_factory=lambda: start))
    model = create_model("Made", __base__=made, value=field)
    schema = schema_of(model)
    try:
        values = start_values(schema, {}, "start")
    except StateValidationError:  # the type takes no empty list or dict
        return
    prior = detach(values["value"])
    for update in updates:
        expected, whole = _outcome_by_whole(model, reducer, detach(prior), detach(update))
        try:
            values, _ = fold(schema, values, {"value": detach(update)}, "node 'a'")
            outcome = "folded"
        except (ReducerError, StateValidationError) as error:
            outcome = error.category
        after = detach(values["value"])

        assert expected == outcome
        assert _alike(whole, after) if outcome == "folded" else _alike(prior, after)
        prior = after
