"""Parallel branches as one node: what runs, how it is merged, and what a failure does."""

import asyncio
import contextvars
import threading
import time
from typing import Annotated, Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphnb as gn
from tests.engine.driven import DRIVERS, drive, watch

SECONDS = 20


class Trip(gn.State):
    n: int = 0
    last: str = ""
    log: Annotated[list[str], gn.append] = []
    notes: Annotated[dict[str, Any], gn.merge] = {}
    total: Annotated[int, lambda prior, update: prior * 2 + update] = 0
    failed: Annotated[list[Any], gn.append] = []


class Leg(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []


class Busy(Exception):
    category = "provider_unavailable"


def both(branches: dict[str, Any], **options: Any) -> gn.Graph:
    """A graph whose one node runs the branches."""
    graph = gn.Graph(Trip, entry="both", name="trip")
    graph.branches("both", branches, **options, to=gn.END)
    return graph


def writing(name: str, *, is_async: bool = False) -> Any:
    """A function that writes its name everywhere."""

    def plain(s: Any) -> dict[str, Any]:
        return {"last": name, "log": [name], "notes": {name: s.n, "by": name}, "total": len(name)}

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return plain(s)

    return later if is_async else plain


def leg(node: Any, **options: Any) -> gn.ParallelBranch:
    """A graph of one node as a branch that gives its log."""
    graph = gn.Graph(Leg, entry="go", name="leg")
    graph.node("go", node, to=gn.END)
    return gn.ParallelBranch(graph, **{"outputs": {"log": "log"}, **options})


def failing(error: Exception, *, is_async: bool = False) -> Any:
    """A function that raises."""

    def plain(s: Any) -> Any:
        raise error

    async def later(s: Any) -> Any:
        await asyncio.sleep(0)
        raise error

    return later if is_async else plain


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_branches_are_merged_one_by_one_in_declared_order(how, left, right):
    """Each field is folded once per branch that writes it: the last listed wins, lists are joined, dicts are merged."""
    run = drive(both({"left": writing("left", is_async=left), "right": writing("right", is_async=right)}), how, n=3)

    assert ("right", ["left", "right"]) == (run.state.last, run.state.log)
    assert {"left": 3, "right": 3, "by": "right"} == run.state.notes
    assert (0 * 2 + 4) * 2 + 5 == run.state.total


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_graph_as_a_branch_has_its_own_state(how, is_async):
    """It starts from its defaults with `inputs`, and gives `outputs` alone; functions stand beside it."""

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"log": [f"n={s.n}"], "n": 9}

    node = later if is_async else lambda s: {"log": [f"n={s.n}"], "n": 9}
    branches = {
        "own": leg(node),
        "given": leg(node, inputs={"n": "n"}, outputs={"log": "log", "n": "n"}),
        "plain": writing("plain"),
    }
    run = drive(both(branches), how, n=5)

    assert (["n=0", "n=5", "plain"], 9) == (run.state.log, run.state.n)


@pytest.mark.parametrize("how", DRIVERS)
def test_branches_run_at_the_same_time(how):
    """Each waits for the other, whether it blocks a thread or awaits."""
    barrier = threading.Barrier(2, timeout=SECONDS)

    def meet(s: Any) -> dict[str, Any]:
        barrier.wait()
        return {}

    async def meet_later(s: Any) -> dict[str, Any]:
        await asyncio.to_thread(barrier.wait)
        return {}

    assert "done" == drive(both({"left": meet, "right": meet_later}), how).status
    assert "done" == drive(both({"left": meet, "right": meet}), how).status
    assert "done" == drive(both({"left": meet_later, "right": meet_later}), how).status


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_order_of_completion_does_not_show(how, is_async):
    """The branch listed first ends last, and its contribution still comes first."""
    second = threading.Event()

    def slow(s: Any) -> dict[str, Any]:
        assert second.wait(SECONDS)
        return {"log": ["slow"], "last": "slow"}

    async def slow_later(s: Any) -> dict[str, Any]:
        return await asyncio.to_thread(slow, s)

    def quick(s: Any) -> dict[str, Any]:
        second.set()
        return {"log": ["quick"], "last": "quick"}

    run = drive(both({"slow": slow_later if is_async else slow, "quick": quick}), how)

    assert (["slow", "quick"], "quick") == (run.state.log, run.state.last)


@given(
    order=st.permutations(range(4)),
    updates=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "last": st.text(max_size=2), "log": st.lists(st.text(max_size=2), max_size=2),
                "total": st.integers(0, 9), "notes": st.dictionaries(st.sampled_from("ab"), st.integers(0, 9)),
            },
        ),
        min_size=4, max_size=4,
    ),
)  # fmt: skip
def test_merge_never_depends_on_the_order_of_completion(order, updates):
    """Whichever branch ends first: the state is the fold of all updates in declared order."""
    turns = [asyncio.Event() for _ in range(5)]

    def branch(i: int) -> Any:
        async def run(s: Any) -> Any:
            await turns[order.index(i)].wait()
            turns[order.index(i) + 1].set()
            return updates[i]

        return run

    def line() -> gn.Graph:
        graph = gn.Graph(Trip, entry="n0")
        for i, update in enumerate(updates):
            graph.node(f"n{i}", lambda s, update=update: update, to=f"n{i + 1}" if i < 3 else gn.END)
        return graph

    turns[0].set()
    run = both({f"b{i}": branch(i) for i in range(4)}).run()

    assert line().run().state == run.state


@pytest.mark.parametrize("how", DRIVERS)
def test_branch_whose_when_says_no_is_not_there(how):
    """No work, no contribution, no events; each is asked once, about the state at entry."""
    asked: list[int] = []

    def when(answer: object) -> Any:
        return lambda s: asked.append(s.n) or answer

    branches = {
        "yes": gn.ParallelBranch(writing("yes"), when=when(1)),
        "no": gn.ParallelBranch(writing("no"), when=when(0)),
        "graph": leg(lambda s: 1 / 0, when=when(None)),
    }
    driven = watch(both(branches), how, n=4)

    assert ([4, 4, 4], ["yes"]) == (asked, driven.state.log)
    assert {("both",), ("both", "yes")} == {each.namespace for each in driven.events}
    assert ("yes", "no", "graph") == driven.events[0].parallel_branches_config.branch_names
    assert 1 == driven.events[0].parallel_branches_config.branch_count
    assert ("yes",) == driven.run.steps[-1].instances.names


@pytest.mark.parametrize("how", DRIVERS)
def test_branches_that_are_all_skipped_change_nothing(how):
    """It is a valid outcome, with a pair of events."""
    skipped = {"no": gn.ParallelBranch(writing("no"), when=lambda s: False)}
    driven = watch(both(skipped), how)

    assert (Trip(), [("started", "both"), ("completed", "both")]) == (driven.state, driven.told)


@pytest.mark.parametrize("how", DRIVERS)
def test_when_that_fails_is_an_error_of_the_node(how):
    """It is named; nothing has run, and the node has started all the same."""
    called: list[Any] = []
    branches = {"left": called.append, "right": gn.ParallelBranch(called.append, when=lambda s: 1 / 0)}
    driven = watch(both(branches), how)
    with pytest.raises(gn.NodeException, match="its function for when of branch 'right'"):
        drive(both(branches), how)

    assert "its function for when of branch 'right' raised ZeroDivisionError" in str(driven.error)
    assert ([], [("started", "both"), ("completed", "both")]) == (called, driven.told)
    assert driven.events[0].parallel_branches_config is None


def test_when_that_is_true_for_ever_is_no_answer():
    """What yields would let the branch run whatever it gives."""
    branches = {"right": gn.ParallelBranch(writing("right"), when=lambda s: (each for each in ()))}
    with pytest.raises(gn.NodeException) as caught:
        both(branches).run()

    assert "its function for when of branch 'right' raised TypeError: it returned generator, want" in str(caught.value)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_failed_branch_ends_the_node(how, is_async):
    """The error names node and branch and leads to the original; what others gave is discarded."""
    error = LookupError("lost")
    branches = {"good": writing("good"), "bad": failing(error, is_async=is_async)}
    with pytest.raises(
        gn.ParallelBranchesBranchFailed, match=r"branch 'bad' failed with NodeException.*lost"
    ) as caught:
        drive(both(branches), how, n=3)

    failed = caught.value
    assert ("both", "bad", "parallel_branches_branch_failed", False) == (
        failed.node, failed.branch_name, failed.category, failed.transient
    )  # fmt: skip
    assert (3, []) == (failed.recoverable_state.n, failed.recoverable_state.log)
    assert ("bad", ("both", "bad"), 3) == (
        failed.__cause__.node, failed.__cause__.path, failed.__cause__.recoverable_state.n
    )  # fmt: skip
    assert error is failed.__cause__.__cause__


@pytest.mark.parametrize("how", DRIVERS)
def test_failed_branch_that_is_a_graph_leads_to_its_node(how):
    """The cause is the inner node's error, as it left the graph; the trace has what ran inside."""
    with pytest.raises(gn.ParallelBranchesBranchFailed) as caught:
        drive(both({"left": leg(failing(Busy("down"))), "right": writing("right")}), how)

    failed = caught.value
    assert ("go", Busy, True) == (failed.__cause__.node, type(failed.__cause__.__cause__), failed.transient)
    made = failed.trace.log.failure.instances
    assert (("left", "right"), "go") == (made.names, made.logs[0].failure.node)


@pytest.mark.parametrize("how", DRIVERS)
def test_failure_cancels_branches_that_await(how):
    """They clean up before the node fails; a graph is stopped at its next call."""
    note: list[str] = []
    begun = threading.Semaphore(0)

    async def waits(s: Any) -> dict[str, Any]:
        begun.release()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            note.append("cleaned")
        return {}

    async def fails(s: Any) -> dict[str, Any]:
        await asyncio.to_thread(lambda: (begun.acquire(), begun.acquire()))
        raise LookupError("lost")

    driven = watch(both({"one": waits, "other": leg(waits), "bad": fails}), how)

    assert "bad" == driven.error.branch_name
    assert ["cleaned", "cleaned"] == note
    assert [("both", "bad"), ("both",)] == [each.namespace for each in driven.of("completed")]
    assert all(each.error is not None for each in driven.of("completed"))


@pytest.mark.parametrize("how", DRIVERS)
def test_collecting_goes_on_after_failures(how):
    """What succeeded is merged, what failed is recorded with its category, and the node returns."""
    branches = {
        "bad": failing(LookupError("lost")),
        "good": writing("good"),
        "inner": leg(failing(Busy())),
        "unfit": leg(lambda s: {"log": "no list"}),
    }
    run = drive(both(branches, error_policy="collect", errors_into="failed"), how)

    assert ["good"] == run.state.log
    assert [
        {"branch_name": "bad", "category": "node_exception"},
        {"branch_name": "inner", "category": "node_exception"},
        {"branch_name": "unfit", "category": "reducer_error"},
    ] == run.state.failed
    made = run.steps[-1].instances
    assert ((1,), [0, 2, 3]) == (made.slots, [i for i, _ in made.errors])


@pytest.mark.parametrize("how", DRIVERS)
def test_collecting_may_drop_the_records(how):
    """Without a field for them; all branches may fail."""
    driven = watch(both({"bad": failing(LookupError())}, error_policy="collect"), how)

    assert (Trip(), None) == (driven.state, driven.error)
    assert [("both", "bad")] == [each.namespace for each in driven.of("completed") if each.error is not None]


def test_category_of_a_run_within_a_branch_is_not_the_branchs():
    """What another run has raised inside of the code is an exception like any other."""
    other = gn.Graph(Trip, entry="a")
    other.node("a", lambda s: {"log": 5}, to=gn.END)
    run = both({"bad": lambda s: other.run()}, error_policy="collect", errors_into="failed").run()

    assert ["node_exception"] == [each["category"] for each in run.state.failed]


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_watched", [False, True])
@pytest.mark.parametrize("policy", ["fail_fast", "collect"])
def test_update_that_cannot_be_merged_is_an_error_of_the_node(how, is_watched, policy):
    """Not of the branch, which has done its work; whether anybody watches makes no difference."""
    graph = both({"good": writing("good"), "bad": lambda s: {"log": "no list"}}, error_policy=policy)
    if is_watched:
        driven = watch(graph, how)
        error = driven.error
        assert ["both/bad", "both"] == ["/".join(each.namespace) for each in driven.events if each.error is not None]
    else:
        with pytest.raises(gn.ReducerError) as caught:
            drive(graph, how)
        error = caught.value

    assert ("log", "both", "reducer_error") == (error.field, error.node, error.category)
    assert "branch 'bad'" in str(error)
    assert [] == error.recoverable_state.log


@pytest.mark.parametrize("how", DRIVERS)
def test_middleware_around_the_node_sees_what_all_branches_make(how):
    """Fields that several write as one value; it may leave them as they are, edit them, or take them out."""
    seen: list[Any] = []

    def look(s: Any, following: Any) -> Any:
        update = following(s)
        seen.append({name: getattr(each, "value", each) for name, each in update.items()})
        return update

    def edit(s: Any, following: Any) -> Any:
        update = following(s)
        del update["notes"]
        return {**update, "last": "edited", "n": 7}

    branches = {"left": writing("left"), "right": lambda s: {"log": ["right"], "last": "right"}}
    looked, edited = both(branches, middleware=look), both(branches, middleware=edit)
    plain = drive(both(branches), how)

    assert plain.state == drive(looked, how).state
    assert {"last": "right", "log": ["left", "right"], "notes": {"left": 0, "by": "left"}, "total": 4} == seen[0]
    run = drive(edited, how)
    assert ("edited", 7, {}, ["left", "right"]) == (run.state.last, run.state.n, run.state.notes, run.state.log)
    assert (0, 0, 1, None, None) == run.steps[-1].instances.owners


@pytest.mark.parametrize("how", DRIVERS)
def test_retry_around_the_node_runs_all_branches_again(how):
    """Those that had succeeded too; nothing of the first attempt is merged."""
    calls: list[str] = []

    def good(s: Any) -> dict[str, Any]:
        calls.append("good")
        return {"log": [f"good {calls.count('good')}"]}

    def bad(s: Any) -> dict[str, Any]:
        calls.append("bad")
        if calls.count("bad") == 1:
            raise LookupError("lost")
        return {"log": ["bad"]}

    graph = both({"good": good, "bad": bad}, middleware=gn.retry(classifier=lambda error, s: True, backoff=0))

    assert ["good 2", "bad"] == drive(graph, how).state.log
    assert (2, 2) == (calls.count("good"), calls.count("bad"))


@pytest.mark.parametrize("how", DRIVERS)
def test_events_of_branches_know_where_they_are(how):
    """The node takes its step first; a function has a pair under the branch's name, a graph's nodes have theirs."""
    driven = watch(both({"left": writing("left"), "right": leg(lambda s: {"log": ["leg"]})}), how, n=2)
    of = {each.namespace: each for each in driven.of("completed")}

    assert ("started", ("both",), 0) == (driven.events[0].phase, driven.events[0].namespace, driven.events[0].step)
    assert ("completed", ("both",)) == (driven.events[-1].phase, driven.events[-1].namespace)
    assert {("both",), ("both", "left"), ("both", "go")} == set(of)
    assert [1, 2] == sorted(each.step for path, each in of.items() if len(path) > 1)
    assert ("left", "right", None) == (
        of["both", "left"].branch_name, of["both", "go"].branch_name, of["both",].branch_name
    )  # fmt: skip
    assert (("left",), (None,)) == (of["both", "left"].branch_name_chain, of["both", "left"].fan_out_index_chain)
    assert [[2], [2], []] == [
        [state.n for state in of[path].parent_states] for path in (("both", "left"), ("both", "go"), ("both",))
    ]
    assert (["left"], ["leg"], ["left", "leg"]) == (
        of["both", "left"].post_state.log, of["both", "go"].post_state.log, of["both",].post_state.log
    )  # fmt: skip
    assert gn.ParallelBranchesConfig(("left", "right"), 2, "fail_fast", "both") == of["both",].parallel_branches_config
    assert of["both", "left"].parallel_branches_config is None


@pytest.mark.parametrize("how", DRIVERS)
def test_branches_start_in_declared_order(how):
    """As far as observers can tell."""
    names = [f"branch {i}" for i in range(6)]
    branches = {name: leg(lambda s: time.sleep(0.002) or {}) for name in names}

    assert names == [each.branch_name for each in watch(both(branches), how).of("started")[:7] if each.branch_name]


def nested_branches() -> gn.Graph:
    """Branches in an instance in a branch."""
    inner = gn.Graph(Trip, entry="inner", name="inner")
    inner.branches("inner", {"a": writing("a"), "b": leg(lambda s: {"log": ["b"]})}, to=gn.END)
    each = gn.Graph(Trip, entry="each", name="each")
    each.fan_out("each", inner, count=2, collect="log", into="failed", to=gn.END)
    return both({"left": gn.ParallelBranch(each, outputs={"failed": "failed"}), "right": writing("right")})


@pytest.mark.parametrize("how", DRIVERS)
def test_fan_out_in_a_branch_and_branches_in_an_instance(how):
    """Every event tells all that encloses it; both chains are as long as the path above the node."""
    driven = watch(nested_branches(), how)
    innermost = {
        (each.namespace, each.fan_out_index, each.branch_name) for each in driven.events if len(each.namespace) > 3
    }

    assert [["a", "b"], ["a", "b"]] == driven.state.failed
    assert {
        (("both", "each", "inner", name), i, branch) for name, branch in (("a", "a"), ("go", "b")) for i in (0, 1)
    } == (innermost)
    chains = {(each.fan_out_index_chain, each.branch_name_chain) for each in driven.events if each.node_name == "go"}
    assert {((None, i, None), ("left", None, "b")) for i in range(2)} == chains
    own = {(each.fan_out_index, each.branch_name, each.fan_out_index_chain, each.branch_name_chain)
           for each in driven.events if each.namespace == ("both", "each", "inner")}  # fmt: skip
    assert {(i, "left", (None, i), ("left", None)) for i in range(2)} == own


def test_keyboard_interrupt_in_a_branch_ends_the_run():
    """With what the branches have done so far."""

    def interrupted(s: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        both({"left": interrupted, "right": writing("right")}, error_policy="collect").run()

    assert "cancelled" == caught.value.run.status


async def test_cancellation_reaches_all_branches():
    """They clean up, and the run is cancelled."""
    begun, cleaned = [], []

    async def waits(s: Any) -> Any:
        begun.append(1)
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(1)

    task = asyncio.create_task(both({"left": waits, "right": leg(waits)}).arun())
    async with asyncio.timeout(SECONDS):
        while len(begun) < 2:
            await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task

    assert ([1, 1], "cancelled") == (cleaned, caught.value.run.status)


@pytest.mark.parametrize("how", DRIVERS)
def test_branch_cannot_change_what_another_one_sees(how):
    """Each has a view of its own; what cannot refuse is found out."""

    class Shared(gn.State):
        box: Any = None
        seen: Annotated[list[Any], gn.append] = []

    def fill(s: Any) -> dict[str, Any]:
        s.box.add("x")
        return {}

    graph = gn.Graph(Shared, entry="both")
    graph.branches(
        "both", {"left": fill, "right": lambda s: {"seen": [sorted(s.box)]}}, error_policy="collect", to=gn.END
    )
    run = drive(graph, how, box={"mine"})

    assert ([["mine"]], {"mine"}) == (run.state.seen, run.state.box)


WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("is_graph", [False, True])
def test_no_branch_sees_context_variables_that_another_one_set(how, is_async, is_graph):
    """However quick they are: each has a copy of its own, and the caller's stay as they were."""

    def plain(s: Any) -> dict[str, Any]:
        seen = WORD.get()
        WORD.set("set by a branch")
        return {"log": [seen]}

    async def later(s: Any) -> dict[str, Any]:
        return plain(s)

    node = later if is_async else plain
    graph = both({name: leg(node) if is_graph else node for name in "abc"})

    assert ["unset"] * 3 == drive(graph, how).state.log
    assert "unset" == WORD.get()


@pytest.mark.parametrize("how", DRIVERS)
def test_branches_start_in_declared_order_however_slow_the_first(how):
    """A graph whose start takes long to be checked comes before a function, as it was declared."""

    class Slow(gn.State):
        n: int = 0

        @pydantic.model_validator(mode="after")
        def take_time(self) -> "Slow":
            time.sleep(0.02)
            return self

    graph = gn.Graph(Slow, entry="go", name="slow")
    graph.node("go", lambda s: {}, to=gn.END)
    slow = gn.ParallelBranch(graph, inputs={"n": "n"}, outputs={"n": "n"})
    driven = watch(both({"slow": slow, "quick": lambda s: {"log": ["quick"]}}), how)
    firsts = [path for phase, path in driven.told if phase == "started"]

    assert ["both", "both/go", "both/quick"] == firsts
