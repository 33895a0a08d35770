"""What an annotation says of its place, however it is written."""

import datetime
from collections.abc import Callable, Collection
from typing import Annotated, Any, Generic, NamedTuple, Optional, TypedDict, TypeVar

import pytest
from annotated_types import Len
from pydantic import BaseModel, Field
from typing_extensions import TypeAliasType

import graphnb as gn
from graphnb.errors import UnreadableValue, UnstorableValue
from graphnb.store.encoding.typed import shape_of
from graphnb.store.encoding.values import decode, encode
from tests.store.encoding.exactness import Note

Item = TypeVar("Item")
Bound = TypeVar("Bound", bound=datetime.date)
Either = TypeVar("Either", int, datetime.date)
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | datetime.date | None")
DAY = datetime.date(2024, 5, 1)


class Couple(NamedTuple, Generic[Item]):
    one: Item
    other: list[Item]


class Row(TypedDict, Generic[Item]):
    cell: Item


class Lost(TypedDict):
    cell: "Nowhere"  # noqa: F821  a name that means nothing


class LostNote(BaseModel):
    cell: "Nowhere"  # noqa: F821  the same


class LostPair(NamedTuple):
    cell: "Nowhere"  # noqa: F821  the same


@pytest.mark.parametrize(
    ("annotation", "value", "data"),
    [
        (Bound, DAY, "2024-05-01"),
        (Either, DAY, "2024-05-01"),
        (Either, 3, 3),
        (Item, DAY, {"$": "date", "value": "2024-05-01"}),
        (Json, {"a": [DAY, None]}, {"a": [{"$": "date", "value": "2024-05-01"}, None]}),
        (Annotated[datetime.date, {"unhashable": []}], DAY, "2024-05-01"),
        (Annotated[list[datetime.date], gn.append, Field(max_length=3)], [DAY], ["2024-05-01"]),
        (Annotated[list[int], Len(0, 3)] | None, [1], [1]),
        (Couple[datetime.date], Couple(DAY, [DAY]), {"one": "2024-05-01", "other": ["2024-05-01"]}),
        (Row[datetime.date], {"cell": DAY}, {"cell": "2024-05-01"}),
        (Row[datetime.date] | dict[str, int], {"cell": DAY, "x": 1}, {"cell": "2024-05-01", "x": 1}),
        (tuple[int, datetime.date] | tuple[str, ...], (1, DAY), [1, {"$": "date", "value": "2024-05-01"}]),
        (tuple[int, str] | tuple[datetime.date, str], ("a", "b"), ["a", "b"]),
        (tuple[()], (), []),
        (list[datetime.date] | list[bytes], [DAY], [{"$": "date", "value": "2024-05-01"}]),
        (Collection[int], {1}, {"$": "set", "value": [1]}),
        (Lost, {"cell": {1}}, {"cell": {"$": "set", "value": [1]}}),
        ("Nowhere", DAY, {"$": "date", "value": "2024-05-01"}),
        (LostNote, LostNote.model_construct(cell={1}), {"cell": {"$": "set", "value": [1]}}),
        (LostPair, LostPair({1}), {"cell": {"$": "set", "value": [1]}}),
    ],
)
def test_value_is_written_as_its_annotation_says(annotation: Any, value: Any, data: Any) -> None:
    """Aliases, type parameters and metadata are looked through; where nothing is said, anything may stand."""
    assert data == encode(annotation, value)
    assert value == decode(annotation, data)


def test_shape_is_made_once_for_a_type() -> None:
    """And one that holds itself ends."""
    assert shape_of(list[Note], is_open=False) is shape_of(list[Note], is_open=False)
    assert shape_of(list[Note], is_open=False) is not shape_of(list[Note], is_open=True)


@pytest.mark.parametrize("annotation", [Callable[..., Any], type[int], Optional[type]])  # noqa: UP045  written so by some
def test_type_whose_values_have_no_form_takes_none(annotation: Any) -> None:
    """Neither written nor read."""
    with pytest.raises(UnstorableValue, match="type has no form"):
        encode(annotation, int)
    with pytest.raises(UnreadableValue, match="names nothing"):
        decode(annotation, {"$": "builtins.int", "value": 1})
