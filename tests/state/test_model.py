"""The class from which states derive."""

import pickle
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pytest
from IPython.lib import pretty
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PydanticSchemaGenerationError,
    ValidationError,
    create_model,
)
from typing_extensions import TypedDict

import graphnb as gn
from graphnb import step


class Answer(gn.State):
    n: int = 0
    late: str = gn.UNSET


def test_in_tells_whether_a_field_is_set():
    """A declared field with a value; neither an unset one, nor a method, nor what is no text."""
    assert ["n"] == [name for name in ("n", "late", "nope", "model_dump", 3) if name in Answer()]
    assert "late" in Answer(late="x")


def test_state_cannot_be_changed():
    """It is frozen."""
    with pytest.raises(ValidationError, match="frozen"):
        Answer().n = 1


def test_unknown_field_is_refused():
    """A slip of the fingers is found where it is made."""
    with pytest.raises(ValidationError, match="Extra inputs"):
        Answer(m=1)


class Tables(gn.State):
    """The two ways to declare a table."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    loose: Any = None
    table: pd.DataFrame = gn.UNSET
    kept: Annotated[list[Any], gn.append] = []


def test_field_of_a_type_that_pydantic_does_not_know_is_told_what_to_write():
    """By state and field, with both ways out."""
    with pytest.raises(gn.InvalidDeclaration) as caught:

        class Review(gn.State):
            files: list[str]
            table: dict[str, pd.DataFrame]

    assert str(caught.value) == (
        "state Review, field 'table': has a type that pydantic cannot check: dict[str, DataFrame]\n"
        "Write table: Any, which takes, shows and compares every value, a table or an array too. Or let it be checked "
        "by its class alone: model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)."
    )
    assert isinstance(caught.value.__cause__, PydanticSchemaGenerationError)


def test_array_as_a_field_is_told_the_same():
    """Whatever the type is."""
    with pytest.raises(gn.InvalidDeclaration, match=r"field 'array': has a type that pydantic cannot check: ndarray\n"):

        class Review(gn.State):
            array: np.ndarray


def test_unknown_type_that_is_defined_later_is_told_when_the_class_is_completed():
    """Pydantic looks at the field no sooner."""

    class Review(gn.State):
        part: "Part"

    class Part:
        pass

    with pytest.raises(gn.InvalidDeclaration, match=r"state Review, field 'part': has a type that .* check: Part\n"):
        Review.model_rebuild()


def test_type_that_fails_elsewhere_keeps_pydantic_s_own_error():
    """Where no field is to blame, nothing is made up."""
    with pytest.raises(PydanticSchemaGenerationError, match="not here"):

        class Review(gn.State):
            n: int = 0

            @classmethod
            def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> Any:
                def refuse(source: Any) -> Any:
                    raise PydanticSchemaGenerationError("not here")

                return super().__get_pydantic_core_schema__(source, refuse)


def _tables() -> gn.Graph:
    graph = gn.Graph(Tables, entry="make")
    graph.node("make", lambda s: {"loose": pd.DataFrame({"x": [1, None]}), "table": pd.DataFrame()}, to="widen")
    graph.node("widen", lambda s: {"table": s.loose.assign(y=2), "kept": [s.loose, np.arange(3)]}, to="read")
    graph.node("read", lambda s: {"kept": [s.table.shape, len(s.kept[1])]}, to=gn.END)
    return graph


def test_tables_and_arrays_flow_through_a_graph():
    """With either declaration they are read, written, folded, shown and compared."""
    run = _tables().run()

    assert ["x", "y"] == list(run.state.table)
    assert [(2, 2), 3] == run.state.kept[2:]
    assert run == _tables().run()
    assert "shape (0, 0) → (2, 2)" in " ".join(run.diff().data["change"].astype(str))
    assert "DataFrame" in str(_tables())


def test_states_with_tables_are_compared_by_what_these_hold():
    """Where == gives no single answer; NaN equals NaN as in a table's own `equals`."""
    one, other = _tables().run().state, _tables().run().state

    assert one == other
    assert one != other.model_copy(update={"loose": pd.DataFrame({"x": [1, 2]})})
    assert one != 5


def test_view_of_a_table_cannot_be_changed_unnoticed():
    """A node that changes the table it was given, and does not return it, is refused."""
    graph = gn.Graph(Tables, entry="careless")

    @graph.node(to=gn.END)
    def careless(s: Any) -> dict[str, Any]:
        s.loose["y"] = 1
        return {}

    with pytest.raises(gn.MutatedState, match=r"return \{'loose': the whole new value\}"):
        graph.run(loose=pd.DataFrame({"x": [1]}))


def test_states_that_are_equal_have_equal_hashes():
    """As with every frozen model."""
    assert hash(Answer(n=1)) == hash(Answer(n=1))
    assert Answer(n=1) == Answer(n=1) != Answer(n=2)


class Long(gn.State):
    """Values of any length."""

    text: str = ""
    items: list[Any] = []
    secret: Annotated[str, Field(repr=False)] = "hidden"


def test_short_state_is_shown_in_a_cell_as_everywhere():
    """By pydantic's own repr."""
    state = Long(text="a", items=[1, {"b": [2]}])

    assert repr(state) == pretty.pretty(state) == "Long(text='a', items=[1, {'b': [2]}])"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"items": list(range(100_000))}, "Long(text='', items=[0, 1, 2, 3, 4, 5, ...])"),
        ({"text": "a" * 100_000}, f"Long(text='{'a' * 37}...{'a' * 38}', items=[])"),
    ],
    ids=["list", "text"],
)
def test_long_state_is_abbreviated_in_a_cell_alone(given, told):
    """Each value by itself; what is printed, dumped, compared and pickled stays whole."""
    state = Long(**given)

    assert f"{told} (shortened: print() shows all)" == pretty.pretty(state)
    assert f"[{told} (shortened: print() shows all)]" == pretty.pretty([state])
    assert len(repr(state)) > 100_000
    assert len(str(state)) > 100_000
    assert state == pickle.loads(pickle.dumps(state)) == Long(**state.model_dump())


def test_state_of_many_fields_is_bounded_in_a_cell():
    """Also if each value is short."""
    wide = create_model("Wide", __base__=gn.State, **{f"field_{i}": (str, "x" * 30) for i in range(1000)})

    assert 2_100 > len(pretty.pretty(wide())) > 1_900


def test_state_with_a_repr_of_its_own_is_shown_by_it():
    """However long: whoever writes one means it."""

    class Told(Long):
        def __repr__(self) -> str:
            return "told" * 1000

    assert "told" * 1000 == pretty.pretty(Told(text="a"))


class Entries(TypedDict):
    n: int


class Pair(BaseModel):
    x: int
    y: int = 0


class Merged(gn.State):
    part: Annotated[Pair, step.merge]
    whole: Pair = Pair(x=1)


def test_model_that_lacks_values_tells_so_in_the_repr_of_the_state():
    """A natural zero, or what was filled in part: pydantic leaves out what has no value."""
    assert "Merged(part=Pair(x=UNSET, y=0), whole=Pair(x=1, y=0))" == repr(Merged())
    assert "part=Pair(x=UNSET, y=0) whole=Pair(x=1, y=0)" == str(Merged())


def test_model_with_a_repr_of_its_own_is_shown_by_it():
    """Whatever it lacks."""

    class Own(Pair):
        def __repr__(self):
            return "mine"

    class Holding(gn.State):
        part: Annotated[Own, step.merge]

    assert "Holding(part=mine)" == repr(Holding())


@pytest.mark.parametrize("kind", ["last_value", "first_value"])
def test_key_that_a_typeddict_does_not_declare_is_refused_as_write(kind):
    """The step family kept it, and strict fields dropped it."""

    class Holding(gn.State):
        one: Annotated[Entries, getattr(step, kind)]
        other: Entries = {"n": 0}

    for name in ("one", "other"):
        graph = gn.Graph(Holding, entry="a")
        graph.node("a", lambda s, name=name: {name: {"n": 1, "m": 2}}, to=gn.END)
        with pytest.raises(gn.StateValidationError, match=rf"{name}\['m'\]: There is no such key"):
            graph.run()
