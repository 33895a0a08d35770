"""One parallel branch within its middleware: a graph on its own state, or a function of the parent's."""

import asyncio
from typing import Annotated, Any

import pytest

import graphnb as gn
from tests.engine.driven import DRIVERS, drive, watch


class Trip(gn.State):
    n: int = 0
    box: Any = None
    log: Annotated[list[str], gn.append] = []


class Leg(gn.State):
    n: int = 0
    late: int = gn.UNSET
    log: Annotated[list[str], gn.append] = []


def trip(branch: gn.ParallelBranch, **options: Any) -> gn.Graph:
    """A graph whose one node runs one branch."""
    graph = gn.Graph(Trip, entry="both", name="trip")
    graph.branches("both", {"left": branch}, **options, to=gn.END)
    return graph


def leg(node: Any, *layers: Any, **options: Any) -> gn.ParallelBranch:
    """A branch that runs a graph of one node."""
    graph = gn.Graph(Leg, entry="go", name="leg")
    graph.node("go", node, to=gn.END)
    defaults = {"inputs": {"n": "n"}, "outputs": {"n": "n", "log": "log"}}
    return gn.ParallelBranch(graph, **{**defaults, **options}, middleware=layers)


def call(function: Any, *layers: Any) -> gn.ParallelBranch:
    """A branch that calls a function."""
    return gn.ParallelBranch(function, middleware=layers)


def more(s: Any) -> dict[str, Any]:
    """Counts, and says so."""
    return {"n": s.n + 1, "log": [f"saw {s.n}"]}


async def more_later(s: Any) -> dict[str, Any]:
    """The same, asynchronous."""
    await asyncio.sleep(0)
    return more(s)


HOW = pytest.mark.parametrize("how", DRIVERS)
FUNCTIONS = pytest.mark.parametrize("function", [more, more_later], ids=["plain", "async"])
KINDS = pytest.mark.parametrize("kind", [leg, call], ids=["graph", "function"])
LAYERS = pytest.mark.parametrize("is_async", [False, True], ids=["plain layer", "async layer"])


@HOW
@FUNCTIONS
@KINDS
@LAYERS
def test_middleware_may_change_state_and_update(how, function, kind, is_async):
    """It is around the branch as a whole: of a graph in the graph's fields, of a function in the parent's."""

    def given(s: Any) -> Any:
        return s.model_copy(update={"n": s.n + 10})

    def edited(update: Any) -> dict[str, Any]:
        return {**update, "n": update["n"] * 2}

    async def later(s: Any, following: Any) -> Any:
        return edited(await following(given(s)))

    layer = later if is_async else lambda s, following: edited(following(given(s)))
    run = drive(trip(kind(function, layer)), how, n=1)

    assert (24, ["saw 11"]) == (run.state.n, run.state.log)


@HOW
@KINDS
def test_branch_that_middleware_does_not_ask_has_no_events(how, kind):
    """What it gives counts as the branch's."""
    driven = watch(trip(kind(lambda s: 1 / 0, lambda s, following: {"n": 7})), how)

    assert (7, [("started", "both"), ("completed", "both")]) == (driven.state.n, driven.told)


@HOW
@KINDS
@pytest.mark.parametrize("given", [None, 5, ["n"]])
def test_what_is_no_update_is_refused_under_the_branchs_name(how, kind, given):
    """It is a failure of the branch."""
    with pytest.raises(gn.ParallelBranchesBranchFailed, match=r"branch 'left': returned .*, want a dict") as caught:
        drive(trip(kind(more, lambda s, following: given)), how)

    assert isinstance(caught.value.__cause__, gn.InvalidUpdate)


@HOW
def test_function_that_returns_no_update_is_refused_too(how):
    """With its event completed by the error."""
    driven = watch(trip(call(lambda s: 5)), how)

    assert ["both/left", "both"] == ["/".join(each.namespace) for each in driven.of("completed") if each.error]
    assert isinstance(driven.error.__cause__, gn.InvalidUpdate)


@HOW
@KINDS
def test_state_that_does_not_fit_is_refused(how, kind):
    """The error says that middleware gave it."""
    with pytest.raises(gn.ParallelBranchesBranchFailed, match="branch 'left', state given by middleware: n: "):
        drive(trip(kind(more, lambda s, following: following({"n": "many"}))), how)


def test_function_may_return_the_state_that_it_wants():
    """As a node may: what differs from what it was given is its update."""
    branch = call(lambda s: s.model_copy(update={"n": s.n + 1}))

    assert 4 == trip(branch).run(n=3).state.n
    assert 14 == trip(call(branch.worker, lambda s, following: following(Trip(n=13)))).run(n=3).state.n


@HOW
def test_graph_may_leave_an_output_out(how):
    """A degrade that lacks it contributes nothing for it."""
    run = drive(trip(leg(more, lambda s, following: {"log": ["short"]})), how, n=3)

    assert (3, ["short"]) == (run.state.n, run.state.log)


@pytest.mark.parametrize("layers", [(), (lambda s, following: following(s),)], ids=["bare", "layered"])
def test_output_that_nothing_has_written_contributes_nothing(layers):
    """As that of a subgraph."""
    branch = leg(more, *layers, outputs={"n": "late"})

    assert 5 == trip(branch).run(n=5).state.n


@HOW
def test_input_that_does_not_fit_the_graph_is_a_failure_of_the_branch(how):
    """Before anything of it has run."""

    class Strict(gn.State):
        n: str = ""

    graph = gn.Graph(Strict, entry="go", name="strict")
    graph.node("go", lambda s: {}, to=gn.END)
    branch = gn.ParallelBranch(graph, inputs={"n": "n"}, outputs={"n": "n"})
    with pytest.raises(gn.ParallelBranchesBranchFailed, match="branch 'left', graph 'strict': n: ") as caught:
        drive(trip(branch), how)

    assert isinstance(caught.value.__cause__, gn.StateValidationError)


@HOW
@FUNCTIONS
def test_attempts_of_a_function_have_events_under_the_branchs_name(how, function):
    """A retry around the branch settles each, as around a node; the node's own pair is one."""
    calls: list[int] = []

    def failing(s: Any, following: Any) -> Any:
        calls.append(1)
        following(s)
        if len(calls) < 3:
            raise LookupError("lost")
        return {"log": ["third"]}

    driven = watch(trip(call(function, gn.retry(3, classifier=lambda error, s: True, backoff=0), failing)), how)
    own = [each for each in driven.events if each.node_name == "left"]

    assert [("started", 0), ("completed", 0), ("started", 1), ("completed", 1), ("started", 2), ("completed", 2)] == [
        (each.phase, each.attempt_index) for each in own
    ]
    assert [True, True, False] == [each.error is not None for each in own if each.phase == "completed"]
    assert {("both", "left")} == {each.namespace for each in own}
    assert ["started", "completed"] == [each.phase for each in driven.events if each.node_name == "both"]


@HOW
def test_error_of_a_function_tells_branch_path_and_state(how):
    """In its event with the whole path from the outermost graph."""
    inner = trip(call(lambda s: 1 / 0))
    outer = gn.Graph(Trip, entry="sub", name="outer")
    outer.subgraph("sub", inner, inputs={"n": "n"}, outputs={}, to=gn.END)
    driven = watch(outer, how, n=3)
    event = driven.of("completed")[0]

    assert ("left", ("sub", "both", "left"), 3) == (event.error.node, event.error.path, event.error.recoverable_state.n)
    assert ("graph 'trip', node 'both', branch 'left'", ZeroDivisionError) == (
        event.error.where, type(event.error.__cause__)
    )  # fmt: skip
    assert event.error.__cause__ is driven.error.__cause__.__cause__


@HOW
def test_function_that_changes_the_state_in_place_is_stopped(how):
    """Lists refuse, and what cannot refuse is compared after it has run."""
    with pytest.raises(gn.ParallelBranchesBranchFailed, match="tried to change field 'log' in place"):
        drive(trip(call(lambda s: s.log.append("x"))), how)
    with pytest.raises(gn.ParallelBranchesBranchFailed, match="field 'box'") as caught:
        drive(trip(call(lambda s: s.box.add("x") or {})), how, box={"mine"})

    assert isinstance(caught.value.__cause__, gn.MutatedState)
    assert {"mine"} == caught.value.recoverable_state.box


@HOW
def test_values_of_a_graph_come_out_as_its_own(how):
    """What middleware sees are plain values, which it may change without harm."""

    def grow(s: Any, following: Any) -> Any:
        update = following(s)
        update["log"].append("more")
        return update

    run = drive(trip(leg(more, grow)), how)

    assert ["saw 0", "more"] == run.state.log
    assert [["saw 0"]] == [step.after.log for step in run.steps if step.node == "go"]
