"""What delegates have answered, side by side."""

from __future__ import annotations

from typing import Any

import pandas as pd

import graphnb as gn
from graphnb.show.answers import Answer, Answers
from graphnb.show.writing.columns import width
from tests.show.pages import words

FRAME = pd.DataFrame({"part": ["deck", "pier"], "<b>": [1, 2]})
LONG = "The deck is sound. " * 100


def answers(*results: Any, brief: Any = "Look", error: BaseException | None = None) -> Answers:
    """Answers with these results; the last one failed if there is an error."""
    made = [Answer(i, f"d{i}", brief, each) for i, each in enumerate(results)]
    return Answers([*made[:-1], made[-1]._replace(error=error)] if error else made)


def html(*results: Any, **options: Any) -> str:
    """Those as HTML."""
    return answers(*results, **options)._repr_mimebundle_()["text/html"]


def test_nothing_asked_is_told() -> None:
    """In words, in both forms."""
    assert "no delegates were asked" == repr(answers())
    assert "no delegates were asked" == words(html())


def test_text_has_columns_of_at_most_120_signs() -> None:
    """One brief for all stands above; long results go on below, errors bear a sign."""
    shared = repr(answers("short", LONG, None, error=ValueError("no")))
    different = repr(Answers([Answer(0, "a", "Look here", LONG), Answer(1, "b", "Look there", "two\nlines")]))

    assert ["3 delegates, 1 failed · one brief for all: 'Look'", "delegate  result", "d0        short"] == shared.split(
        "\n"
    )[:3]
    assert shared.endswith("d2        ✗ ValueError: no")
    assert ["b         'Look there'  two", "                        lines"] == different.split("\n")[-2:]
    assert max(map(width, (shared + "\n" + different).split("\n"))) <= 120


def test_text_of_very_many_is_bounded() -> None:
    """With how many more there are."""
    lines = repr(answers(*range(100))).split("\n")

    assert "… 40 more delegates, not shown: .answers has all" == lines[-1]
    assert 63 == len(lines)


def test_delegation_shows_its_answers_side_by_side() -> None:
    """What gn.delegate gives."""
    made = gn.delegate([str.upper, len], "four", on_error="keep")

    assert "0 upper FOUR 1 len 4" in words(made._repr_mimebundle_()["text/html"])
    assert repr(made).endswith("upper     FOUR\nlen       4")
