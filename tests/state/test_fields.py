"""The fields of a state class, each with its reducer, its validator and what is known of its values."""

from __future__ import annotations

import dataclasses
import enum
import functools
import operator
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

import graphnb as gn
from graphnb.errors import ConflictingReducers, ReducerConfigurationInvalid
from graphnb.state.schema import schema_of
from tests.state.future_states import Child, Data, Total


class Color(enum.Enum):
    red = "red"


class Item(BaseModel):
    x: int = 0


def _make() -> list[int]:
    return [1]


class Many(gn.State):
    plain: int
    log: Annotated[list[str], gn.append] = []
    window: Annotated[list[int], gn.bounded_append(3)] = []
    table: Annotated[dict[str, int], gn.merge] = {}
    notes: Annotated[list[str], gn.concat_flatten] = []
    tables: Annotated[dict[str, int], gn.merge_all] = {}
    total: Annotated[int, operator.add] = 7
    later: str = gn.UNSET
    made: list[int] = Field(default_factory=_make)
    shown: dict[str, int] = Field(default_factory=dict)
    named: list[int] = Field(default_factory=lambda: [1])
    partial: list[int] = Field(default_factory=functools.partial(list, [1]))


FIELDS = schema_of(Many).fields


def test_reducers_and_defaults_as_text() -> None:
    """What a table of fields shows."""
    assert [
        ("plain", "int", "last_write_wins", False, None),
        ("log", "list[str]", "append", True, "[]"),
        ("window", "list[int]", "bounded_append(max_len=3)", True, "[]"),
        ("table", "dict[str, int]", "merge", True, "{}"),
        ("notes", "list[str]", "concat_flatten", True, "[]"),
        ("tables", "dict[str, int]", "merge_all", True, "{}"),
        ("total", "int", "add", True, "7"),
        ("later", "str", "last_write_wins", False, "UNSET"),
        ("made", "list[int]", "last_write_wins", False, "_make()"),
        ("shown", "dict[str, int]", "last_write_wins", False, "{}"),
        ("named", "list[int]", "last_write_wins", False, "lambda()"),
        ("partial", "list[int]", "last_write_wins", False, "partial()"),
    ] == [(each.name, each.type, each.reducer, each.declared, each.default) for each in FIELDS.values()]


def test_required_and_unset_fields() -> None:
    """Only a field without default has to be given; only one declared UNSET may stay unwritten."""
    assert ["plain"] == [each.name for each in FIELDS.values() if each.required]
    assert ["later"] == [each.name for each in FIELDS.values() if each.can_be_unset]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("plain", "{'plain': the whole new value}"),
        ("log", "{'log': [the new items]}"),
        ("window", "{'window': [the new items]}"),
        ("table", "{'table': {the new entries}}"),
        ("notes", "{'notes': [[the new items]]}"),
        ("tables", "{'tables': [{the new entries}]}"),
        ("total", "{'total': the update}"),
    ],
)
def test_mend_shows_the_form_of_the_update(name: str, form: str) -> None:
    """The advice fits the reducer."""
    assert f"Return the change instead: return {form}" == FIELDS[name].mend


def test_what_is_known_of_values() -> None:
    """Atoms are read without a copy, lists and dicts of them need no look inside."""
    known = {name: (each.atomic, each.flat, each.levels, each.refuses) for name, each in FIELDS.items()}

    assert ((True, False, 0, True), (False, True, 1, True)) == (known["plain"], known["log"])
    assert (False, False, 0, True) == known["later"]


def test_class_with_validators_knows_nothing_of_its_values() -> None:
    """A validator may turn a field into anything."""

    class S(gn.State):
        n: int = 0
        xs: list[int] = []

        @field_validator("n")
        @classmethod
        def anything(cls, n: int) -> Any:
            return [n]

    fields = schema_of(S).fields

    assert [(False, False, 0, False)] * 2 == [
        (each.atomic, each.flat, each.levels, each.refuses) for each in fields.values()
    ]


def _trusted(
    annotation: Any, default: Any = dataclasses.MISSING, config: ConfigDict | None = None, **more: Any
) -> bool:
    given = default if default is not dataclasses.MISSING else Field(**more)
    namespace = {"__annotations__": {"x": annotation}, "x": given, "model_config": config or ConfigDict()}
    return schema_of(type("S", (gn.State,), {"__module__": __name__, **namespace})).fields["x"].trusted


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, 0),
        (str, ""),
        (Any, []),
        (int | None, None),
        (int | None, 3),
        (Literal["a", "b"], "a"),
        (Color, Color.red),
        (Item, Item()),
        (list[int], []),
        (dict[str, int], {}),
        (list, []),
        (str, gn.UNSET),
        (None, None),
    ],
)
def test_default_that_surely_fits_is_taken_on_trust(annotation: Any, default: Any) -> None:
    """What can be seen to fit is not validated."""
    assert _trusted(annotation, default)


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (str, None),
        (float, 0),
        (float, float("inf")),
        (int, True),
        (Literal[1], True),
        (list[int], [1]),
        (Annotated[int, Field(gt=0)], 0),
        (Annotated[list[int], AfterValidator(sorted)], []),
        (Color, "red"),
        (list[int] | None, [1]),
    ],
)
def test_default_that_may_not_fit_is_validated(annotation: Any, default: Any) -> None:
    """Pydantic itself takes every default on trust."""
    assert not _trusted(annotation, default)


def test_factories_are_trusted_where_they_make_the_very_type() -> None:
    """An empty list fits every list; what a function makes has to be seen."""
    assert _trusted(list[int], default_factory=list)
    assert _trusted(dict, default_factory=dict)
    assert not _trusted(list[int], default_factory=dict)
    assert not _trusted(list[int], default_factory=_make)
    assert not _trusted(Annotated[list[int], Field(min_length=1)], default_factory=list)


def test_configuration_that_concerns_values_takes_trust_away() -> None:
    """A text may be too short for the class."""
    assert not _trusted(str, "", ConfigDict(str_min_length=1))
    assert _trusted(str, "", ConfigDict(arbitrary_types_allowed=True))


def test_words_beside_a_type_constrain_nothing() -> None:
    """A comment or a description leaves a list growing at the cost of what is added."""

    class S(gn.State):
        a: Annotated[list[int], gn.append, "what was seen"] = []
        b: Annotated[list[int], gn.append, Field(description="what was seen")] = []

    @dataclasses.dataclass
    class R:
        a: Annotated[list[int], gn.append, Field(description="x")] = dataclasses.field(default_factory=list)

    kinds = {type(each.writer).__name__ for cls in (S, R) for each in schema_of(cls).fields.values()}

    assert {"_GrowingList"} == kinds


@pytest.mark.parametrize(
    ("annotation", "reducer", "writer"),
    [
        (list[int], gn.append, "_GrowingList"),
        (list[int], gn.concat_flatten, "_GrowingList"),
        (list[int], gn.dedupe_append(), "_GrowingList"),
        (list[int], gn.bounded_append(2), "_Bounded"),
        (list[int], gn.merge_by_key(str), "_Keyed"),
        (list[int], gn.merge, "_WholeWriter"),
        (list[int], gn.last_write_wins, "_PlainWriter"),
        (list[int], operator.add, "_WholeWriter"),
        (dict[str, int], gn.merge, "_GrowingDict"),
        (dict[str, int], gn.merge_all, "_GrowingDict"),
        (dict[str, int], gn.append, "_WholeWriter"),
        (Annotated[list[int], Field(max_length=3)], gn.append, "_WholeWriter"),
        (list[int] | None, gn.append, "_WholeWriter"),
        (Any, gn.append, "_WholeWriter"),
    ],
)
def test_cheapest_writer_that_gives_the_same(annotation: Any, reducer: Any, writer: str) -> None:
    """A list or dict that nothing constrains as a whole is validated by its parts."""
    made = type("S", (gn.State,), {"__annotations__": {"x": Annotated[annotation, reducer]}, "__module__": __name__})

    assert writer == type(schema_of(made).fields["x"].writer).__name__


def test_two_reducers_on_one_field_are_refused() -> None:
    """The error names state, field and both reducers."""

    class S(gn.State):
        log: Annotated[list[str], gn.append, gn.bounded_append(3)] = []

    with pytest.raises(ConflictingReducers) as caught:
        schema_of(S)

    assert str(caught.value) == (
        "state S, field 'log': has 2 reducers: append, bounded_append(max_len=3)\nKeep one of them."
    )


@pytest.mark.parametrize(
    ("factory", "mend"),
    [
        (gn.bounded_append, "Write bounded_append(10)."),
        (gn.dedupe_append, "Write dedupe_append()."),
        (gn.merge_by_key, "Write merge_by_key(key=...)."),
    ],
)
def test_factory_that_was_not_called_is_refused(factory: Any, mend: str) -> None:
    """A reducer with options has to be made first."""
    made = type("S", (gn.State,), {"__annotations__": {"x": Annotated[list[int], factory]}, "__module__": __name__})

    with pytest.raises(ReducerConfigurationInvalid) as caught:
        schema_of(made)

    assert f"state S, field 'x': {factory.__name__} makes a reducer and was not called\n{mend}" == str(caught.value)


@pytest.mark.parametrize("inner", [gn.append, gn.bounded_append], ids=["reducer", "factory"])
def test_reducer_inside_the_type_is_refused(inner: Any) -> None:
    """`Annotated[list, append] | None` would be overlooked: the reducer has to stand beside the whole type."""

    @dataclasses.dataclass
    class S:
        x: Any = None

    S.__annotations__["x"] = Annotated[list[int], inner] | None

    with pytest.raises(ReducerConfigurationInvalid, match=r"state S, field 'x': "):
        schema_of(S)


def test_fields_of_other_classes() -> None:
    """Dataclasses and TypedDicts have fields like any state."""
    assert [
        ("xs", "append"),
        ("anything", "last_write_wins"),
        ("n", "last_write_wins"),
        ("later", "last_write_wins"),
    ] == [(each.name, each.reducer) for each in schema_of(Data).fields.values()]
    assert ["append", "last_write_wins", "merge"] == [each.reducer for each in schema_of(Total).fields.values()]
    assert "list[T]" == schema_of(Child).fields["items"].type
