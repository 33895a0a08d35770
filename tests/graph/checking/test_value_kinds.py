"""What sort of value a type promises."""

import collections
import dataclasses
import enum
import pathlib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypeVar

import pytest
from pydantic import BaseModel, BeforeValidator, Field
from typing_extensions import TypedDict

from graphnb.graph.checking.value_kinds import is_made_for, item_type, kind_of_type, kinds_of_type, may_hold


class Row(TypedDict):
    id: str


class Model(BaseModel):
    n: int = 0


class Pair(NamedTuple):
    left: int
    right: int


@dataclasses.dataclass
class Record:
    n: int = 0


class Mood(enum.Enum):
    GOOD = 1


KINDS = {
    "list": (list[int], "list"),
    "bare list": (list, "list"),
    "optional list": (list[int] | None, "list"),
    "constrained list": (Annotated[list[int], Field(max_length=2)], "list"),
    "list or list": (list[int] | list[str], "list"),
    "dict": (dict[str, int], "mapping"),
    "subclass of dict": (collections.Counter[str], "mapping"),
    "mapping": (Mapping[str, int], "mapping"),
    "typeddict": (Row, "mapping"),
    "model": (Model, "record"),
    "dataclass": (Record, "record"),
    "int": (int, "atom"),
    "path": (pathlib.Path, "atom"),
    "enum": (Mood, "atom"),
    "literal": (Literal["a", None], "atom"),
    "atom or atom": (int | str, "atom"),
    "mixed": (list[int] | str, None),
    "any": (Any, None),
    "object": (object, None),
    "none": (None, None),
    "none type": (type(None), None),
    "type variable": (TypeVar("T"), None),
    "tuple": (tuple[int, ...], "sequence"),
    "deque": (collections.deque[int], "sequence"),
    "named tuple": (Pair, None),
    "set": (set[int], "set"),
    "frozen set": (frozenset, "set"),
    "abstract set": (AbstractSet[int], "set"),
    "set or none": (set[int] | None, "set"),
    "tuple or set": (tuple[int, ...] | set[int], None),
    "sequence": (Sequence[int], None),
    "validated": (Annotated[list[int], BeforeValidator(list)], None),
    "nothing but none": (Optional[None], None),  # noqa: UP045
    "text": ("list[int]", None),
}


def test_all_kinds_of_a_type_are_told() -> None:
    """None stands for what is not known, and nothing for None itself."""
    assert {"list", "atom"} == kinds_of_type(list[int] | str | None)
    assert {"list", None} == kinds_of_type(list[int] | Sequence[str])


@pytest.mark.parametrize(("annotation", "kind"), KINDS.values(), ids=KINDS.keys())
def test_kind_of_a_type(annotation: Any, kind: str | None) -> None:
    """That of all its values but None; None where values of several kinds may come, or a validator turns them."""
    assert kind == kind_of_type(annotation)


ITEMS = {
    "list": (list[int], int),
    "optional list": (list[int] | None, int),
    "annotated list": (Annotated[list[str], "words"], str),
    "bare list": (list, Any),
    "two lists": (list[int] | list[str], Any),
    "dict": (dict[str, int], Any),
    "atom": (int, Any),
}


@pytest.mark.parametrize(("annotation", "item"), ITEMS.values(), ids=ITEMS.keys())
def test_type_of_items(annotation: Any, item: Any) -> None:
    """`Any` where it is not known."""
    assert item is item_type(annotation)


HOLDS = [
    (list[str], list[list[str]], False),
    (list[list[str]], list[str], False),
    (list[list[str]], list[list[int]], True),
    (list[list[str]], list[list[list[str]]], False),
    (list[Any], list[list[str]], True),
    (list[str], dict[str, str], False),
    (dict[str, int], list[int], False),
    (dict[str, int], dict[str, list[int]], True),
    (dict[str, int], Model, False),
    (Model, dict[str, int], True),
    (Model, Record, True),
    (Record, list[int], False),
    (str, list[str], False),
    (str, int, True),
    (Any, list[int], True),
    (str, Any, True),
    (list[int], set[int], True),
    (set[int], list[int], True),
    (tuple[int, ...], frozenset[int], True),
    (str, set[str], False),
    (set[str], list[list[str]], False),
    (list[str], tuple[set[str], ...], False),
    (tuple[str, int], list[list[str]], True),
    (dict[str, int], tuple[int, ...], False),
]


@pytest.mark.parametrize(("target", "given", "expected"), HOLDS)
def test_whether_a_type_may_hold_values_of_another(target: Any, given: Any, expected: bool) -> None:
    """False only where it cannot be; a model is made of a dict, and a dict never of a model."""
    assert expected == may_hold(target, given)


def test_exact_types_turn_nothing() -> None:
    """A dict becomes no model."""
    assert may_hold(list[Model], list[dict[str, int]])
    assert not may_hold(list[Model], list[dict[str, int]], exact=True)
    assert may_hold(list[Model], list[Record], exact=True)
    assert not may_hold(list[int], tuple[int, ...], exact=True)
    assert not may_hold(list[set[int]], list[list[int]], exact=True)


@pytest.mark.parametrize(
    ("target", "given", "expected"),
    [
        (int, int, True),
        (float, int, True),
        (int, bool, True),
        (int, str, False),
        (int, float, False),
        (Any, str, True),
        (str, Any, True),
        (int, None, True),
        (int, int | None, True),
        (int, int | str, False),
        (int | str, str, True),
        (int | str, float, False),
        (list[int], list[str], False),
        (list[int], list[Any], True),
        (list[int], list, True),
        (list[int], dict[str, int], False),
        (dict[str, float], dict[str, int], True),
        (dict[str, int], dict[str, str], False),
        (tuple[int, ...], tuple[str, ...], False),
        (str, Literal["a"], True),
        (Model, Model, True),
    ],
)
def test_whether_values_of_a_type_are_made_for_another(target: Any, given: Any, expected: bool) -> None:
    """As they are: what pydantic could make of some text or other is no matter for advice."""
    assert expected is is_made_for(target, given)
