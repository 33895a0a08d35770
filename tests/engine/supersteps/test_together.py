"""Several nodes of one super-step: their writes are folded together, and all of them are committed or none."""

import asyncio
import random
import time
from typing import Annotated, Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphnb as gn
from graphnb import step
from tests.engine.driven import DRIVERS, drive, watch
from tests.engine.forks import Log, graph_of, later, rounds, says

END = gn.END


class Mixed(gn.State):
    last: str = ""
    log: Annotated[list[str], gn.append] = []
    entries: Annotated[dict[str, str], gn.merge] = {}
    window: Annotated[list[str], gn.bounded_append(3)] = []
    items: Annotated[list[str], step.append(unique=True, max_length=3)]
    total: Annotated[int, step.sum]
    first: Annotated[str, step.first_value]
    latest: Annotated[str, step.last_value]
    digest: Annotated[str, lambda prior, update: f"({prior}{update})"] = ""


NAMES = ("n1", "n10", "n2", "Z", "b")


def writes(name: str) -> dict[str, Any]:
    """What a node of this name writes to each field."""
    return {
        "last": name, "log": [name], "entries": {"by": name, name: "x"}, "window": [name, name], "items": [name, "x"],
        "total": 1, "first": name, "latest": name, "digest": name,
    }  # fmt: skip


def fork_of(nodes: dict[str, Any], *, state: type = Mixed, **options: Any) -> gn.Graph:
    """A graph whose entry leads to all of these nodes at once, which end there."""
    graph = gn.Graph(state, entry="start", name="fork", **options)
    graph.node("start", lambda s: {}, to=tuple(nodes))
    for name, node in nodes.items():
        graph.node(name, node, to=END)
    return graph


@settings(max_examples=25, deadline=None)
@given(st.permutations(NAMES), st.lists(st.booleans(), min_size=5, max_size=5), st.sampled_from(DRIVERS))
def test_writes_are_folded_in_the_order_of_names_whatever_finishes_first(order, kinds, how):
    """Code points decide: Z before b before n1 before n10 before n2. Plain, asynchronous and mixed nodes."""

    def node(name):
        delay = order.index(name) * 0.002

        async def asleep(s):
            await asyncio.sleep(delay)
            return writes(name)

        def sleeps(s):
            time.sleep(delay)
            return writes(name)

        return asleep if kinds[NAMES.index(name)] else sleeps

    state = drive(fork_of({name: node(name) for name in order}), how).state

    by_name = ["Z", "b", "n1", "n10", "n2"]
    assert "n2" == state.last == state.latest
    assert by_name == state.log
    assert {"by": "n2", **dict.fromkeys(by_name, "x")} == state.entries
    assert list(state.entries) == ["by", *by_name]
    assert ["n10", "n2", "n2"] == state.window
    assert ["n1", "n10", "n2"] == state.items
    assert (5, "Z", "(((((Z)b)n1)n10)n2)") == (state.total, state.first, state.digest)


def test_strict_reducers_fold_one_write_after_the_other_and_the_step_family_all_at_once():
    """`window` is cut after each write; `items` is deduplicated over all of them and cut once."""
    given_ = {"a": ["1", "2"], "b": ["3"], "c": ["4", "1"]}
    nodes = {name: lambda s, each=each: {"window": each, "items": each} for name, each in given_.items()}
    run = fork_of(nodes).run(window=["0"], items=["1"])

    assert ["3", "4", "1"] == run.state.window
    assert ["2", "3", "4"] == run.state.items


def test_replace_among_several_writers_begins_anew():
    """What came before it by name is lost, what comes after it is folded into it."""
    nodes = {
        "a": lambda s: {"log": ["a"], "items": ["a"], "total": 5},
        "b": lambda s: {"log": gn.Replace(["only b"]), "items": gn.Replace(["only b"]), "total": gn.Replace(7)},
        "c": lambda s: {"log": ["c"], "items": "c", "total": 1},
    }
    state = fork_of(nodes).run(log=["before"]).state

    assert (["only b", "c"], ["only b", "c"], 8) == (state.log, state.items, state.total)


def test_one_fold_of_a_field_stands_at_the_last_of_its_writers():
    """A field of several writers is told once; one of a single writer at that."""
    run = fork_of({"a": lambda s: {"log": ["a"], "last": "a"}, "b": lambda s: {"log": ["b"]}, "c": lambda s: {}}).run()

    assert [[], ["last"], ["log"], []] == [[fold.field for fold in each.folds] for each in run.steps]
    assert [["a"], ["b"]] == run.steps[2].deltas[0].written
    assert ([], ["a", "b"]) == (run.steps[2].deltas[0].before, run.steps[2].deltas[0].after)
    assert (run.steps[1].before.log, run.steps[1].after.log) == ([], ["a", "b"])


class Bounded(gn.State):
    low: int = 0
    high: int = 10
    log: Annotated[list[str], gn.append] = []

    @pydantic.model_validator(mode="after")
    def ordered(self) -> Any:
        """Low stays below high."""
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


def test_class_validators_see_the_state_after_all_writers():
    """What one node writes alone would not fit; with the other's it does, and the other way round."""
    nodes = {"a": lambda s: {"low": 20}, "b": lambda s: {"high": 30}}
    run = fork_of(nodes, state=Bounded).run()
    assert (20, 30) == (run.state.low, run.state.high)

    nodes = {"a": lambda s: {"low": 8}, "b": lambda s: {"high": 5}, "c": lambda s: {"log": ["c"]}}
    with pytest.raises(gn.StateValidationError) as caught:
        fork_of(nodes, state=Bounded).run()
    error = caught.value
    assert "graph 'fork', node 'a', step 1, together with 'b', 'c'" == error.where
    assert "low is above high" in str(error)
    assert ("a", Bounded()) == (error.node, error.recoverable_state)


def test_one_failing_node_drops_the_whole_step():
    """What siblings wrote is not committed, and the log tells that they had finished."""
    graph = fork_of({"a": lambda s: {"log": ["a"]}, "b": lambda s: 1 / 0, "c": later(lambda s: {"log": ["c"]})})
    with pytest.raises(gn.NodeException, match="graph 'fork', node 'b', step 1: raised ZeroDivisionError") as caught:
        graph.run(log=["before"])

    error, run = caught.value, caught.value.run
    assert ("b", ("b",), ["before"]) == (error.node, error.path, error.recoverable_state.log)
    assert ("failed", ["before"], ["start"]) == (run.status, run.state.log, rounds(run))
    assert [(1, "b", False)] == [(each.number, each.path, each.at_edge) for each in run.trace.failures]
    assert [(1, "a", "dropped"), (1, "c", "dropped")] == [(e.number, e.path, e.fate) for e in run.trace.open_steps]
    assert ("start", "a", "b", "c") == run.trace.execution_order
    assert () == error.problems


def test_several_failing_nodes_are_all_told_and_the_first_by_name_is_raised():
    """Its `problems` are the errors of all; the message names the others."""

    def fails(s):
        time.sleep(0.01)
        raise LookupError("late but first")

    async def fails_later(s):
        raise ValueError("soon")

    graph = fork_of({"c": lambda s: {"log": ["c"]}, "b": fails_later, "a": fails, "d": lambda s: {"nope": 1}})
    with pytest.raises(gn.NodeException, match="late but first") as caught:
        graph.run()

    error = caught.value
    assert ["a", "b"] == [each.node for each in error.problems]
    assert error is error.problems[0]
    assert "Also graph 'fork', node 'b', step 1: raised ValueError: soon" in str(error)
    assert ["a", "b"] == [each.path for each in error.trace.failures]
    assert ["c", "d"] == [each.path for each in error.trace.open_steps]


def test_several_wrong_updates_are_all_told():
    """Wrong fields, wrong types and what is no update: each under its node, the first by name is raised."""
    nodes = {
        "a": lambda s: {"last": "fine"},
        "b": lambda s: {"nope": 1},
        "c": lambda s: 7,
        "d": lambda s: {"log": "text"},
        "e": lambda s: {"total": "text"},
        "f": lambda s: gn.interrupt("nope"),
    }
    with pytest.raises(gn.StateValidationError, match="node 'b', step 1: 'nope' is no field") as caught:
        fork_of(nodes).run()

    told = [(each.node, type(each.error).__name__) for each in caught.value.trace.failures]
    assert [
        ("b", "StateValidationError"), ("c", "InvalidUpdate"), ("d", "ReducerError"), ("e", "StateValidationError"),
        ("f", "InvalidUpdate"),
    ] == told  # fmt: skip
    assert ["b", "c", "d", "e", "f"] == [each.node for each in caught.value.problems]
    assert all(f"node '{each.node}', step 1" in each.where for each in caught.value.problems)
    assert ["a"] == [each.node for each in caught.value.trace.open_steps]
    assert "Return a dict" in caught.value.problems[1].mend


def test_error_of_the_common_fold_names_those_who_wrote_the_field():
    """A sum that overflows: the first of its writers is at fault, together with the others."""

    class Sum(gn.State):
        total: Annotated[float, step.sum]
        log: Annotated[list[str], gn.append] = []

    nodes = {"a": lambda s: {"log": ["a"]}, "b": lambda s: {"total": 1e308}, "c": lambda s: {"total": 1e308}}
    with pytest.raises(gn.ReducerError) as caught:
        fork_of(nodes, state=Sum).run()

    assert "graph 'fork', node 'b', step 1, together with 'c'" == caught.value.where
    assert ("b", ("b",), "total") == (caught.value.node, caught.value.path, caught.value.field)
    assert [("b", False)] == [(each.node, each.at_edge) for each in caught.value.trace.failures]
    assert ["a", "c"] == [each.node for each in caught.value.trace.open_steps]


def test_error_of_a_step_of_which_one_node_wrote_names_that_node():
    """The others have asked, or written nothing."""
    nodes = {"a": lambda s: gn.interrupt("last"), "b": lambda s: {"log": "text"}}
    with pytest.raises(gn.ReducerError, match="node 'b', step 1: field 'log'") as caught:
        fork_of(nodes).run()

    assert "b" == caught.value.node
    assert () == caught.value.trace.pending


def test_custom_reducer_that_raises_names_its_node():
    """It is called with one update after the other, so one of the writers is at fault."""

    class Picky(gn.State):
        word: Annotated[str, lambda prior, update: prior + update[0]] = ""

    with pytest.raises(gn.ReducerError, match="node 'b', step 1: field 'word'") as caught:
        fork_of({"a": lambda s: {"word": "x"}, "b": lambda s: {"word": ""}}, state=Picky).run()

    assert "b" == caught.value.node


@pytest.mark.parametrize("how", DRIVERS)
def test_all_kinds_of_nodes_may_be_part_of_a_step(how):
    """A function, a subgraph, a fan-out over a graph and over a function, and parallel branches, folded by name."""

    class Outer(gn.State):
        items: list[int] = [1, 2]
        n: int = 0
        log: Annotated[list[str], gn.append] = []
        found: Annotated[list[Any], step.append]

    inner = graph_of({"x": "y", "y": END}, entry="x", name="inner")
    graph = gn.Graph(Outer, entry="start")
    graph.node("start", lambda s: {}, to=("a", "b", "c", "d", "e"))
    graph.node("a", later(lambda s: {"log": ["a"], "found": 1}), to=END)
    graph.subgraph("b", inner, outputs={"log": "log"}, to=END)
    graph.fan_out("c", inner, over="items", item="n", collect="total", into="found", to=END)
    graph.fan_out("d", lambda item: item * 10, over="items", into="found", to=END)
    one, two = (lambda s: {"log": ["one"], "found": "one"}), (lambda s: {"log": ["two"]})
    graph.branches("e", {"two": two, "one": one}, to=END)
    run = drive(graph, how)

    assert ["a", "x", "y", "two", "one"] == run.state.log
    assert [1, 2, 2, 10, 20, "one"] == run.state.found
    assert ["start", "a+b+c+d+e"] == rounds(run)
    assert ["a", "b", "b/x", "b/y", "c", "c[0]/x", "c[0]/y", "c[1]/x", "c[1]/y", "d", "e"] == [
        each.path for each in run.steps[1:]
    ]
    assert [1, 1, 2, 3, 1, 4, 5, 6, 7, 1, 1] == [each.number for each in run.steps[1:]]


def test_branches_that_middleware_is_around_keep_what_siblings_wrote():
    """Each branch's write is folded in its place, as without middleware; what middleware adds comes after them."""

    def through(state, following):
        return {**following(state), "last": "middleware"}

    for layers in ((), (lambda state, following: following(state),), (through,)):
        graph = gn.Graph(Mixed, entry="start")
        graph.node("start", lambda s: {}, to=("a", "b", "c"))
        graph.node("a", lambda s: writes("a"), to=END)
        branches = {"x": lambda s: {"log": ["x"], "total": 2}, "y": lambda s: {"log": ["y"]}}
        graph.branches("b", branches, middleware=layers, to=END)
        graph.node("c", lambda s: {"log": ["c"]}, to=END)
        state = graph.run().state

        assert ["a", "x", "y", "c"] == state.log
        assert (3, "middleware" if through in layers else "a") == (state.total, state.last)


def test_branches_of_which_none_ran_are_part_of_a_step():
    """They contribute nothing."""
    graph = gn.Graph(Mixed, entry="start")
    graph.node("start", lambda s: {}, to=("a", "b"))
    never = gn.ParallelBranch(lambda s: {"log": ["x"]}, when=lambda s: False)
    graph.branches("a", {"x": never}, to=END)
    graph.branches("b", {"x": never}, to=END)

    assert [] == graph.run().state.log


def test_middleware_is_around_each_node_of_a_step():
    """Retries, isolated failures and answers in place of a node are told at its own step."""
    left = [1, 2]

    def flaky(s):
        if left:
            raise ConnectionError(f"busy {left.pop()}")
        return {"log": ["flaky"]}

    def broken(s):
        raise ValueError("broken")

    def cached(state, following):
        return {"log": ["cached"]}

    always = gn.retry(3, classifier=lambda error, s: True, backoff=0)
    seen = []
    graph = gn.Graph(Mixed, entry="start", middleware=[gn.timing(lambda record: seen.append(record.node_name))])
    graph.node("start", lambda s: {}, to=("a", "b", "c", "d"))
    graph.node("a", flaky, middleware=[always], to=END)
    isolated = gn.failure_isolation({"log": ["isolated"]}, event_name="broken")
    graph.node("b", later(broken), middleware=[isolated, gn.retry(2, classifier=lambda e, s: True, backoff=0)], to=END)
    graph.node("c", says("c"), middleware=[cached], to=END)
    graph.node("d", lambda s: {"log": ["d"]}, to=END)
    run = graph.run()

    assert ["flaky", "isolated", "cached", "d"] == run.state.log
    told = {each.node: (len(each.failures), each.is_entered, each.is_degraded) for each in run.steps[1:]}
    assert {"a": (2, True, False), "b": (2, True, True), "c": (0, False, False), "d": (0, True, False)} == told
    assert ["a", "b", "c", "d", "start"] == sorted(seen)
    assert ("start", "a", "b", "d") == run.trace.execution_order


@pytest.mark.parametrize("update", [None, 3, ["log"], gn.interrupt("last")])
def test_middleware_may_give_anything_around_a_fan_out(update):
    """What is no update is refused, in words; an interrupt is taken."""
    graph = gn.Graph(Mixed, entry="start")
    graph.node("start", lambda s: {}, to=("a", "b"))
    graph.fan_out("a", lambda i: "x", count=2, into="log", middleware=[lambda s, following: (following(s), update)[1]],
                  to=END)  # fmt: skip
    graph.node("b", lambda s: {"log": ["b"]}, to=END)
    if isinstance(update, gn.Interrupt):
        assert ("waiting", ["b"]) == (graph.run().status, graph.run().state.log)
        return
    with pytest.raises(gn.InvalidUpdate, match="node 'a', step 1: returned") as caught:
        graph.run()

    assert [2] == [each.instances.count for each in caught.value.trace.failures]


@pytest.mark.parametrize("how", DRIVERS)
def test_observers_are_told_of_every_node_of_a_step(how):
    """All share a step; each starts with the state before the step, and completes with that after the common fold."""
    graph = fork_of({"a": lambda s: {"log": ["a"]}, "b": later(lambda s: {"log": ["b"]})})
    driven = watch(graph, how)

    assert [("started", 1, [], None), ("completed", 1, [], ["a", "b"])] * 2 == [
        (e.phase, e.step, e.pre_state.log, e.post_state and e.post_state.log)
        for name in "ab"
        for e in driven.events
        if e.node_name == name
    ]
    assert {"started": 3, "completed": 3} == {phase: len(driven.of(phase)) for phase in ("started", "completed")}


def test_observers_number_steps_as_the_trace_does():
    """Nodes within a subgraph of a step come behind it; the next step behind these."""
    inner = graph_of({"x": "y", "y": END}, entry="x", name="inner")
    graph = gn.Graph(Log, entry="a")
    graph.node("a", says("a"), to=("b", "c"))
    graph.subgraph("b", inner)
    graph.node("c", says("c"))
    graph.edge(("b", "c"), "z")
    graph.node("z", says("z"), to=END)
    driven = watch(graph)

    told = {("/".join(e.lineage.namespace), e.step) for e in driven.events}
    assert {(each.path, each.number) for each in driven.run.steps if each.path != "b"} == told


def test_observers_are_told_of_the_node_that_failed_and_not_of_the_end_of_one_that_was_dropped():
    """The failed attempt completes with its error; the dropped one never completes."""
    driven = watch(fork_of({"a": lambda s: {"log": ["a"]}, "b": lambda s: 1 / 0}))
    assert {
        ("started", "start"),
        ("completed", "start"),
        ("started", "a"),
        ("started", "b"),
        ("completed", "b"),
    } == set(driven.told)
    assert "node_exception" == driven.of("completed")[-1].error.category

    driven = watch(fork_of({"a": lambda s: {"log": ["a"]}, "b": lambda s: {"nope": 1}, "c": lambda s: {"nope": 2}}))
    ended = [(e.node_name, e.error.category) for e in driven.of("completed") if e.error]
    assert [("b", "state_validation_error"), ("c", "state_validation_error")] == ended


def test_random_delays_never_show():
    """The same nodes, finishing in another order each time: equal runs."""

    def node(name):
        def sleeps(s):
            time.sleep(random.random() * 0.004)
            return writes(name)

        return sleeps

    graph = fork_of({name: node(name) for name in NAMES})
    assert graph.run() == graph.run() == graph.run()


def test_run_with_asynchronous_nodes_inside_an_asynchronous_node_is_refused_in_words():
    """Plain and asynchronous nodes of one step cannot be run where the loop that would await them is held up."""
    inner = fork_of({"a": lambda s: {}, "b": later(lambda s: {})})

    async def runs(s):
        inner.run()
        return {}

    graph = gn.Graph(Mixed, entry="x")
    graph.node("x", runs, to=END)
    with pytest.raises(gn.NodeException, match="was called from an asynchronous node") as caught:
        graph.run()

    inside = caught.value.__cause__
    assert ("a", ["a"]) == (inside.node, [each.node for each in inside.run.trace.failures])


@pytest.mark.filterwarnings("ignore::graphnb.UnfitWriteWarning")
def test_what_ran_inside_of_nodes_of_a_step_that_failed_is_told():
    """Of those that had finished as well as of the one that failed; a node that middleware answered was not entered."""
    inner = graph_of({"x": "y", "y": END}, entry="x", name="inner")
    broken = graph_of({"x": "y", "y": END}, entry="x", y=lambda s: 1 / 0, name="broken")
    graph = gn.Graph(Mixed, entry="start", name="fork")
    graph.node("start", lambda s: {}, to=("a", "b", "c", "d", "e"))
    graph.subgraph("a", inner, to=END)
    graph.fan_out("b", inner, count=1, collect="log", into="log", to=END)
    graph.subgraph("c", broken, to=END)
    graph.node("d", says("d"), middleware=[lambda s, following: {}], to=END)
    graph.fan_out("e", broken, count=1, collect="log", into="log", to=END)
    with pytest.raises(gn.NodeException, match="graph 'fork', node 'c', step 1, graph 'broken', node 'y'") as caught:
        graph.run()

    trace = caught.value.trace
    assert ["start", "a/x", "a/y", "b[0]/x", "b[0]/y", "c/x", "e[0]/x"] == [each.path for each in trace.steps]
    assert ["c/y", "c", "e", "e[0]/y"] == [each.path for each in trace.failures]
    assert [("a", "dropped"), ("b", "dropped"), ("d", "dropped")] == [(e.path, e.fate) for e in trace.open_steps]
    assert ("start", "a", "b", "c", "e") == trace.execution_order
    assert ("c", "y") == caught.value.path


def test_field_that_a_class_validator_changes_stands_at_the_last_writer():
    """Nobody wrote it; it is told once, under the validator, and counts as changed."""

    class Counted(gn.State):
        log: Annotated[list[str], gn.append] = []
        count: int = 0

        @pydantic.model_validator(mode="before")
        @classmethod
        def counted(cls, given: Any) -> Any:
            """Count the entries."""
            return {**given, "count": len(given.get("log", []))}

    graph = gn.Graph(Counted, entry="a")
    graph.node("a", lambda s: {}, to=("b", "c", "d"))
    graph.node("b", lambda s: {"log": ["b"]})
    graph.node("c", lambda s: {"log": ["c"]}, to=END)
    graph.node("d", lambda s: {}, to=END)
    graph.edge("b", "z", when=gn.field("count").changed() & (gn.field("count") == 2))
    graph.node("z", lambda s: {}, to=END)
    run = graph.run()

    assert ["a", "b+c+d", "z"] == rounds(run)
    told = {each.node: [(fold.field, fold.reducer) for fold in each.folds] for each in run.steps if each.folds}
    assert {"c": [("log", "append"), ("count", "validator")]} == told
    assert 2 == run.state.count
