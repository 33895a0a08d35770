"""The super-step: node, fold, edge; and the limit of steps."""

import asyncio
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.run import begin, execute
from graphnb.trace.log import Log
from graphnb.trace.trace import Trace


class Count(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []
    box: Any = None


def line(**nodes: Any) -> gn.Graph:
    """A graph of the nodes in a line."""
    names = list(nodes)
    graph = gn.Graph(Count, entry=names[0], name="line")
    for name, following in zip(names, [*names[1:], gn.END], strict=True):
        graph.node(name, nodes[name], to=following)
    return graph


def looping(limit: int) -> gn.Graph:
    """A node that calls itself until `n` reaches the limit."""
    graph = gn.Graph(Count, entry="a", name="loop")
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.branch("a", lambda s: "a" if s.n < limit else gn.END, to=("a", gn.END))
    return graph


def test_each_node_sees_the_state_after_the_fold_before_it():
    """Updates are folded one after the other; fields that a node does not name stay."""
    run = line(
        a=lambda s: {"n": s.n + 1, "log": [f"a saw {s.n}"]},
        b=lambda s: {"log": [f"b saw {s.n}"]},
        c=lambda s: {},
    ).run(n=5)

    assert (6, ["a saw 5", "b saw 6"]) == (run.state.n, run.state.log)
    assert [["n", "log"], ["log"], []] == [[delta.field for delta in step.deltas] for step in run.steps]


def test_fold_is_committed_before_the_edge_is_asked():
    """A router sees what its node has written."""
    seen = []
    graph = gn.Graph(Count, entry="a")
    graph.node("a", lambda s: {"n": 7})
    graph.branch("a", lambda s: seen.append(s.n) or gn.END)
    graph.run()

    assert [7] == seen


@pytest.mark.parametrize("is_async", [False, True])
def test_node_that_changes_the_state_in_place_is_stopped(is_async):
    """A list refuses; what cannot refuse is compared after the node has run. Nothing is committed."""

    def change(s: Any) -> dict[str, Any]:
        s.log.append("x")
        return {}

    def change_box(s: Any) -> dict[str, Any]:
        s.box.add("x")
        return {}

    async def change_later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return change_box(s)

    mine = {"mine"}
    with pytest.raises(gn.MutatedState, match="graph 'line', node 'a', step 0: tried to change field 'log' in place"):
        line(a=change).run()
    with pytest.raises(gn.MutatedState, match=r"field 'box' .*the value differs after the node has run") as caught:
        line(a=change_later if is_async else change_box).run(box=mine)

    assert {"mine"} == mine == caught.value.recoverable_state.box
    assert () == caught.value.trace.steps


@pytest.mark.parametrize("given", [[1], None, 5, "text", ("n", 1)])
def test_node_that_returns_no_update_is_told_how_to(given):
    """The error names node, type and value, and shows a dict."""
    with pytest.raises(gn.InvalidUpdate) as caught:
        line(a=lambda s: given).run()

    error = caught.value
    kind = "None" if given is None else type(given).__name__
    assert f"graph 'line', node 'a', step 0: returned {kind}, want a dict of fields: {given!r}" in str(error)
    assert "Return a dict such as {'field': value}, or {} to change nothing." == error.mend == error.args[2]
    assert "node_exception" == error.category


def test_node_that_returns_a_nodes_name_is_told_about_routers():
    """A routing function declared as a node is a common mistake: the error names the call that was meant."""
    with pytest.raises(
        gn.InvalidUpdate, match=r"'b' is a node's name\..*graph\.branch\('a', function, to=\(\.\.\.\)\)"
    ):
        line(a=lambda s: "b", b=lambda s: {}).run()


@pytest.mark.parametrize(
    ("node", "count"), [(lambda s: s, 1), (lambda s: Count(n=s.n + 1), 2)], ids=["its own", "a new one"]
)
def test_node_that_returns_a_state_writes_what_differs(node, count):
    """A whole state means the fields that it changes."""
    graph = gn.Graph(Count, entry="tick")
    graph.node("tick", node, to=gn.END)
    run = graph.run(n=1)

    assert count == run.state.n
    assert [1] * (count - 1) == [len(each.deltas) for each in run.steps if each.deltas]


def test_node_that_returns_a_state_that_refuses_changes_writes_what_differs():
    """Nothing has to be compared afterwards."""

    class Plain(gn.State):
        n: int = 0

    graph = gn.Graph(Plain, entry="tick")
    graph.node("tick", lambda s: Plain(n=s.n + 1), to=gn.END)

    assert 1 == graph.run().state.n


def test_node_that_returns_a_state_which_no_update_expresses_is_refused():
    """A list under append that does not go on where the given one ends."""

    class Log(gn.State):
        lines: Annotated[list[str], gn.append] = []

    graph = gn.Graph(Log, entry="cut")
    graph.node("cut", lambda s: Log(lines=["other"]), to=gn.END)

    with pytest.raises(gn.InvalidUpdate, match=r"node 'cut', step 0: returned a Log whose field 'lines' has changed"):
        graph.run(lines=["one"])


def test_second_wrong_update_is_not_mistaken_for_the_first():
    """What a former step returned plays no part in the message."""
    with pytest.raises(gn.InvalidUpdate, match="node 'b', step 1: returned list") as caught:
        line(a=lambda s: {}, b=lambda s: ["a"]).run()

    assert "node's name" not in str(caught.value)


def interrupted(graph: gn.Graph) -> Trace:
    """The trace of a run that ends with an interruption."""
    with pytest.raises((KeyboardInterrupt, asyncio.CancelledError)) as caught:
        graph.run()
    return caught.value.trace


def stop(s: Any) -> None:
    """Press the stop button."""
    raise KeyboardInterrupt


async def stop_later(s: Any) -> None:
    """The same, asynchronous."""
    await asyncio.sleep(0)
    raise asyncio.CancelledError


@pytest.mark.parametrize("node", [stop, stop_later])
def test_node_in_which_the_run_is_stopped_is_told(node):
    """Beside the steps that completed; it is no failure."""
    trace = interrupted(line(a=lambda s: {}, b=node, c=lambda s: {}))

    assert [(1, "b", True, False)] == [
        (each.number, each.path, each.stopped, each.at_edge) for each in trace.open_steps
    ]
    assert (["a"], ()) == ([step.path for step in trace.steps], trace.failures)


def test_node_whose_fold_is_stopped_is_told():
    """A reducer is user code, and may take long."""

    class Slow(gn.State):
        n: Annotated[int, lambda prior, update: stop(update)] = 0

    graph = gn.Graph(Slow, entry="a")
    graph.node("a", lambda s: {"n": 1}, to=gn.END)
    trace = interrupted(graph)

    assert (["a"], ()) == ([each.path for each in trace.open_steps], trace.steps)


@pytest.mark.parametrize("router", [stop, stop_later])
def test_router_in_which_the_run_is_stopped_is_told_apart(router):
    """Its node has completed and is among the steps; the stop is at the edge."""
    graph = gn.Graph(Count, entry="a")
    graph.node("a", lambda s: {"n": 7})
    graph.branch("a", router, to=("a", gn.END))
    trace = interrupted(graph)

    assert [(0, "a", True)] == [(each.number, each.path, each.at_edge) for each in trace.open_steps]
    assert (["a"], 7) == ([step.path for step in trace.steps], trace.state.n)


def test_session_that_is_closed_between_two_steps_stops_no_node():
    """Nothing was running."""
    session = line(a=lambda s: {}, b=lambda s: {}).session()
    session.step()
    session.close()

    assert ((), "cancelled") == (session.run.trace.open_steps, session.run.status)


def test_work_that_is_dropped_while_a_node_runs_is_stopped_there():
    """Whoever drives it has let go of it, and nobody will ever send the node's result."""
    execution = begin(line(a=lambda s: {}, b=lambda s: {}).compile().plan, {})
    next(execution.work)
    execution.work.send({})
    execution.work.close()

    assert ["b"] == [each.path for each in execution.trace("cancelled").open_steps]


class Watched(list[Any]):
    """Commits that note whether the node was still open when its commit came."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log
        self.open: list[bool] = []

    def append(self, commit: Any) -> None:
        super().append(commit)
        self.open.append(self.log.open is not None)


def test_node_that_runs_graphs_is_open_until_it_is_committed():
    """Otherwise a snapshot taken in between would show nowhere what ran inside; afterwards nothing is open."""
    outer = gn.Graph(Count, entry="sub")
    outer.subgraph("sub", line(a=lambda s: {}), outputs={}, to="each")
    outer.fan_out("each", lambda i: i, count=2, count_into="n", to="last")
    outer.node("last", lambda s: {}, to=gn.END)
    execution = begin(outer.compile().plan, {})
    execution.log.commits = watched = Watched(execution.log)
    execute(execution)

    assert [True, True, False] == watched.open
    assert execution.log.open is None


def test_run_that_ends_at_the_limit_is_done():
    """The limit bounds how many super-steps there are; the last one may lead to the end."""
    for limit in (6, 1):
        run = looping(limit).run(max_steps=limit)

        assert ("done", limit) == (run.status, len(run.steps))


def test_passing_the_limit_keeps_everything():
    """State, steps and the repeating part are on the error, with the option to allow more."""
    with pytest.raises(gn.MaxSuperstepsExceeded) as caught:
        looping(100).run(max_steps=6)

    error = caught.value
    assert "max_supersteps_exceeded" == error.category
    assert "graph 'loop': did not end within 6 super-steps; node 'a' would be next. So far: 'a' 6x" in str(error)
    assert "run(..., max_steps=...)" in str(error)
    assert ("failed", 6, 6) == (error.run.status, len(error.run.steps), error.run.state.n)
    assert 6 == error.recoverable_state.n
    assert ("a", ("a",)) == (error.node, error.path)
    assert ("a",) * 6 == error.trace.execution_order


def test_repeating_part_is_named_node_by_node():
    """The last few nodes are told with how often they ran, in their order."""
    graph = gn.Graph(Count, entry="start")
    graph.node("start", lambda s: {}, to="ping")
    graph.node("ping", lambda s: {}, to="pong")
    graph.node("pong", lambda s: {}, to="ping")
    with pytest.raises(
        gn.MaxSuperstepsExceeded, match=r"node 'ping' would be next. So far: 'ping' 10x, 'pong' 10x"
    ) as caught:
        graph.run(max_steps=21)

    assert ("pong", ("pong",), ("pong", True)) == (
        *(caught.value.node, caught.value.path),
        (caught.value.trace.failures[0].node, caught.value.trace.failures[0].at_edge),
    )


def test_graphs_within_are_bounded_too():
    """A loop inside a subgraph or an instance ends at the same limit, under its own name."""
    outer = gn.Graph(Count, entry="sub", name="outer")
    outer.subgraph("sub", looping(100), to=gn.END)
    with pytest.raises(gn.MaxSuperstepsExceeded, match="graph 'loop': did not end within 5") as caught:
        outer.run(max_steps=5)

    assert ("sub", "a") == caught.value.path
    assert ["sub/a"] * 5 == [step.path for step in caught.value.trace.steps]

    each = gn.Graph(Count, entry="each", name="outer")
    each.fan_out("each", looping(100), count=2, collect="n", into="log", to=gn.END)
    with pytest.raises(gn.NodeException, match="instance 0 failed with MaxSuperstepsExceeded"):
        each.run(max_steps=5)


def test_limit_counts_outermost_steps_alone():
    """Steps inside a subgraph do not use up those of the outer graph."""
    outer = gn.Graph(Count, entry="sub")
    outer.subgraph("sub", looping(4), to="end")
    outer.node("end", lambda s: {}, to=gn.END)

    assert "done" == outer.run(max_steps=4).status


def test_default_limit_is_ten_thousand():
    """Nobody has to set it, and nobody waits for ever."""
    with pytest.raises(gn.MaxSuperstepsExceeded, match="within 10000 super-steps"):
        looping(10**9).run()


@pytest.mark.parametrize("max_steps", [0, -1, True, 2.5, "9"])
def test_limit_that_is_no_limit_raises(max_steps):
    """An int of at least 1 is wanted; nothing has run."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"max_steps is {max_steps!r}\nGive an int of at least 1"):
        looping(1).run(max_steps=max_steps)


@pytest.mark.parametrize("pauses", [False, True])
def test_work_is_pure(pauses):
    """The step asks for every call and makes none: fed with made-up results it runs without any node."""
    plan = line(a=lambda s: 1 / 0, b=lambda s: 1 / 0).compile().plan
    execution = begin(plan, {}, pauses=pauses)
    asked: list[object] = []

    def answered() -> dict[str, Any]:
        """The last values, with an update of our own for every call that is asked for."""
        request = next(execution.work)
        while True:
            asked.append("pause" if request is None else len(execution.log.commits))
            try:
                request = execution.work.send(None if request is None else {"n": len(asked)})
            except StopIteration as stop:
                return stop.value

    assert answered()["n"] == len(asked)
    assert ([0, "pause", 1] if pauses else [0, 1]) == asked


def test_run_of_a_graph_without_fields():
    """An empty state is legal."""

    class Nothing(gn.State):
        pass

    graph = gn.Graph(Nothing, entry="a")
    graph.node("a", lambda s: {}, to=gn.END)

    assert Nothing() == graph.run().state
