"""Values without a form of their own are stored through encoders that the caller passes."""

from typing import Any

import pytest

from graphnb.errors import InvalidDeclaration, UnreadableValue, UnstorableValue
from graphnb.store.encoding.encoders import GIVEN, Encoders
from graphnb.store.encoding.values import decode, encode


class Grid:
    """A class that nobody knows."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows


class Square(Grid):
    """One that inherits from it, and has no encoder."""


def _made(rows: Any) -> Grid:
    if not isinstance(rows, list):
        raise KeyError("rows")
    return Grid(rows)


ENCODERS = GIVEN.register_encoder(Grid, encode=lambda grid: grid.rows, decode=_made, name="grid")


@pytest.mark.parametrize("annotation", [Any, Grid, Grid | None, list[Grid]])
def test_value_is_stored_through_its_encoder(annotation: Any) -> None:
    """What the encoder gives is encoded as any value is, in the same place of the type."""
    value = [Grid([(1, 2)])] if annotation == list[Grid] else Grid([(1, 2)])
    data = encode(annotation, value, encoders=ENCODERS)
    again = decode(annotation, data, encoders=ENCODERS)

    assert {"$": "grid", "value": [{"$": "tuple", "value": [1, 2]}]} == (data[0] if isinstance(data, list) else data)
    assert [(1, 2)] == (again[0] if isinstance(again, list) else again).rows


def test_encoders_are_those_that_were_passed() -> None:
    """Nothing is registered for everybody: other calls know nothing of them."""
    with pytest.raises(UnstorableValue, match="Grid has no form"):
        encode(Grid, Grid([]))
    with pytest.raises(UnreadableValue, match="'grid' names nothing"):
        decode(Grid, {"$": "grid", "value": []})


def test_encoder_serves_exactly_its_type() -> None:
    """A class beneath it has more to store; and no other place of the type takes it."""
    with pytest.raises(UnstorableValue, match="Square has no form"):
        encode(Grid, Square([]), encoders=ENCODERS)
    with pytest.raises(UnstorableValue, match="is not of the type int"):
        encode(int, Grid([]), encoders=ENCODERS)
    with pytest.raises(UnreadableValue, match="'grid' names nothing"):
        decode(int, {"$": "grid", "value": []}, encoders=ENCODERS)


def test_encoder_of_the_same_type_or_name_is_replaced() -> None:
    """The last one counts."""
    other = ENCODERS.register_encoder(Grid, encode=lambda grid: 1, decode=lambda _: Grid([]), name="other")
    taken = ENCODERS.register_encoder(Square, encode=lambda grid: 2, decode=lambda _: Square([]), name="grid")

    assert {"$": "other", "value": 1} == encode(Grid, Grid([]), encoders=other)
    assert other.named("grid") is None
    assert taken.for_type(Grid) is None


def test_failing_encoder_is_told_with_the_path() -> None:
    """Its own error is the cause."""
    failing = GIVEN.register_encoder(Grid, encode=lambda grid: 1 // 0, decode=_made, name="grid")

    with pytest.raises(UnstorableValue, match=r"\[0\]: the encoder 'grid' refused it \(ZeroDiv") as info:
        encode(list[Any], [Grid([])], encoders=failing)
    assert isinstance(info.value.__cause__, ZeroDivisionError)
    with pytest.raises(UnreadableValue, match="the encoder 'grid' refused it"):
        decode(Grid, {"$": "grid", "value": 3}, encoders=ENCODERS)
    with pytest.raises(UnstorableValue, match=r"\[1\]: builtin_function_or_method has no form"):
        encode(Grid, Grid([1, print]), encoders=ENCODERS)


@pytest.mark.parametrize("name", ["", "list", "dict", "numpy.grid", "pandas.Grid", "gr\u00efd", 3])
def test_name_of_an_encoder_means_nothing_else(name: Any) -> None:
    """A name that is taken, or no name."""
    with pytest.raises(InvalidDeclaration, match="name= cannot be"):
        GIVEN.register_encoder(Grid, encode=len, decode=len, name=name)


def test_encoder_is_made_of_a_type_and_functions() -> None:
    """Told when it is registered, not when a run is stored."""
    with pytest.raises(InvalidDeclaration, match="takes a type, not str"):
        Encoders().register_encoder("Grid", encode=len, decode=len, name="grid")
    with pytest.raises(InvalidDeclaration, match="decode= takes a function, not int"):
        Encoders().register_encoder(Grid, encode=len, decode=3, name="grid")


def _without_end(value: Any) -> Any:
    return _without_end(value)


def test_encoder_without_an_end_is_told_with_the_named_error() -> None:
    """It was given a stack of its own first: another one may just need more than the caller has left."""
    endless = GIVEN.register_encoder(Grid, encode=_without_end, decode=_without_end, name="grid")

    with pytest.raises(UnstorableValue, match="is nested too deep to be written"):
        encode(Grid, Grid([]), encoders=endless)
    with pytest.raises(UnreadableValue, match="is nested too deep to be read"):
        decode(Grid, {"$": "grid", "value": []}, encoders=endless)
