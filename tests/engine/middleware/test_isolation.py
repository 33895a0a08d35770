"""Failure isolation: an update in place of a failure, and the event that tells of it."""

import asyncio
import functools
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn
from tests.engine.driven import DRIVERS, drive, watch


class Batch(gn.State):
    n: int = 0
    items: list[Any] = []
    item: Any = None
    note: str = ""
    box: Any = None
    out: Annotated[list[Any], gn.append] = []
    notes: Annotated[list[Any], gn.append] = []


class Busy(Exception):
    category = "provider_unavailable"


class Denied(Exception):
    category = "provider_authentication"


def raising(error: Exception, *, is_async: bool = False) -> Any:
    """A node that raises."""

    def node(s: Any) -> Any:
        raise error

    async def later(s: Any) -> Any:
        await asyncio.sleep(0)
        raise error

    return later if is_async else node


def line(node: Any, *layers: Any) -> gn.Graph:
    """A graph of one node within the layers."""
    graph = gn.Graph(Batch, entry="a", name="line")
    graph.node("a", node, middleware=layers, to=gn.END)
    return graph


def isolating(update: Any = None, **options: Any) -> Any:
    """An isolation named `lost`, as a rule with an update of `n`."""
    return gn.failure_isolation({"n": -1} if update is None else update, event_name="lost", **options)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_update_stands_in_for_a_failure(how, is_async):
    """It is folded as if the node had returned it; the log remembers the error."""
    error = LookupError("gone")
    run = drive(line(raising(error, is_async=is_async), isolating({"n": -1, "out": ["x"]})), how, out=["kept"])

    assert (-1, ["kept", "x"], "done") == (run.state.n, run.state.out, run.status)
    assert (error,) == run.trace.log.commits[0].failures


@pytest.mark.parametrize("how", DRIVERS)
def test_update_stands_in_for_a_failure_of_middleware_within(how):
    """The node gave something; what refused it is told as its failure. A node that was not asked has none."""
    error = LookupError("refused")

    def refusing(s: Any, following: Any) -> Any:
        following(s)
        raise error

    def locked(s: Any, following: Any) -> Any:
        raise error

    run = drive(line(lambda s: {"n": 1}, isolating(), refusing), how)
    unasked = drive(line(lambda s: {"n": 1}, isolating(), locked), how)

    assert (-1, (error,)) == (run.state.n, run.trace.log.commits[0].failures)
    assert (-1, ()) == (unasked.state.n, unasked.trace.log.commits[0].failures)


@pytest.mark.parametrize("how", DRIVERS)
def test_update_may_be_made_of_the_state(how):
    """By a function of what the isolation was given; it is asked once, and only after a failure."""
    seen: list[int] = []

    def degraded(s: Any) -> dict[str, Any]:
        seen.append(s.n)
        return {"n": s.n * 100}

    run = drive(line(raising(LookupError()), isolating(degraded)), how, n=3)
    drive(line(lambda s: {}, isolating(degraded)), how, n=4)

    assert (300, [3]) == (run.state.n, seen)


@pytest.mark.parametrize("how", DRIVERS)
def test_event_tells_of_the_failure(how):
    """Its name, where and when, the state before, the update as it is, and the chain of causes."""
    error = ValueError("wrapped")
    error.__cause__ = Busy("down")
    driven = watch(line(raising(error), isolating()), how, n=5, correlation_id="c", invocation_id="i")
    event = driven.of("lost")[0]

    assert [("started", "a"), ("lost", "a"), ("completed", "a")] == driven.told
    assert ("lost", ("a",), 0, None, None) == (
        event.event_name, event.lineage.namespace, event.lineage.attempt_index,
        event.lineage.fan_out_index, event.lineage.branch_name,
    )  # fmt: skip
    assert (5, {"n": -1}) == (event.pre_state.n, event.post_state)
    assert ("i", "c") == (event.invocation_id, event.correlation_id)
    assert ("provider_unavailable", "down") == (event.caught_exception.category, event.caught_exception.message)
    assert [(None, "wrapped", False), ("provider_unavailable", "down", False)] == [
        (link.category, link.message, link.is_carrier) for link in event.caught_exception.links
    ]
    assert "FailureIsolated('lost', 'a')" == repr(event)


@pytest.mark.parametrize("how", DRIVERS)
def test_recovered_attempt_completes_with_the_state(how):
    """Without a retry the end of the chain decides: the node's event has a state and no error."""
    completed = watch(line(raising(LookupError()), isolating()), how).of("completed")

    assert [(-1, None)] == [(each.post_state.n, each.error) for each in completed]


@pytest.mark.parametrize("how", DRIVERS)
def test_attempts_of_a_retry_within_have_failed_nonetheless(how):
    """Their events have errors; the isolation tells the index of the last one, and nothing is completed twice."""
    layer = gn.retry(3, backoff=0)
    driven = watch(line(raising(Busy("down")), isolating(), layer), how)

    assert [
        ("started", 0), ("completed", 0), ("started", 1), ("completed", 1), ("started", 2), ("completed", 2),
    ] == [(each.phase, each.attempt_index) for each in driven.events[:-1]]  # fmt: skip
    assert ["node_exception"] * 3 == [each.error.category for each in driven.of("completed")]
    assert ("lost", 2) == (driven.events[-1].event_name, driven.events[-1].lineage.attempt_index)
    assert -1 == driven.state.n


@pytest.mark.parametrize("how", DRIVERS)
def test_isolation_within_a_retry_leaves_it_nothing_to_do(how):
    """The retry sees a success."""
    driven = watch(line(raising(Busy()), gn.retry(3, backoff=0), isolating()), how)

    assert [("started", "a"), ("lost", "a"), ("completed", "a")] == driven.told
    assert driven.events[-1].error is None


@pytest.mark.parametrize(
    ("catch", "error", "is_caught"),
    [
        ({"provider_unavailable"}, Busy(), True),
        ({"provider_unavailable"}, Denied(), False),
        ({"provider_unavailable", "provider_authentication"}, Denied(), True),
        ({"provider_unavailable"}, LookupError(), False),
        (set(), Busy(), False),
        (["provider_unavailable"], Busy(), True),
        (None, LookupError(), True),
    ],
    ids=["listed", "not listed", "one of several", "no category", "none listed", "a list", "no gate"],
)
@pytest.mark.parametrize("how", DRIVERS)
def test_categories_decide_what_is_caught(how, catch, error, is_caught):
    """A failure that is not caught is raised, and no event tells of it."""
    driven = watch(line(raising(error), isolating(catch=catch)), how)

    assert is_caught is (driven.error is None)
    assert (["lost"] if is_caught else []) == [each.event_name for each in driven.of("lost")]


def test_category_of_the_cause_counts_behind_wrappers():
    """An inner node's wrapper is a carrier: what is compared is the category of what it carries."""
    child = gn.Graph(Batch, entry="x")
    child.node("x", raising(Busy()), to=gn.END)
    graph = gn.Graph(Batch, entry="sub")
    graph.subgraph("sub", child, middleware=isolating(catch={"provider_unavailable"}), to=gn.END)

    assert -1 == graph.run().state.n

    graph = gn.Graph(Batch, entry="sub")
    graph.subgraph("sub", child, middleware=isolating(catch={"node_exception"}), to=gn.END)
    with pytest.raises(gn.NodeException):
        graph.run()


@pytest.mark.parametrize("how", DRIVERS)
def test_predicate_sees_the_error_as_it_arrives(how):
    """Not its cause; both gates have to let it pass."""
    seen: list[Any] = []

    def predicate(error: Exception) -> bool:
        seen.append(error)
        return False

    error = ValueError("wrapped")
    error.__cause__ = Busy()
    driven = watch(line(raising(error), isolating(predicate=predicate)), how)
    other = watch(line(raising(error), isolating(catch={"nothing"}, predicate=predicate)), how)

    assert [error] == seen
    assert (error, error) == (driven.error.__cause__, other.error.__cause__)
    assert [] == driven.of("lost") + other.of("lost")


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_on_caught_is_called_before_the_update_is_given(how, is_async):
    """With the error, whether it has to be awaited or not."""
    note: list[Any] = []

    def plain(error: Exception) -> None:
        note.append(str(error))

    async def later(error: Exception) -> None:
        await asyncio.sleep(0)
        note.append(str(error))

    def outer(s: Any, following: Any) -> Any:
        update = following(s)
        note.append(update)
        return update

    drive(line(raising(OSError("gone")), outer, isolating(on_caught=later if is_async else plain)), how)

    assert ["gone", {"n": -1}] == note


@pytest.mark.parametrize("option", ["predicate", "on_caught", "degraded_update"])
def test_error_of_an_option_is_one_of_the_node(option):
    """It takes the place of the one that was to be caught."""

    def wrong(given: Any) -> Any:
        raise OSError("in the option")

    options: dict[str, Any] = {"degraded_update": {}, option: wrong}
    with pytest.raises(gn.NodeException, match="raised OSError: in the option"):
        line(raising(LookupError()), gn.failure_isolation(event_name="lost", **options)).run()


@pytest.mark.parametrize("how", DRIVERS)
def test_what_a_function_gives_that_is_no_update_is_refused(how):
    """As from a node, and before anybody is told that the failure was caught."""
    driven = watch(line(raising(LookupError()), isolating(lambda s: [1])), how)

    assert (
        "graph 'line', node 'a', step 0, failure_isolation('lost'): its function returned list, want a dict of fields: "
        "[1]\nReturn a dict such as {'field': value}, or {} to change nothing."
    ) == str(driven.error)
    assert isinstance(driven.error, gn.InvalidUpdate)
    assert [("started", "a"), ("completed", "a")] == driven.told


def test_what_a_function_gives_that_is_no_update_is_refused_in_an_instance():
    """Where fields are collected by name; a bare value may be replaced by any other."""
    graph = gn.Graph(Batch, entry="each")
    graph.fan_out(
        "each", worker(odd), over="items", item="item", collect="n", into="out",
        instance_middleware=isolating(lambda s: s.item), to=gn.END,
    )  # fmt: skip
    driven = watch(graph, items=[1, 2])

    assert "node 'each', instance 1, failure_isolation('lost'): its function returned int" in str(driven.error)
    assert [] == driven.of("lost")


async def later(*_: Any) -> Any:
    """What has to be awaited."""


class Later:
    async def __call__(self, *_: Any) -> Any:
        """Has to be awaited as well."""


@pytest.mark.parametrize("given", [later, Later(), functools.partial(later, 1)], ids=["def", "object", "partial"])
@pytest.mark.parametrize("option", ["predicate", "degraded_update"])
def test_asynchronous_option_of_isolation_is_refused(option, given):
    """Nothing awaits it, and a coroutine would pass for a yes."""
    told = rf"^failure_isolation: {option} is asynchronous, and its answer is needed at once: .*\nGive a plain function"
    with pytest.raises(gn.InvalidDeclaration, match=told):
        gn.failure_isolation(**{"degraded_update": {}, "event_name": "lost", option: given})


@pytest.mark.parametrize("option", ["predicate", "degraded_update"])
def test_option_of_isolation_that_gives_something_to_be_awaited_is_refused(option):
    """Which cannot be told before it is called."""
    options: dict[str, Any] = {"degraded_update": {}, option: lambda *_: later()}
    told = rf"node 'a', step 0: failure_isolation\('lost'\): {option} gave something to be awaited \(coroutine\)"
    with pytest.raises(gn.NodeException, match=told):
        line(raising(LookupError()), gn.failure_isolation(event_name="lost", **options)).run()


def test_static_update_is_not_changed_by_middleware_outside():
    """Each dispatch has a copy; what the event tells stays as it was."""

    def edit(s: Any, following: Any) -> Any:
        update = following(s)
        update["n"] += 1
        return update

    graph = line(raising(LookupError()), edit, isolating())
    driven, again = watch(graph), watch(graph)

    assert (0, 0) == (driven.state.n, again.state.n)
    assert [{"n": -1}] == [each.post_state for each in driven.of("lost")]


def test_observer_cannot_change_what_the_node_is_compared_with():
    """The state in the event is a copy: an observer that fills a set in it changes nothing in the run."""
    filled = threading.Event()

    def fill(event: Any) -> None:
        if isinstance(event, gn.FailureIsolated):
            event.pre_state.box.add("x")
            filled.set()

    def waits(error: Exception) -> None:
        assert filled.wait(20)

    graph = line(raising(LookupError()), lambda s, following: (s.box, following(s))[1], isolating(on_caught=waits))
    run = graph.run(box={"mine"}, observers=[fill])

    assert ({"mine"}, -1) == (run.state.box, run.state.n)


def test_interruption_is_never_caught():
    """Only ordinary exceptions are failures."""

    def node(s: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        line(node, isolating()).run()


async def test_cancellation_is_never_caught():
    """Neither."""

    async def node(s: Any) -> Any:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await line(node, isolating()).arun()


def worker(node: Any) -> gn.Graph:
    """A graph of one node for instances and branches."""
    graph = gn.Graph(Batch, entry="w", name="worker")
    graph.node("w", node, to=gn.END)
    return graph


def odd(s: Any) -> dict[str, Any]:
    """Fails for even items."""
    if s.item % 2 == 0:
        raise Busy(f"item {s.item}")
    return {"n": s.item, "note": f"n{s.item}"}


@pytest.mark.parametrize("how", DRIVERS)
def test_degraded_instance_is_a_success(how):
    """Its contribution is the update, by the worker's field names: what that lacks is a null slot."""
    graph = gn.Graph(Batch, entry="each")
    graph.fan_out(
        "each", worker(odd), over="items", item="item", collect="n", into="out", extra_outputs={"notes": "note"},
        instance_middleware=isolating(), to=gn.END,
    )  # fmt: skip
    driven = watch(graph, how, items=[1, 2, 3, 4])

    assert ([1, -1, 3, -1], ["n1", None, "n3", None]) == (driven.state.out, driven.state.notes)
    assert [1, 3] == sorted(each.lineage.fan_out_index for each in driven.of("lost"))
    assert {(("each",), None)} == {(each.lineage.namespace, each.lineage.branch_name) for each in driven.of("lost")}


@pytest.mark.parametrize("how", DRIVERS)
def test_degrade_may_leave_out_what_is_collected(how):
    """If it is made by a function, which nobody can check before: the slot is null."""
    graph = gn.Graph(Batch, entry="each")
    graph.fan_out(
        "each", worker(odd), over="items", item="item", collect="n", into="out",
        instance_middleware=isolating(lambda s: {"note": f"for {s.item}"}), extra_outputs={"notes": "note"}, to=gn.END,
    )  # fmt: skip

    run = drive(graph, how, items=[1, 2])

    assert ([1, None], ["n1", "for 2"]) == (run.state.out, run.state.notes)


def test_null_slot_may_be_refused_by_the_reducer():
    """That is an error of the fan-in, and names the field."""

    class Lists(gn.State):
        items: list[int] = []
        all: Annotated[list[int], gn.concat_flatten] = []

    graph = gn.Graph(Lists, entry="each")
    graph.fan_out(
        "each", worker(odd), over="items", item="item", collect="out", into="all",
        instance_middleware=isolating(lambda s: {}), to=gn.END,
    )  # fmt: skip
    with pytest.raises(gn.ReducerError) as caught:
        graph.run(items=[2])

    assert ("all", "each") == (caught.value.field, caught.value.node)


@pytest.mark.parametrize("how", DRIVERS)
def test_instance_of_a_function_may_be_degraded(how):
    """A bare worker's contribution is what the update says, a dict's entries are taken out of it."""

    def half(item: int) -> int:
        if item % 2:
            raise Busy
        return item // 2

    def named(item: int) -> dict[str, int]:
        return {"n": half(item)}

    bare, entries = gn.Graph(Batch, entry="each"), gn.Graph(Batch, entry="each")
    bare.fan_out("each", half, over="items", into="out", instance_middleware=isolating(lambda item: -item), to=gn.END)
    entries.fan_out(
        "each", named, over="items", collect="n", into="out", instance_middleware=isolating(lambda item: {}), to=gn.END
    )  # fmt: skip

    assert [1, -3] == drive(bare, how, items=[2, 3]).state.out
    assert [1, None] == drive(entries, how, items=[2, 3]).state.out


@pytest.mark.parametrize("how", DRIVERS)
def test_branch_that_is_a_graph_is_degraded_in_its_own_fields(how):
    """`outputs` take them out; what the update lacks contributes nothing."""
    graph = gn.Graph(Batch, entry="both")
    branch = gn.ParallelBranch(
        worker(raising(Busy())), outputs={"out": "out", "n": "n"}, middleware=(isolating({"out": ["degraded"]}),)
    )
    graph.branches("both", {"left": branch, "right": lambda s: {"notes": ["right"]}}, to=gn.END)
    driven = watch(graph, how, n=7)
    event = driven.of("lost")[0]

    assert (["degraded"], 7, ["right"]) == (driven.state.out, driven.state.n, driven.state.notes)
    assert (("both",), "left", ("left",), (None,)) == (
        event.lineage.namespace, event.lineage.branch_name,
        event.lineage.branch_name_chain, event.lineage.fan_out_index_chain,
    )  # fmt: skip
    assert [("both", "w"), ("both", "w")] == [
        each.lineage.namespace for each in driven.events if getattr(each, "branch_name", None) == "left"
    ]


@pytest.mark.parametrize("how", DRIVERS)
def test_branch_that_is_a_function_is_degraded_in_the_parents_fields(how):
    """Its own pair of events is completed with the state."""
    graph = gn.Graph(Batch, entry="both")
    graph.branches("both", {"left": gn.ParallelBranch(raising(Busy()), middleware=(isolating(),))}, to=gn.END)
    driven = watch(graph, how)
    branch = [each for each in driven.events if each.lineage.namespace == ("both", "left")]

    assert -1 == driven.state.n
    assert ["started", "lost", "completed"] == [getattr(each, "phase", "lost") for each in branch]
    assert (-1, None) == (branch[-1].post_state.n, branch[-1].error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degraded_update": [1]}, r"degraded_update is \[1\] \(list\)\nGive a dict, or a function of the state"),
        ({"event_name": ""}, "event_name is ''\nGive a name"),
        ({"event_name": None}, "event_name is None\nGive a name"),
        ({"catch": "provider_unavailable"}, r"catch is 'provider_unavailable'\nGive a set: \{'provider_unavailable'\}"),
    ],
)
def test_wrong_options_raise(options, message):
    """Where the isolation is made, not where it is used."""
    with pytest.raises(gn.InvalidDeclaration, match=f"failure_isolation: {message}"):
        gn.failure_isolation(**{"degraded_update": {}, "event_name": "lost", **options})


def test_isolation_is_shown_as_it_would_be_written():
    """By the name of its event."""
    assert "failure_isolation('lost')" == repr(isolating())


def test_degraded_update_belongs_to_each_failure_alone():
    """What outer middleware does to one reaches neither the next failure nor the dict that was given."""

    class Box(gn.State):
        items: list[int]
        item: int = 0
        out: Annotated[list[Any], gn.append] = []

    def edit(s: Any, following: Any) -> Any:
        update = following(s)
        update["out"].append(s.item)
        return update

    given = {"out": [0]}
    worker = gn.Graph(Box, entry="a", name="worker")
    worker.node("a", lambda s: 1 / 0, to=gn.END)
    graph = gn.Graph(Box, entry="each")
    layers = [edit, gn.failure_isolation(given, event_name="gave_up")]
    options = {"inputs": {"items": "items"}, "collect": "out", "into": "out", "instance_middleware": layers}
    graph.fan_out("each", worker, over="items", item="item", **options, to=gn.END)

    assert [[0, 1], [0, 2]] == graph.run(items=[1, 2]).state.out
    assert {"out": [0]} == given


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"predicate": 3}, r"predicate is 3 \(int\)\nGive a function\."),
        ({"on_caught": 3}, r"on_caught is 3 \(int\)\nGive a function\."),
        ({"catch": 3}, r"catch is 3 \(int\)\nGive a set of categories"),
        ({"catch": [ValueError]}, r"catch is \[<class 'ValueError'>\] \(list\)\n.*types of errors there is predicate"),
    ],
    ids=["predicate", "on_caught", "catch a number", "catch a type"],
)
def test_option_of_isolation_that_would_fail_later_is_refused(options, told):
    """Not at the first failure, where it would hide the node's own error."""
    with pytest.raises(gn.InvalidDeclaration, match=told):
        gn.failure_isolation({}, event_name="x", **options)
