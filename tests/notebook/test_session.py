"""A run in steps."""

import asyncio
import gc
import weakref
from typing import Annotated, Any

import pytest

import graphnb as gn


class Diary(gn.State):
    n: int = 0
    items: list[int] = []
    log: Annotated[list[Any], gn.append] = []


def node(word: str) -> Any:
    """A plain node that writes the word."""
    return lambda s: {"log": [word]}


def later(word: str) -> Any:
    """An asynchronous node that writes the word."""

    async def write(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"log": [word]}

    return write


def line(*nodes: Any, name: str = "line") -> gn.Graph:
    """A graph of the nodes in a line, called n0, n1 and so on."""
    graph = gn.Graph(Diary, entry="n0", name=name)
    for i, each in enumerate(nodes):
        graph.node(f"n{i}", each, to=f"n{i + 1}" if i + 1 < len(nodes) else gn.END)
    return graph


def test_step_runs_one_node_up_to_its_commit_and_its_edge():
    """Nothing of the next node has run; the state is that after the commit, and the target is known."""
    called = []
    session = line(lambda s: called.append("a") or {"n": 1}, lambda s: called.append("b") or {"n": 2}).session()

    assert [] == called

    step = session.step()

    assert ["a"] == called
    assert (0, "n0", ("n1",)) == (step.number, step.path, step.targets)
    assert (1, 1) == (session.state.n, step.after.n)
    assert ("running", False) == (session.run.status, session.is_finished)


def test_last_step_ends_the_run():
    """With the node that leads to the end the run is done, and `last_run` is set."""
    graph = line(node("a"), node("b"))
    session = graph.session()
    session.step()

    assert graph.last_run is None

    session.step()

    assert (True, "done") == (session.is_finished, session.run.status)
    assert session.run is graph.last_run
    assert session.run == graph.run()


def test_step_after_the_end_is_none():
    """And changes nothing."""
    session = line(node("a")).session()
    session.step()
    run = session.run

    assert session.step() is None
    assert session.run is run


def test_session_starts_like_a_run():
    """From fields by name or from an instance, with options; a wrong start is refused at once."""
    graph = line(node("a"))

    assert 5 == graph.session(n=5).finish().state.n
    assert 6 == graph.session(Diary(n=6), max_steps=1).finish().state.n
    with pytest.raises(gn.StateValidationError):
        graph.session(n="x")


def test_iteration_goes_to_the_end():
    """`for step in session` gives every outermost step."""
    session = line(node("a"), later("b"), node("c")).session()

    assert ["n0", "n1", "n2"] == [step.node for step in session]
    assert ["a", "b", "c"] == session.state.log


def test_iteration_may_be_left_and_resumed():
    """A session goes on where it stands."""
    session = line(node("a"), node("b"), node("c")).session()
    for step in session:
        if step.node == "n1":
            break

    assert (["a", "b"], ["n2"]) == (session.state.log, [step.node for step in session])


async def test_asynchronous_nodes_are_stepped_inside_a_running_loop():
    """In a cell a loop is running; steps work there all the same."""
    session = line(later("a"), later("b")).session()
    session.step()

    assert ["a"] == session.state.log
    assert ["a", "b"] == session.finish().state.log


def nested() -> gn.Graph:
    """A fan-out over a graph, then a subgraph, then a plain node."""
    inner = line(node("x"), node("y"), name="inner")
    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", inner, count=2, collect="n", into="log", concurrency=1, to="sub")
    graph.subgraph("sub", inner, to="last")
    graph.node("last", node("z"), to=gn.END)
    return graph


def test_step_runs_everything_inside_a_node():
    """Inner graphs belong to the step of the node that runs them; numbers are those of the whole run."""
    session = nested().session()
    stepped = list(session)

    assert [(0, "each"), (6, "sub"), (7, "last")] == [(step.number, step.path) for step in stepped]
    assert stepped == [step for step in session.run.steps if not step.parents]


def test_asynchronous_router_is_asked_within_its_step():
    """The step is over when the edge has chosen, whatever kind the router is."""

    async def route(s: Any) -> Any:
        return gn.END

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node("a"))
    graph.branch("a", route, to=(gn.END,))
    session = graph.session()
    step = session.step()

    assert (gn.END,) == step.targets
    assert session.is_finished


def test_empty_fan_out_is_a_step_of_its_own():
    """A node that needs no call at all is not passed over together with the one before it."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node("a"), to="each")
    graph.fan_out("each", abs, over="items", into="log", on_empty="noop", to="b")
    graph.node("b", node("b"), to=gn.END)

    assert ["a", "each", "b"] == [step.node for step in graph.session()]


def test_failure_comes_with_the_step_that_fails():
    """The step before it was given; the error has the run, which has ended."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node("a"), to="each")
    graph.fan_out("each", abs, over="items", into="log", to=gn.END)
    session = graph.session()

    assert "a" == session.step().node
    with pytest.raises(gn.FanOutError) as caught:
        session.step()

    assert session.is_finished
    assert session.run is caught.value.run is graph.last_run
    assert ("failed", ["a"], caught.value) == (session.run.status, session.state.log, session.run.error)
    assert session.step() is None


def test_router_that_fails_keeps_its_commit():
    """The node's update stands, as in a run."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node("a"))
    graph.branch("a", lambda s: "nowhere")
    session = graph.session()
    with pytest.raises(gn.RoutingError):
        session.step()

    assert (["a"], ["a"]) == (session.state.log, [step.node for step in session.run.steps])


def test_limit_is_told_by_the_step_that_would_pass_it():
    """The last allowed step is given first."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node("a"), to="a")
    session = graph.session(max_steps=2)

    assert ["a", "a"] == [session.step().node, session.step().node]
    with pytest.raises(gn.MaxSuperstepsExceeded):
        session.step()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()])
def test_interruption_ends_the_session(error):
    """It is raised with the run so far."""

    def interrupt(s: Any) -> None:
        raise error

    session = line(node("a"), interrupt).session()
    session.step()
    with pytest.raises(type(error)) as caught:
        session.step()

    assert session.run is caught.value.run
    assert ("cancelled", ["a"]) == (session.run.status, session.state.log)


def test_closing_ends_the_run_where_it_is():
    """Status cancelled, everything kept, no further step; closing twice does nothing more."""
    graph = line(node("a"), node("b"))
    session = graph.session()
    session.step()
    session.close()
    run = session.run
    session.close()

    assert ("cancelled", ["a"]) == (run.status, run.state.log)
    assert session.run is run is graph.last_run
    assert session.step() is None


def test_closing_before_the_first_step():
    """Nothing has run."""
    session = line(node("a")).session()
    session.close()

    assert ("cancelled", ()) == (session.run.status, session.run.steps)


def test_finishing_gives_the_run():
    """`finish` goes to the end, from wherever the session stands, and again."""
    session = line(node("a"), node("b")).session()
    session.step()

    assert ["a", "b"] == session.finish().state.log
    assert session.finish() is session.run


def test_runs_looked_at_on_the_way_do_not_change():
    """`session.run` is what had happened at that moment."""
    session = line(node("a"), node("b")).session()
    start = session.run
    session.step()
    middle = session.run
    session.finish()

    assert ([], ["a"]) == (start.state.log, middle.state.log)
    assert (0, 1) == (len(start.steps), len(middle.steps))
    assert start != middle != session.run


def test_long_session_costs_the_same_at_every_step(monkeypatch):
    """A step looks at its own commit, not at the whole record."""
    looked = []

    def watched(log, index, *, first):
        looked.append(index)
        return walk(log, index, first=first)

    walk = gn.notebook.session.walk_commit
    monkeypatch.setattr("graphnb.notebook.session.walk_commit", watched)
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.branch("a", lambda s: "a" if s.n < 50 else gn.END)
    list(graph.session())

    assert list(range(50)) == looked


class Thing:
    """A value that can be watched."""


def test_dropped_session_frees_its_run():
    """Nobody else holds what has gone through it."""

    class Watched(gn.State):
        thing: Any = None

    graph = gn.Graph(Watched, entry="a")
    graph.node("a", lambda s: {"thing": Thing()}, to="a")
    session = graph.session()
    thing = weakref.ref(session.step().deltas[0].kept.after)

    assert thing() is not None

    del session
    gc.collect()

    assert thing() is None


def test_text_tells_how_far_it_is():
    """What stands in a notebook's output."""
    session = line(node("a"), node("b")).session()
    texts = [repr(session)]
    session.step()
    texts.append(repr(session))
    session.step()
    texts.append(repr(session))

    assert [
        "<Session of 'line': running, 0 steps>",
        "<Session of 'line': running, 1 step>",
        "<Session of 'line': done, 2 steps>",
    ] == texts


def test_session_shows_its_run():
    """In a notebook it looks like the run so far."""
    session = line(node("a")).session()
    session.finish()

    assert session.run._repr_mimebundle_() == session._repr_mimebundle_()
