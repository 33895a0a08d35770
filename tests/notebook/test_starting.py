"""What every way to run takes: a state or fields, and options."""

import uuid
from typing import Any

import pytest

import graphnb as gn
from graphnb.notebook.starting import RESERVED
from tests.notebook.ways import START, Diary, graph_of


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
