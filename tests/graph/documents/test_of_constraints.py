"""What pydantic says beside a type, as constraints of a document."""

from decimal import Decimal
from typing import Any

import annotated_types
import pytest
from pydantic import AfterValidator, Field, Strict, StringConstraints
from pydantic.types import AllowInfNan
from typing_extensions import Doc

from graphnb.graph.documents.of_constraints import constraints_of

NAMED = {
    "none": ([], "integer", {}),
    "words": (["how many", Doc("of them"), object()], "integer", {}),
    "bounds": ([Field(ge=0, le=3)], "integer", {"min": 0, "max": 3}),
    "bounds of floats": ([Field(ge=0.5, le=3)], "float", {"min": 0.5, "max": 3}),
    "exclusive bounds of ints": ([Field(gt=0, lt=3)], "integer", {"min": 1, "max": 2}),
    "the narrower bound": ([Field(ge=0), Field(gt=4), Field(le=9), Field(le=7)], "integer", {"min": 5, "max": 7}),
    "lengths of text": ([Field(min_length=1, max_length=3)], "string", {"min_length": 1, "max_length": 3}),
    "lengths of lists": ([annotated_types.Len(1, 3)], "list", {"min_items": 1, "max_items": 3}),
    "narrower lengths": ([Field(min_length=1), Field(min_length=2)], "list", {"min_items": 2}),
    "pattern": ([Field(pattern="^a")], "string", {"pattern": "^a"}),
    "the same pattern": ([Field(pattern="^a"), StringConstraints(pattern="^a")], "string", {"pattern": "^a"}),
    "interval": ([annotated_types.Interval(ge=1, lt=9)], "integer", {"min": 1, "max": 8}),
    "what documents do anyway": ([Strict(), AllowInfNan(False), Field(strict=True)], "float", {}),
    "what is off": ([StringConstraints(strip_whitespace=False, max_length=3)], "string", {"max_length": 3}),
    "a description": ([Field(description="how many")], "integer", {}),
}
STRANGE = {
    "multiple": ([Field(multiple_of=3)], "integer", "multiple_of=3"),
    "exclusive bound of a float": ([Field(gt=0)], "float", "gt=0"),
    "exclusive bound that is a float": ([Field(gt=0.5)], "integer", "gt=0.5"),
    "exclusive bound that is true": ([Field(lt=True)], "integer", "lt=True"),
    "bound of another kind": ([annotated_types.Ge(Decimal(1))], "integer", "ge=Decimal"),
    "infinite bound": ([Field(le=float("inf"))], "float", "le=inf"),
    "length of a dict": ([Field(min_length=1)], "map", "min_length=1"),
    "stripping": ([StringConstraints(strip_whitespace=True)], "string", "strip_whitespace=True"),
    "validator": ([AfterValidator(abs)], "integer", "AfterValidator=AfterValidator(func=<built-in function abs>)"),
    "predicate": ([annotated_types.Predicate(str.isupper)], "string", "func="),
    "discriminator": ([Field(discriminator="kind")], "object", "discriminator='kind'"),
    "two patterns": ([Field(pattern="^a"), Field(pattern="b$")], "string", "two patterns"),
}


class Own:
    """Metadata of a user's own that pydantic asks."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Whatever comes of it."""
        return handler(source)


@pytest.mark.parametrize(("metadata", "kind", "expected"), NAMED.values(), ids=NAMED.keys())
def test_constraints_bear_the_names_of_documents(metadata: list[Any], kind: str, expected: dict[str, Any]) -> None:
    """Those of the type; the narrower of two; mere words are none."""
    faults: list[tuple[str, str]] = []

    assert expected == constraints_of(metadata, kind, tell=lambda *told: faults.append(told))
    assert [] == faults


@pytest.mark.parametrize(("metadata", "kind", "what"), STRANGE.values(), ids=STRANGE.keys())
def test_constraint_without_a_name_is_told(metadata: list[Any], kind: str, what: str) -> None:
    """By its name in pydantic, with its value."""
    faults: list[tuple[str, str]] = []
    constraints_of(metadata, kind, tell=lambda *told: faults.append(told))

    assert 1 == len(faults)
    assert what in faults[0][0]


def test_metadata_that_pydantic_asks_is_told() -> None:
    """It may do anything to a value."""
    faults: list[tuple[str, str]] = []

    assert {} == constraints_of([Own()], "integer", tell=lambda *told: faults.append(told))
    assert "the constraint Own=" in faults[0][0]
