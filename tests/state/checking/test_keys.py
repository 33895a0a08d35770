"""Keys that a TypedDict does not declare are refused, whatever class declares the state."""

import dataclasses
from typing import Any

import pydantic
import pytest
import typing_extensions as te
from pydantic import dataclasses as pydantic_dataclasses

import graphnb as gn
from graphnb.state.checking import keys
from graphnb.state.checking.keys import whole_validator


class Part(te.TypedDict):
    x: int
    parts: te.NotRequired[list["Part"]]


class Open(te.TypedDict):
    __pydantic_config__ = {"extra": "allow"}
    x: int


class Careless(te.TypedDict):
    __pydantic_config__ = {"extra": "ignore"}
    x: int


class Plain(te.TypedDict):
    x: int


class Inner(pydantic.BaseModel):
    part: Plain = {"x": 0}


class Typed(te.TypedDict, total=False):
    part: Part
    open: Open


@dataclasses.dataclass
class Record:
    part: Part = dataclasses.field(default_factory=lambda: {"x": 0})
    open: Open = dataclasses.field(default_factory=lambda: {"x": 0})


@pydantic_dataclasses.dataclass
class Checked:
    part: Part = dataclasses.field(default_factory=lambda: {"x": 0})
    open: Open = dataclasses.field(default_factory=lambda: {"x": 0})


class Model(pydantic.BaseModel):
    part: Part = {"x": 0}
    open: Open = {"x": 0}


class Whole(Model):
    @pydantic.model_validator(mode="after")
    def _fine(self) -> "Whole":
        return self


class Strict(gn.State):
    part: Part = {"x": 0}
    open: Open = {"x": 0}


CLASSES = [Typed, Record, Checked, Model, Whole, Strict]
WRONG = {"x": 1, "y": 2}


def graph_of(cls: Any, update: dict[str, Any]) -> gn.Graph:
    """A graph of one node that writes the update."""
    graph = gn.Graph(cls, entry="n")
    graph.node("n", lambda s: update, to=gn.END)
    return graph


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("value", [WRONG, {"x": 1, "parts": [WRONG]}])
def test_unknown_key_is_refused_at_the_start_and_in_a_write(cls: Any, value: Any) -> None:
    """Pydantic drops it without a word unless it is told not to."""
    for how in (lambda: graph_of(cls, {}).run(part=value), lambda: graph_of(cls, {"part": value}).run()):
        with pytest.raises(gn.StateValidationError, match=r"'y'\]: There is no such key"):
            how()


def test_unknown_key_is_refused_in_an_answer() -> None:
    """An answer is a write."""
    graph = gn.Graph(Typed, entry="n")
    graph.node("n", lambda s: gn.interrupt("part", ask="?") if s["part"]["x"] == 0 else {}, to=gn.END)

    with pytest.raises(gn.InvalidInput, match=r"'y'\]: There is no such key"):
        graph.run(part={"x": 0}).resume(WRONG)


@pytest.mark.parametrize("cls", CLASSES)
def test_typeddict_that_allows_other_keys_keeps_them(cls: Any) -> None:
    """Its own word counts."""
    for run in (graph_of(cls, {}).run(open=WRONG), graph_of(cls, {"open": WRONG}).run()):
        state: Any = run.state

        assert (state["open"] if cls is Typed else state.open) == WRONG


def test_what_another_model_holds_or_says_itself_is_as_pydantic_has_it() -> None:
    """Each says for itself what becomes of unknown keys."""

    class Mixed(pydantic.BaseModel):
        inner: Inner = Inner()
        careless: Careless = {"x": 0}

    class Loose(pydantic.BaseModel, extra="ignore"):
        part: Part = {"x": 0}

    for cls, given in ((Mixed, {"inner": {"part": WRONG}, "careless": WRONG}), (Loose, {"part": WRONG})):
        assert cls.__pydantic_validator__ is whole_validator(cls)
        assert cls(**given) == graph_of(cls, {}).run(**given).state


def test_older_pydantic_without_the_option_is_given_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option keeps pydantic from taking the class's own validator instead."""
    built = []
    monkeypatch.setattr(keys, "SchemaValidator", lambda schema: built.append(schema) or "made")

    assert whole_validator(Model) == "made"
    assert len(built) == 1
