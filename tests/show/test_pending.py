"""Interrupts that wait for an answer, as a sequence and as a table."""

from graphnb.graph.interrupt import Interrupt
from graphnb.show.diagnostics import Diagnostics
from graphnb.show.pending import Pending

ASKED = Interrupt("verdict", "Is <b> fine?\nSay so.", bool, {}, "1:judge", "judge")
OPEN = Pending([ASKED, Interrupt("notes", id="why", node="read")])


def test_pending_is_a_sequence() -> None:
    """Of records, in the order in which they were asked."""
    assert (2, ASKED, (ASKED,)) == (len(OPEN), OPEN[0], OPEN[:1])
    assert OPEN == [*OPEN] == list(OPEN[:])
    assert OPEN == Pending(OPEN[:])
    assert hash(OPEN) == hash(Pending(OPEN[:]))
    assert OPEN != Diagnostics([])
    assert Pending([]) != Diagnostics([])


def test_text_is_a_table() -> None:
    """One row for each, on one line whatever it asks."""
    assert (
        "id       node   field    ask                    schema\n"
        "1:judge  judge  verdict  Is <b> fine?\\nSay so.  bool\n"
        "why      read   notes"
    ) == repr(OPEN)


def test_html_is_a_table() -> None:
    """Nothing in it is taken for HTML."""
    bundle = OPEN._repr_mimebundle_()

    assert 3 == bundle["text/html"].count("<tr")
    assert "Is &lt;b&gt; fine?" in bundle["text/html"]
    assert repr(OPEN) == bundle["text/plain"]


def test_nothing_is_told_in_words() -> None:
    """A cell that shows nothing would look as if it had failed."""
    bundle = Pending([])._repr_mimebundle_()

    assert "nothing waits for an answer" == bundle["text/plain"]
    assert "<table" not in bundle["text/html"]


def test_data_has_one_row_for_each() -> None:
    """With the same columns if there is none."""
    assert ["1:judge", "why"] == [*OPEN.data["id"]]
    assert ["id", "node", "field", "ask", "schema"] == [*OPEN.data.columns] == [*Pending([]).data.columns]
