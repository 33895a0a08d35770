"""Validating whole states, whatever declares them."""

import dataclasses
from typing import Annotated, Any, TypedDict

import pydantic
import pytest
from pydantic import BaseModel, ConfigDict, Field, model_validator

import graphnb as gn
from graphnb.state.checking.reasons import Unfit
from graphnb.state.checking.whole import is_record, read_fields
from graphnb.state.folding.fold import fold
from graphnb.state.marks import UNSET
from graphnb.state.reducers.strict import append
from graphnb.state.schema import schema_of, start_values
from graphnb.state.values.grown import GrownDict, GrownList


def _fail() -> int:
    raise KeyError("no default today")


class Model(gn.State):
    a: list[int] = []
    box: Any = None
    late: int = gn.UNSET


class Aliased(BaseModel):
    a: int = Field(1, alias="A")
    b: int = Field(1, validation_alias="B")


class WrongDefault(gn.State):
    a: int = "x"
    b: int = "3"
    late: int = gn.UNSET


class Sorted(BaseModel):
    a: list[int] = ["3"]
    b: Any = None

    @model_validator(mode="after")
    def _not_negative(self):
        if any(int(each) < 0 for each in self.a):
            raise ValueError("negative")
        return self


@dataclasses.dataclass
class Record:
    a: list[int] = dataclasses.field(default_factory=list)
    b: int = 0


@dataclasses.dataclass
class Failing:
    a: int = dataclasses.field(default_factory=_fail)
    b: int = 0


@dataclasses.dataclass
class Hooked:
    a: int = 0
    double: int = dataclasses.field(default=0, init=False)

    def __post_init__(self):
        if self.a < 0:
            raise ValueError("negative")
        self.double = 2 * self.a


@pydantic.dataclasses.dataclass
class Checked:
    a: int = 0


class Entries(TypedDict, total=False):
    a: list[int]
    b: dict[str, int]


@pytest.mark.parametrize(
    ("cls", "given", "values"),
    [
        (Model, {"a": ["1"]}, {"a": [1], "box": None, "late": UNSET}),
        (Model, {"late": "2"}, {"a": [], "box": None, "late": 2}),
        (Aliased, {"a": "2", "b": "3"}, {"a": 2, "b": 3}),
        (Sorted, {}, {"a": [3], "b": None}),
        (Sorted, {"a": ["1"]}, {"a": [1], "b": None}),
        (Record, {"b": "2"}, {"a": [], "b": 2}),
        (Hooked, {"a": "2"}, {"a": 2, "double": 4}),
        (Checked, {"a": "2"}, {"a": 2}),
        (Entries, {"a": ["1"]}, {"a": [1], "b": UNSET}),
        (Entries, {"a": GrownList([1]), "b": GrownDict({"x": 1})}, {"a": [1], "b": {"x": 1}}),
    ],
)
def test_check_gives_all_fields_validated_with_defaults(cls, given, values):
    """By name, also where an alias is declared; a field without either stays unset."""
    assert values == schema_of(cls).check(given)


@pytest.mark.parametrize(
    ("cls", "given", "reasons"),
    [
        (Model, {"a": 1, "late": "x"}, {"a": "a: Input should be", "late": "late: Input should be"}),
        (Aliased, {"a": "x"}, {"a": "a: Input should be"}),
        (Aliased, {"b": "x"}, {"b": "b: Input should be"}),
        (WrongDefault, {}, {"a": "a: Input should be a valid integer"}),
        (Sorted, {"a": [-1]}, {"": "the state: Value error, negative"}),
        (Failing, {"b": "x"}, {"a": "a: KeyError: 'no default today'", "b": "b: Input should be"}),
        (Hooked, {"a": -1}, {"": "the state: ValueError: negative"}),
        (Entries, {"a": ["x"], "b": 1}, {"a": "a[0]: Input should be", "b": "b: Input should be"}),
    ],
)
def test_check_tells_every_reason_by_field(cls, given, reasons):
    """All fields at once, defaults and factories included."""
    with pytest.raises(Unfit) as caught:
        schema_of(cls).check(given)

    assert list(reasons) == list(caught.value.reasons)
    assert all(caught.value.reasons[name][0].startswith(reason) for name, reason in reasons.items())


def test_default_is_validated_and_coerced():
    """Pydantic takes defaults on trust, a run does not."""
    assert {"a": 1, "b": 3, "late": UNSET} == schema_of(WrongDefault).check({"a": 1})


@pytest.mark.parametrize("cls", [Model, Sorted, Record, Entries])
def test_values_are_the_caller_s_own(cls):
    """Neither what is given nor a default is shared or changed."""
    given = {"a": [1]}
    check = schema_of(cls).check
    check(given)["a"].append(2)

    assert {"a": [1]} == given
    if cls is not Entries:
        before = list(check({})["a"])
        check({})["a"].append(9)
        assert before == check({})["a"]


def test_opaque_value_is_copied():
    """What pydantic would hand on is copied."""
    box = {"x": [1]}
    checked = schema_of(Model).check({"box": box})

    assert box == checked["box"]
    assert box["x"] is not checked["box"]["x"]


def test_records_are_instances_of_models_and_dataclasses():
    """Classes and dicts are none."""
    assert [True, True, True, False, False, False] == [
        is_record(each) for each in (Model(), Record(), Checked(), Record, Model, {"a": 1})
    ]


@pytest.mark.parametrize("state", [Aliased(A=1, B=2), Record(1, 2), {"a": 1, "b": 2}])
def test_fields_are_read_from_every_kind_of_state(state):
    """As a new dict."""
    read = read_fields(state)

    assert {"a": 1, "b": 2} == read
    assert read is not state


def test_model_that_allows_more_gives_its_declared_fields_alone():
    """What stands beside them is no field."""

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: int = 0

    assert {"a": 1} == read_fields(Open(a=1, b=2))


def test_value_that_post_init_puts_in_is_not_shared():
    """A run that grows the list leaves the one that the class took it from alone."""
    shelf = [9]

    @dataclasses.dataclass
    class Taking:
        log: Annotated[list[int], append] = dataclasses.field(default_factory=list)

        def __post_init__(self) -> None:
            self.log = self.log or shelf

    schema = schema_of(Taking)
    values, _ = fold(schema, start_values(schema, {}, "start"), {"log": [1]}, "node 'a'")

    assert [9, 1] == values["log"].to_list()
    assert [9] == shelf


def _post_init(store):
    """A dataclass whose `__post_init__` is the given function."""

    @dataclasses.dataclass
    class Storing:
        n: int = 0
        log: list[int] = dataclasses.field(default_factory=list)
        late: int = gn.UNSET
        made: int = dataclasses.field(default=0, init=False)

        __post_init__ = store

    return Storing


def test_value_that_post_init_stores_is_coerced():
    """As if it had been given: also where a list was changed in place."""

    def store(self):
        self.n = "3"
        self.made = "4"
        self.log.append("5")

    assert {"n": 3, "log": [5], "late": UNSET, "made": 4} == schema_of(_post_init(store)).check({})


def test_value_that_post_init_stores_is_refused_by_field():
    """Each field at fault is named with its path, and the message says who stored the value."""

    def store(self):
        self.n = "many"
        self.log = [1, "x"]
        self.late = UNSET

    with pytest.raises(Unfit) as caught:
        schema_of(_post_init(store)).check({"late": 1})

    assert {
        "n": (
            "n: Input should be a valid integer, unable to parse string as an integer, not str: 'many' "
            "(stored by __post_init__)",
        ),
        "log": (
            "log[1]: Input should be a valid integer, unable to parse string as an integer, not str: 'x' "
            "(stored by __post_init__)",
        ),
        "late": ("late: Input should be a valid integer, not UNSET: UNSET (stored by __post_init__)",),
    } == caught.value.reasons


def test_value_that_post_init_leaves_alone_is_validated_once():
    """A validator that changes the value would otherwise change it twice."""

    @dataclasses.dataclass
    class Marked:
        name: Annotated[str, pydantic.AfterValidator(lambda text: text + "!")] = ""

        def __post_init__(self):
            pass

    assert {"name": "a!"} == schema_of(Marked).check({"name": "a"})


def test_value_that_post_init_stores_after_a_fold_is_refused_at_the_node():
    """The message begins with the place of the node, and nothing is folded."""

    def store(self):
        self.made = "x" if self.n else 0

    schema = schema_of(_post_init(store))
    start = start_values(schema, {}, "start")
    with pytest.raises(gn.StateValidationError, match=r"^node 'a': made: Input should be .* \(stored by") as caught:
        fold(schema, start, {"n": 1}, "node 'a'")

    assert ("made",) == caught.value.fields
