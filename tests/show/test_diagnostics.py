"""Diagnostics as a sequence and as a table."""

import pytest

import graphnb as gn
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error
from graphnb.show.diagnostics import Diagnostics

ERROR = error("no_entrypoint", ("edges",), "no edge leaves '$start'", "Add one.")
WARNING = Diagnostic("warning", "unfit_write", (), "x", "gives <b>\x1b", "Declare\nit.", "graph 'g', node 'x'")
BOTH = Diagnostics([ERROR, WARNING])


def test_diagnostics_are_a_sequence() -> None:
    """Of records, told apart by their severity."""
    assert [ERROR, WARNING] == [*BOTH] == BOTH
    assert (2, WARNING, (WARNING,)) == (len(BOTH), BOTH[1], BOTH[1:])
    assert ((ERROR,), (WARNING,)) == (BOTH.errors, BOTH.warnings)
    assert hash(BOTH) == hash(Diagnostics((ERROR, WARNING)))
    assert BOTH != "text"
    assert not Diagnostics([])


def test_text_is_a_table_with_what_there_is_in_all() -> None:
    """One row for each, on one line whatever it holds."""
    assert (
        "number  severity  code           where                message                  mend\n"
        "1       error     no_entrypoint  edges                no edge leaves '$start'  Add one.\n"
        "2       warning   unfit_write    graph 'g', node 'x'  gives <b>\\x1b            Declare\\nit.\n"
        "1 error, 1 warning"
    ) == repr(BOTH)


def test_html_is_a_table_in_which_errors_stand_out() -> None:
    """Nothing in it is taken for HTML."""
    html = BOTH._repr_mimebundle_()["text/html"]

    assert 3 == html.count("<tr")
    assert "gives &lt;b&gt;\\x1b" in html
    assert [html.count(each) for each in ("✗ 1", "⚠ 2", "⚠ 1")] == [1, 1, 0]  # as the drawing shows them
    assert 1 == html.count("border-left:4px solid #B83A00")
    assert 4 == html.count('<span style="font-family:sans-serif">')  # sentences are no code
    assert repr(BOTH) == BOTH._repr_mimebundle_()["text/plain"]


def test_nothing_is_told_in_words() -> None:
    """A cell that shows nothing would look as if it had failed."""
    bundle = Diagnostics([])._repr_mimebundle_()

    assert "nothing to mend" == bundle["text/plain"]
    assert "nothing to mend" in bundle["text/html"]
    assert "<table" not in bundle["text/html"]


@pytest.mark.parametrize("diagnostics", [BOTH, Diagnostics([])])
def test_data_has_one_row_for_each(diagnostics: Diagnostics) -> None:
    """With the same columns if there is none."""
    data = diagnostics.data

    assert ["number", "severity", "code", "where", "message", "mend"] == [*data.columns]
    assert [each.code for each in diagnostics] == [*data["code"]]
    assert [*map(str, range(1, len(diagnostics) + 1))] == [*data["number"]]


def test_graph_is_checked_where_it_is_shown() -> None:
    """The table of a graph has what the graph tells."""
    assert "no_declared_entry" in repr(gn.Graph(gn.State, name="g").check())
