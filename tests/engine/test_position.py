"""Replay: whatever a run did follows from its log, so it goes on from any super-step as if nothing had been."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphnb as gn
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.observers.scope import Scope
from graphnb.engine.position import position_of
from graphnb.engine.step import run_graph
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.plan import Plan
from graphnb.trace.comparing.equality import are_logs_same
from graphnb.trace.log import Log as RunLog
from graphnb.trace.log import end_of_step
from tests.engine.forks import Log, graph_of, rounds, says

END = gn.END


def cut(log: RunLog, count: int) -> RunLog:
    """The first commits of a log and their routes, as if the run had ended there."""
    own = RunLog(log.graph, log.schema, log.start, is_outermost=True)
    own.commits, own.routes = log.commits[:count], log.routes[:count]
    own.joined = sum(each.is_joined or type(each.interrupt) is Answer for each in own.commits)
    return own


def boundaries(log: RunLog) -> list[int]:
    """How many commits there were before each super-step, and at the end."""
    found = [0]
    while found[-1] < len(log.commits):
        found.append(end_of_step(log.commits, found[-1]))
    return found


def go_on(plan: Plan, log: RunLog) -> RunLog:
    """The log after it was driven on to its end."""
    drive(run_graph(plan, log, scope=Scope(50)), Host())
    return log


def told(log: RunLog) -> list[Any]:
    """All that a log says, as plain values."""
    return [
        (each.node, [(fold.field, fold.reducer) for fold in each.folds], each.is_joined, each.interrupt, route)
        for each, route in zip(log.commits, log.routes, strict=True)
    ]


def assert_goes_on(graph: gn.Graph, log: RunLog) -> None:
    """From every boundary the very same log comes of it, unless an answer is what comes next."""
    plan = graph.compile().plan
    for count in boundaries(log):
        if count < len(log.commits) and isinstance(log.commits[count].interrupt, Answer):
            continue
        again = go_on(plan, cut(log, count))
        upto = next((i for i in range(count, len(log.commits)) if isinstance(log.commits[i].interrupt, Answer)), None)
        assert told(cut(log, len(log.commits) if upto is None else upto)) == told(again)
        if upto is None:
            assert are_logs_same(log, again)
            assert log.step == again.step


NAMES = "abcdef"
TARGETS = st.sampled_from([*NAMES, END])


@st.composite
def drawn_edges(draw: st.DrawFn) -> list[tuple[Any, Any, Any]]:
    """Edges of a graph of six nodes: forks, joins, guarded ones and routers that count."""
    edges: list[tuple[Any, Any, Any]] = []
    free = list(draw(st.permutations(NAMES)))
    while free:
        kind = draw(st.sampled_from(["fork", "join", "guards", "router"]))
        source = free.pop()
        several = draw(st.lists(TARGETS, min_size=1, max_size=3, unique=True))
        if kind == "join" and free:
            edges.append(
                (kind, (source, *[free.pop() for _ in range(min(len(free), draw(st.integers(1, 2))))]), several)
            )
        else:
            edges.append((kind, source, several))
    return edges


def until(most: int) -> Any:
    """A guard that holds as long as the total is small: so every run ends."""
    return lambda s: s.total < most


def drawn_graph(edges: list[tuple[Any, Any, Any]]) -> gn.Graph:
    """The graph of drawn edges; what may go round is guarded by the total."""
    graph = gn.Graph(Log, entry="start", name="drawn")
    graph.node("start", lambda s: {"log": ["start"]})
    graph.branch("start", lambda s: tuple(NAMES[:3]))  # may lead anywhere, so that every node counts as reached
    for name in NAMES:
        graph.node(name, says(name))
    for kind, source, targets in edges:
        if kind == "router":
            graph.branch(source, lambda s, targets=tuple(targets): targets if s.total < 8 else END)
        elif kind == "guards":
            for i, target in enumerate(targets):
                graph.edge(source, target, when=until(6 + 3 * i) if i else ~gn.field("total").changed() | until_guard())
        else:
            graph.edge(source, tuple(targets), when=until(10))
    return graph


def until_guard() -> Any:
    """A guard object that holds in the first rounds."""
    return ~(gn.field("total").version >= 5)


@settings(max_examples=60, deadline=None)
@given(drawn_edges())
def test_run_goes_on_from_any_super_step_as_if_undisturbed(edges):
    """Random graphs with forks, joins, guards and routers: the rest of the log is the very same."""
    graph = drawn_graph(edges)

    assert_goes_on(graph, graph.run(max_steps=50).trace.log)


def test_run_with_joins_in_a_cycle_goes_on_from_any_super_step():
    """What has arrived at a join is told by the log."""
    graph = graph_of(
        {"a": ("b", "c"), "c": "d", ("b", "d"): "z", "z": lambda s: ("a", "b") if s.log.count("z") < 3 else END}
    )
    log = graph.run().trace.log

    assert 5 < len(boundaries(log))
    assert_goes_on(graph, log)


@pytest.mark.parametrize("first", ["g", "h"])
def test_run_with_interrupts_goes_on_from_any_super_step(first):
    """Open ones, answered ones, and nodes that wait for their turn again."""

    def asks(name):
        return lambda s: {"log": [name]} if f"{name}!" in s.seen else gn.interrupt("seen", name)

    graph = graph_of({"a": ("g", "h", "c"), ("g", "h", "c"): "z", "z": END}, g=asks("g"), h=asks("h"))
    run = graph.run()
    second = "h" if first == "g" else "g"
    for name in (first, second):
        run = run.resume({f"1:{name}": f"{name}!"})
    assert ["a", "c+g?+h?", f"{first}!", first, f"{second}!", second, "z"] == rounds(run)

    assert_goes_on(graph, run.trace.log)


def test_linear_run_goes_on_from_any_step():
    """One node at a time is a super-step as well."""
    graph = graph_of({"a": "b", "b": lambda s: "a" if s.total < 6 else END})

    assert_goes_on(graph, graph.run().trace.log)


def test_position_tells_values_versions_and_what_has_arrived():
    """After each super-step what the next one needs."""
    graph = graph_of({"a": ("b", "c"), "c": "d", ("b", "d"): "z", "z": END})
    log, plan = graph.run().trace.log, graph.compile().plan

    def at(count):
        position = position_of(plan, cut(log, count))
        arrived = {join: sorted(sources) for join, sources in position.arrived.items()}
        return position.step, position.active, arrived, position.versions.get("log", 0), sorted(position.changed)

    assert [
        (0, ("a",), {}, 0, []),
        (1, ("b", "c"), {}, 1, ["log", "total"]),
        (2, ("d",), {"b+d-z": ["b"]}, 2, ["log", "total"]),
        (3, ("z",), {}, 3, ["log", "total"]),
        (4, (), {}, 4, ["log", "total"]),
    ] == [at(count) for count in boundaries(log)]
    assert {"b": ["b+d-z"], "d": ["b+d-z"]} == {
        source: [link.id for link in links] for source, links in position_of(plan, log).joins.items()
    }


def test_position_tells_open_and_answered_interrupts():
    """An answered node is to run; a trigger that reaches a waiting one is dropped."""
    graph = gn.Graph(Log, entry="a", name="fork")
    graph.node("a", says("a"), to=("g", "b"))
    graph.node("g", lambda s: {"log": ["g"]} if s.seen else gn.interrupt("seen"), to=END)
    graph.node("b", says("b"), to="g")
    run = graph.run()
    plan, log = graph.compile().plan, run.trace.log

    position = position_of(plan, log)
    assert (frozenset({"g"}), (), ["1:g"]) == (position.targets, position.active, list(position.open))
    assert isinstance(position.open["1:g"], Interrupt)
    done = run.resume("x")
    position = position_of(plan, cut(done.trace.log, len(log.commits) + 1))
    assert (("g",), {}, {"1:g"}) == (position.active, position.open, position.ids)
    assert ["a", "b+g?", "g!", "g"] == rounds(done)
