"""What a field of the step family starts from where its class declares nothing."""

from typing import Annotated

import pytest
from pydantic import BaseModel

import graphnb as gn
from graphnb import UNSET, step
from graphnb.state.annotations.classes import MISSING
from graphnb.state.reducers.natural import natural_of
from graphnb.state.schema import schema_of


class Part(BaseModel):
    x: int
    y: int = 2


@pytest.mark.parametrize(
    ("reducer", "default", "natural"),
    [
        (step.append, MISSING, []),
        (step.union, UNSET, []),
        (step.sum, MISSING, 0),
        (step.merge, MISSING, {}),
        (step.last_value, MISSING, UNSET),
        (step.first_value, None, UNSET),
        (step.last_value, None, MISSING),
        (step.sum, 5, MISSING),
        (step.first_value, False, MISSING),
        (gn.append, MISSING, MISSING),
        (None, MISSING, MISSING),
    ],
)
def test_natural_start(reducer, default, natural):
    """The zero, or nothing; a declared default serves, also a false one."""
    assert natural == natural_of(reducer, list, default)


def test_model_starts_from_its_own_defaults():
    """What has none is not there yet."""

    class S(gn.State):
        part: Annotated[Part, step.merge]

    assert (2, False) == (S().part.y, hasattr(S().part, "x"))
    assert S().part is not S().part
    assert "Part()" == schema_of(S).fields["part"].default
