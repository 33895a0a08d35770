"""Answers as the engine takes them: a log that goes on, and the one before as it was."""

from typing import Annotated, Any

import pytest
from pydantic import Field

import graphnb as gn
from graphnb.engine.position import Position, position_of
from graphnb.engine.supersteps.answering import fold_answers
from graphnb.trace.trace import Trace
from tests.engine.forks import graph_of, says

END = gn.END


def asks(s):
    """Ask until there is an answer."""
    return {"log": ["g"]} if s.seen else gn.interrupt("seen")


def test_answer_is_a_commit_of_its_own_in_a_log_of_its_own():
    """The step is not counted, the commits before are shared, and the log before does not grow."""
    graph = graph_of({"a": ("g", "b"), "b": END, "g": END}, g=asks)
    plan, log = graph.compile().plan, graph.run().trace.log
    own = fold_answers(plan, log, status="waiting", answers={"1:g": "x"}).log

    assert (3, 4, 2, 2) == (len(log.commits), len(own.commits), log.step, own.step)
    assert log.commits == own.commits[:3]
    assert (("seen",), ()) == (tuple(fold.field for fold in own.commits[-1].folds), own.routes[-1])
    assert ("x", "g") == (Trace(own, plan.topology, "waiting").state.seen[0], own.commits[-1].node)
    assert log.waits
    assert not own.waits


def test_log_is_replayed_once_when_a_run_goes_on(monkeypatch):
    """To judge the answers; the run begins where that has ended."""
    graph = graph_of({"a": ("g", "b"), "g": "c", "b": END, "c": END}, g=asks)
    run = graph.run()
    replayed: list[list[str]] = []
    take_in = Position.take_in

    def noting(self, commits, routes):
        replayed.append([each.node for each in commits])
        take_in(self, commits, routes)

    monkeypatch.setattr(Position, "take_in", noting)
    done = run.resume("x")

    assert [["a"], ["b", "g"], ["g"], ["g"], ["c"]] == replayed
    assert ("done", ["a", "b", "g", "c"]) == (done.status, done.state.log)


def test_position_after_answers_is_that_of_the_log():
    """As if all of it had been replayed."""
    graph = graph_of({"a": ("g", "b"), "g": "c", "b": END, "c": END}, g=asks)
    plan = graph.compile().plan
    log, position = fold_answers(plan, graph.run().trace.log, status="waiting", answers={"1:g": "x"})
    replayed = position_of(plan, log)

    names = ("active", "answered", "arrived", "changed", "ids", "open", "step", "targets", "values", "versions")
    assert [getattr(replayed, name) for name in names] == [getattr(position, name) for name in names]


@pytest.mark.parametrize("how", ["done", "failed"])
def test_log_of_a_run_that_has_ended_takes_no_answer(how):
    """Even if a node had asked in it."""
    graph = graph_of({"a": ("g", "b"), "b": "c", "g": END, "c": END}, g=asks, c=lambda s: 1 / 0, b=says("b"))
    if how == "done":
        log = graph_of({"a": END}).run().trace.log
    else:
        with pytest.raises(gn.NodeException) as caught:
            graph.run()
        log = caught.value.trace.log
        assert 1 == len(caught.value.trace.pending)
    with pytest.raises(gn.InactiveRun, match=f"the run is {how} and takes no answers"):
        fold_answers(graph.compile().plan, log, status=how, answers={"1:g": "x"})


class Counted(gn.State):
    numbers: Annotated[list[Any], gn.step.append]
    share: Annotated[float, gn.step.last_value] = 0.0
    plain: int = 0


def waiting(field: str, schema: Any) -> gn.Run:
    """A run whose only node asks for the field until it is told that it was answered."""
    asked: list[int] = []

    def ask(s: Any) -> Any:
        asked.append(1)
        return {} if len(asked) > 1 else gn.interrupt(field, schema=schema)

    graph = gn.Graph(Counted, entry="ask")
    graph.node(ask, to=END)
    return graph.run()


@pytest.mark.parametrize("answer", [True, 1.0, "1", None, 0])
def test_answer_to_a_field_of_the_step_family_fits_its_schema_exactly(answer: Any) -> None:
    """Nothing is made another value on its way to a field that takes no other either."""
    run = waiting("numbers", Annotated[int, Field(ge=1)])
    with pytest.raises(gn.InvalidInput, match=r"the answer does not fit what was asked for: numbers: Input should be"):
        run.resume(answer)

    assert [1] == run.resume(1).state.numbers


def test_answer_of_the_right_type_stays_what_it_is() -> None:
    """An int is a float too, and stays an int."""
    found = waiting("share", float).resume(1).state.share

    assert (1, int) == (found, type(found))


def test_answer_to_any_other_field_is_checked_as_its_type_is() -> None:
    """By pydantic, which takes text for a number."""
    assert 1 == waiting("plain", int).resume("1").state.plain


@pytest.mark.parametrize("schema", [list[int], {"type": "list", "item": {"type": "integer"}}])
def test_refused_answer_has_all_reasons(schema: Any) -> None:
    """Those of its schema, and those of the field."""
    run = waiting("numbers", schema)
    with pytest.raises(gn.InvalidInput, match="; and 15 more, see `details`") as refused:
        run.resume(["x"] * 20)
    assert 20 == len(refused.value.details["numbers"])

    plain = waiting("plain", None)
    with pytest.raises(gn.InvalidInput, match="the answer cannot be written: plain: Input should be") as refused:
        plain.resume("x")
    assert ["plain"] == list(refused.value.details)
