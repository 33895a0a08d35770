"""What an annotation promises of its values."""

import enum
import pathlib
from typing import Annotated, Any, Literal, Optional

import pytest
from annotated_types import Len
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from graphnb.state.annotations.kinds import can_refuse, is_atomic, is_copied, levels_of


class Color(enum.Enum):
    red = 1


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: int = 0


class Mutable(BaseModel):
    x: int = 0


@pytest.mark.parametrize(
    ("annotation", "is_so"),
    [
        (int, True),
        (None, True),
        (Color, True),
        (pathlib.Path, True),
        (Literal["a", 1], True),
        (int | None, True),
        (Optional[str], True),  # noqa: UP045  users write it
        (tuple[int, ...], True),
        (tuple[int, str], True),
        (frozenset[int], True),
        (Annotated[int, Field(gt=1)], True),
        (Annotated[int, AfterValidator(lambda x: [x])], False),
        (tuple, False),
        (tuple[list[int], ...], False),
        (int | list[int], False),
        (list[int], False),
        (Frozen, False),
        (Any, False),
    ],
)
def test_type_is_atomic_if_all_its_values_are_atoms(annotation, is_so):
    """A frozen record is none: a value may be of a subclass; a validator may give anything."""
    assert is_so == is_atomic(annotation)


@pytest.mark.parametrize(
    ("annotation", "copied", "refuses"),
    [
        (int, True, True),
        (list[int], True, True),
        (dict[str, list[int]], True, True),
        (tuple[list[int], ...], True, True),
        (list[int] | None, True, True),
        (Annotated[list[int], Len(1)], True, True),
        (set[int], True, False),
        (frozenset[list[int]], True, False),
        (Annotated[list[int], AfterValidator(sorted)], False, False),
        (list, False, False),
        (list[Any], False, False),
        (list[Mutable], False, False),
        (Mutable, False, False),
    ],
)
def test_type_is_copied_by_validation_and_can_refuse_as_far_as_its_parts_do(annotation, copied, refuses):
    """Sets are copied but cannot refuse; nothing is known of bare containers and of records."""
    assert (copied, refuses) == (is_copied(annotation), can_refuse(annotation))


@pytest.mark.parametrize(
    ("annotation", "levels"),
    [
        (list[int], 1),
        (dict[str, tuple[int, ...]], 1),
        (list[dict[str, int]], 2),
        (Annotated[list[list[list[int]]], Len(1)], 3),
        (list[Annotated[list[int], AfterValidator(sorted)]], 0),
        (Annotated[list[int], AfterValidator(sorted)], 0),
        (list, 0),
        (int, 0),
        (list[int] | None, 0),
    ],
)
def test_levels_count_lists_and_dicts_above_atoms(annotation, levels):
    """0 as soon as one value might have another number of levels."""
    assert levels == levels_of(annotation)
