"""A state with every reducer of the step family."""

from typing import Annotated, Any

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

import graphnb as gn
from graphnb import step
from graphnb.state.schema import schema_of


class Profile(BaseModel):
    name: str
    age: int = 3


class Entry(TypedDict, total=False):
    x: int
    inner: dict[str, int]


class Board(gn.State):
    """Every reducer of the family, none of the fields with a default."""

    log: Annotated[list[str], step.append]
    unique: Annotated[list[Any], step.append(unique=True)]
    last: Annotated[list[int], step.append(max_length=2)]
    tags: Annotated[list[dict[str, int]], step.union(by="id")]
    flat: Annotated[dict[str, int], step.merge]
    deep: Annotated[dict[str, Any], step.merge(deep=True)]
    entry: Annotated[Entry, step.merge(deep=True)]
    profile: Annotated[Profile, step.merge]
    total: Annotated[float, step.sum, Field(le=10, ge=-10)]
    count: Annotated[int, Field(ge=1), step.sum]
    first: Annotated[str | None, step.first_value]
    final: Annotated[float, step.last_value]


SCHEMA = schema_of(Board)
