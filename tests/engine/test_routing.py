"""Asking a router where to go, and refusing nonsense."""

import enum
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest

import graphnb as gn


class Walk(gn.State):
    left: int = 2
    tags: Any = None
    log: Annotated[list[str], gn.append] = []


def walk(router: Callable[[Any], Any], to: Any = None) -> gn.Graph:
    """A graph that asks the router after `plan`; `again` leads back, `publish` to the end."""
    graph = gn.Graph(Walk, entry="plan", name="walk")
    graph.node("plan", lambda s: {"log": ["plan"], "left": s.left - 1})
    graph.node("again", lambda s: {"log": ["again"]}, to="plan")
    graph.node("publish", lambda s: {"log": ["publish"]}, to=gn.END)
    graph.branch("plan", router, to=to)
    return graph


def twice(s: Any) -> str:
    """A target by name."""
    return "again" if s.left else "publish"


async def twice_later(s: Any) -> str:
    """The same, asynchronous."""
    return twice(s)


class Twice:
    """An object that is called like a function."""

    def __call__(self, s: Any) -> str:
        return twice(s)


class Way(enum.StrEnum):
    """Targets as an enum of texts."""

    AGAIN = "again"
    PUBLISH = "publish"


@pytest.mark.parametrize(
    "to", [None, ("again", "publish"), ["again", "publish"], {"again": "again", "publish": "publish"}]
)
@pytest.mark.parametrize(
    "router",
    [twice, twice_later, Twice(), lambda s: twice_later(s), lambda s: Way(twice(s))],
    ids=["def", "async def", "object", "returns a coroutine", "enum"],
)
def test_router_chooses_by_name(router, to):
    """Every kind of router, with declared, mapped and open targets; it sees the state after the fold."""
    run = walk(router, to).run()

    assert ["plan", "again", "plan", "publish"] == run.state.log
    assert [("again",), ("plan",), ("publish",), (gn.END,)] == [step.targets for step in run.steps]
    assert {str} == {type(target) for step in run.steps[:-1] for target in step.targets}


@pytest.mark.parametrize("to", [None, ("publish", "again", gn.END)])
async def test_router_may_end_the_run(to):
    """END is a target like any other, also in a loop."""
    for run in (walk(lambda s: gn.END, to).run(), await walk(lambda s: gn.END, to).arun()):
        assert ["plan"] == run.state.log
        assert "done" == run.status


@pytest.mark.parametrize(
    ("labels", "answer"),
    [
        ({True: "again", False: "publish"}, lambda s: bool(s.left)),
        ({1: "again", 0: "publish"}, lambda s: s.left),
        ({None: "publish", ("more", 1): "again"}, lambda s: ("more", 1) if s.left else None),
        ({"done": "publish", "go on": "again"}, lambda s: "go on" if s.left else "done"),
    ],
    ids=["bool", "int", "tuple and None", "text"],
)
def test_answers_may_be_mapped_to_targets(labels, answer):
    """Whatever is hashable can stand for a target."""
    assert ["plan", "again", "plan", "publish"] == walk(answer, labels).run().state.log


def test_target_may_be_a_node_named_like_the_end():
    """`END` is a sentinel, so that a node may be called "END"."""
    graph = gn.Graph(Walk, entry="START")
    graph.node("START", lambda s: {"log": ["START"]})
    graph.node("END", lambda s: {"log": ["END"]}, to=gn.END)
    graph.branch("START", lambda s: "END", to=("END", gn.END))

    assert ["START", "END"] == graph.run().state.log


@pytest.mark.parametrize("returned", [None, [], [["again"]], 3, True, 1.5, {"again"}, object, "agin", ""])
@pytest.mark.parametrize("to", [None, ("again", "publish"), {"x": "again", "y": "publish"}], ids=["open", "to", "map"])
def test_answer_that_is_no_target_raises(returned, to):
    """None, lists, numbers and unknown names: the error names router, answer, its type and the choices."""
    with pytest.raises(gn.RoutingError) as caught:
        walk(lambda s: returned, to).run()

    error = caught.value
    assert "routing_error" == error.category
    assert returned is error.returned
    assert "node 'plan', step 0: router 'lambda' returned" in str(error)
    assert f"({'None' if returned is None else type(returned).__name__})" in str(error)
    assert "'again'" in str(error) if not isinstance(to, dict) else "['x', 'y']" in str(error)


def test_misspelt_answer_gets_the_nearest_target():
    """`agin` is offered `again`, of the declared targets or of all nodes."""
    for to in (("again", "publish"), None):
        with pytest.raises(gn.RoutingError, match=r"Did you mean 'again'\?"):
            walk(lambda s: "agin", to).run()


def test_target_outside_the_declared_ones_raises():
    """A node that exists but was not declared as a target, and an undeclared END, are refused."""
    for answer in ("plan", gn.END):
        with pytest.raises(gn.RoutingError, match="which is not among its targets"):
            walk(lambda s, answer=answer: answer, ("again", "publish")).run()


def test_wrong_answer_leaves_the_commit_and_fires_no_edge():
    """The fold is kept, the step has no target, and the state after the fold can be recovered."""
    with pytest.raises(gn.RoutingError) as caught:
        walk(lambda s: "nowhere").run()

    error = caught.value
    assert ["plan"] == error.recoverable_state.log
    assert [("plan", ())] == [(step.node, step.targets) for step in error.run.steps]
    assert [("plan", True)] == [(failure.node, failure.at_edge) for failure in error.trace.failures]
    assert ("failed", ["plan"]) == (error.run.status, error.run.state.log)
    assert ("plan", ("plan",)) == (error.node, error.path)


@pytest.mark.parametrize("error", [ValueError("no luck"), StopIteration("no luck"), gn.RunError("w", "no luck")])
@pytest.mark.parametrize("is_async", [False, True])
def test_router_that_raises_is_an_edge_exception(error, is_async):
    """The original is the cause; the commit before it is kept."""

    def plain(s: Any) -> str:
        raise error

    async def later(s: Any) -> str:
        raise error

    with pytest.raises(gn.EdgeException, match="node 'plan', step 0: its router raised") as caught:
        walk(later if is_async else plain).run()

    assert "edge_exception" == caught.value.category
    cause = caught.value.__cause__
    assert error in (cause, cause.__cause__)  # Python itself wraps a StopIteration out of a coroutine
    assert ["plan"] == caught.value.recoverable_state.log


def test_router_that_changes_the_state_is_an_edge_exception():
    """A list refuses, and what cannot refuse is compared: a router only chooses."""
    with pytest.raises(
        gn.EdgeException, match=r"its router tried to change field 'log' in place \(append\)\nA router"
    ) as caught:
        walk(lambda s: s.log.append("x")).run()

    assert isinstance(caught.value.__cause__, gn.MutatedState)

    with pytest.raises(gn.EdgeException, match="its router tried to change field 'tags' in place"):
        walk(lambda s: s.tags.add("x") or "publish").run(tags={"a"})


def test_router_that_reads_an_unset_field_is_an_edge_exception():
    """The error names the field and how to test for it."""

    class Late(gn.State):
        answer: str = gn.UNSET

    graph = gn.Graph(Late, entry="a")
    graph.node("a", lambda s: {}, to=None)
    graph.branch("a", lambda s: s.answer)

    with pytest.raises(gn.EdgeException, match=r"its router read field 'answer', .*\nTest with: if 'answer' in s"):
        graph.run()


def test_error_of_a_run_inside_a_router_is_not_taken_for_its_own():
    """A router that runs another graph, which fails: the edge raised, and the inner error is the cause."""
    inner = walk(lambda s: "nowhere")

    def router(s: Any) -> str:
        return inner.run().state.log[0]

    with pytest.raises(gn.EdgeException, match="its router raised RoutingError") as caught:
        walk(router).run()

    assert isinstance(caught.value.__cause__, gn.RoutingError)


def test_literal_return_type_declares_the_targets():
    """Then an answer outside of it is refused although the node exists."""

    def router(s) -> Literal["again"]:
        return "publish"

    graph = walk(router)
    graph.remove("publish")

    with pytest.raises(gn.RoutingError, match="not among its targets"):
        graph.run()


def test_router_that_returns_end_as_text_is_told_the_sentinel():
    """Suggesting 'END' for 'END' would help nobody."""
    graph = gn.Graph(Walk, entry="tick")
    graph.node("tick", lambda s: {})
    graph.branch("tick", lambda s: "END", to=("tick", gn.END))

    with pytest.raises(gn.RoutingError, match=r"To end there return gn\.END without quotes"):
        graph.run()


@pytest.mark.filterwarnings("ignore:graph 'walk', node 'end'")
def test_node_that_leads_nowhere_is_refused_before_it_runs():
    """An open router that chooses a node without an outgoing edge ends the run at once, with the way out."""
    graph = walk(lambda s: "end")
    graph.node("end", lambda s: {"log": ["end"]})
    with pytest.raises(
        gn.RoutingError, match=r"returned 'end', which has no outgoing edge\nDeclare one: graph.edge"
    ) as e:
        graph.run()

    assert ("plan", "end", ["plan"]) == (e.value.node, e.value.returned, e.value.recoverable_state.log)
