"""Comparing what is expected with what came."""

from typing import Any

import pytest

from graphnb.conformance.compare import differences

NAN = float("nan")


@pytest.mark.parametrize(
    ("expected", "got"),
    [(0.0, -0.0), (-0.0, 0.0), (0.0, 0), (1, True), (1.0, NAN), ([0.0], [-0.0]), ({"a": 0.0}, {"a": -0.0}), ("a", "b")],
)
def test_what_is_written_otherwise_differs(expected: Any, got: Any) -> None:
    """The sign of zero too: hashes tell it apart."""
    assert 1 == len(list(differences(expected, got, place="value")))


@pytest.mark.parametrize("value", [0.0, -0.0, NAN, 1e300, 0.1 + 0.2, [1, {"a": -0.0}], None])
def test_value_does_not_differ_from_itself(value: Any) -> None:
    """NaN among them."""
    assert [] == list(differences(value, value, place="value"))
