"""What is wrong with a guard before it is ever evaluated."""

from typing import Any

import pytest

from graphnb.graph.guards.building import field
from graphnb.graph.guards.checks import guard_problems
from graphnb.graph.guards.guard import Guard

KNOWN = ("a", "b")


def codes(guard: object) -> list[str]:
    """The codes of the problems, in order."""
    return [code for code, what, _ in guard_problems(guard, KNOWN) if what]


@pytest.mark.parametrize(
    "guard",
    [
        field("a").changed(),
        field("a").version >= 0,
        field("a").at("x", 0, -1).exists(),
        field("a").at() == field("b"),
        field("a") == {"op": "exists"},
        Guard("all"),
        Guard("any", (field("a").exists() & ~field("b").exists(),)),
        Guard("path", ("a", ["x"])),
        ~Guard("path", ("a", [])),
    ],
)
def test_sound_guard_has_no_problem(guard):
    """A path alone included: evaluating it fails, not compiling."""
    assert [] == codes(guard)


def leaf(op: str, *args: Any) -> Guard:
    """A guard by its parts."""
    return Guard(op, args)


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        (leaf("matches", "a"), ["invalid_guard"]),
        ({"op": "all"}, ["invalid_guard"]),
        (leaf("changed"), ["invalid_guard"]),
        (leaf("changed", "a", "b"), ["invalid_guard"]),
        (leaf("changed", leaf("path", "a", [])), ["invalid_guard"]),
        (leaf("changed", "c"), ["unknown_guard_field"]),
        (leaf("version_at_least", "a"), ["invalid_guard"]),
        (leaf("version_at_least", "a", -1), ["invalid_guard"]),
        (leaf("version_at_least", "a", True), ["invalid_guard"]),
        (leaf("version_at_least", "a", 1.0), ["invalid_guard"]),
        (leaf("version_at_least", "c", 1), ["unknown_guard_field"]),
        (leaf("exists"), ["invalid_guard"]),
        (leaf("exists", 1), ["invalid_guard"]),
        (leaf("exists", leaf("all")), ["invalid_guard"]),
        (leaf("exists", leaf("path", "c", [])), ["unknown_guard_field"]),
        (leaf("exists", leaf("path", "a")), ["invalid_guard"]),
        (leaf("exists", leaf("path", "a", "x")), ["invalid_guard"]),
        (leaf("exists", leaf("path", "a", [1.0])), ["invalid_guard_path"]),
        (leaf("exists", leaf("path", "c", [True, "x", None])), ["unknown_guard_field", *["invalid_guard_path"] * 2]),
        (leaf("equals", "a"), ["invalid_guard"]),
        (leaf("equals", 3, "a"), ["invalid_guard"]),
        (leaf("equals", "a", leaf("exists", "a")), ["invalid_guard"]),
        (leaf("equals", "c", leaf("path", "d", [[]])), ["unknown_guard_field"] * 2 + ["invalid_guard_path"]),
        (leaf("not"), ["invalid_guard"]),
        (leaf("not", leaf("all"), leaf("changed", "c")), ["invalid_guard", "unknown_guard_field"]),
        (leaf("all", True, leaf("any", "a", leaf("changed"))), ["invalid_guard"] * 3),
        (leaf("path"), ["invalid_guard"]),
        (leaf("path", "a", [{}]), ["invalid_guard_path"]),
    ],
)
def test_every_problem_is_told(guard, expected):
    """From the outside in, in the order of the arguments."""
    assert expected == codes(guard)


def test_problems_name_the_guard_and_the_way_out():
    """Where, what, and the nearest name."""
    ((_, what, mend),) = guard_problems(field("a").exists() & field("bb").changed(), KNOWN)

    assert "field('bb').changed() asks for 'bb', which is neither an input nor a field" == what
    assert "Inputs and fields: ['a', 'b']. Did you mean 'b'?" == mend
