"""Super-steps of documents: attempts that are repeated, steps that are parked, what failures leave behind."""

import asyncio
import pickle
import threading
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.drivers.host import Host
from graphnb.engine.run import Execution, advance, aexecute, begin, execute, go_on
from graphnb.engine.supersteps.answering import fold_answers
from graphnb.trace.checkpoints import checkpoints_of, log_at
from tests.documents import FIELDS, asynchronous, fails_below, gives, graph, plan, tries, written


def fails(error: BaseException) -> Any:
    """A node that raises this."""

    def node(view: Any, context: gn.NodeContext) -> Any:
        raise error

    return node


def test_attempts_are_told_with_the_step() -> None:
    """How they failed, and that it went well in the end; of the others nothing."""
    nodes = {"a": tries(4), "b": tries(4)}
    run = graph(written("a", "b", nodes=nodes), a=fails_below(3, {"log": "a"}), b=gives({"log": "b"})).run()

    assert ["a", "b"] == run.state["log"]
    assert [["attempt 1", "attempt 2"], []] == [[str(error) for error in step.failures] for step in run.steps]
    assert [0, 0] == [step.number for step in run.steps]
    assert "2 attempts failed" in str(run.diff())


def test_every_error_of_a_node_is_repeated() -> None:
    """Also one of the view: it was raised by the node."""

    def node(view: Any, context: gn.NodeContext) -> Any:
        return view["log"].append("x") if context.attempt == 1 else view["word"] if context.attempt == 2 else {}

    run = graph(written("a", nodes={"a": tries(3)}), a=node).run()

    assert [gn.MutatedState, gn.UnsetField] == [type(each) for each in run.steps[0].failures]


@pytest.mark.parametrize("given", [None, {"word": 3}, {"nope": 1}, gn.interrupt("nope")])
def test_what_may_not_be_given_is_not_asked_for_again(given: Any) -> None:
    """Once is enough to know."""
    attempts: list[int] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        attempts.append(context.attempt)
        return given

    with pytest.raises(gn.RunError):
        graph(written("a", nodes={"a": tries(3)}), a=node).run()
    assert [1] == attempts


@pytest.mark.parametrize("schema", [{"type": "nope"}, {"type": "list", "items": 3}])
def test_interrupt_that_is_none_is_not_asked_for_again(schema: Any) -> None:
    """Making it is refused within the node, and would be each time."""
    attempts: list[int] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        attempts.append(context.attempt)
        return gn.interrupt("word", schema=schema)

    with pytest.raises(gn.NodeException, match="which no value can be checked against"):
        graph(written("a", nodes={"a": tries(3)}), a=node).run()
    assert [1] == attempts


def test_failure_tells_of_all_attempts() -> None:
    """The last one ended the run."""
    with pytest.raises(gn.NodeException, match="attempt 3") as failed:
        graph(written("a", nodes={"a": tries(3)}), a=fails_below(9, {})).run()
    (failure,) = failed.value.run.trace.failures

    assert ["attempt 1", "attempt 2"] == [str(each) for each in failure.failures]
    assert 3 == failure.attempts


def test_all_nodes_that_fail_for_good_are_told() -> None:
    """The error is that of the first by name; who would have been tried again is told as stopped, others as dropped."""
    nodes = {"b": tries(2)}
    with pytest.raises(gn.NodeException, match=r"node 'a', step 0: raised KeyError: 'k'") as failed:
        graph(
            written("a", "b", "c", "d", nodes=nodes),
            a=fails(KeyError("k")),
            b=fails(ValueError("later")),
            c=gives({"total": "x"}),
            d=gives({"log": "d"}),
        ).run()
    run = failed.value.run

    assert ["a", "c"] == [error.node for error in failed.value.problems]
    assert ("node_failed", None, ["a", "c"]) == (*run.fault[:2], [*run.fault.reasons])
    assert "total: want a number" in run.fault.reasons["c"]
    assert {"a": "FailedStep", "c": "FailedStep", "b": "stopped", "d": "dropped"} == {
        **{each.node: type(each).__name__ for each in run.trace.failures},
        **{each.node: each.fate for each in run.trace.open_steps},
    }
    assert [] == run.state["log"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), GeneratorExit(), asyncio.CancelledError()])
def test_interruption_is_raised_as_it_came(error: BaseException) -> None:
    """It is never repeated, and the run is cancelled."""
    with pytest.raises(type(error)) as stopped:
        graph(written("a", "b", nodes={"a": tries(3)}), a=fails(error), b=gives({"log": "b"})).run()
    run = stopped.value.run  # type: ignore[attr-defined]

    assert ("cancelled", None, []) == (run.status, run.fault, run.state["log"])


def test_interruption_of_a_repeated_attempt_keeps_what_was_committed() -> None:
    """The step that was parked is dropped, and what had finished in it is told."""

    def node(view: Any, context: gn.NodeContext) -> Any:
        raise ValueError if context.attempt == 1 else KeyboardInterrupt

    edges = {"s": {"from": "$start", "to": "b"}, "e": {"from": "b", "to": "a"}}
    edges["f"] = {"from": "b", "to": "c"}
    document = written("a", "b", "c", edges=edges, nodes={"a": tries(3)})
    with pytest.raises(KeyboardInterrupt) as stopped:
        graph(document, a=node, b=gives({"log": "b"}), c=gives({"log": "c"})).run()
    run = stopped.value.run  # type: ignore[attr-defined]

    assert ["b"] == run.state["log"]
    assert [("a", "stopped"), ("c", "dropped")] == [(each.node, each.fate) for each in run.trace.open_steps]


def test_total_beyond_all_floats_fails_the_run() -> None:
    """No single node is at fault."""
    with pytest.raises(gn.ReducerError) as failed:
        graph(written("a", "b"), a=gives({"total": 1e308}), b=gives({"total": 1e308})).run()

    assert ("reduction_failed", None, {}) == failed.value.run.fault


def test_waits_are_those_of_the_policies() -> None:
    """Shorter ones come first; equal ones end together, whatever the parts they are made of."""
    order: list[tuple[str, int]] = []

    def noted(name: str, attempt: int) -> Any:
        def node(view: Any, context: gn.NodeContext) -> Any:
            order.append((name, context.attempt))
            return fails_below(attempt, {"log": name})(view, context)

        return node

    nodes = {"a": tries(4, 1), "b": tries(2, 3)}
    tea = plan(written("a", "b", nodes=nodes), a=noted("a", 4), b=noted("b", 2))
    execution = begin(tea, {}, pauses=True)
    while advance(execution) is None:
        pass

    assert [("a", 1), ("b", 1), ("a", 2), ("a", 3)] == order[:4]
    assert {("a", 4), ("b", 2)} == set(order[4:])
    assert [{"a": 1, "b": 3}, {"a": 1, "b": 2}, {"a": 1, "b": 1}] == [each.waits for each in execution.log.parkings]


def test_parked_step_is_taken_up_as_it_was() -> None:
    """The number of the attempt, the view, its versions, and what siblings have given; then it ends the same."""
    seen: list[tuple[int, list[str], int, str]] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        seen.append((context.attempt, list(view["log"]), context.versions["log"], context.view_hash))
        return fails_below(3, {"log": "a"})(view, context)

    edges = {"s": {"from": "$start", "to": "b"}, "e1": {"from": "b", "to": "a"}, "e2": {"from": "b", "to": "c"}}
    document = written("a", "b", "c", edges=edges, nodes={"a": tries(3, 1)})
    given = {"log": ["c"]}
    tea = plan(document, a=node, b=gives({"log": "b"}), c=gives(given))
    first = begin(tea, {})
    execute(first)
    given["log"].append("too late")
    checkpoint = checkpoints_of(first.log, "done")[2]
    again = go_on(tea, log_at(first.log, checkpoint), ids=first.ids)
    execute(again)

    assert "retry_scheduled" == checkpoint.kind
    assert [1, 2, 3, 2, 3] == [each[0] for each in seen]
    assert 1 == len({(tuple(log), version, view) for _, log, version, view in seen})
    assert first.trace("done") == again.trace("done")
    assert first.log.parkings == again.log.parkings
    assert ["raised ValueError: attempt 1", "attempt 2"] == [
        getattr(each, "what", str(each)) for each in again.log.commits[1].failures
    ]


def test_what_a_node_has_given_is_kept_as_it_was() -> None:
    """While the step is parked the node may change its own list."""
    kept = ["x"]

    def late(view: Any, context: gn.NodeContext) -> Any:
        kept.extend(["y"] * (context.attempt == 2))
        return fails_below(2, {})(view, context)

    run = graph(written("a", "b", nodes={"b": tries(2)}), a=gives({"log": kept}), b=late).run()

    assert ["x"] == run.state["log"]
    assert ["x", "y"] == kept


def test_answer_that_comes_meanwhile_is_folded_and_not_seen() -> None:
    """The parked step commits into the state as it is then."""
    edges = {
        "s1": {"from": "$start", "to": "ask"},
        "s2": {"from": "$start", "to": "b"},
        "e": {"from": "b", "to": "c"},
    }
    seen: list[list[str]] = []

    def ask(view: Any, context: gn.NodeContext) -> Any:
        return {"log": "ask"} if view["log"] else gn.interrupt("log", id="q")

    def late(view: Any, context: gn.NodeContext) -> Any:
        seen.append([*view["log"]])
        return fails_below(2, {"log": "c"})(view, context)

    document = written("ask", "b", "c", edges=edges, nodes={"c": tries(2)})
    execution = begin(plan(document, ask=ask, b=gives({}), c=late), {}, pauses=True)
    assert advance(execution) is advance(execution) is None
    assert execution.log.parked is not None
    answered = fold_answers(execution.plan, execution.log, status="running", answers={"q": "answer"})
    rest = go_on(execution.plan, answered.log, ids=execution.ids, position=answered.position)

    assert ["answer", "c", "ask"] == execute(rest).state["log"]
    assert [[], []] == seen


def test_events_tell_of_every_attempt_under_one_step() -> None:
    """Each starts and completes once, numbered from 0; a sibling completes with the step."""
    told: list[tuple[str, str, int, int, str | None]] = []

    def observe(event: Any) -> None:
        category = None if event.error is None else event.error.category
        told.append((event.node_name, event.phase, event.attempt_index, event.step, category))

    edges = {
        "s": {"from": "$start", "to": "a"},
        "t": {"from": "$start", "to": "b"},
        "e": {"from": ["a", "b"], "to": "c"},
    }
    document = written("a", "b", "c", edges=edges, nodes={"a": tries(2)})
    tea = graph(document, a=fails_below(2, {"log": "a"}), b=gives({"log": "b"}), c=gives({}))
    tea.run(observers=[observe])
    tea.drain()

    assert [
        ("a", "completed", 0, 0, "node_exception"),
        ("a", "completed", 1, 0, None),
        ("a", "started", 0, 0, None),
        ("a", "started", 1, 0, None),
        ("b", "completed", 0, 0, None),
        ("b", "started", 0, 0, None),
    ] == sorted(told[:6], key=lambda each: (*each[:4], str(each[4])))
    assert [("c", "started", 0, 1, None), ("c", "completed", 0, 1, None)] == told[6:]


def test_session_steps_over_what_is_parked() -> None:
    """A step is a commit, however often its nodes were tried."""
    edges = {"s": {"from": "$start", "to": "a"}, "e": {"from": "a", "to": "b"}}
    session = graph(
        written("a", "b", edges=edges, nodes={"a": tries(4)}), a=fails_below(4, {"log": "a"}), b=gives({})
    ).session()

    assert ["a", "b"] == [step.node for step in session]
    assert "done" == session.run.status


def test_session_of_a_run_without_steps_is_over_at_once() -> None:
    """Where no edge from the start is taken."""
    edges = {"s": {"from": "$start", "to": "a", "guard": {"op": "changed", "args": ["log"]}}}
    session = graph(written("a", edges=edges), a=gives({})).session()

    assert session.step() is None
    assert ("done", True) == (session.run.status, session.is_finished)


@pytest.mark.parametrize("backoff_ms", [10**13, 10**30, 10**400], ids=["13", "30", "400"])
@pytest.mark.parametrize("wrap", [lambda node: node, asynchronous])
def test_wait_that_no_clock_can_hold_lasts_until_the_run_is_cancelled(wrap: Any, backoff_ms: int) -> None:
    """As any other wait; a run that need not wait does not meet it."""
    calm = graph(written("a", nodes={"a": tries(10**400, backoff_ms)}), a=wrap(gives({"log": "x"})))
    assert "done" == calm.run().status
    assert "done" == asyncio.run(calm.arun()).status
    failed = threading.Event()

    def node(view: Any, context: gn.NodeContext) -> Any:
        failed.set()
        raise ValueError("no")

    handle = graph(written("a", nodes={"a": tries(2, backoff_ms)}), a=wrap(node)).start()
    assert failed.wait(10)
    handle.cancel()
    assert "cancelled" == handle.result(timeout=10).status


def test_limit_of_steps_may_be_any_number() -> None:
    """It is compared and nothing else."""
    assert "done" == graph(written("a", policies={"max_supersteps": 10**400}), a=gives({})).run().status


def test_run_that_waits_between_attempts_can_be_cancelled() -> None:
    """At once, and it is told how far it came."""
    begun = threading.Event()

    def node(view: Any, context: gn.NodeContext) -> Any:
        begun.set()
        raise ValueError

    for kind in (node, asynchronous(node)):
        begun.clear()
        handle = graph(written("a", nodes={"a": tries(2, 60_000)}), a=kind).start()
        assert begun.wait(10)
        handle.cancel()
        assert "cancelled" == handle.result(timeout=10).status


def between_attempts() -> Execution:
    """A run in whose second step one node has finished, and two wait to be tried again, one of them longer."""
    edges = {"s": {"from": "$start", "to": "z"}, **{f"e{i}": {"from": "z", "to": name} for i, name in enumerate("abc")}}
    document = written(*"abcz", edges=edges, nodes={"a": tries(2, 60_000), "c": tries(2, 90_000)})
    nodes = {"a": fails_below(9, {}), "b": gives({"log": "b"}), "c": fails_below(9, {}), "z": gives({"log": "z"})}
    return begin(plan(document, **nodes), {})


def assert_all_are_told(execution: Execution) -> None:
    """Who was to be tried again as stopped, who had finished as dropped."""
    trace, under_way = execution.trace("cancelled"), execution.log.under_way
    assert ["z"] == trace.state["log"]
    assert [(1, "a", "stopped"), (1, "b", "dropped"), (1, "c", "stopped")] == [
        (each.number, each.node, each.fate) for each in trace.open_steps
    ]
    assert under_way is not None
    assert ("a, b, c", True) == (under_way.node, under_way.stopped)


def test_interruption_between_attempts_tells_of_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one during the attempts does."""

    def interrupted(host: Host, seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Host, "sleep", interrupted)
    execution = between_attempts()
    with pytest.raises(KeyboardInterrupt):
        execute(execution)

    assert_all_are_told(execution)


async def test_cancellation_between_attempts_tells_of_all_nodes() -> None:
    """In an event loop as well."""
    execution = between_attempts()
    task = asyncio.create_task(aexecute(execution))
    while not execution.log.parkings:
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert_all_are_told(execution)


def test_run_of_a_document_is_pickled() -> None:
    """With its state, its outputs and why it failed."""
    done = graph(written("a", nodes={"a": tries(2)}), a=fails_below(2, {"log": "a", "card": {"x": {"y": 1}}})).run()
    with pytest.raises(gn.NodeException) as failed:
        graph(written("a"), a=fails(ValueError("no"))).run()
    again, broken = (pickle.loads(pickle.dumps(each)) for each in (done, failed.value.run))

    assert (done, done.state, done.outputs) == (again, again.state, again.outputs)
    assert failed.value.run.fault == broken.fault
    assert str(done.diff()) == str(again.diff())


@pytest.mark.parametrize("backoff_ms", [0, 2])
def test_kinds_of_nodes_and_ways_to_run_make_no_difference(backoff_ms: int) -> None:
    """Plain, asynchronous and mixed ones, with and without an event loop around."""
    edges = {
        "s1": {"from": "$start", "to": "a"},
        "s2": {"from": "$start", "to": "b"},
        "j": {"from": ["b", "a"], "to": "a", "guard": {"op": "not", "args": [{"op": "equals", "args": ["total", 6]}]}},
        "e": {"from": "a", "to": "b"},
    }
    document = written("a", "b", edges=edges, nodes={"a": tries(3, backoff_ms)}, policies={"max_supersteps": 20})
    nodes = {"a": fails_below(2, {"log": "a", "total": 1}), "b": gives({"log": ["b"], "total": 2})}
    forms = [lambda node: node, asynchronous]
    runs = []
    for of_a in forms:
        for of_b in forms:
            tea = graph(document, a=of_a(nodes["a"]), b=of_b(nodes["b"]))
            runs += [tea.run(), asyncio.run(_in_loop(tea)), tea.start().result(timeout=20), tea.session().finish()]

    assert [runs[0]] * 16 == runs
    assert runs[0].steps[0].failures


async def _in_loop(tea: Any) -> gn.Run:
    return await tea.arun()  # type: ignore[no-any-return]


def test_outputs_show_what_was_written_alone() -> None:
    """Zeros and defaults do not reach them; values are the caller's own."""
    outputs = {
        "words": {"source": "log"},
        "total": {"source": "total"},
        "topic": {"source": "topic"},
        "n": {"source": "n"},
    }
    inputs = {"topic": {"schema": {"type": "string"}}, "n": {"schema": {"type": "integer"}, "default": 3}}
    run = graph(written("a", outputs=outputs, inputs=inputs), a=gives({"log": "x"})).run(topic=None)
    run.outputs["words"].append("y")

    assert {"words": ["x"], "total": None, "topic": None, "n": None} == run.outputs
    assert {"topic": None, "n": 3, "log": ["x"], "total": 0, "card": {}, "rows": []} == run.state
    assert run.fault is None


def test_outputs_are_none_before_the_end_and_without_a_document() -> None:
    """A run that waits, one that failed, and one of a class."""
    waiting = graph(written("a"), a=gives(gn.interrupt("word"))).run()
    with pytest.raises(gn.NodeException) as failed:
        graph(written("a"), a=fails(ValueError())).run()
    plain = gn.Graph(gn.State, entry="a")
    plain.node("a", lambda s: {}, to=gn.END)

    assert [None] * 3 == [waiting.outputs, failed.value.run.outputs, plain.run().outputs]


def test_input_named_like_an_option_is_given_in_a_dict() -> None:
    """The message says so."""
    tea = graph(written("a", inputs={"max_steps": {"schema": {"type": "integer"}}}), a=gives({}))

    assert 3 == tea.run({"max_steps": 3}).state["max_steps"]
    with pytest.raises(gn.InvalidDeclaration, match=r'Pass the inputs as a dict: run\(\{"max_steps": \.\.\.\}\)'):
        tea.run(max_steps=3)


def test_step_limit_of_the_document_comes_before_that_of_the_host() -> None:
    """Without one the host's counts."""
    edges = {"s": {"from": "$start", "to": "a"}, "e": {"from": "a", "to": "a"}}
    for policies, steps in (({"max_supersteps": 4}, 4), ({}, 2), ({"max_supersteps": 1}, 1)):
        tea = graph(written("a", edges=edges, policies=policies, fields=FIELDS), a=gives({"total": 1}))
        with pytest.raises(gn.MaxSuperstepsExceeded) as failed:
            tea.run(max_steps=2)
        assert (steps, "max_supersteps_exceeded") == (len(failed.value.run.steps), failed.value.run.fault.code)


def test_run_goes_on_with_its_own_document_alone() -> None:
    """Told before anything is executed."""
    execution = begin(plan(written("a"), a=gives({})), {})
    other = plan(written("a", metadata={"note": "changed"}), a=gives({}))

    with pytest.raises(gn.GraphMismatch, match="graph 'tea': the run was begun with another document"):
        go_on(other, execution.log, ids=execution.ids)


def test_guards_see_values_that_grow() -> None:
    """Lists and mappings, from both ends and inside."""
    reads = [
        {"op": "equals", "args": [{"$guard": {"op": "path", "args": ["card", ["x", "y"]]}}, 1]},
        {"op": "equals", "args": [{"$guard": {"op": "path", "args": ["log", [-1]]}}, "a"]},
        {"op": "equals", "args": ["card", {"x": {"y": 1}}]},
        {"op": "equals", "args": ["log", ["a"]]},
    ]
    edges = {
        "s": {"from": "$start", "to": "a"},
        "e": {"from": "a", "to": "b", "guard": {"op": "all", "args": reads}},
    }
    tea = graph(written("a", "b", edges=edges), a=gives({"log": "a", "card": {"x": {"y": 1}}}), b=gives({"word": "b"}))

    assert "b" == tea.run().state["word"]


def test_guard_that_fails_drops_the_step_and_says_where() -> None:
    """In which step, at which edge; the state is that before, and observers are told of the node whose edge it was."""
    broken = {"op": "any", "args": [{"op": "all", "args": []}, {"op": "path", "args": ["log", []]}]}
    edges = {
        "s": {"from": "$start", "to": "a"},
        "e": {"from": "a", "to": "b"},
        "f": {"from": "a", "to": "c"},
        "g": {"from": "c", "to": "a", "guard": broken},
    }
    told: list[tuple[str, str, bool]] = []

    def observe(event: Any) -> None:
        told.append((event.node_name, event.phase, event.error is not None))

    tea = graph(written("a", "b", "c", edges=edges), **{name: gives({"log": name}) for name in "abc"})
    with pytest.raises(
        gn.EdgeException, match=r"graph 'tea', node 'c', step 1: its guard .* is a path alone"
    ) as failed:
        tea.run(observers=[observe])
    tea.drain()

    assert ("guard_evaluation_failed", None) == failed.value.run.fault[:2]
    assert ["a"] == failed.value.run.state["log"] == failed.value.recoverable_state["log"]
    assert [("c", "completed", True)] == [each for each in told[2:] if each[1] == "completed"]


def test_step_that_a_guard_has_dropped_tells_of_all_its_nodes() -> None:
    """They ran, whoever of them has asked or was tried again; the number is that of their step."""
    edges = {
        "s": {"from": "$start", "to": "a"},
        **{f"to-{name}": {"from": "a", "to": name} for name in "bcd"},
        "g": {"from": "c", "to": "a", "guard": {"op": "path", "args": ["log", []]}},
    }
    nodes = {
        "a": gives({"log": "a"}),
        "b": gives({"log": "b"}),
        "c": fails_below(2, {}),
        "d": gives(gn.interrupt("word")),
    }
    with pytest.raises(gn.EdgeException) as failed:
        graph(written(*nodes, edges=edges, nodes={"c": tries(2)}), **nodes).run()
    run = failed.value.run

    assert ("a", "b", "c", "d") == run.trace.execution_order
    assert [(1, "c", True, 1)] == [(e.number, e.path, e.at_edge, len(e.failures)) for e in run.trace.failures]
    assert [(1, "b", "dropped"), (1, "d", "dropped")] == [(e.number, e.path, e.fate) for e in run.trace.open_steps]
    assert () == run.pending
    assert "path: a → b + c + d" in run._repr_mimebundle_()["text/plain"]
    assert "after 2 attempts" not in str(run.diff())


def test_guard_that_fails_at_the_start_refuses_the_run() -> None:
    """It says which edge."""
    edges = {"s": {"from": "$start", "to": "a", "guard": {"op": "path", "args": ["log", []]}}}

    with pytest.raises(gn.GuardError, match=r"graph 'tea', edge 's' from the start, guard .* is a path alone"):
        graph(written("a", edges=edges), a=gives({})).run()


def test_advice_is_one_that_documents_can_follow() -> None:
    """About limits, and about totals beyond all numbers."""
    edges = {"s": {"from": "$start", "to": "a"}, "e": {"from": "a", "to": "a"}}
    with pytest.raises(gn.MaxSuperstepsExceeded, match="max_supersteps in the document's policies"):
        graph(written("a", edges=edges, policies={"max_supersteps": 2}), a=gives({})).run()
    with pytest.raises(gn.ReducerError, match="Let the nodes write smaller numbers") as failed:
        graph(written("a", "b"), a=gives({"total": 10**400}), b=gives({"total": 1.5})).run()

    assert "Replace" not in str(failed.value)


def test_nodes_that_had_finished_when_the_fold_failed_are_told() -> None:
    """As dropped, those of an earlier attempt among them, and one that was to be tried later as stopped."""
    nodes = {"a": gives({"total": 1e308}), "b": gives({"total": 1e308}), "c": gives({"log": "c"})}
    with pytest.raises(gn.ReducerError) as folded:
        graph(written("a", "b", "c"), **nodes).run()
    document = written("a", "b", "c", nodes={"a": tries(2), "c": tries(2, 60_000)})
    with pytest.raises(gn.NodeException) as failed:
        graph(document, a=fails_below(9, {}), b=gives({"log": "b"}), c=fails_below(9, {})).run()
    traces = [folded.value.run.trace, failed.value.run.trace]

    assert [["a"], ["a"]] == [[each.node for each in trace.failures] for trace in traces]
    assert [[("b", "dropped"), ("c", "dropped")], [("b", "dropped"), ("c", "stopped")]] == [
        [(each.node, each.fate) for each in trace.open_steps] for trace in traces
    ]
    assert ("a", "b", "c") == traces[0].execution_order


def test_step_that_cannot_begin_fails_the_run() -> None:
    """As where an asynchronous node would wait for itself; the run knows why it failed."""
    inner = graph(written("a"), a=asynchronous(gives({})))
    caught: list[gn.Run] = []

    async def outer(view: Any, context: gn.NodeContext) -> Any:
        with pytest.raises(gn.NodeException, match=r"Write: await graph\.arun") as failed:
            inner.run()
        caught.append(failed.value.run)
        return {}

    graph(written("a"), a=outer).run()

    assert [("failed", "node_failed", "a")] == [(run.status, run.fault.code, run.fault.node) for run in caught]


def test_failures_are_put_into_words_once() -> None:
    """However often a node is tried."""
    texts: list[int] = []

    class Told(Exception):
        def __str__(self) -> str:
            texts.append(1)
            return "told"

    def node(view: Any, context: gn.NodeContext) -> Any:
        if context.attempt < 40:
            raise Told
        return {}

    execution = begin(plan(written("a", nodes={"a": tries(40)}), a=node), {})
    execute(execution)

    assert ["Told: told"] * 39 == [each.failures["a"] for each in execution.log.parkings]
    assert len(texts) < 39 * 5
