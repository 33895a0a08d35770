"""Races by themselves and as nodes: what is given back, and what cannot be declared."""

import asyncio
from typing import Any

import pandas as pd
import pytest

import graphnb as gn
from graphnb.trace.reading.visits import visits_of


class Contest(gn.State):
    question: str = "?"
    answer: Any = None


def plain(brief: Any) -> str:
    """An answer."""
    return f"plain: {brief}"


def broken(brief: Any) -> str:
    """None."""
    raise LookupError("lost it")


async def later(brief: Any) -> str:
    """An answer, if it is ever waited for."""
    await asyncio.sleep(20)
    return "later"


def test_race_tells_who_won_and_what_became_of_the_others():
    """A record for each candidate in their order."""
    raced = gn.race([broken, later, plain], "q")

    assert ("plain: q", "plain") == (raced.result, raced.winner)
    assert ["failed", "cancelled", "won"] == [each.status for each in raced.attempts]
    assert [("broken", 0)] == [(each.candidate, each.index) for each in raced.failure_history]


def test_asynchronous_race_is_the_same():
    """In the running event loop."""
    raced = asyncio.run(gn.arace([broken, later, plain], "q"))

    assert ("plain: q", "plain") == (raced.result, raced.winner)
    assert ["failed", "cancelled", "won"] == [each.status for each in raced.attempts]


def test_what_was_not_accepted_is_kept():
    """With what the candidate gave."""
    raced = gn.race([plain, broken], "q", lambda result: False)

    assert (None, None) == (raced.result, raced.winner)
    assert [("not accepted", "plain: q"), ("failed", None)] == [(each.status, each.result) for each in raced.attempts]
    assert 2 == len(raced.failure_history)


def test_candidates_that_had_no_turn_are_told():
    """One at a time, the first wins."""
    raced = gn.race([plain, broken], "q", concurrency=1)

    assert ["won", "never started"] == [each.status for each in raced.attempts]
    assert () == raced.failure_history


def test_result_is_the_very_object():
    """Nothing is made of it."""
    made = object()

    assert made is gn.race([lambda brief: made], "q").result


def test_brief_may_be_a_function():
    """By itself a race has no state that it could be asked about."""
    assert 3 == gn.race([lambda brief: brief("abc")], len).result


def test_race_shows_itself_as_a_table():
    """The winner stands out; as data it has the same columns."""
    raced = gn.race([broken, plain], "<q>", concurrency=1)
    shown = raced._repr_mimebundle_()

    assert "<b>won</b>" in shown["text/html"]
    assert "plain: &lt;q&gt;" in shown["text/html"]
    assert repr(raced) == shown["text/plain"] == repr(raced.attempts)
    assert isinstance(raced.attempts.data, pd.DataFrame)
    assert [["broken", "failed"], ["plain", "won"]] == raced.attempts.data[["candidate", "status"]].to_numpy().tolist()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"candidates": []}, "has no candidates"),
        ({"candidates": plain}, "candidates are a list, not function"),
        ({"candidates": [3]}, "candidate 0 is a function or a graph, not int: 3"),
        ({"candidates": [lambda: 1]}, "candidate lambda is called with one argument, its brief"),
        ({"accept": 3}, "accept is a function of a result, not int: 3"),
        ({"accept": lambda result: (yield)}, "accept lambda is a generator function"),
        ({"accept": lambda: True}, "accept lambda is called with one argument, a result"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"concurrency": True}, "concurrency is True"),
    ],
)
def test_what_cannot_race_is_told_before_anything_runs(given, told):
    """By itself and as a node alike."""
    options = {"candidates": [plain], **given}
    candidates = options.pop("candidates")
    graph = gn.Graph(Contest, entry="ask")
    with pytest.raises(gn.InvalidDeclaration, match=told):
        gn.race(candidates, "q", **options)
    with pytest.raises(gn.InvalidDeclaration, match=told):
        graph.race("ask", candidates, brief="question", into="answer", **options)
    assert [] == list(graph.spec().nodes)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"brief": "qestion"}, "brief names field 'qestion', which is not declared"),
        ({"brief": lambda: 1}, "is called with one argument, the state"),
        ({"into": 3}, "into names a field, not int"),
    ],
)
def test_options_of_a_node_are_checked_when_it_is_declared(given, told):
    """Each with what to write instead."""
    graph = gn.Graph(Contest, entry="ask")
    with pytest.raises(gn.InvalidDeclaration, match=told):
        graph.race("ask", [plain], **{"brief": "question", "into": "answer", **given})


def test_fields_of_a_race_are_checked_when_it_is_compiled():
    """They may be declared in a later cell."""
    graph = gn.Graph(Contest, entry="ask")
    graph.race("ask", [plain], brief="question", into="answr", winner_into="answr", failures_into="lost", to=gn.END)
    with pytest.raises(gn.BuildError) as caught:
        graph.compile()

    told = " ".join(map(str, caught.value.problems))
    assert all(part in told for part in ("into", "'answr'", "'lost'", "twice"))


def test_literal_brief_is_the_graphs_own():
    """What happens to it later does not matter."""
    brief = ["a b"]
    graph = gn.Graph(Contest, entry="ask")
    graph.race("ask", [list], brief=brief, into="answer", to=gn.END)
    brief.append("c")

    assert ["a b"] == graph.run().state.answer


def test_compiled_race_keeps_its_graphs():
    """As they were then."""

    class Runner(gn.State):
        brief: Any = None
        result: Any = None

    runner = gn.Graph(Runner, entry="run")
    runner.node("run", lambda s: {"result": "as it was"}, to=gn.END)
    graph = gn.Graph(Contest, entry="ask")
    graph.race("ask", [runner], brief="question", into="answer", to=gn.END)
    compiled = graph.compile()
    runner.remove("run")

    assert "as it was" == compiled.run().state.answer


def test_brief_that_can_be_read_but_once_is_refused():
    """Before anything runs if it is known, else when it is made."""
    graph = gn.Graph(Contest, entry="ask")
    graph.race("ask", [plain], brief=lambda s: (i for i in "ab"), into="answer", to=gn.END)

    with pytest.raises(gn.InvalidDeclaration, match=r"^gn\.race: the brief cannot be copied: generator"):
        gn.race([plain], (i for i in "ab"))
    with pytest.raises(gn.DelegationError, match="node 'ask', step 0: the brief cannot be copied: generator"):
        graph.run()


def test_graph_that_is_not_finished_is_told_of_the_call():
    """Without the words for a graph and a node that nobody has declared."""

    class Runner(gn.State):
        brief: Any = None

    with pytest.raises(gn.BuildError, match=r"^gn.race, graph 'Runner': has no entry node"):
        gn.race([gn.Graph(Runner)], "q")


@pytest.mark.parametrize("option", ["into", "winner_into"])
def test_race_that_nobody_wins_into_a_field_that_cannot_be_none_says_so(option):
    """With what to declare."""

    class Sure(gn.State):
        page: str = ""

    graph = gn.Graph(Sure, entry="ask")
    graph.race("ask", [plain], brief="a b", accept=lambda result: False, **{option: "page"}, to=gn.END)
    with pytest.raises(gn.StateValidationError, match="Nothing was acceptable, which leaves None: declare page"):
        graph.run()


def test_what_was_not_accepted_is_drawn_as_having_run():
    """It gave something and did not fail; the one that failed is marked."""
    graph = gn.Graph(Contest, entry="ask")
    graph.race("ask", [plain, broken], brief="question", accept=lambda result: False, into="answer", to=gn.END)
    visits = visits_of(graph.run().trace.log)

    assert ({"broken"}, {"plain": 1, "broken": 0}) == (visits.inner["ask"].failed, visits.inner["ask"].nodes)


def test_result_that_does_not_fit_its_field_keeps_the_mend_for_that():
    """It is about the winner's result, not about there being none."""

    class Sure(gn.State):
        page: int = 0

    graph = gn.Graph(Sure, entry="ask")
    graph.race("ask", [plain], brief="a b", into="page", to=gn.END)
    with pytest.raises(gn.StateValidationError) as caught:
        graph.run()

    assert "Nothing was acceptable" not in str(caught.value)
