"""Guards: which fields they read, how they are joined, compared and shown."""

import copy
import pickle
from typing import Any

import pytest

from graphnb.errors import InvalidDeclaration
from graphnb.graph.guards.guard import Guard, references_of


def path(*steps: Any) -> Guard:
    """A way into a value."""
    return Guard("path", (steps[0], [*steps[1:]]))


def test_very_deep_guard_is_read_and_shown():
    """Nothing recurses, or no further than anybody reads."""
    guard = Guard("exists", ("n",))
    for _ in range(10_001):
        guard = ~guard

    assert ["n"] == list(references_of(guard))
    assert repr(guard).startswith("~~~")


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
