"""Type hints taken apart."""

import typing
from typing import Annotated, Any, Generic, Literal, NotRequired, Required, TypeVar

import pytest
from annotated_types import Len
from pydantic import AfterValidator, Field
from typing_extensions import ReadOnly, TypeAliasType

import graphnb as gn
from graphnb.errors import StateValidationError
from graphnb.state.annotations.hints import (
    bare_of,
    element_of,
    filled,
    hint_of,
    is_constraint,
    metadata_within,
    type_text,
)

T = TypeVar("T")
U = TypeVar("U")
Log = TypeAliasType("Log", list[T], type_params=(T,))
Turned = TypeAliasType("Turned", dict[U, list[T]], type_params=(T, U))
Same = TypeAliasType("Same", T, type_params=(T,))
Fixed = TypeAliasType("Fixed", list[str], type_params=(T,))
Names = TypeAliasType("Names", Annotated[list[str], "words"])


class Outer(Generic[T]):
    class Inner:
        pass


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        (int, (int, (), None)),
        (Annotated[int, 1, 2], (int, (1, 2), None)),
        (Annotated[Annotated[int, 1], 2], (int, (1, 2), None)),
        (Required[int], (int, (), True)),
        (Annotated[NotRequired[Annotated[int, 1]], 2], (int, (1, 2), False)),
        (ReadOnly[list[int]], (list[int], (), None)),
        (Names, (list[str], ("words",), None)),
        (Annotated[Names, 2], (list[str], ("words", 2), None)),
        (Log, (list[T], (), None)),
        (Log[int], (list[int], (), None)),
        (Turned[int, str], (dict[str, list[int]], (), None)),
        (Same[int], (int, (), None)),
        (Fixed[int], (list[str], (), None)),
    ],
)
def test_hint_is_looked_through(annotation, hint):
    """Wrappers, aliases with their arguments filled in, and metadata from the inside out."""
    assert hint == hint_of(annotation)


def test_alias_with_an_argument_validates_what_it_says():
    """`Log[int]` is a list of int, and no list of anything."""

    class Logging(gn.State):
        log: Annotated[Log[int], gn.append] = []

    graph = gn.Graph(Logging, entry="a", name="logging")
    graph.node("a", lambda s: {"log": ["x"]}, to=gn.END)

    with pytest.raises(StateValidationError, match=r"log\[0\]: Input should be a valid integer"):
        graph.run()


@pytest.mark.parametrize(
    ("annotation", "bare", "element"),
    [
        (list[int], list, int),
        (list, list, Any),
        (dict[str, float], dict, float),
        (Annotated[dict, 1], dict, Any),
        (Log[int], list, int),
        (set[int], set, None),
        (int, int, None),
    ],
)
def test_bare_class_and_element_type(annotation, bare, element):
    """Elements are those of lists and dicts alone."""
    assert (bare, element) == (bare_of(annotation), element_of(annotation))


def test_constraints_are_told_from_what_turns_values_into_others():
    """A validator is no constraint."""
    assert [True, True, True, False] == [
        is_constraint(each) for each in ("words", Len(1), Field(gt=1), AfterValidator(sorted))
    ]


def test_metadata_within_is_that_of_parts_alone():
    """At every depth, but not beside the whole, and not the words of a Literal."""
    annotation = Annotated[dict[str, Annotated[list[Annotated[int, 1]], 2, 3]] | Literal["a"], 4]

    assert [2, 3, 1] == list(metadata_within(typing.get_args(annotation)[0]))
    assert [] == list(metadata_within(list[int]))


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (int, "int"),
        (None | int, "None | int"),
        (dict[str, list[int]], "dict[str, list[int]]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (typing.Optional[int], "Optional[int]"),  # noqa: UP045  users write it
        (list[Outer.Inner], "list[Outer.Inner]"),
        (Literal["a.b", "NoneType", 'it\'s "c.d"'], "Literal['a.b', 'NoneType', 'it\\'s \"c.d\"']"),
    ],
)
def test_type_is_written_as_a_reader_would(annotation, text):
    """Without module names; texts in a Literal stay as they are."""
    assert text.replace("Outer.Inner", "Inner") == type_text(annotation)


def test_class_within_a_function_is_shown_by_its_name():
    """Without the function."""

    class Local:
        pass

    assert ("Local", "list[Local]") == (type_text(Local), type_text(list[Local]))


_Kind = TypeVar("_Kind")


class _Generic(Generic[_Kind]):
    pass


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (_Kind, int),
        (list[_Kind], list[int]),
        (dict[str, _Kind] | None, dict[str, int] | None),
        (list[str], list[str]),
        (str, str),
        (_Generic, _Generic),
    ],
)
def test_type_parameters_are_filled_with_what_was_chosen(annotation, expected):
    """Wherever they stand; a class of parameters of its own stays as it is."""
    assert expected == filled(annotation, {_Kind: int})


def test_type_parameters_that_nobody_chose_stay():
    """What they are is for others to tell."""
    assert list[_Kind] == filled(list[_Kind], {})
    assert _Kind == filled(_Kind, {})
