"""What guards say of a view."""

import enum
from typing import Any

import pytest

from graphnb.errors import GuardError
from graphnb.graph.guards.evaluating import evaluate
from graphnb.graph.guards.guard import Guard

VIEW = {"n": 3, "empty": None, "log": [{"a": 1}, {"a": [5, 6]}], "meta": {"0": "zero", "a": {"b": None}}, "yes": True}
VERSIONS = {"n": 2, "log": 1}


class Mood(enum.StrEnum):
    GOOD = "good"


class Level(enum.IntEnum):
    LOW, HIGH = 1, 2


class Colour(enum.Enum):
    RED = "red"


def path(*steps: Any) -> Guard:
    """A way into a value."""
    return Guard("path", (steps[0], [*steps[1:]]))


def holds(op: str, *args: Any, changed: Any = ()) -> bool:
    """What one guard says of the view above."""
    return evaluate(Guard(op, args), VIEW, VERSIONS, changed)


@pytest.mark.parametrize(
    ("op", "args", "expected"),
    [
        ("exists", ("n",), True),
        ("exists", ("empty",), True),
        ("exists", ("none",), False),
        ("exists", (path("meta", "a", "b"),), True),
        ("exists", (path("meta", "a", "b", "c"),), False),
        ("exists", (path("log"),), True),
        ("exists", (path("none", "a"),), False),
        ("exists", (path("log", -2),), True),
        ("exists", (path("log", 2),), False),
        ("exists", (path("log", -3),), False),
        ("exists", (path("log", True),), False),
        ("exists", (path("log", "0"),), False),
        ("exists", (path("meta", 0),), False),
        ("exists", (path("n", "a"),), False),
        ("exists", (path("log", 0, None),), False),
        ("equals", ("n", 3), True),
        ("equals", ("n", 3.0), True),
        ("equals", ("n", "3"), False),
        ("equals", ("yes", 1), False),
        ("equals", ("yes", True), True),
        ("equals", ("empty", None), True),
        ("equals", ("none", None), False),
        ("equals", (path("log", 1, "a"), [5.0, 6]), True),
        ("equals", (path("log", 1, "a", -1), 6), True),
        ("equals", (path("meta", "0"), "zero"), True),
        ("equals", ("n", path("n")), True),
        ("equals", ("n", path("log", 0, "a")), False),
        ("equals", (path("none", "x"), path("none", "x")), False),
        ("equals", ("n", path("none")), False),
        ("equals", ("none", path("n")), False),
        ("version_at_least", ("n", 2), True),
        ("version_at_least", ("n", 3), False),
        ("version_at_least", ("none", 0), True),
        ("version_at_least", ("none", 1), False),
        ("all", (), True),
        ("any", (), False),
    ],
)
def test_guard_says_of_the_view(op, args, expected):
    """Absence is no null, an integer equals a float of its value, true is no number."""
    assert expected is holds(op, *args)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("good", {"mood"}),
        (2, {"level"}),
        (["good", 2.0], {"both"}),
        (True, set()),
        ("red", set()),
    ],
)
def test_members_of_an_enum_equal_the_text_or_the_number_that_they_are(value, expected):
    """As in Python, and as in the graph's document, which has text there; a bare Enum is no text."""
    view = {"mood": Mood.GOOD, "level": Level.HIGH, "both": [Mood.GOOD, Level.HIGH], "colour": Colour.RED}

    assert expected == {name for name in view if evaluate(Guard("equals", (name, value)), view, {}, ())}


def test_changed_asks_for_this_step_alone():
    """Whatever the value and the version."""
    assert holds("changed", "n", changed={"n"})
    assert not holds("changed", "n", changed={"log"})


def test_logic_joins_in_any_depth():
    """Each operation with the arguments it has, and no others."""
    yes, no = Guard("exists", ("n",)), Guard("exists", ("none",))

    assert holds("all", yes, Guard("any", (no, Guard("not", (no,)))))
    assert not holds("all", yes, Guard("any", (no, Guard("all", (yes, no)))), yes)
    assert holds("any", no, Guard("not", (Guard("all", (yes, no)),)), no)
    assert not holds("any", no, Guard("not", (yes,)))


def test_very_deep_guard_is_evaluated():
    """Nothing recurses."""
    guard = Guard("exists", ("n",))
    for _ in range(10_001):
        guard = ~guard

    assert not evaluate(guard, VIEW, {}, ())


@pytest.mark.parametrize(
    "guard",
    [
        path("n"),
        Guard("any", (Guard("exists", ("n",)), path("n"))),
        Guard("all", (Guard("exists", ("none",)), path("n"))),
        Guard("not", (path("n"),)),
        Guard("not", ()),
        Guard("not", (Guard("all"), Guard("all"))),
        Guard("all", (True,)),
        Guard("exists", ()),
        Guard("exists", (3,)),
        Guard("exists", (Guard("all"),)),
        Guard("changed", (path("n"),)),
        Guard("equals", ("n",)),
        Guard("equals", ("n", Guard("exists", ("n",)))),
        Guard("equals", ("n", Guard("path", ("n",)))),
        Guard("version_at_least", ("n", True)),
        Guard("version_at_least", ("n", 1.0)),
        Guard("matches", ("n", "x")),
    ],
)
def test_what_is_no_condition_fails(guard):
    """Also behind an argument that decides already: every argument is evaluated."""
    with pytest.raises(GuardError) as caught:
        evaluate(guard, VIEW, VERSIONS, ())

    assert "guard_evaluation_failed" == caught.value.category
    assert caught.value.where.startswith("guard ")
