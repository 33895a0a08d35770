"""Delegates in the step diff table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.show.diff.instances import instances_text, item_of, tag_marks
from graphnb.show.diff.marks import view_of
from graphnb.show.diff.table import Diff, diff_of
from graphnb.show.diff.text import marks_text
from graphnb.trace.instances import Instances
from graphnb.trace.reading.steps import Entry
from graphnb.trace.reading.walking import walk
from tests.show.asking import Bridge, Watch, ada, asked, asking, crew, cy, kept, many, refused
from tests.show.diff.test_instances import last, lines
from tests.show.pages import words
from tests.show.together import trace_of
from tests.show.unfinished import stopped


def table(graph: gn.Graph, **options: Any) -> Diff:
    """Run the graph and give its table."""
    return diff_of(trace_of(graph), **options)


def asks(graph: gn.Graph) -> Entry:
    """Run the graph and give the node that asks."""
    return next(each for each in walk(trace_of(graph).log) if each.node == "ask")


@pytest.mark.parametrize("graph", [kept, refused])
def test_table_is_as_stored(golden: Callable[[str, str], None], graph: Callable[[], gn.Graph]) -> None:
    """As text and as HTML, to be read in review."""
    made = table(graph())

    golden(f"asking-{made.trace.topology.name}-diff.txt", f"{made!r}\n")
    golden(f"asking-{made.trace.topology.name}-diff.html", made.html() + "\n")


def test_heading_names_the_delegates() -> None:
    """In their order; of many the first ones."""
    assert "0 ask delegates: ada, bo, ada (2) → END" in words(table(asked()).html())
    assert "delegates: d0, d1, d2, d3, d4, d5, d6, d7, … 4 more" in words(table(many(12)).html())


def test_heading_of_no_delegates_says_so() -> None:
    """None need be there."""
    assert "delegates: none" in words(table(asking([], briefs="look well", on_empty="noop")).html())


def test_element_bears_its_delegate_and_the_beginning_of_its_brief() -> None:
    """In HTML; the text has the name alone, on a line of its own, and says what it means."""
    made = table(asking([ada, ada, ada]), field="answers")

    assert "#ada (2) 'Count the cars' 'done: count the cars'" in words(made.html())
    assert "#ada (3) 'Look at the river below, …'" in words(made.html())
    assert ["[", "#ada: ⊕"] == [line[:7] for line in marks_text(view_of(made.rows[0]).after).split("\n")[:2]]
    assert repr(made).endswith("#ada: from delegate ada")


def test_item_of_a_delegate_is_its_brief() -> None:
    """Whatever it is."""
    step = asks(asking([ada, str], briefs=["x y", {"a": 1}]))

    assert ["x y", {"a": 1}] == [item_of(step, i) for i in range(2)]
    assert ["delegate", "item"] == [mark.kind for mark in tag_marks(step, 1)[1:]]
    assert "{'a': 1}" == tag_marks(step, 1)[2].text


@pytest.mark.parametrize("into", ["answers", "latest"])
def test_delegate_that_failed_leaves_a_marked_none(into: str) -> None:
    """At its place, whether the list is appended or replaced, and its error below."""
    made = table(asking([ada, cy, ada], on_error="keep", into=into))
    view = view_of(next(row for row in made.rows if row.field == into))

    assert view.parts is not None
    assert "#cy: None ✗ failed" in marks_text(view.parts)
    assert 1 == marks_text(view.after).count("failed")
    assert marks_text(view.after).index("✗ failed") < marks_text(view.after).index("#ada (2)")
    assert "ask[cy]  ✗ ValueError: no <b>way</b> down" in repr(made)


def test_failed_run_names_the_delegate_and_shows_what_the_others_gave() -> None:
    """With its index."""
    text = words(table(refused()).html())

    assert "delegate 2 'cy' failed with ValueError: no <b>way</b> down" in text
    assert "2 of 3 delegates finished, 1 failed" in text
    assert "#ada 'Look at the steel' 'done: look at the steel'" in text
    assert "#cy ✗ ValueError: no <b>way</b> down" in text


def test_many_delegates_are_folded_like_instances() -> None:
    """Six of them one by one."""
    text = words(table(many(12), field="answers").html())

    assert "#d5 'Look well' 'd5 says yes'" in text
    assert "#d6" not in text
    assert 2 == text.count("… 6 more delegates")
    assert "… 6 more delegates: d6, d7, d8, d9, d10, d11" in text
    assert "(6 more)" not in text


def test_hidden_elements_of_opened_lists_are_counted_beside_their_delegates() -> None:
    """One delegate may give several."""

    class Seen(gn.State):
        seen: Annotated[list[str], gn.concat_flatten] = []

    graph = gn.Graph(Seen, entry="ask")
    pairs = [lambda brief: ["x", "y"]] * 9
    graph.delegates("ask", pairs, briefs="look well", into="seen", to=gn.END)

    assert "… 3 more delegates (6 more)" in words(table(graph).html())


def test_steps_inside_delegates_are_told_as_such() -> None:
    """Folded, and where they are not shown."""
    made = table(asking([crew(), crew()], briefs="look well"), limit=2)

    assert "inside the delegates: 4 steps, 1 shown" in words(made.html())
    assert "… 3 more steps inside the delegates (3 rows) not shown" in repr(made)
    assert "ask #bo (2) / look" in words(table(asking([ada, crew(), crew()], briefs="look well")).html())


def test_delegate_that_is_called_like_a_number_is_no_instance() -> None:
    """What it is does not follow from its name."""
    graph = gn.Graph(Watch, entry="a", name="7")
    graph.node("a", lambda s: {"result": "x"}, to=gn.END)

    assert repr(table(asking([graph], briefs="look well"))).endswith("#7: from delegate 7")


def test_stopped_delegates_are_counted_and_named() -> None:
    """By what became of them."""
    made = Instances(
        4, (), (), (), None, (), 3, ((0, ("x",)),), ("a", "b", "c", "d"), unit="delegate", briefs=("q",) * 4
    )

    assert "1 of 4 delegates finished, 2 stopped, 1 never started" == instances_text(last(stopped(made)))
    assert ["#a: 'x'", "stopped: #b, #c", "never started: #d"] == lines(made)


def race(accept: Callable[[Any], bool]) -> gn.Graph:
    """Make a graph of a race."""
    graph = gn.Graph(Bridge, entry="first")
    graph.race("first", [cy, ada], brief="look well", accept=accept, winner_into="won", to=gn.END, concurrency=1)
    return graph


def test_heading_of_a_race_names_the_winner() -> None:
    """Among all candidates, or says that there was none; those that failed are rows as usual."""
    won = words(table(race(lambda result: True)).html())

    assert "first race: cy, ada won: ada → END" in won
    assert "#cy ✗ ValueError: no <b>way</b> down" in won
    assert "race: cy, ada none was accepted" in words(table(race(lambda result: False)).html())
