"""What `run`, `arun`, `start` and `session` of a graph have in common."""

import asyncio
import sys
import types
import uuid
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.notebook.running import RESERVED


class Diary(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []


def graph_of(cls: type, node: Any = lambda s: {}) -> gn.Graph:
    """A graph of one node."""
    graph = gn.Graph(cls, entry="a", name="g")
    graph.node("a", node, to=gn.END)
    return graph


START = {
    "run": lambda graph, *state, **fields: graph.run(*state, **fields),
    "arun": lambda graph, *state, **fields: asyncio.run(graph.arun(*state, **fields)),
    "start": lambda graph, *state, **fields: graph.start(*state, **fields).result(20),
    "session": lambda graph, *state, **fields: graph.session(*state, **fields).finish(),
    "compiled run": lambda graph, *state, **fields: graph.compile().run(*state, **fields),
    "compiled arun": lambda graph, *state, **fields: asyncio.run(graph.compile().arun(*state, **fields)),
    "compiled start": lambda graph, *state, **fields: graph.compile().start(*state, **fields).result(20),
    "compiled session": lambda graph, *state, **fields: graph.compile().session(*state, **fields).finish(),
}


@pytest.fixture(params=START.values(), ids=START.keys())
def start(request):
    """Every way to run a graph to its end."""
    return request.param


def test_every_way_takes_fields_an_instance_or_a_mapping(start):
    """Fields left out take their defaults."""
    graph = graph_of(Diary)

    assert Diary(n=3) == start(graph, n=3).state
    assert Diary(n=3) == start(graph, Diary(n=3)).state
    assert Diary(n=3) == start(graph, {"n": 3}).state
    assert Diary() == start(graph).state


def test_every_way_gives_the_same_run_and_keeps_it(start):
    """Equal runs; `last_run` is the one that was given."""
    graph = graph_of(Diary, lambda s: {"log": ["a"]})
    run = start(graph, n=2)

    assert run == graph_of(Diary, lambda s: {"log": ["a"]}).run(n=2)
    assert run is graph.last_run


def test_every_way_shows_the_run_from_its_beginning(start):
    """While it goes on `last_run` is the run so far, under the id that it keeps."""
    seen: list[gn.Run] = []
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: seen.append(graph.last_run) or {"n": 1}, to="b")
    graph.node("b", lambda s: seen.append(graph.last_run) or {"n": 2}, to=gn.END)
    run = start(graph, n=0)

    assert [("running", 0, 0), ("running", 1, 1)] == [(each.status, len(each.steps), each.state.n) for each in seen]
    assert [run.run_id] * 2 == [each.run_id for each in seen]
    assert ("done", 2) == (run.status, run.state.n)


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyboardInterrupt(), SystemExit(1)], ids=lambda error: error.__class__.__name__
)
def test_every_way_that_ends_early_keeps_the_run_and_its_id(start, error):
    """The error has the run that `last_run` gives, with the id that it had before."""
    seen: list[gn.Run] = []

    def fail(s: Any) -> None:
        seen.append(graph.last_run)
        raise error

    graph = graph_of(Diary, fail)
    with pytest.raises((gn.NodeException, type(error))) as caught:
        start(graph)

    assert caught.value.run is graph.last_run
    assert ("failed" if isinstance(error, ValueError) else "cancelled", ()) == (
        *(graph.last_run.status, graph.last_run.steps),
    )
    assert seen[0].run_id == graph.last_run.run_id


def test_every_way_that_cannot_start_leaves_the_last_run_alone(start):
    """A start that is refused is no run."""
    graph = graph_of(Diary)
    run = start(graph)
    with pytest.raises(gn.StateValidationError):
        start(graph, n="x")

    assert run is graph.last_run


@pytest.mark.parametrize("way", ["run", "arun"])
def test_interruption_while_the_engine_is_not_looking_has_the_run_as_well(monkeypatch, way):
    """The stop button may be pressed at any moment."""

    def interrupted(execution: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphnb.notebook.running.execute", interrupted)
    monkeypatch.setattr("graphnb.notebook.running.aexecute", interrupted)
    graph = graph_of(Diary)
    with pytest.raises(KeyboardInterrupt) as caught:
        START[way](graph)

    assert caught.value.run is graph.last_run
    assert ("cancelled", ()) == (graph.last_run.status, graph.last_run.steps)


async def test_cancelled_task_leaves_the_run():
    """A task that awaits `arun` and is cancelled: the steps so far are at the graph."""
    entered = asyncio.Event()

    async def sleep(s: Any) -> None:
        entered.set()
        await asyncio.sleep(60)

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": 1}, to="b")
    graph.node("b", sleep, to=gn.END)
    task = asyncio.create_task(graph.arun())
    await entered.wait()
    early = graph.last_run
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task

    assert caught.value.run is graph.last_run
    assert ("running", "cancelled", 1) == (early.status, graph.last_run.status, graph.last_run.state.n)


def test_every_way_knows_the_limit(start):
    """`max_steps` is an option, not a field."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {}, to="a")
    with pytest.raises(gn.MaxSuperstepsExceeded, match="within 3 super-steps"):
        start(graph, max_steps=3)


def test_state_and_fields_together_are_refused(start):
    """It would not be clear which of them counts."""
    with pytest.raises(
        gn.InvalidDeclaration, match="graph 'g', start: got a state and fields beside it: n, log\nGive one"
    ):
        start(graph_of(Diary), Diary(), n=1, log=[])


def test_wrong_start_names_every_field(start):
    """Unknown and wrong fields, and what is no state at all."""
    graph = graph_of(Diary)
    with pytest.raises(gn.StateValidationError, match="'m' is no field of the state"):
        start(graph, m=1)
    with pytest.raises(gn.StateValidationError, match=r"(?s)n: .*log: "):
        start(graph, n="x", log=3)
    with pytest.raises(gn.InvalidDeclaration, match="starts from a Diary or from fields by name, not from int: 5"):
        start(graph, 5)


def test_graph_with_faults_does_not_start(start):
    """Compiling comes first."""
    with pytest.raises(gn.NoDeclaredEntry):
        start(gn.Graph(Diary))


@pytest.mark.parametrize("name", RESERVED)
def test_field_that_bears_the_name_of_an_option_is_passed_in_an_instance(name, start):
    """By name it could not be told apart: the message shows how to write it."""
    state = type("Odd", (gn.State,), {"__annotations__": {name: int}, name: 1, "__module__": __name__})
    graph = graph_of(state)
    with pytest.raises(gn.InvalidDeclaration, match=rf"'{name}' is an option .*\n.*: run\(Odd\({name}=\.\.\.\)\)"):
        start(graph, **{name: 3})

    assert 3 == getattr(start(graph, state(**{name: 3})).state, name)
    assert 1 == getattr(start(graph).state, name)


def test_option_can_be_given_beside_an_instance_whose_field_bears_its_name():
    """Then nothing is unclear."""

    class Odd(gn.State):
        max_steps: int = 1

    run = graph_of(Odd).run(Odd(max_steps=7), max_steps=3)

    assert 7 == run.state.max_steps


def test_fields_may_be_called_like_parameters():
    """`state` and `self` are ordinary field names."""

    class Odd(gn.State):
        state: int = 0
        plan: int = 0

    assert 3 == graph_of(Odd).run(state=3, plan=1).state.state


def ticking(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The naps that other tasks take, in a process that looks like a kernel."""
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    naps: list[float] = []
    sleep = asyncio.sleep

    async def nap(seconds: float, result: Any = None) -> Any:
        naps.append(seconds)
        return await sleep(0, result)

    monkeypatch.setattr("graphnb.notebook.running.asyncio.sleep", nap)
    return naps


async def test_timer_runs_beside_a_run_in_a_kernel(monkeypatch):
    """There the stop button does not wake a sleeping loop: short naps do, and end with the run."""
    naps = ticking(monkeypatch)
    wait = asyncio.Event()

    async def node(s: Any) -> dict[str, Any]:
        while len(naps) < 5:
            wait.clear()
            asyncio.get_running_loop().call_soon(wait.set)
            await wait.wait()
        return {}

    await graph_of(Diary, node).arun()
    taken = len(naps)
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert {0.05} == set(naps[:taken])
    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_timer_ends_with_a_failed_run(monkeypatch):
    """Whatever ends the run."""
    ticking(monkeypatch)
    with pytest.raises(gn.NodeException):
        await graph_of(Diary, lambda s: 1 / 0).arun()
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_no_timer_runs_outside_a_kernel(monkeypatch):
    """A script needs none."""
    naps = ticking(monkeypatch)
    monkeypatch.delitem(sys.modules, "ipykernel")

    async def node(s: Any) -> dict[str, Any]:
        assert 1 == len(asyncio.all_tasks())
        return {}

    await graph_of(Diary, node).arun()

    assert [] == naps


# --- observers and ids -----------------------------------------------------------------------------------------------


def test_every_way_tells_observers_of_this_run_alone(start):
    """In the order in which they are listed, plain and asynchronous, after those of the graph."""
    graph = graph_of(Diary, lambda s: {"n": s.n + 1})
    told: list[tuple[str, Any]] = []

    @graph.observer
    def own(event: Any) -> None:
        told.append(("own", event))

    async def later(event: Any) -> None:
        told.append(("later", event))

    start(graph, observers=[lambda event: told.append(("first", event)), later], n=4)
    graph.drain(20)
    start(graph)
    graph.drain(20)

    assert ["own", "first", "later"] * 2 + ["own"] * 2 == [name for name, _ in told]
    assert [("started", 4, None), ("completed", 4, 5)] == [
        (event.phase, event.pre_state.n, getattr(event.post_state, "n", None)) for _, event in told[::3][:2]
    ]


def test_every_way_takes_ids_and_tells_them(start):
    """The run, its events and the code inside of it know them, as they were given."""
    inside: list[gn.Invocation] = []
    events: list[Any] = []
    graph = graph_of(Diary, lambda s: inside.append(gn.invocation()) or {})
    run = start(graph, invocation_id="mine", correlation_id="ours", observers=[events.append])
    graph.drain(20)

    assert ("mine", "ours") == (run.invocation_id, run.correlation_id)
    assert [gn.Invocation("mine", "ours")] == inside
    assert {("mine", "ours")} == {(event.invocation_id, event.correlation_id) for event in events}
    assert 2 == len(events)


def test_every_way_draws_ids_that_are_not_given(start):
    """Random ones, of which each run has its own; the run so far has them already."""
    seen: list[gn.Run] = []
    graph = graph_of(Diary, lambda s: seen.append(graph.last_run) or {})
    runs = [start(graph), start(graph, invocation_id=None, correlation_id=None)]
    ids = [each for run in runs for each in (run.run_id, run.invocation_id, run.correlation_id)]

    assert 6 == len(set(ids))
    assert {4} == {uuid.UUID(each).version for each in ids}
    assert [run.invocation_id for run in runs] == [run.invocation_id for run in seen]
    assert [run.correlation_id for run in runs] == [run.correlation_id for run in seen]


def test_ids_and_observers_make_no_difference_to_a_run(start):
    """They are no part of what is compared or shown."""
    graph = graph_of(Diary, lambda s: {"log": ["a"]})
    bare, told = start(graph), start(graph, invocation_id="mine", correlation_id="ours", observers=[str])

    assert bare == told
    assert bare._repr_mimebundle_() == told._repr_mimebundle_()


def test_run_that_ended_early_has_its_ids(start):
    """Those that were given."""

    def fail(s: Any) -> None:
        raise ValueError("no")

    with pytest.raises(gn.NodeException) as caught:
        start(graph_of(Diary, fail), invocation_id="mine", correlation_id="ours")

    assert ("mine", "ours") == (caught.value.run.invocation_id, caught.value.run.correlation_id)


def test_ids_of_handle_and_session_are_those_of_the_run():
    """From their beginning on."""
    graph = graph_of(Diary)
    handle, session = graph.start(invocation_id="one"), graph.session(invocation_id="two")

    assert "one" == handle.run.invocation_id == handle.result(20).invocation_id
    assert "two" == session.run.invocation_id == session.finish().invocation_id


def test_code_outside_of_a_run_knows_of_none():
    """Neither before nor after one; a run within another one's node is a run of its own."""
    inner = graph_of(Diary, lambda s: {"log": [gn.invocation().invocation_id]})

    def node(s: Any) -> dict[str, Any]:
        return {"log": [*inner.run(invocation_id="inner").state.log, gn.invocation().invocation_id]}

    run = graph_of(Diary, node).run(invocation_id="outer")

    assert ["inner", "outer"] == run.state.log
    assert gn.invocation() is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"observers": str}, r"observers are <class 'str'>\nGive a list of functions\."),
        ({"observers": 5}, r"observers are 5\nGive a list of functions\."),
        ({"observers": "print"}, r"observers are 'print'\nGive a list of functions\."),
        ({"observers": {str}}, r"observers are \{<class 'str'>\}\nGive a list of functions\."),
        ({"observers": iter([str])}, r"observers are <list_iterator>\nGive a list of functions\."),
        ({"observers": [str, 5]}, r"observer is 5 \(int\)\nGive a function\."),
        ({"invocation_id": ""}, r"invocation_id is ''\nGive a text that is not empty, or leave it out"),
        ({"invocation_id": 5}, r"invocation_id is 5\nGive a text"),
        ({"correlation_id": ""}, r"correlation_id is ''\nGive a text"),
        ({"correlation_id": b"x"}, r"correlation_id is b'x'\nGive a text"),
    ],
)
def test_every_way_refuses_a_wrong_option(start, options, told):
    """Before anything runs, and without a run that is kept."""
    called: list[int] = []
    graph = graph_of(Diary, lambda s: called.append(1) or {})
    with pytest.raises(gn.InvalidDeclaration, match=rf"^graph 'g', start: {told}"):
        start(graph, **options)

    assert ([], None) == (called, graph.last_run)


@pytest.mark.parametrize("max_steps", [0, -1, True, 1.5, "10"])
def test_every_way_refuses_a_wrong_limit(start, max_steps):
    """It counts super-steps."""
    with pytest.raises(gn.InvalidDeclaration, match=r"^graph 'g': max_steps is .*\nGive an int of at least 1\."):
        start(graph_of(Diary), max_steps=max_steps)


@pytest.mark.parametrize("observers", [[], (), None])
def test_every_way_takes_no_observers(start, observers):
    """A list that has been left empty is none."""
    graph = graph_of(Diary, lambda s: {"n": 1})

    assert 1 == start(graph, observers=observers).state.n
