"""Patterns of text: what Python's `re` finds is found, and most often in time that is linear in the text."""

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphnb.state.storable.patterns import PatternTooLarge, is_found

PIECES = (
    r"a b . \d \w \s \W [ab] [^a] [a-c\d] [^\w] ( (?: ) | * + ? *? {2} {1,2} {0,}? ^ $ \n \Z \A \$ - ] é [\n$] [é-ü] "
    r"[]x] [^]a] [a-] [--a] [|&] [[:a:]] \. { } ٣ [^^] ++ ?+ \b (?= (?i) \x61 [\x61-c] "
    r"{,2} {,} (?P<n> (?#c) \101 \u0061 \ud800 [\ud7ff-\ue000] [^\x00-\U0010fffe] $) \Z) $|"
).split()


@given(
    st.lists(st.sampled_from([*PIECES, "\n"]), min_size=1, max_size=9),
    st.text("ab1 \n-$é٣ₐ_.\x1c]|&^:[\ud800\udfff\U0010ffff", max_size=6),
)
def test_answer_is_that_of_re(pieces: list[str], text: str) -> None:
    """For every pattern that `re` takes, whichever way it is looked for."""
    pattern = "".join(pieces)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = re.search(pattern, text)
        except re.error:
            return

    assert (found is not None) == is_found(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^(a+)+$", "a" * 5_000 + "!"),
        (r"^(a+)+$", "a" * 5_000 + "!\n"),
        (r"^(\w+\s?)*$", "é " * 2_000 + "!"),
        (r"(x+x+)+y", "x" * 5_000),
        (r"^(([a-z0-9])+.?)+@example\.org$", "a1" * 2_000),
        (r"^(?:[^,]*,?)*;$|(.*)*z", "a,b" * 2_000),
        ("((a+)+$)", "a" * 5_000 + "b"),
        ("^((a+)+$|b)", "a" * 5_000 + "!\n"),
        (r"(a+)+$|b\Z", "a" * 5_000 + "c"),
        (r"(?P<run>a+)+(?#all of it)$", "a" * 5_000 + "c"),
        (r"((\x61{,9}){,9}){,9}{$", "a" * 5_000 + "c"),
        ("((a+)+$)", "a" * 5_000 + "\ud800"),
    ],
)
def test_text_is_read_once(pattern: str, text: str) -> None:
    """Where `re` would try more ways than anybody can wait for."""
    assert not is_found(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a$", "a\n", True),
        ("a$", "a\n\n", False),
        (r"a\Z", "a\n", False),
        (r"a\Z$", "a\n", False),
        ("a$|b", "a\n", True),
        (r"(a$|b)\n", "a\n", True),
        ("a$\n", "a\n", True),
        (r"\$a", "$a\n", True),
        (r"^\d+$", "٣", True),
        (r"^\w+$", "e\u0301", False),  # an accent by itself is none of Python's letters
        (r"^\s$", "\x1c", True),
        ("^.$", "\r", True),
        ("^b", "a\nb", False),
        (r"(?i)^ß$", "ẞ", True),
        (r"(a)\1", "aa", True),
        ("(a$)|b\\Z", "a\n", True),
        (r"(?:a$)\n\Z", "a\n", True),
        ("((a$)\n)$", "a\n", True),
        ("(a$)\n", "a\n\n", False),
        ("[^a]", "\U0010ffff", True),
        ("\ud800", "\ud800", True),
        (r"(?P<one>a){,2}(?#or more)b", "aab", True),
        ("\\w", "\ud800", False),
        ("[^a]", "\ud800", True),
    ],
)
def test_what_patterns_mean(pattern: str, text: str, found: bool) -> None:
    """As Python has it."""
    assert found == is_found(pattern, text) == (re.search(pattern, text) is not None)


@pytest.mark.parametrize("pattern", ["[[:alpha:]]", "[+--]", "[a||b]", "[a&&b]", "[a~~b]"])
def test_pattern_that_may_mean_something_else_one_day_means_what_it_does_today(pattern: str) -> None:
    """In silence: warnings are errors here."""
    assert is_found(pattern, "a]+-|&~")


@pytest.mark.parametrize("pattern", ["(", "a{2}{3}", "[b-a]", "*", "(?P<a>x)(?P<a>y)"])
def test_what_is_no_pattern_raises(pattern: str) -> None:
    """Each time."""
    for _ in range(2):
        with pytest.raises(re.error):
            is_found(pattern, "a")


@pytest.mark.parametrize(
    "pattern", ["(?:a{1,1000}){1,1000}$", "(((a?){60}){60}){60}$", "(" * 400 + "a" + ")" * 400, "a{1000000}"]
)
def test_what_is_too_large_for_an_automaton_is_refused(pattern: str) -> None:
    """There `re` would try more ways than anybody can wait for."""
    for _ in range(2):
        with pytest.raises(PatternTooLarge, match="repetitions written out"):
            is_found(pattern, "a" * 29 + "b")


@pytest.mark.parametrize("pattern", [r"^\w{1,1000}$", r"^[\w.]{1,255}@(?:[^\W_]{1,63}\.){1,8}[a-z]{2,63}$"])
def test_long_repetition_of_a_large_class_is_not_too_large(pattern: str) -> None:
    """Its characters are no more than one letter each."""
    assert is_found(pattern, "é" * 50 + ("" if "@" not in pattern else "@exämple.org"))


def test_text_of_more_characters_than_one_can_number_below_the_surrogates() -> None:
    """Each is a letter by itself if the pattern names it."""
    text = "".join(chr(code) for code in range(0x100, 0xF000) if not 0xD800 <= code < 0xE000)

    assert is_found(f"^{text}$", text)
    assert not is_found(f"^{text}$", text[:-1])
