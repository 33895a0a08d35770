"""What a run waits for, and its notices, wherever a run is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphnb as gn
from graphnb.show.report import report_html
from graphnb.show.run_view import path_of, run_html, run_text
from graphnb.show.standing import answer_text, standing_html, standing_text
from graphnb.show.state_table import state_html, state_text
from graphnb.trace.trace import Trace
from tests.show.pages import KEPT_ATTRIBUTES, KEPT_TAGS, checked, words
from tests.show.supersteps import (
    Desk,
    asking,
    broken,
    diamond,
    logs,
    mixed,
    run_of,
    stalled,
    three_writers,
    twelve,
    two_asking,
)


def many_asking(count: int) -> Trace:
    """A run in which so many nodes ask at once."""
    graph = gn.Graph(Desk, entry="plan", name="many")
    names = tuple(f"n{i}" for i in range(count))
    graph.node("plan", logs("plan"), to=names)
    for name in names:
        graph.node(name, lambda s, name=name: gn.interrupt("answers", id=name), to=gn.END)
    return graph.run().trace


@pytest.mark.parametrize("make", [asking, two_asking, stalled, three_writers, broken])
def test_run_is_shown_as_stored(make: Callable[[], gn.Graph], golden: Callable[[str, str], None]) -> None:
    """As text and as HTML, without its drawing."""
    trace = run_of(make()).trace

    golden(f"super-{make.__name__}-run.txt", run_text(trace, "") + "\n")
    golden(f"super-{make.__name__}-run.html", run_html(trace, "") + "\n")


def test_done_run_without_notices_says_nothing() -> None:
    """There is no empty box."""
    trace = run_of(diamond()).trace

    assert ([], "") == (standing_text(trace), standing_html(trace))


def test_waiting_run_says_what_it_waits_for_and_how_to_answer() -> None:
    """With the type that an answer has to fit."""
    assert [
        "‖ node 'gate' asks for answers: May it be printed? (list[str])",
        "  to answer: run.resume(answer)",
    ] == standing_text(run_of(asking()).trace)


def test_several_open_questions_are_told_by_their_ids() -> None:
    """For they are answered by them, and it works as it is written."""
    run = run_of(two_asking())
    told = standing_text(run.trace)

    assert "‖ 'left': node 'left' asks for answers: What says left?" == told[0]
    assert "  to answer: run.resume({'left': answer, 'right': answer})" == told[-1]
    answer: Any = ["yes"]
    assert "done" == eval(answer_text(run.trace), {"run": run, "answer": answer}).status


def test_single_answer_works_as_it_is_written() -> None:
    """The hint is code."""
    run = run_of(asking())

    assert "done" == eval(answer_text(run.trace), {"run": run, "answer": ["yes"]}).status


def test_many_questions_are_bounded() -> None:
    """The rest is told by its number."""
    told = standing_text(many_asking(9))

    assert 8 == len(told)
    assert "‖ … 3 more questions: run.pending" == told[6]
    assert told[7].endswith("'n5': answer, ...})")


def test_notices_are_told() -> None:
    """Losers and joins that waited in vain; in words, also in HTML."""
    lost, waited = run_of(three_writers()).trace, run_of(stalled()).trace

    assert ["⚠ step 1: 'ann', 'bob' and 'cyd' all wrote verdict; 'ann' and 'bob' lost"] == standing_text(lost)
    assert "the join to 'write' still waited for 'ask'" in words(standing_html(waited))


def test_join_that_waited_within_a_node_is_told_with_its_place() -> None:
    """Wherever the status is shown."""
    graph = gn.Graph(Desk, entry="sub", name="outer")
    graph.subgraph("sub", stalled(), to=gn.END)
    trace = graph.run().trace
    told = "in 'sub' the join to 'write' still waited for 'ask' ('read' had come)"

    for text in (run_text(trace, ""), words(run_html(trace, "")), words(report_html(trace, "", title="t"))):
        assert f"⚠ {told}" in text


def test_many_notices_are_bounded() -> None:
    """They are all in run.notices."""
    graph = gn.Graph(Desk, entry="plan", name="loop")
    graph.node("plan", lambda s: {"rounds": s.rounds + 1})
    graph.edge("plan", "a", when=lambda s: s.rounds < 10)
    graph.edge("plan", "b", when=lambda s: s.rounds < 10)
    graph.node("a", lambda s: {"verdict": "a"}, to="plan")
    graph.node("b", lambda s: {"verdict": "b"})
    graph.edge("b", "plan", when=lambda s: False)
    graph.edge("plan", gn.END, when=lambda s: s.rounds == 10)
    run = graph.run()

    assert 9 == len(run.notices)
    assert "⚠ … 3 more: run.notices" == standing_text(run.trace)[-1]


def test_all_that_is_shown_of_a_run_says_it() -> None:
    """Text, HTML and the report."""
    trace = run_of(asking()).trace

    for text in (run_text(trace, ""), words(run_html(trace, "")), report_html(trace, "", title="t")):
        assert "asks for answers: May it be printed?" in text
        assert "run.resume(answer)" in text


def test_boxes_survive_front_ends_that_trust_nothing() -> None:
    """Their styles stand inline, and names are data."""
    graph = gn.Graph(Desk, entry="<b>", name="g")
    graph.node("<b>", lambda s: gn.interrupt("answers", "<i>why</i>\n& how?"), to=gn.END)
    html = standing_html(graph.run().trace)

    assert checked(html).tags <= KEPT_TAGS
    assert checked(html).attributes <= KEPT_ATTRIBUTES
    assert "node '<b>' asks for answers: <i>why</i> & how?" in words(html)


def test_field_that_was_asked_for_is_marked_in_the_state() -> None:
    """With who asked for it, until there is an answer."""
    run = run_of(two_asking())

    assert "[]  ‖ 'left' and 'right' asked for it" in state_text(run.trace)
    assert "‖ 'left' and 'right' asked for it" in words(state_html(run.trace))
    assert "asked for it" not in state_text(run_of(asking()).resume(["yes"]).trace)


def test_field_keeps_room_for_its_value_beside_those_who_asked() -> None:
    """Their names are cut, not the value: a list with an item would read as an empty one."""
    names = [f"ask_the_reviewer_number_{i}" for i in range(4)]
    graph = gn.Graph(Desk, entry="start")
    graph.node("start", lambda s: {"answers": ["first"]}, to=tuple(names))
    for name in names:
        graph.node(name, lambda s: gn.interrupt("answers"), to=gn.END)
    text = state_text(graph.run().trace)

    assert "['first']  ‖ 'ask_the_reviewer_number_0', 'ask_" in text
    assert ["…"] == [line[-1] for line in text.splitlines() if "asked" in line or "first" in line]


@pytest.mark.parametrize(
    ("make", "count"),
    [(diamond, 3), (three_writers, 2), (twelve, 3), (mixed, 9), (asking, 3)],
)
def test_steps_are_counted_by_the_numbers_that_the_table_shows(make: Callable[[], gn.Graph], count: int) -> None:
    """Wherever a run, a trace or a session says how many there are; nodes of one super-step share a number."""
    run, session = run_of(make()), make().session()
    session.finish()
    told = f"{run.status}, {count} steps"

    assert count == len(set(run.diff().data.index.get_level_values("step")))
    for text in (repr(run), repr(run.trace), run_text(run.trace, ""), run_html(run.trace, "")):
        assert told in text
    assert told in report_html(run.trace, "", title="t")
    assert f", {count} steps>" in repr(session)


def test_answer_counts_with_the_step_that_comes_of_it() -> None:
    """It bears its number."""
    run = run_of(asking()).resume(["yes"])

    assert "done, 5 steps" in run_text(run.trace, "")
    assert 5 == len({each.number for each in run.steps})


def test_path_tells_nodes_of_one_super_step_together() -> None:
    """Many by their number; one that asked comes again when it was answered; of a failed step all are told."""
    assert ("plan", "ask + read", "write") == path_of(run_of(diamond()).trace)
    assert ("plan", "gate + read", "check", "gate", "print") == path_of(run_of(asking()).resume(["yes"]).trace)
    assert ("plan", "ask + read + view") == path_of(run_of(broken()).trace)
    assert "worker_00 + worker_01 + worker_02 + worker_03 + … 8 more" == path_of(run_of(twelve()).trace)[1]
