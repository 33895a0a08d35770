"""The shape of one write per reducer: the shared cases, and what they leave out."""

from collections.abc import Mapping
from typing import Any

import pytest

from graphnb.state.storable.schemas import ValueSchema
from graphnb.state.storable.shapes import write_problems
from tests.docket import cases


def schema_in(document: Mapping[str, Any]) -> ValueSchema:
    """The schema that a case spells out as a document does."""
    within = {
        "fields": {key: schema_in(each) for key, each in document.get("fields", {}).items()},
        "item": schema_in(document["item"]) if "item" in document else None,
        "values": tuple(document.get("values", ())),
    }
    return ValueSchema(**{**document, **within})


@pytest.mark.parametrize("case", cases("write"))
def test_shared_case(case):
    """Valid or not, and the paths of all problems."""
    found = write_problems(case["reducer"], schema_in(case["schema"]), value=case["write"])

    assert case["valid"] is not bool(found)
    assert sorted(case.get("error_at", [])) == sorted(list(path) for path, _ in found)


@pytest.mark.parametrize(
    ("reducer", "schema", "write"),
    [
        ("append", ValueSchema(type="list"), [1, "x", None]),
        ("union", ValueSchema(type="list"), 1),
        (None, ValueSchema(type="integer"), 1),
        ("merge", ValueSchema(type="map", constraints={"open": False}, required=True), {"a": None}),
    ],
)
def test_write_that_fits(reducer, schema, write):
    """A list without a schema for its items takes any; no reducer checks like last_value."""
    assert [] == write_problems(reducer, schema, value=write)


def test_write_that_does_not_fit_without_a_reducer():
    """The full schema."""
    assert [()] == [path for path, _ in write_problems(None, ValueSchema(type="integer"), value="1")]
