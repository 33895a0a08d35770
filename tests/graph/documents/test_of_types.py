"""Python types as schemas of a document."""

import dataclasses
import datetime
import enum
from typing import Annotated, Any, Generic, Literal, NotRequired, Required, TypeVar

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from typing_extensions import TypeAliasType, TypedDict

from graphnb.graph.documents.of_types import schema_of_type
from graphnb.graph.documents.reading_parts import read_schema
from graphnb.graph.documents.writing import schema_wire


class Mood(enum.StrEnum):
    GOOD = "g"
    BAD = "b"


class Level(str, enum.Enum):  # noqa: UP042  the older form of the same
    LOW = "low"


class Row(TypedDict):
    id: str
    n: NotRequired[int]
    why: str | None


class Sparse(TypedDict, total=False):
    id: Required[str]
    n: int


class Loose(TypedDict):
    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]
    id: str


class Holding(TypedDict):
    rows: list[Row]


class Tree(TypedDict):
    below: "list[Tree]"


class Lost(TypedDict):
    id: "Nowhere"  # type: ignore[name-defined]  # noqa: F821  that is the point


class Stripped(TypedDict):
    __pydantic_config__ = ConfigDict(str_strip_whitespace=True)  # type: ignore[misc]
    id: str


Dollar = TypedDict("Dollar", {"$id": str})


class Held(TypedDict):
    bad: set[int]
    worse: tuple[int, ...]


Names = TypeAliasType("Names", list[str])
T = TypeVar("T")


class Model(BaseModel):
    n: int = 0


@dataclasses.dataclass
class Record:
    n: int = 0


class Colour(enum.Enum):
    RED = 1


class Plain(Generic[T]):
    pass


INT = {"type": "integer", "required": True}
TEXT = {"type": "string", "required": True}
ROW = {"type": "object", "fields": {"id": TEXT, "n": {"type": "integer"}, "why": {"type": "string"}}, "required": True}
NAMED = {
    "int": (int, INT),
    "float": (float, {"type": "float", "required": True}),
    "text": (str, TEXT),
    "bool": (bool, {"type": "boolean", "required": True}),
    "list": (list[int], {"type": "list", "item": INT, "required": True}),
    "list in list": (list[list[int | None]], {
        "type": "list", "item": {"type": "list", "item": {"type": "integer"}, "required": True}, "required": True
    }),
    "alias": (Names, {"type": "list", "item": TEXT, "required": True}),
    "bare dict": (dict, {"type": "map", "required": True}),
    "dict": (dict[str, float], {"type": "map", "required": True}),
    "dict of anything": (dict[str, Any], {"type": "map", "required": True}),
    "optional": (str | None, {"type": "string"}),
    "number": (int | float, {"type": "float", "required": True}),
    "optional number": (int | float | None, {"type": "float"}),
    "optional with a constraint": (Annotated[int, Field(ge=1)] | None, {"type": "integer", "constraints": {"min": 1}}),
    "literal": (Literal["a", 1, True], {"type": "enum", "values": ["a", 1, True], "required": True}),
    "literal with None": (Literal["a", None], {"type": "enum", "values": ["a"]}),
    "literal of a member": (Literal[Mood.BAD], {"type": "enum", "values": ["b"], "required": True}),
    "enum": (Mood, {"type": "enum", "values": ["g", "b"], "required": True}),
    "older enum": (Level, {"type": "enum", "values": ["low"], "required": True}),
    "typeddict": (Row, ROW),
    "sparse typeddict": (Sparse, {
        "type": "object", "fields": {"id": TEXT, "n": {"type": "integer"}}, "required": True
    }),
    "loose typeddict": (Loose, {
        "type": "object", "fields": {"id": TEXT}, "required": True, "constraints": {"open": True}
    }),
    "typeddict in typeddict": (Holding, {
        "type": "object",
        "fields": {"rows": {"type": "list", "item": ROW, "required": True}},
        "required": True,
    }),
}  # fmt: skip
STRANGE = {
    "any": (Any, "Any has no name", "Say what it holds"),
    "object": (object, "object has no name", "Say what it holds"),
    "bare list": (list, "list has no name", "such as list[str]"),
    "list of anything": (list[Any], "Any has no name", "such as list[str]"),
    "tuple": (tuple[int, ...], "tuple[int, ...] has no name", "Write list[...]."),
    "set": (set[int], "set[int] has no name", "step.union"),
    "set in a dict": (dict[str, set[int]], "set[int] has no name", "step.union"),
    "keys": (dict[int, str], "a dict with keys of type int", "Only text can be a key"),
    "union": (int | str, "int | str has no name", "one type"),
    "numbers with a constraint": (Annotated[int, Field(ge=1)] | float, "has no name", "one type"),
    "None": (None, "None", "A document has text"),
    "model": (Model, "Model has no name", "Make it a TypedDict"),
    "dataclass": (Record, "Record has no name", "Make it a TypedDict"),
    "enum": (Colour, "Colour has no name", "StrEnum"),
    "date": (datetime.date, "date has no name", "isoformat"),
    "class": (Plain, "Plain has no name", "A document has text"),
    "type variable": (T, "T has no name", "A document has text"),
    "literal": (Literal[b"x"], "bytes cannot be stored", "Name values that can be stored"),
    "literal of a member": (Literal[Colour.RED], "cannot be stored", "Name values"),
    "recursive": (Tree, "key 'below': Tree holds itself", "A schema has an end"),
    "undefined": (Lost, "names 'Nowhere', which is not defined", "Define it first."),
    "configuration": (Stripped, "has a pydantic configuration", "beside the types"),
    "dollar": (Dollar, "has the key '$id'", "Rename the key."),
    "validator": (Annotated[int, BeforeValidator(int)], "the constraint BeforeValidator=", "A document has ge and le"),
}


def told(annotation: Any) -> tuple[Any, list[tuple[str, str]]]:
    """The schema of a type, and what has no name."""
    faults: list[tuple[str, str]] = []
    return schema_of_type(annotation, lambda what, mend: faults.append((what, mend))), faults


@pytest.mark.parametrize(("annotation", "wire"), NAMED.values(), ids=NAMED.keys())
def test_type_is_a_schema(annotation: Any, wire: dict[str, Any]) -> None:
    """As the mapping says, with `required` where None is no value; reading it again gives the same."""
    schema, faults = told(annotation)

    assert ([], wire) == (faults, schema_wire(schema))
    assert wire == schema_wire(read_schema(wire, ()))


@pytest.mark.parametrize(("annotation", "what", "mend"), STRANGE.values(), ids=STRANGE.keys())
def test_type_without_a_name_is_told(annotation: Any, what: str, mend: str) -> None:
    """Once, with what there is instead."""
    _, faults = told(annotation)

    assert 1 == len(faults)
    assert what in faults[0][0]
    assert mend in faults[0][1]


def test_all_that_has_no_name_is_told() -> None:
    """Also what lies within others, each with its key."""
    _, faults = told(Held)

    assert [
        "Held, key 'bad': set[int] has no name in a document",
        "Held, key 'worse': tuple[int, ...] has no name in a document",
    ] == [what for what, _ in faults]
