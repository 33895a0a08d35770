"""Guards: what they say of a view, which fields they read, how they are joined and shown."""

import copy
import pickle
from typing import Any

import pytest

from graphnb.errors import GuardError, InvalidDeclaration
from graphnb.graph.guards.guard import Guard, evaluate, references_of

VIEW = {"n": 3, "empty": None, "log": [{"a": 1}, {"a": [5, 6]}], "meta": {"0": "zero", "a": {"b": None}}, "yes": True}
VERSIONS = {"n": 2, "log": 1}


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
    assert ["n"] == list(references_of(guard))
    assert repr(guard).startswith("~~~")


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


def test_references_are_the_ids_that_are_read():
    """A value that is compared is none, whatever it looks like."""
    guard = Guard(
        "all",
        (
            Guard("equals", (path("log", "n"), path("meta", "x"))),
            Guard("equals", ("n", "yes")),
            Guard("exists", ()),
            Guard("version_at_least", ("empty", 1)),
            "none",
        ),
    )

    assert ["log", "meta", "n", "empty"] == list(references_of(guard))


def test_joined_guards_are_flat_and_leave_their_parts_alone():
    """`a & b & c` is one operation of three."""
    a, b, c = (Guard("exists", (name,)) for name in "abc")
    both = a & b

    assert Guard("all", (a, b, c)) == both & c
    assert Guard("all", (a, b)) == both
    assert Guard("any", (Guard("all", (a, b)), c)) == both | c
    assert Guard("all", (a, Guard("any", (b, c)))) == a & (b | c)
    assert Guard("all", (Guard("all", (a,)), b)) == Guard("all", (a,)) & b


def test_guard_is_neither_true_nor_false():
    """`and`, `or` and `not` would take one part and drop the rest without a word."""
    guard = Guard("exists", ("a",))

    with pytest.raises(InvalidDeclaration, match="neither true nor false"):
        bool(guard)
    with pytest.raises(InvalidDeclaration, match=r"& \| ~"):
        all([guard, guard])
    with pytest.raises(InvalidDeclaration, match="which is no guard"):
        guard & True
    with pytest.raises(InvalidDeclaration, match="parentheses"):
        guard | 3


def test_guards_are_equal_if_they_say_the_same():
    """Exactly: 1, 1.0 and true are three values."""
    one = Guard("equals", ("a", [1]))

    assert one == Guard("equals", ("a", [1]))
    assert hash(one) == hash(Guard("equals", ("a", [1])))
    assert one != Guard("equals", ("a", [1.0]))
    assert one != Guard("equals", ("a", [True]))
    assert one != Guard("exists", ("a", [1]))
    assert one != "field('a') == [1]"


@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda guard: pickle.loads(pickle.dumps(guard))])
def test_guard_travels(travel):
    """Graphs that hold guards are copied and pickled."""
    guard = ~Guard("equals", (path("a", 0), {"b": [1]}))

    assert guard == travel(guard)


@pytest.mark.parametrize(
    ("guard", "text"),
    [
        (Guard("exists", ("a",)), "field('a').exists()"),
        (Guard("changed", ("a",)), "field('a').changed()"),
        (Guard("version_at_least", ("a", 2)), "field('a').version >= 2"),
        (Guard("equals", ("a", "x")), "field('a') == 'x'"),
        (Guard("equals", (path("x", "a", 0), 3)), "field('x').at('a', 0) == 3"),
        (Guard("equals", ("a", path("b", -1))), "field('a') == field('b').at(-1)"),
        (path("a", 0), "field('a').at(0)"),
        (Guard("exists", (path("a"),)), "field('a').at().exists()"),
        (~Guard("exists", ("a",)), "~field('a').exists()"),
        (~Guard("equals", ("a", 1)), "~(field('a') == 1)"),
        (~~Guard("changed", ("a",)), "~~field('a').changed()"),
        (
            Guard("equals", ("a", 1)) & Guard("exists", ("b",)) | ~(Guard("changed", ("c",)) | path("d")),
            "((field('a') == 1) & field('b').exists()) | ~(field('c').changed() | field('d').at())",
        ),
        (Guard("all"), "Guard('all', ())"),
        (Guard("any", (Guard("exists", ("a",)),)), "Guard('any', (field('a').exists(),))"),
        (Guard("all", (1, True)), "Guard('all', (1, True))"),
        (Guard("not", (1,)), "Guard('not', (1,))"),
        (Guard("exists", (3,)), "field(3).exists()"),
        (Guard("odd", ("a", 2)), "Guard('odd', ('a', 2))"),
        (~Guard("odd"), "~Guard('odd', ())"),
    ],
)
def test_guard_reads_as_it_is_written_in_python(guard, text):
    """What could not be written so is shown by operation and arguments."""
    assert text == repr(guard)
