"""One result as a reader wants it."""

from __future__ import annotations

from typing import Any

import pandas as pd

import graphnb as gn
from graphnb.show.results import result_html, result_lines
from tests.show.pages import words
from tests.show.test_answers import FRAME, LONG


def test_text_is_shown_as_written() -> None:
    """With its line breaks, and without quotes."""
    assert ">a<br>b &lt;<" in result_html("a\nb <", most=100)
    assert ["a", "b <"] == result_lines("a\nb <", columns=20)


def test_long_text_goes_on_behind_a_click() -> None:
    """Of a very long one not all of it; what is barely too long is left whole."""
    assert "… the rest of 1,900 characters" in words(result_html(LONG, most=4000))
    assert "… the beginning of the rest of 1,900 characters" in words(result_html(LONG, most=100))
    assert "<details>" in result_html("x\n" * 40, most=100) and "<details>" in result_html("x" * 700, most=1000)
    assert "<details>" not in result_html("x" * 600, most=100)


def test_text_without_any_letter_is_told() -> None:
    """An empty card would look like a mistake."""
    assert ["empty text", "blank text"] == [words(result_html(each, most=9)) for each in ("", " \n")]
    assert ["''"] == result_lines("", columns=20)


def test_dict_model_and_list_are_shown_line_by_line() -> None:
    """A few entries, and how many more."""

    class Told(gn.State):
        score: int = 3

    assert "score: 3 who: 'bo'" == words(result_html({"score": 3, "who": "bo"}, most=9)).replace("  ", " ")
    assert "score: 3" == words(result_html(Told(), most=9))
    assert "• <b> • {'a': 1}" == words(result_html(["<b>", {"a": 1}], most=9))
    assert words(result_html(["x"] * 20, most=9)).endswith("… 8 more")
    assert "1: 'a'" == words(result_html({1: "a"}, most=9))


def test_table_is_shown_as_a_table() -> None:
    """Its first rows and columns, and its size."""
    wide = pd.DataFrame([[1] * 20] * 20)

    assert "part <b> deck 1 pier 2 2 rows × 2 columns" == words(result_html(FRAME, most=9))
    assert ["part  <b>", "deck  1", "pier  2", "2 rows × 2 columns"] == result_lines(FRAME, columns=40)
    assert 36 == result_html(wide, most=9).count("<td")
    assert ["0 rows × 0 columns"] == result_lines(pd.DataFrame(), columns=40)


def test_value_that_cannot_be_looked_into_is_shown_all_the_same() -> None:
    """Its own methods are no business of ours."""

    class Odd(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError

    class Strange(str):
        def strip(self, *_: Any) -> Any:
            raise RuntimeError

    assert result_html(Odd(a=1), most=9)
    assert result_lines(Strange("x"), columns=20)


def test_endless_text_is_cut() -> None:
    """Its first lines alone are told."""
    endless = "a word\n" * 100_000

    assert ["a word"] * 5 + ["a word…"] == result_lines(endless, columns=60)
    assert len(result_html(endless, most=4_000)) < 8_000
