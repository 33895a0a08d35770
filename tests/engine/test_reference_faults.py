"""What the specification's own implementation gets wrong, or does not offer: each a case of ours to pass.

Source: the end of the contract. What needs a checkpoint is not among them.
"""

import asyncio
from typing import Annotated, Any

import pytest

import graphnb as gn


class Diary(gn.State):
    n: int = 0
    items: list[str] = []
    item: str = ""
    note: Any = None
    log: Annotated[list[str], gn.append] = []
    notes: Annotated[list[Any], gn.append] = []


def test_node_without_an_outgoing_edge_does_not_compile():
    """There it ends in a bare KeyError when the run comes to it."""
    graph = gn.Graph(Diary, entry="a", name="g")
    graph.node("a", lambda s: {}, to="b")
    graph.node("b", lambda s: {})
    with pytest.raises(gn.MissingOutgoingEdge, match=r"node 'b' has no outgoing edge\n.*to=gn\.END"):
        graph.compile()


def test_node_without_an_outgoing_edge_that_a_router_chooses_is_an_error_of_routing():
    """Where nobody can know before which nodes a router may choose; no KeyError either."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": 1})
    graph.branch("a", lambda s: "b")
    graph.node("b", lambda s: 1 / 0)
    with pytest.warns(gn.GraphWarning, match="node 'b': has no outgoing edge"):
        graph.compile()
    with pytest.raises(gn.RoutingError, match="returned 'b'") as caught:
        graph.run()

    assert ("b", 1) == (caught.value.returned, caught.value.recoverable_state.n)


async def test_plain_functions_are_nodes_routers_and_middleware():
    """There they are refused; here nothing has to be asynchronous, under neither driver."""
    graph = gn.Graph(Diary, entry="a", middleware=[lambda s, following: following(s)])
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.branch("a", lambda s: "a" if s.n < 3 else gn.END, to=("a", gn.END))

    assert 3 == graph.run().state.n == (await graph.arun()).state.n


async def test_graph_runs_synchronously_even_within_a_running_loop():
    """There every call has to be awaited; here a cell of a notebook, whose loop is running, may just call."""

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"n": s.n + 1}

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", later, to=gn.END)

    assert 1 == graph.run().state.n
    assert asyncio.get_running_loop().is_running()


def test_run_is_an_object_that_can_be_looked_at():
    """There the final state is all there is."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": 1}, to=gn.END)
    run = graph.run()

    assert ("done", 1, ["a"]) == (run.status, run.state.n, [step.path for step in run.steps])
    assert [("n", 0, 1)] == [(delta.field, delta.before, delta.after) for delta in run.steps[0].deltas]
    assert "digraph" in graph.dot


@pytest.mark.parametrize(
    ("reducer", "prior", "update", "after"),
    [
        (gn.bounded_append(2), [1, 2], [3], [2, 3]),
        (gn.dedupe_append(), [1, 2], [2, 3], [1, 2, 3]),
        (gn.merge_by_key(lambda item: item[0]), [[1, "a"], [2, "b"]], [[1, "c"]], [[1, "c"], [2, "b"]]),
    ],
    ids=["bounded_append", "dedupe_append", "merge_by_key"],
)
def test_reducers_that_are_made_by_factories_are_there(reducer, prior, update, after):
    """All three."""
    assert after == reducer(prior, update)


def test_graph_with_a_cycle_ends():
    """There a loop of completed names is skipped for ever once a run is resumed; here a step knows how often it ran."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"log": ["a"]}, to="b")
    graph.node("b", lambda s: {"log": ["b"]})
    graph.branch("b", lambda s: "a" if len(s.log) < 6 else gn.END, to=("a", gn.END))

    assert list("ababab") == graph.run().state.log


def test_finished_subgraph_is_projected_out_once():
    """There a later failure and a resume project it again; here a failure after it leaves the parent's value alone."""
    child = gn.Graph(Diary, entry="x", name="child")
    child.node("x", lambda s: {"n": s.n + 5}, to=gn.END)
    graph = gn.Graph(Diary, entry="sub")
    graph.subgraph("sub", child, inputs={"n": "n"}, outputs={"n": "n"}, to="bad")
    graph.node("bad", lambda s: 1 / 0, to=gn.END)
    with pytest.raises(gn.NodeException) as caught:
        graph.run(n=5)

    assert 10 == caught.value.recoverable_state.n == caught.value.run.state.n


def test_edge_is_asked_once_about_the_state_after_its_node():
    """There edges of completed nodes are asked again on a later state."""
    seen: list[int] = []
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": 1})
    graph.branch("a", lambda s: seen.append(s.n) or "b", to=("b", gn.END))
    graph.node("b", lambda s: {"n": 2}, to="c")
    graph.node("c", lambda s: {"n": 3}, to=gn.END)
    graph.run()

    assert [1] == seen


def test_failure_in_the_first_node_leaves_a_record():
    """There nothing is; here the run on the error has the state that it began with, and the failure."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: 1 / 0, to=gn.END)
    with pytest.raises(gn.NodeException) as caught:
        graph.run(n=7)

    run = caught.value.run
    assert ("failed", 7, ["a"]) == (run.status, run.state.n, [each.path for each in run.trace.failures])
    assert caught.value.trace is run.trace


def test_extra_outputs_of_a_fan_out_have_a_slot_for_every_instance():
    """There they are lost for those that were not run again; here each has its own, in order."""
    worker = gn.Graph(Diary, entry="w", name="worker")
    worker.node("w", lambda s: {"note": f"n{s.item}", "n": 1}, to=gn.END)
    graph = gn.Graph(Diary, entry="each")
    graph.fan_out(
        "each", worker, over="items", item="item", collect="n", into="notes", extra_outputs={"log": "note"},
        instance_middleware=gn.retry(), to=gn.END,
    )  # fmt: skip

    assert ["n1", "n2", "n3"] == graph.run(items=["1", "2", "3"]).state.log
