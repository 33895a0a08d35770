"""Types that no value can be checked against are refused where they are declared."""

import dataclasses
import sys
import typing
from typing import Annotated, Any

import pydantic
import pytest
import typing_extensions as te

import graphnb as gn
from graphnb.state.schema import schema_of


class Opaque:
    """Of no type that pydantic knows."""


class Old(typing.TypedDict):
    x: int


class Code:
    """Raises while pydantic asks it."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        raise KeyError("of its own")


def typed(annotation: Any) -> Any:
    """A state that is a TypedDict."""
    return te.TypedDict("S", {"r": annotation})


def record(annotation: Any) -> Any:
    """A state that is a dataclass."""
    return dataclasses.make_dataclass("S", [("r", annotation)])


def model(annotation: Any) -> Any:
    """A state that is a plain pydantic model."""
    return pydantic.create_model("S", r=(annotation, ...))


def state(annotation: Any) -> Any:
    """A gn.State."""
    return pydantic.create_model("S", __base__=gn.State, r=(annotation, ...))


OPEN = Annotated[str, pydantic.Field(pattern="(")]
OF_INT = Annotated[int, pydantic.Field(pattern="a")]


@pytest.mark.parametrize("make", [typed, record, model, state])
@pytest.mark.parametrize("annotation", [OF_INT, Annotated[list[str], pydantic.Field(pattern="a")]])
def test_pattern_beside_what_is_no_text_is_refused(make: Any, annotation: Any) -> None:
    """Pydantic finds out when the first value comes."""
    with pytest.raises(gn.InvalidDeclaration) as refused:
        schema_of(make(annotation))

    assert "state S, field 'r': has the pattern 'a', and " in str(refused.value)
    assert str(refused.value).endswith("is no text to look for it in\nLeave it out, or let the field be a str.")


@pytest.mark.parametrize("make", [typed, record, state])
@pytest.mark.parametrize("annotation", [OPEN, list[OPEN]])
def test_pattern_that_is_none_is_refused(make: Any, annotation: Any) -> None:
    """With what is wrong with it, in one line."""
    with pytest.raises(gn.InvalidDeclaration) as refused:
        schema_of(make(annotation))

    told = "state S, field 'r': has a constraint that nothing can be checked against: regex parse error: ("
    assert str(refused.value).startswith(told)
    assert str(refused.value).endswith("unclosed group\nMend what stands beside its type.")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="pydantic reads it from Python 3.12 on")
@pytest.mark.parametrize("make", [typed, record, state])
def test_typeddict_of_typing_is_refused_where_pydantic_cannot_read_it(make: Any) -> None:
    """It was pydantic's own error, raw, or one at the start of a run."""
    with pytest.raises(gn.InvalidDeclaration) as refused:
        schema_of(make(list[Old]))

    assert str(refused.value) == (
        "state S, field 'r': holds a TypedDict of `typing`, which pydantic cannot read before Python 3.12: list[Old]\n"
        "Write from typing_extensions import TypedDict instead."
    )


def test_type_that_pydantic_does_not_know_is_refused_where_the_class_does_not_allow_it() -> None:
    """A dataclass and a TypedDict allow it, unless they say otherwise."""
    closed = typed(Opaque)
    closed.__pydantic_config__ = {"arbitrary_types_allowed": False}

    with pytest.raises(
        gn.InvalidDeclaration, match=r"field 'r': has a type that pydantic cannot check: Opaque\nWrite r: Any"
    ):
        schema_of(closed)
    assert schema_of(record(Opaque)).fields["r"].type == "Opaque"


@pytest.mark.parametrize("annotation", [Code, Annotated[str, pydantic.Field(pattern="a")], Annotated[str, "a"]])
def test_other_types_are_none_of_its_business(annotation: Any) -> None:
    """What code of the type's own raises is told where a value is checked."""
    assert ["r"] == list(schema_of(typed(annotation)).fields)
