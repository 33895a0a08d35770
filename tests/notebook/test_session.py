"""A run in steps."""

import asyncio
import gc
import threading
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
    """With the node that leads to the end the run is done; `last_run` is the session's run throughout."""
    graph = line(node("a"), node("b"))
    session = graph.session()
    session.step()

    assert ("running", session.run) == (graph.last_run.status, graph.last_run)

    session.step()

    assert (True, "done") == (session.is_finished, session.run.status)
    assert session.run is graph.last_run
    assert session.run == graph.run()


@pytest.mark.parametrize("verb", ["step", "close", "finish"])
def test_session_is_driven_by_one_at_a_time(verb):
    """Within a node of its own step it refuses in words; the step itself goes on."""
    refused: list[str] = []
    sessions: list[Any] = []

    def greedy(s: Any) -> dict[str, Any]:
        with pytest.raises(gn.GraphError) as caught:
            getattr(sessions[0], verb)()
        refused.append(str(caught.value))
        return {"n": 1}

    sessions.append(line(greedy, node("b")).session())
    step = sessions[0].step()

    said = "close" if verb == "close" else "step"
    assert refused[0].startswith(f"graph 'line', session.{said}: was called while a step of this session is under way")
    assert ("n0", 1, "running") == (step.path, sessions[0].state.n, sessions[0].run.status)
    assert "done" == sessions[0].finish().status


def test_step_of_another_thread_is_refused_while_one_is_under_way():
    """It leaves the run alone, which comes to its end as if nobody had tried."""
    entered, let_go = threading.Event(), threading.Event()

    def slow(s: Any) -> dict[str, Any]:
        entered.set()
        let_go.wait(20)
        return {"n": 1}

    session = line(slow).session()
    steps: list[Any] = []
    thread = threading.Thread(target=lambda: steps.append(session.step()))
    thread.start()
    entered.wait(20)
    with pytest.raises(gn.GraphError, match="under way\nLet the step come to its end first"):
        session.step()
    let_go.set()
    thread.join(20)

    assert ["n0"] == [each.path for each in steps]
    assert ("done", 1) == (session.run.status, session.state.n)


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


def test_branches_that_are_functions_take_numbers_of_a_session_too():
    """They have no steps of their own in the log, and events that are numbered."""
    graph = gn.Graph(Diary, entry="both")
    graph.branches("both", {"x": node("x"), "y": node("y")}, to="last")
    graph.node("last", node("z"), to=gn.END)
    session = graph.session()

    assert [(0, "both"), (3, "last")] == [(step.number, step.path) for step in session]
    assert [0, 3] == [step.number for step in session.run.steps]


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


def fail(s: Any) -> None:
    """A node that fails."""
    raise ValueError("no luck")


@pytest.mark.parametrize("go_on", [gn.Session.step, gn.Session.finish, list], ids=["step", "finish", "for"])
def test_going_on_after_a_failure_raises_it_again(go_on):
    """Whoever asks once more is not told that all was well; the run stays as it was, and is closed without a word."""
    called = []
    session = line(node("a"), lambda s: called.append(1) or fail(s), node("c")).session()
    with pytest.raises(gn.NodeException) as caught:
        session.finish()
    run = session.run
    for _ in range(2):
        with pytest.raises(gn.NodeException) as again:
            go_on(session)

        assert again.value is caught.value
    session.close()

    assert [1] == called
    assert session.run is run is caught.value.run


def test_going_on_after_a_fault_of_the_engine_raises_it_again(monkeypatch):
    """An error that nobody foresaw is a failure too."""
    session = line(node("a")).session()
    monkeypatch.setattr("graphnb.engine.run.drive", lambda work, host: fail(work))
    with pytest.raises(ValueError, match="no luck") as caught:
        session.step()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="no luck") as again:
        session.step()

    assert again.value is caught.value
    assert ("failed", ()) == (session.run.status, session.run.steps)


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


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()])
def test_step_after_an_interruption_is_none(error):
    """Somebody has cancelled the run and was told once; to raise it again would interrupt something else."""

    def interrupt(s: Any) -> None:
        raise error

    session = line(node("a"), interrupt).session()
    with pytest.raises(type(error)):
        session.finish()

    assert session.step() is None
    assert [] == list(session)
    assert "cancelled" == session.finish().status


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


def test_run_keeps_its_id_to_the_end():
    """All that is looked at on the way is one run; another session is another."""
    graph = line(node("a"), node("b"))
    session = graph.session()
    seen = [session.run.run_id, graph.last_run.run_id]
    for _ in session:
        seen.append(session.run.run_id)

    assert [session.finish().run_id] * 4 == seen
    assert graph.session().run.run_id != seen[0]


def test_run_keeps_its_id_when_it_is_closed():
    """Or fails."""
    closed, failed = line(node("a")).session(), line(fail).session()
    ids = [closed.run.run_id, failed.run.run_id]
    closed.close()
    with pytest.raises(gn.NodeException) as caught:
        failed.step()

    assert ids == [closed.run.run_id, caught.value.run.run_id]


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

    def watched(log, *, first):
        walked, following = walk(log, first=first)
        looked.append([step.index for step in walked])
        return walked, following

    walk = gn.notebook.session.walk_last
    monkeypatch.setattr("graphnb.notebook.session.walk_last", watched)
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.branch("a", lambda s: "a" if s.n < 50 else gn.END)
    list(graph.session())

    assert [[i] for i in range(50)] == looked


@pytest.mark.parametrize(
    "look", [lambda session: session.state, lambda session: session.run.state], ids=["state", "run"]
)
def test_state_looked_at_after_every_step_folds_every_commit_once(monkeypatch, look):
    """What was folded at an earlier look is not folded again."""
    folded = []
    fold_on = gn.notebook.progress.values_at
    monkeypatch.setattr(
        "graphnb.notebook.progress.values_at", lambda log: folded.append(len(log.commits)) or fold_on(log)
    )
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.branch("a", lambda s: "a" if s.n < 50 else gn.END)
    session = graph.session()
    seen = [look(session).n for _ in session]

    assert list(range(1, 51)) == seen
    assert 49 <= sum(folded) <= 50


def test_state_of_a_session_is_the_callers_own():
    """Changing it changes nothing that is looked at later."""
    session = line(node("a"), node("b")).session()
    session.step()
    session.state.log.append("mine")
    session.run.state.log.append("mine")
    session.step()

    assert ["a", "b"] == session.state.log == session.run.state.log


class Thing:
    """A value that can be watched."""


def test_dropped_session_frees_its_run():
    """Nobody but `last_run` holds what has gone through it, until the next run begins."""

    class Watched(gn.State):
        thing: Any = None

    graph = gn.Graph(Watched, entry="a")
    graph.node("a", lambda s: {"thing": Thing()}, to="a")
    session = graph.session()
    thing = weakref.ref(session.step().deltas[0].kept.after)

    del session
    gc.collect()

    assert thing() is not None

    graph.session()
    gc.collect()

    assert thing() is None


def test_dropped_session_leaves_a_cancelled_run():
    """As after a loop that was left: nobody can go on any more, and what was done can be seen."""
    graph = line(node("a"), node("b"))
    for _ in graph.session():
        break
    gc.collect()
    run = graph.last_run

    assert ("cancelled", ["a"], ["n0"]) == (run.status, run.state.log, [step.node for step in run.steps])
    assert run is graph.last_run


def test_graph_whose_session_was_left_is_freed():
    """A run under way does not hold the graph, nor the graph itself."""
    graph = line(node("a"), node("b"))
    graph.session().step()
    freed = weakref.ref(graph)
    del graph
    gc.collect()

    assert freed() is None


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
