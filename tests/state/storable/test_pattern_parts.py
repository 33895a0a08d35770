"""The parts of a pattern: those that an automaton takes, and those that it does not."""

import pytest

from graphnb.state.storable.pattern_parts import parts_of, sign_of


def test_parts_stand_in_order_and_what_only_names_or_comments_is_gone() -> None:
    """Characters and classes are kept apart from what the automaton reads as it is."""
    parts = parts_of(r"(?P<x>a{,2}?)[b\d]|(?#why)\$$")

    assert parts is not None
    order = (
        *(("text", "(?:"), ("character", "a"), ("text", "{0,2}"), ("text", ")"), ("class", 0), ("text", "|")),
        *(("text", ""), ("character", "$"), ("text", "(?m:$)")),
    )
    assert order == parts.order
    assert ["[b\\d]"] == [each.pattern for each in parts.classes]


@pytest.mark.parametrize(
    "pattern", [r"\b", "(?=a)", "(?!a)", "(?<=a)b", r"(a)\1", "(?P<x>a)(?P=x)", "(?i)a", "a++", "a{2}+"]
)
def test_what_no_automaton_takes_has_no_parts(pattern: str) -> None:
    """A brace that begins a repetition is no character, whatever follows it."""
    assert parts_of(pattern) is None


@pytest.mark.parametrize("pattern", ["{", "}", "a{", "{x}", "a{}", "a{1,x}", r"a\{2}"])
def test_braces_that_count_nothing_are_characters(pattern: str) -> None:
    """As in Python."""
    parts = parts_of(pattern)

    assert parts is not None
    assert {kind for kind, _ in parts.order} == {"character"}


def test_sign_tells_what_the_pattern_can_tell() -> None:
    """Which of its characters it is, and in which of its classes."""
    parts = parts_of(r"a\d[^b]")

    assert parts is not None
    assert ("a", (False, True)) == sign_of(parts, "a")
    assert ("", (True, True)) == sign_of(parts, "٣")
    assert sign_of(parts, "x") == sign_of(parts, "\ud800")
