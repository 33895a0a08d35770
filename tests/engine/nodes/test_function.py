"""A node that calls a function of the state, and what its result means."""

import asyncio
import itertools
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.nodes.function import run_function, update_of_node
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.observers.scope import Scope, Watch
from graphnb.engine.observers.visit import Visit
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.step import run_graph
from graphnb.engine.work import Tell
from graphnb.errors import InvalidUpdate, MutatedState
from graphnb.state.schema import schema_of, start_values
from graphnb.trace.log import Log
from tests.engine.driven import DRIVERS, drive


class Count(gn.State):
    n: int = 0
    box: Any = None
    log: Annotated[list[str], gn.append] = []


SCHEMA = schema_of(Count)


def requests(node: Any, *, is_watched: bool) -> tuple[list[Any], Any]:
    """The requests of one attempt, and what it makes when the call is answered with an update."""
    graph = gn.Graph(Count, entry="a", name="g")
    graph.node("a", node, to=gn.END)
    plan, values = graph.compile().plan, start_values(SCHEMA, {"n": 4}, "")
    planned = plan.nodes["a"]
    scope = Scope(10, Watch("i", "c", itertools.count(), ()) if is_watched else None)
    visit = Visit("a", scope, place=planned.place, schema=SCHEMA, before=values) if is_watched else None
    running = RunningGraph(plan, Log("g", SCHEMA, values), scope, run_graph)
    work = run_function(Attempt(running, planned, values, visit))
    asked: list[Any] = []
    try:
        request = next(work)
        while True:
            asked.append(request)
            request = work.send({"n": 5} if isinstance(request, tuple) else None)
    except StopIteration as stop:
        return asked, stop.value


def test_function_is_asked_for_once():
    """With the state, and whether it has to be awaited; its answer is the update."""

    async def later(s: Any) -> Any: ...

    for node, is_async in ((print, False), (later, True)):
        asked, made = requests(node, is_watched=False)

        assert [(node, 4, is_async)] == [(function, state.n, told) for function, state, told in asked]
        assert ({"n": 5}, None, None) == made


def test_start_is_told_right_before_the_call():
    """After all that is around the node."""
    asked, _ = requests(print, is_watched=True)

    assert [Tell, tuple] == [type(each) for each in asked]
    assert "started" == asked[0].event.phase


def test_state_that_is_returned_means_what_differs():
    """From the one that was given."""
    values = start_values(SCHEMA, {"n": 1, "log": ["a"]}, "")
    view = SCHEMA.view(values, "a")
    returned = Count(n=2, log=["a", "b"])

    assert {"n": 2, "log": ["b"]} == update_of_node(returned, view, schema=SCHEMA, values=values, place="node 'a'")
    assert {} == update_of_node(view, view, schema=SCHEMA, values=values, place="node 'a'")
    with pytest.raises(InvalidUpdate, match="field 'log' has changed"):
        update_of_node(Count(n=1, log=["c"]), view, schema=SCHEMA, values=values, place="node 'a'")


def test_what_is_no_update_is_left_to_the_fold():
    """Which says so with the node's name and place."""
    values = start_values(SCHEMA, {}, "")
    view = SCHEMA.view(values, "a")

    assert None is update_of_node(None, view, schema=SCHEMA, values=values, place="node 'a'")


def test_copy_that_was_changed_is_found_out_unless_it_is_written():
    """A node may fill what it was given and give it back as the field's new value."""
    values = start_values(SCHEMA, {"box": {1}}, "")
    view = SCHEMA.view(values, "a")
    view.box.add(2)

    assert {"box": {1, 2}} == update_of_node({"box": view.box}, view, schema=SCHEMA, values=values, place="node 'a'")
    with pytest.raises(MutatedState, match="field 'box'"):
        update_of_node({}, view, schema=SCHEMA, values=values, place="node 'a'")


class Later:
    """A callable object that has to be awaited."""

    async def __call__(self, s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"n": s.n + 1}


async def later(s: Any) -> dict[str, Any]:
    """An asynchronous node."""
    return await Later()(s)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("layers", [(), (lambda s, following: following(s),)], ids=["bare", "layered"])
@pytest.mark.parametrize("node", [Later(), lambda s: later(s), later, lambda s: {"n": s.n + 1}])
def test_node_may_be_asynchronous_in_any_way(how, layers, node):
    """By its declaration, as an object, or by what it returns, within middleware or not."""
    graph = gn.Graph(Count, entry="a")
    graph.node("a", node, middleware=layers, to=gn.END)

    assert 5 == drive(graph, how, n=4).state.n
