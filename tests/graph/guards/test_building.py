"""Guards written in Python are the same records that documents hold."""

import enum

import pytest

from graphnb.errors import InvalidDeclaration
from graphnb.graph.guards.building import field
from graphnb.graph.guards.guard import Guard


class Mood(enum.StrEnum):
    GOOD = "good"


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (field("a").changed(), Guard("changed", ("a",))),
        (field("a").exists(), Guard("exists", ("a",))),
        (field("a").at("b", 0).exists(), Guard("exists", (Guard("path", ("a", ["b", 0])),))),
        (field("a").at("b").at(-1).exists(), Guard("exists", (Guard("path", ("a", ["b", -1])),))),
        (field("a") == 3, Guard("equals", ("a", 3))),
        (field("a") == None, Guard("equals", ("a", None))),  # noqa: E711  null is a value here
        (field("a") == [1, {"b": 2.0}], Guard("equals", ("a", [1, {"b": 2.0}]))),
        (3 == field("a"), Guard("equals", ("a", 3))),
        (field("a") == Mood.GOOD, Guard("equals", ("a", "good"))),
        (field("a") == field("b"), Guard("equals", ("a", Guard("path", ("b", []))))),
        (
            field("a").at("x") == field("b").at(0),
            Guard("equals", (Guard("path", ("a", ["x"])), Guard("path", ("b", [0])))),
        ),
        (field("a") != 3, Guard("not", (Guard("equals", ("a", 3)),))),
        (field("a").version >= 2, Guard("version_at_least", ("a", 2))),
        (
            (field("a") == 1) & ~field("b").changed() | (field("c").version >= 0),
            Guard(
                "any",
                (
                    Guard("all", (Guard("equals", ("a", 1)), Guard("not", (Guard("changed", ("b",)),)))),
                    Guard("version_at_least", ("c", 0)),
                ),
            ),
        ),
    ],
)  # fmt: skip
def test_field_makes_guards(built, expected):
    """Each form one operation."""
    assert expected == built


@pytest.mark.parametrize(
    "build",
    [
        lambda: field("a").at("b", 0) == 3,
        lambda: ~(field("a") == field("b").at("c")) & field("d").exists() & (field("e").version >= 1),
        lambda: (field("a") == [1]) | ~field("b").changed(),
    ],
)
def test_text_of_a_guard_builds_it_again(build):
    """What a drawing shows can be pasted into a cell."""
    guard = build()

    assert guard == eval(repr(guard), {"field": field})


def test_guard_keeps_the_value_as_it_was():
    """Changing it afterwards changes no guard."""
    value = [[1]]
    guard = field("a") == value
    value[0].append(2)

    assert Guard("equals", ("a", [[1]])) == guard


REFUSED = {
    "no name": lambda: field(""),
    "no text": lambda: field(3),
    "tuple": lambda: field("a") == (1,),
    "nan": lambda: field("a") == float("nan"),
    "guard as a value": lambda: field("a") == field("b").exists(),
    "dollar": lambda: field("a") == {"$b": 1},
    "order": lambda: field("a") < 3,
    "order of places": lambda: field("a").at(0) >= 3,
    "truth": lambda: bool(field("a")),
    "float step": lambda: field("a").at(1.0),
    "true as a step": lambda: field("a").at(True),
    "change of a place": lambda: field("a").at("b").changed(),
    "version of a place": lambda: field("a").at("b").version,
    "negative version": lambda: field("a").version >= -1,
    "true as a version": lambda: field("a").version >= True,
    "version equal": lambda: field("a").version == 2,
    "version above": lambda: field("a").version > 2,
}


@pytest.mark.parametrize("build", REFUSED.values(), ids=REFUSED)
def test_what_no_guard_can_say_is_refused(build):
    """At the line that says it."""
    with pytest.raises(InvalidDeclaration) as caught:
        build()

    assert caught.value.where.startswith("field")
    assert caught.value.mend


def test_references_cannot_be_hashed():
    """A set or a dict would compare them, and a comparison is a guard."""
    for reference in (field("a"), field("a").version):
        with pytest.raises(TypeError, match="unhashable"):
            hash(reference)


def test_references_show_themselves():
    """As they are written."""
    assert "field('a')" == repr(field("a"))
    assert "field('a').at('b', 0)" == repr(field("a").at("b", 0))
    assert "field('a').version" == repr(field("a").version)


@pytest.mark.parametrize("joined", [lambda one: ~one, lambda one: one & one, lambda one: one | (one == 1)])
def test_field_by_itself_is_no_condition(joined):
    """Python's own error would not tell what to ask."""
    with pytest.raises(
        InvalidDeclaration, match=r"field\('n'\): is a field and no condition\nAsk .exists\(\), or compare"
    ):
        joined(field("n"))
