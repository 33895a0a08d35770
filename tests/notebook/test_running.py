"""What `run`, `arun`, `start` and `session` of a graph have in common."""

import asyncio
import sys
import types
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
