"""Answers to a run that waits: which are taken, which refused, and what becomes of the run."""

import asyncio
import copy
import pickle
import threading
from typing import Annotated, Any

import pydantic
import pytest

import graphnb as gn
from graphnb import step

END = gn.END


class Form(gn.State):
    answers: Annotated[list[str], gn.append] = []
    total: Annotated[int, step.sum]
    age: int = pydantic.Field(default=0, ge=0)
    log: Annotated[list[str], gn.append] = []
    ready: bool = False


def ask_answers(s: Any) -> Any:
    """Ask for a list of texts."""
    return {"log": ["g"]} if s.answers else gn.interrupt("answers", "Go on?", schema=list[str])


def ask_total(s: Any) -> Any:
    """Ask for a number."""
    return {"log": ["h"]} if s.total else gn.interrupt("total", "How many?", schema=int | None)


def ask_age(s: Any) -> Any:
    """Ask for what the field takes."""
    return {"log": ["i"]} if s.ready else gn.interrupt("age", id="age")


def start(s: Any) -> dict[str, Any]:
    """Begin."""
    return {"log": ["a"]}


def form(*nodes: Any) -> gn.Graph:
    """A graph that forks to these nodes."""
    graph = gn.Graph(Form, entry="start", name="form")
    names = tuple(node.__name__ for node in nodes)
    graph.node(start, to=names if len(names) > 1 else names[0])
    for node in nodes:
        graph.node(node, to=END)
    return graph


BOTH = {"1:ask_answers": ["yes"], "1:ask_total": 3}


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (5, "interrupt '1:ask_answers': the answer does not fit what was asked for: answers: .*list, not int: 5"),
        ([1], r"answers\[0\]: Input should be a valid string, not int: 1"),
        ({"x": 1}, "valid list, not dict"),
        (None, "valid list, not None"),
        (gn.UNSET, "does not fit what was asked for"),
    ],
)
def test_answer_that_does_not_fit_the_schema_is_refused(answer, what):
    """The run is untouched, and takes a right answer afterwards as if nothing had been."""
    run = form(ask_answers).run()
    before = pickle.dumps([str(each) for each in run.steps])
    with pytest.raises(gn.InvalidInput, match=what) as caught:
        run.resume(answer)

    assert isinstance(caught.value, gn.AnswerError)
    assert "invalid_input" == caught.value.category
    assert before == pickle.dumps([str(each) for each in run.steps])
    done = run.resume(["yes"])
    assert ("done", run.run_id) == (done.status, done.run_id)


@pytest.mark.parametrize(
    ("node", "answer", "what"),
    [
        (ask_total, None, "the answer cannot be written: .*total"),
        (ask_total, gn.Replace("x"), "does not fit what was asked for"),
        (ask_age, -1, "the answer cannot be written: .*age"),
        (ask_age, "old", "the answer cannot be written: age: Input should be a valid integer"),
    ],
)
def test_answer_that_may_not_be_written_to_the_field_is_refused(node, answer, what):
    """By its reducer, or by what the state declares."""
    run = form(node).run()
    with pytest.raises(gn.InvalidInput, match=what) as caught:
        run.resume(answer)

    assert "graph 'form', interrupt" in caught.value.where
    assert "Form" not in caught.value.where


def test_answer_that_a_strict_reducer_refuses_is_refused():
    """`append` takes a list; the mend is that of the reducer."""

    def asks(s):
        return {} if s.answers else gn.interrupt("answers")

    run = form(asks).run()
    with pytest.raises(gn.InvalidInput, match="reducer append refused the update 'yes'") as caught:
        run.resume("yes")
    assert "gn.Replace(value)" in caught.value.mend
    assert ["yes"] == run.resume(["yes"]).state.answers
    assert ["new"] == run.resume(gn.Replace(["new"])).state.answers


def test_class_validators_see_the_answer():
    """An answer that makes the state as a whole unfit is refused; one that fits is written."""

    class Pair(gn.State):
        low: int = 0
        high: int = 5

        @pydantic.model_validator(mode="after")
        def ordered(self) -> Any:
            """Low stays below high."""
            if self.low > self.high:
                raise ValueError("low is above high")
            return self

    graph = gn.Graph(Pair, entry="a")
    graph.node("a", lambda s: {} if s.low else gn.interrupt("low"), to=END)
    run = graph.run()
    with pytest.raises(gn.InvalidInput, match="low is above high"):
        run.resume(7)
    assert 3 == run.resume(3).state.low


def test_one_open_interrupt_takes_its_answer_alone_or_by_id():
    """A mapping counts as by id only if it has the id and nothing else."""

    class Box(gn.State):
        box: dict[str, Any] = {}

    graph = gn.Graph(Box, entry="a")
    graph.node("a", lambda s: {} if s.box else gn.interrupt("box"), to=END)
    run = graph.run()

    assert {"x": 1} == run.resume({"x": 1}).state.box
    assert {"x": 1} == run.resume({"0:a": {"x": 1}}).state.box
    assert {"0:a": 1, "x": 2} == run.resume({"0:a": 1, "x": 2}).state.box


def test_answer_given_once_more_does_not_become_that_of_another_interrupt():
    """A mapping of nothing but ids that were asked is by id, also where the field still asked for takes dicts."""

    class Desk(gn.State):
        name: str = ""
        box: dict[str, Any] = {}

    graph = gn.Graph(Desk, entry="start")
    graph.node("start", lambda s: {}, to=("a", "b"))
    graph.node("a", lambda s: {} if s.name else gn.interrupt("name"), to=END)
    graph.node("b", lambda s: {} if s.box else gn.interrupt("box"), to=END)
    run = graph.run().resume({"1:a": "Ada"})

    for answer in ({"1:a": "Bo"}, {"1:b": {"x": 1}, "1:a": "Bo"}):
        with pytest.raises(gn.AlreadyResolved, match="'1:a': was answered before"):
            run.resume(answer)
    assert {"1:a": "Bo"} == run.resume({"1:b": {"1:a": "Bo"}}).state.box


def test_several_open_interrupts_need_a_mapping():
    """All of them or some; by ids that are open."""
    run = form(ask_answers, ask_total).run()
    for answer in (["yes"], {}, {1: 2}, None):
        with pytest.raises(
            gn.InvalidInput, match=r"has 2 open interrupts, and the answer .* names none of them"
        ) as caught:
            run.resume(answer)
        assert "run.resume({'1:ask_answers': ..., '1:ask_total': ...})" in caught.value.mend
    with pytest.raises(gn.InterruptNotFound, match="interrupt '1:ask': no interrupt of this run has this id") as caught:
        run.resume({"1:ask": 1})
    assert "Open: ['1:ask_answers', '1:ask_total']" in caught.value.mend

    assert ("done", 3) == (run.resume(BOTH).status, run.resume(BOTH).state.total)


def test_one_wrong_answer_of_several_changes_nothing():
    """The right one is not written either."""
    run = form(ask_answers, ask_total).run()
    with pytest.raises(gn.InvalidInput, match="1:ask_total"):
        run.resume({"1:ask_answers": ["yes"], "1:ask_total": "x"})

    assert (2, [], "waiting") == (len(run.pending), run.state.answers, run.status)


def test_answered_interrupt_takes_no_second_answer_in_the_same_run():
    """While others are open: already resolved."""
    first = form(ask_answers, ask_total, ask_age).run().resume({"1:ask_answers": ["yes"]})
    with pytest.raises(gn.AlreadyResolved, match="'1:ask_answers': was answered before") as caught:
        first.resume({"1:ask_answers": ["no"]})

    assert "Open: ['age', '1:ask_total']" in caught.value.mend
    assert ["age", "1:ask_total"] == [each.id for each in first.pending]


@pytest.mark.parametrize("status", ["done", "failed", "cancelled", "running"])
def test_run_that_does_not_wait_takes_no_answer(status):
    """Whether it has ended or goes on."""
    if status == "failed":
        with pytest.raises(gn.NodeException) as caught:
            form(ask_answers, ask_total, lambda_failing).run()
        run = caught.value.run
    elif status == "done":
        run = form(ask_answers).run(answers=["x"])
    else:
        graph = gn.Graph(Form, entry="start", name="form")
        graph.node(start, to=("ask_answers", "b"))
        graph.node(ask_answers, to=END)
        graph.node("b", lambda s: {}, to="c")
        graph.node("c", lambda s: {}, to=END)
        session = graph.session()
        session.step()
        session.step()
        if status == "cancelled":
            session.close()
        run = session.run
        assert 1 == len(run.pending)
    assert status == run.status
    with pytest.raises(gn.InactiveRun, match=f"run of graph 'form': is {status} and waits for no answer") as caught:
        run.resume(["yes"])

    assert ("once it waits" in caught.value.mend) is (status == "running")
    with pytest.raises(gn.InactiveRun):
        asyncio.run(run.aresume(["yes"]))


def lambda_failing(s: Any) -> Any:
    """Fail always."""
    raise LookupError("lost")


def test_run_is_the_same_after_its_answer():
    """It keeps its name and its ids; the run before it stays as it was, waiting."""
    graph = form(ask_answers)
    run = graph.run(invocation_id="i", correlation_id="c")
    done = run.resume(["yes"])

    assert (run.run_id, "i", "c") == (done.run_id, done.invocation_id, done.correlation_id)
    assert graph.last_run is done
    assert ("waiting", []) == (run.status, run.state.answers)
    assert run.steps == done.steps[: len(run.steps)]


def test_second_answer_from_the_same_run_makes_a_branch():
    """With a name and an invocation of its own, what it belongs to stays; the first is left alone."""
    run = form(ask_answers).run(correlation_id="c")
    one, other, third = (run.resume([word]) for word in ("yes", "no", "yes"))

    assert run.run_id == one.run_id
    assert 3 == len({one.run_id, other.run_id, third.run_id}) == len({e.invocation_id for e in (one, other, third)})
    assert {"c"} == {each.correlation_id for each in (one, other, third)}
    assert (["yes"], ["no"]) == (one.state.answers, other.state.answers)
    assert one == third != other


def test_refused_answer_does_not_count_as_the_first():
    """Nor does one with wrong options."""
    run = form(ask_answers).run()
    for answer, options in ((5, {}), (["yes"], {"max_steps": 0}), (["yes"], {"max_steps": True})):
        with pytest.raises(gn.GraphError):
            run.resume(answer, **options)

    assert run.run_id == run.resume(["yes"]).run_id


def test_events_after_an_answer_go_on_behind_all_that_was_told_before():
    """A branch that is a function has a number in events, also where it ran beside the node that asked."""
    told: list[tuple[int, str]] = []
    graph = gn.Graph(Form, entry="start", name="form")
    graph.node(start, to=("ask_answers", "both"))
    graph.node(ask_answers, to=END)
    graph.branches("both", {"x": lambda s: {"log": ["x"]}, "y": lambda s: {"log": ["y"]}}, to=END)
    graph.observer(lambda event: told.append((event.step, event.node_name)), name="note", phases="started")
    waiting = graph.run()
    graph.drain()  # each drive tells its own events in order
    run = waiting.resume(["yes"])
    graph.drain()

    assert [(0, "start"), (1, "ask_answers"), (1, "both"), (2, "x"), (3, "y"), (4, "ask_answers")] == told
    assert 4 == run.steps[-1].number


def test_limit_of_steps_counts_over_the_whole_run():
    """That of the run, unless another is given; what had come so far stays."""
    run = form(ask_answers).run(max_steps=2)
    with pytest.raises(
        gn.MaxSuperstepsExceeded, match="within 2 super-steps; node 'ask_answers' would be next"
    ) as caught:
        run.resume(["yes"])

    assert ["yes"] == caught.value.run.state.answers
    assert "done" == run.resume(["yes"], max_steps=3).status


def test_answer_may_be_given_in_a_running_loop():
    """`await run.aresume(...)`; `resume` works there as well."""

    async def asks(s):
        await asyncio.sleep(0)
        return {"log": ["late"]} if s.answers else gn.interrupt("answers")

    async def main():
        run = await form(asks).arun()
        return await run.aresume(["yes"]), run.resume(["yes"])

    one, other = asyncio.run(main())
    assert ("done", ["a", "late"]) == (one.status, one.state.log)
    assert one == other


def test_answers_from_several_threads_make_branches():
    """One of them goes on with the run, the others get names of their own."""
    run = form(ask_answers).run()
    found = []
    barrier = threading.Barrier(4)

    def answer():
        barrier.wait(20)
        found.append(run.resume(["yes"]))

    threads = [threading.Thread(target=answer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert 4 == len({each.run_id for each in found})
    assert 1 == sum(each.run_id == run.run_id for each in found)


def test_graph_that_has_moved_on_does_not_change_a_run_that_waits():
    """It goes on with the nodes with which it began."""
    graph = form(ask_answers)
    run = graph.run()
    graph.remove("ask_answers")

    assert ["a", "g"] == run.resume(["yes"]).state.log


def test_error_after_an_answer_bears_the_run():
    """With everything before it, answers included; that run has ended, the one before still takes answers."""

    def asks(s):
        if not s.answers:
            return gn.interrupt("answers")
        if s.answers == ["fail"]:
            raise LookupError("lost")
        return {"log": ["fine"]}

    run = form(asks).run()
    with pytest.raises(gn.NodeException, match="lost") as caught:
        run.resume(["fail"])

    assert ("failed", ["fail"]) == (caught.value.run.status, caught.value.run.state.answers)
    assert ["start", "asks", "asks"] == [each.node for each in caught.value.run.steps]
    assert ["a", "fine"] == run.resume(["fine"]).state.log


def test_waiting_run_can_be_pickled_and_is_then_read_only():
    """It shows what is open; it has no functions to go on with."""
    run = form(ask_answers).run()
    again = pickle.loads(pickle.dumps(run))

    assert run == again
    assert list(run.pending) == list(again.pending)
    with pytest.raises(gn.InactiveRun, match="was read from a pickle, which has no functions") as caught:
        again.resume(["yes"])
    assert "Resume it where the graph has run" in caught.value.mend
    assert "done" == copy.deepcopy(run).resume(["yes"]).status


def test_runs_are_equal_if_they_asked_the_same():
    """Whatever the ids; not with another question, schema, field or metadata."""

    def waits(**options):
        graph = gn.Graph(Form, entry="a")
        field = options.pop("field", "answers")
        graph.node("a", lambda s: gn.interrupt(field, **options), to=END)
        return graph.run()

    assert waits() == waits(id="own")
    assert waits().steps == waits(id="own").steps
    others = [{"ask": "?"}, {"schema": list[str]}, {"field": "total"}, {"metadata": {"a": 1}}]
    assert [False] * 4 == [waits() == waits(**each) for each in others]
    assert [False] * 4 == [waits().steps == waits(**each).steps for each in others]
    assert waits(metadata={"a": 1}) != waits(metadata={"a": 1.0})

    one = form(ask_answers, ask_total).run()
    assert one.resume(BOTH) == one.resume(dict(BOTH))
    assert one.resume(BOTH) != one.resume(dict(reversed(BOTH.items())))
    silent = gn.Graph(Form, entry="a")
    silent.node("a", lambda s: {}, to=END)
    assert waits().steps[0] != silent.run().steps[0]


def test_last_run_is_the_run_that_waits():
    """Until it was answered."""
    graph = form(ask_answers)
    run = graph.run()

    assert graph.last_run is run
    assert "waiting" == graph.last_run.status
