"""Words of outlines: names that cannot be misread, columns, and what is wrong at a place."""

import pytest

from graphnb.graph.ends import END
from graphnb.show.drawing.outline_words import LONGEST, aligned, error_words, flat, name_text, warning_lines
from tests.show.drawings import fault, warning


@pytest.mark.parametrize(
    ("name", "told"),
    [(END, "END"), ("END", "'END'"), ("", "''"), (" a", "' a'"), ("a → b", "'a → b'"), ("plan", "plan")],
)
def test_name_that_could_be_misread_stands_in_quotes(name, told):
    """As one that looks like an end of the graph, or has an arrow in it."""
    assert told == name_text(name)


def test_long_texts_are_cut():
    """On one line."""
    assert LONGEST >= len(name_text("x" * 999))
    assert 2 * LONGEST >= len(flat("x\n" * 999))
    assert r"a\nb" == flat("a\nb")


def test_cells_stand_below_each_other_without_empty_columns():
    """Nothing trails behind a line."""
    assert ["plan   ✗ 1", "judge"] == list(aligned([("plan", "", "✗ 1"), ("judge", "", "")]))


def test_errors_are_told_by_number_and_warnings_by_their_text():
    """Where more is known of the place than is told by where the line stands, it comes first."""
    marks = [
        fault("Bad.", number=1),
        warning("Odd.", place="node 'talk'", number=2),
        warning("Unfit.", place="node 'talk', graph 'inner', field 'log'", number=3),
    ]

    assert ("✗ 1",) == error_words(marks)
    assert () == error_words(marks[1:])
    assert ["  ⚠ 2 Odd.", "  ⚠ 3 graph 'inner', field 'log': Unfit."] == list(warning_lines(marks, "node 'talk'"))
