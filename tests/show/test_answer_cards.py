"""Answers side by side as HTML."""

from __future__ import annotations

import re
from typing import Any

import pytest

from graphnb.show.answers import Answer, Answers
from tests.show.pages import KEPT_ATTRIBUTES, KEPT_STYLES, KEPT_TAGS, checked, words
from tests.show.test_answers import FRAME, LONG, html

HOSTILE = "<script>alert(1)</script> &amp; $x$ \x1b[31m\u202e"


def test_cards_stand_beside_each_other() -> None:
    """Three in a row of the table, in the order of the delegates."""
    text = html("a", "b", "c")

    assert 1 == text.count("<tr")
    assert words(text).endswith("0 d0 a 1 d1 b 2 d2 c")
    assert "width:33%" in text


@pytest.mark.parametrize(("count", "rows"), [(1, 1), (4, 1), (5, 2), (6, 2), (8, 2), (12, 3)])
def test_many_cards_stand_in_rows(count: int, rows: int) -> None:
    """Of at most four."""
    assert rows == html(*["x"] * count).count("<tr")


def test_one_brief_for_all_is_told_once() -> None:
    """Different ones stand in their cards, and so does that of a single delegate."""
    shared, several, single = (
        words(Answers(made)._repr_mimebundle_()["text/html"])
        for made in (
            [Answer(0, "a", "Look", 1), Answer(1, "b", "Look", 2)],
            [Answer(0, "a", 1, 1), Answer(1, "b", True, 2)],
            [Answer(0, "a", "Look", 1)],
        )
    )

    assert shared.startswith("2 delegates · one brief for all: Look") and "brief:" not in shared
    assert "0 a brief: 1 1" in several and "1 b brief: True 2" in several
    assert single.startswith("1 delegate 0 a brief: Look")


def test_failed_delegate_is_marked_and_says_why() -> None:
    """By more than a colour; the head counts it."""
    text = words(html("fine", None, error=ValueError("no <b>way</b>")))

    assert text.startswith("2 delegates, 1 failed")
    assert text.endswith("1 d1 ✗ failed ValueError: no <b>way</b>")


def test_more_than_a_dozen_are_folded() -> None:
    """With how many of them failed; of very many the last ones are only counted."""
    few, lots = words(html(*["x"] * 15, error=ValueError("no"))), html(*["x"] * 150, error=ValueError("no"))

    assert "3 more delegates, 1 failed" in few
    assert "… 50 more delegates, 1 failed, not shown: .answers has all" in words(lots)
    assert "d99<" in lots and "d100<" not in lots


@pytest.mark.parametrize("result", [HOSTILE, [HOSTILE], {HOSTILE: HOSTILE}, FRAME, LONG, 3, "", ValueError(HOSTILE)])
def test_html_is_safe_and_kept_where_nothing_is_trusted(result: Any) -> None:
    """Whatever delegates give, and what they are told."""
    error = result if isinstance(result, Exception) else None
    text = html("x", result, brief=HOSTILE, error=error)
    found = checked(text)

    assert found.tags <= KEPT_TAGS
    assert found.attributes <= KEPT_ATTRIBUTES
    for style in found.styles - {""}:
        name, _, value = style.partition(":")
        assert re.fullmatch(KEPT_STYLES[name], value), style
    assert "<script" not in text and "\x1b" not in text and "\u202e" not in text
