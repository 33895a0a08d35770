"""Retry: failed attempts are made again, and every attempt is told of."""

import asyncio
import functools
import inspect
import threading
import time
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.middleware import retry as module
from graphnb.engine.middleware.dispatch import Dispatch
from graphnb.engine.observers.scope import Scope
from graphnb.engine.work import Sleep
from tests.engine.driven import DRIVERS, drive, watch

SECONDS = 20


class Batch(gn.State):
    n: int = 0
    items: list[int] = []
    item: int = 0
    out: Annotated[list[Any], gn.append] = []


class Busy(Exception):
    category = "provider_unavailable"


def flaky(failures: int, *, is_async: bool = False, calls: list[int] | None = None) -> Any:
    """A node that fails so many times, and then counts."""
    made = [] if calls is None else calls

    def node(s: Any) -> dict[str, Any]:
        made.append(1)
        if len(made) <= failures:
            raise Busy(f"call {len(made)}")
        return {"n": len(made)}

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return node(s)

    return later if is_async else node


def line(node: Any, *layers: Any) -> gn.Graph:
    """A graph of one node within the layers."""
    graph = gn.Graph(Batch, entry="a", name="line")
    graph.node("a", node, middleware=layers, to=gn.END)
    return graph


def quickly(max_attempts: int = 3, **options: Any) -> Any:
    """A retry without pauses that finds every error worth it."""
    return gn.retry(max_attempts, classifier=lambda error, state: True, backoff=0, **options)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_attempt_is_made_again_until_it_succeeds(how, is_async):
    """Two failures, then the update of the third attempt; all three are one step of the run."""
    run = drive(line(flaky(2, is_async=is_async), quickly(5)), how)

    assert (3, 1, ("a",)) == (run.state.n, len(run.steps), run.trace.execution_order)
    assert ["call 1", "call 2"] == [str(each) for each in run.trace.log.commits[0].failures]


@pytest.mark.parametrize("how", DRIVERS)
def test_attempt_that_middleware_within_refused_has_failed(how):
    """The body raised nothing; the log has the error that the retry saw, once for each such attempt."""

    def at_least_three(s: Any, following: Any) -> Any:
        update = following(s)
        if update["n"] < 3:
            raise Busy(f"only {update['n']}")
        return update

    run = drive(line(flaky(0), quickly(5), at_least_three), how)

    assert 3 == run.state.n
    assert ["only 1", "only 2"] == [str(each) for each in run.trace.log.commits[0].failures]
    assert "2 attempts failed: Busy: only 1, Busy: only 2" in str(run.diff())


@pytest.mark.parametrize("how", DRIVERS)
def test_attempt_that_was_given_up_after_a_time_has_failed(how):
    """A timeout within the retry cancels the body, which thus raises nothing that counts as a failure."""
    calls: list[int] = []

    async def in_time(s: Any, following: Any) -> Any:
        return await asyncio.wait_for(following(s), 0.01 if len(calls) < 2 else SECONDS)

    async def slow(s: Any) -> dict[str, Any]:
        calls.append(1)
        await asyncio.sleep(SECONDS if len(calls) < 3 else 0)
        return {"n": len(calls)}

    run = drive(line(slow, quickly(5), in_time), how)

    assert 3 == run.state.n
    assert [TimeoutError] * 2 == [type(each) for each in run.trace.log.commits[0].failures]


@pytest.mark.parametrize("how", DRIVERS)
def test_error_that_an_inner_retry_has_counted_is_counted_once(how):
    """The outer retry sees an attempt fail whose failures are in the log already."""
    with pytest.raises(gn.NodeException) as caught:
        drive(line(flaky(9), quickly(2), quickly(2)), how)

    assert ["call 1", "call 2", "call 3"] == [str(each) for each in caught.value.trace.log.failure.failures]


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("max_attempts", [1, 2, 3])
def test_last_error_is_raised_when_the_attempts_are_used_up(how, max_attempts):
    """`max_attempts` counts all of them; 1 means that nothing is made again."""
    calls: list[int] = []
    with pytest.raises(gn.NodeException, match=f"raised Busy: call {max_attempts}") as caught:
        drive(line(flaky(9, calls=calls), quickly(max_attempts)), how)

    assert max_attempts == len(calls)
    assert max_attempts - 1 == len(caught.value.trace.log.failure.failures)


@pytest.mark.parametrize("how", DRIVERS)
def test_default_is_three_attempts_at_transient_errors(how, monkeypatch):
    """Without options an error that may pass by itself is tried thrice; any other is not tried again."""
    monkeypatch.setattr(module, "_LONGEST", 0.0)
    calls: list[int] = []
    with pytest.raises(gn.NodeException, match="call 3"):
        drive(line(flaky(9, calls=calls), gn.retry()), how)

    def lost(s: Any) -> Any:
        calls.append(-1)
        raise LookupError("lost")

    with pytest.raises(gn.NodeException, match="lost"):
        drive(line(lost, gn.retry()), how)

    assert [1, 1, 1, -1] == calls


@pytest.mark.parametrize("how", DRIVERS)
def test_classifier_gets_error_and_state(how):
    """The state is the one that the retry was given; a no raises the error at once."""
    seen: list[Any] = []

    def classifier(error: Exception, state: Any) -> bool:
        seen.append((str(error), state.n))
        return len(seen) < 2

    layer = gn.retry(9, classifier=classifier, backoff=0)
    with pytest.raises(gn.NodeException, match="call 2"):
        drive(line(flaky(9), lambda s, following: following(s.model_copy(update={"n": 7})), layer), how)

    assert [("call 1", 7), ("call 2", 7)] == seen


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_on_retry_is_told_before_each_wait(how, is_async):
    """With the error and the index of the attempt that failed; not after the last one."""
    note: list[Any] = []

    def plain(error: Exception, attempt_index: int) -> None:
        note.append((str(error), attempt_index))

    async def later(error: Exception, attempt_index: int) -> None:
        await asyncio.sleep(0)
        plain(error, attempt_index)

    def backoff(attempt_index: int) -> float:
        note.append(f"wait after {attempt_index}")
        return 0

    layer = gn.retry(3, classifier=lambda error, state: True, backoff=backoff, on_retry=later if is_async else plain)
    with pytest.raises(gn.NodeException):
        drive(line(flaky(9), layer), how)

    assert [("call 1", 0), "wait after 0", ("call 2", 1), "wait after 1"] == note


@pytest.mark.parametrize("option", ["classifier", "on_retry", "backoff"])
def test_error_of_an_option_is_one_of_the_node(option):
    """It is raised in place of the attempt's, which is its context."""

    def wrong(*_: object) -> Any:
        raise OSError("in the option")

    options = {"classifier": lambda error, state: True, "backoff": 0, option: wrong}
    with pytest.raises(gn.NodeException, match="raised OSError: in the option"):
        line(flaky(1), gn.retry(**options)).run()


@pytest.mark.parametrize(("given", "seconds"), [(0.5, 0.5), (2, 2.0), (lambda attempt_index: 3.0 + attempt_index, 3.0)])
def test_pause_is_asked_of_the_driver(given, seconds):
    """The work itself waits for nothing: it asks for so many seconds."""

    def body(state: Any) -> Any:
        raise Busy
        yield

    work = gn.retry(2, backoff=given).around(None, body, Dispatch("a", Scope(10)))

    request = next(work)
    assert (Sleep, seconds) == (type(request), request.seconds)
    with pytest.raises(Busy):
        work.send(None)


def test_default_pauses_are_drawn_and_grow_up_to_half_a_minute(monkeypatch):
    """Between 0 and 1, 2, 4, 8, 16, 30, 30, ... seconds, however many attempts there are."""
    bounds: list[tuple[float, float]] = []
    monkeypatch.setattr(module.random, "uniform", lambda low, high: bounds.append((low, high)) or 0.0)
    backoff = gn.retry().backoff
    for attempt_index in (0, 1, 2, 3, 4, 5, 6, 10_000):
        backoff(attempt_index)

    assert [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 30), (0, 30), (0, 30)] == bounds


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Busy(), True),
        (ValueError(), False),
        (gn.NodeException("a", "b"), False),
        (gn.DanglingEdge("a", "b"), False),
        (gn.FanOutError("a", "b", fan_out_category="fan_out_empty"), False),
    ],
)
def test_error_is_transient_by_its_category(error, expected):
    """Three categories of a provider are; those of graphs are not."""
    assert expected == gn.is_transient(error)


@pytest.mark.parametrize("category", ["provider_unavailable", "provider_rate_limit", "provider_model_not_loaded"])
def test_categories_of_providers_that_pass(category):
    """No other one does."""
    error, other = Busy(), Busy()
    error.category, other.category = category, "provider_authentication"

    assert (True, False) == (gn.is_transient(error), gn.is_transient(other))


@pytest.mark.parametrize(("mark", "expected"), [(True, True), (False, False), (1, False), ("yes", False)])
def test_error_may_be_marked_transient(mark, expected):
    """By an attribute that is True, and nothing like it."""
    error = ValueError()
    error.transient = mark  # type: ignore[attr-defined]  # as users mark their errors

    assert expected == gn.is_transient(error)


def test_direct_cause_counts_and_no_deeper_one():
    """One level: a wrapper around a transient error is transient, a wrapper around that is not."""
    wrapper, outer = ValueError(), ValueError()
    wrapper.__cause__, outer.__cause__ = Busy(), wrapper

    assert (True, False) == (gn.is_transient(wrapper), gn.is_transient(outer))


@pytest.mark.parametrize("how", DRIVERS)
def test_error_shaped_update_is_no_failure(how):
    """Only what is raised is tried again."""
    calls: list[int] = []

    def node(s: Any) -> dict[str, Any]:
        calls.append(1)
        return {"out": [Busy()]}

    drive(line(node, quickly()), how)

    assert [1] == calls


@pytest.mark.parametrize("how", DRIVERS)
def test_each_attempt_has_its_pair_of_events(how):
    """They share one step; those that failed say so at once, with the raw error as the cause of a wrapper."""
    driven = watch(line(flaky(2), quickly()), how)
    completed = driven.of("completed")

    assert [0] * 6 == [each.step for each in driven.events]
    assert [0, 0, 1, 1, 2, 2] == [each.attempt_index for each in driven.events]
    assert ["started", "completed"] * 3 == [each.phase for each in driven.events]
    assert ["node_exception", "node_exception", None] == [each.error and each.error.category for each in completed]
    assert ["provider_unavailable"] * 2 + [None] == [each.error_category for each in completed]
    assert [Busy, Busy] == [type(each.error.__cause__) for each in completed[:2]]
    assert [None, None, 3] == [each.post_state and each.post_state.n for each in completed]


@pytest.mark.parametrize("how", DRIVERS)
def test_events_of_attempts_that_are_used_up_end_in_the_runs_error(how):
    """The last attempt is completed once, with an error like that of the run."""
    driven = watch(line(flaky(9), quickly(2)), how)

    assert [("started", 0), ("completed", 0), ("started", 1), ("completed", 1)] == [
        (each.phase, each.attempt_index) for each in driven.events
    ]
    assert driven.error.__cause__ is driven.events[-1].error.__cause__


@pytest.mark.parametrize("how", DRIVERS)
def test_innermost_retry_counts_the_attempts(how):
    """Of two around one node the inner one starts anew in every attempt of the outer one."""
    driven = watch(line(flaky(3), quickly(2), quickly(2)), how)

    assert [0, 1, 0, 1] == [each.attempt_index for each in driven.of("started")]


def worker(node: Any, *layers: Any) -> gn.Graph:
    """A graph of one node that gives its `n`."""
    graph = gn.Graph(Batch, entry="w", name="worker")
    graph.node("w", node, middleware=layers, to=gn.END)
    return graph


def composite(kind: str, node: Any, *layers: Any) -> gn.Graph:
    """A graph whose one node runs a worker of the node, within the layers."""
    graph = gn.Graph(Batch, entry="all", name="outer")
    if kind == "subgraph":
        graph.subgraph("all", worker(node), outputs={"n": "n"}, middleware=layers, to=gn.END)
    elif kind == "fan-out":
        graph.fan_out("all", worker(node), count=1, collect="n", into="out", middleware=layers, to=gn.END)
    elif kind == "instance":
        graph.fan_out("all", worker(node), count=1, collect="n", into="out", instance_middleware=layers, to=gn.END)
    elif kind == "graph in branches":
        branch = gn.ParallelBranch(worker(node), outputs={"n": "n"})
        graph.branches("all", {"one": branch}, middleware=layers, to=gn.END)
    elif kind == "branch":
        branch = gn.ParallelBranch(worker(node), outputs={"n": "n"}, middleware=layers)
        graph.branches("all", {"one": branch}, to=gn.END)
    elif kind == "function in branches":
        graph.branches("all", {"w": node}, middleware=layers, to=gn.END)
    else:
        graph.branches("all", {"w": gn.ParallelBranch(node, middleware=layers)}, to=gn.END)
    return graph


KINDS = (
    "subgraph", "fan-out", "instance", "graph in branches", "branch", "function in branches", "function branch",
)  # fmt: skip


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_retry_around_what_runs_inside_makes_all_of_it_again(how, is_async, kind):
    """The inner node starts from its own beginning; its events bear the attempt's index."""
    driven = watch(composite(kind, flaky(2, is_async=is_async), quickly()), how)
    inner = [each for each in driven.events if each.node_name == "w"]

    assert None is driven.error
    assert 3 == (driven.state.out[0] if driven.state.out else driven.state.n)
    assert [0, 0, 1, 1, 2, 2] == [each.attempt_index for each in inner]
    assert ["started", "completed"] * 3 == [each.phase for each in inner]


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("kind", ["fan-out", "graph in branches", "function in branches"])
def test_retried_node_has_a_pair_for_every_attempt(how, kind):
    """The node that runs others takes one step, before those inside, which all attempts share."""
    driven = watch(composite(kind, flaky(1), quickly()), how)
    own = [each for each in driven.events if each.node_name == "all"]

    assert [("started", 0, 0), ("completed", 0, 0), ("started", 0, 1), ("completed", 0, 1)] == [
        (each.phase, each.step, each.attempt_index) for each in own
    ]
    assert [True, False] == [each.error is not None for each in own if each.phase == "completed"]


@pytest.mark.parametrize("how", DRIVERS)
def test_inner_retry_hides_the_outer_index(how):
    """The innermost enclosing retry counts, be it around the node itself or around what holds it."""
    inner = worker(flaky(1), quickly())
    graph = gn.Graph(Batch, entry="sub")
    graph.subgraph("sub", inner, outputs={"n": "n"}, middleware=quickly(), to=gn.END)

    assert [0, 1] == [each.attempt_index for each in watch(graph, how).of("started")]


@pytest.mark.parametrize("how", DRIVERS)
def test_branches_that_failed_by_a_transient_error_are_tried_again(how, monkeypatch):
    """The failure of the node inherits that from its cause, so that the default retry sees it."""
    monkeypatch.setattr(module, "_LONGEST", 0.0)
    run = drive(composite("function in branches", flaky(1), gn.retry()), how)
    other = composite("function in branches", lambda s: 1 / 0, gn.retry())
    with pytest.raises(gn.ParallelBranchesBranchFailed) as caught:
        drive(other, how)

    assert (2, False) == (run.state.n, caught.value.transient)
    assert () == caught.value.trace.log.failure.failures


def test_keyboard_interrupt_in_an_attempt_is_not_tried_again():
    """It ends the run at once."""
    calls: list[int] = []

    def node(s: Any) -> Any:
        calls.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        line(node, quickly()).run()

    assert ([1], "cancelled") == (calls, caught.value.run.status)


async def test_cancellation_in_an_attempt_is_not_tried_again():
    """Neither that of the run nor one that the node has come by."""
    calls: list[int] = []

    async def node(s: Any) -> Any:
        calls.append(1)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await line(node, quickly()).arun()

    assert [1] == calls


def pausing(begun: Any) -> Any:
    """A retry that pauses for a minute, and says so."""

    def backoff(attempt_index: int) -> float:
        begun.set()
        return 60

    return gn.retry(3, classifier=lambda error, state: True, backoff=backoff)


def test_run_can_be_cancelled_while_a_retry_pauses():
    """A handle's cancel is seen during the pause; the attempt that failed was told of before."""
    begun = threading.Event()
    events: list[Any] = []
    graph = line(flaky(9), pausing(begun))
    handle = graph.start(observers=[events.append])
    assert begun.wait(SECONDS)
    handle.cancel()

    assert "cancelled" == handle.result(SECONDS).status
    graph.drain()
    assert ["started", "completed"] == [each.phase for each in events]


async def test_task_can_be_cancelled_while_a_retry_pauses():
    """The same in an event loop."""
    begun = asyncio.Event()
    task = asyncio.create_task(line(flaky(9), pausing(begun)).arun())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task

    assert "cancelled" == caught.value.run.status


def test_pause_lasts_as_long_as_it_is_said_to():
    """In seconds."""
    began = time.monotonic()
    line(flaky(1), gn.retry(2, backoff=0.2)).run()

    assert 0.2 <= time.monotonic() - began < 5


@pytest.mark.parametrize("max_attempts", [0, -1, True, 1.5, "3"])
def test_number_of_attempts_that_is_none_raises(max_attempts):
    """An int of at least 1 is wanted."""
    with pytest.raises(gn.InvalidDeclaration, match=r"retry: max_attempts is .*\nGive an int of at least 1"):
        gn.retry(max_attempts)


NO_TIMES: list[Any] = [None, -1, float("nan"), float("inf"), True, "1", 10**400]
"""What nobody can wait for."""


@pytest.mark.parametrize("given", NO_TIMES, ids=repr)
@pytest.mark.parametrize("how", DRIVERS)
def test_backoff_that_gives_no_time_to_wait_raises(how, given):
    """The message has middleware, attempt and value; the error of the attempt is kept."""
    layer = gn.retry(5, backoff=lambda attempt_index: 0 if attempt_index < 1 else given)
    with pytest.raises(gn.NodeException) as caught:
        drive(line(flaky(9), layer), how)

    start = "graph 'line', node 'a', step 0: retry(max_attempts=5): backoff gave "
    end = " after attempt 1\nLet it give seconds: a number of at least 0."
    assert str(caught.value).startswith(start)
    assert str(caught.value).endswith(end)
    assert "call 2" == str(caught.value.__context__)


async def later(*_: Any) -> Any:
    """What has to be awaited."""


class Later:
    async def __call__(self, *_: Any) -> Any:
        """Has to be awaited as well."""


@pytest.mark.parametrize("given", [later, Later(), functools.partial(later, 1)], ids=["def", "object", "partial"])
@pytest.mark.parametrize("option", ["classifier", "backoff"])
def test_asynchronous_option_of_retry_is_refused(option, given):
    """Nothing awaits it, and a coroutine would pass for a yes."""
    told = rf"^retry: {option} is asynchronous, and its answer is needed at once: .*\nGive a plain function"
    with pytest.raises(gn.InvalidDeclaration, match=told):
        gn.retry(**{option: given})


@pytest.mark.parametrize("option", ["classifier", "backoff"])
def test_option_of_retry_that_gives_something_to_be_awaited_is_refused(option):
    """Which cannot be told before it is called."""
    options = {"classifier": lambda error, state: True, "backoff": 0, option: lambda *_: later()}
    told = rf"node 'a', step 0: retry\(max_attempts=3\): {option} gave something to be awaited \(coroutine\)\nLet it"
    with pytest.raises(gn.NodeException, match=told):
        line(flaky(1), gn.retry(**options)).run()


@pytest.mark.parametrize("backoff", [-1, float("nan"), float("inf"), True, "1", 10**400], ids=repr)
def test_pause_that_is_none_raises(backoff):
    """Seconds are wanted, or a function that gives them."""
    with pytest.raises(gn.InvalidDeclaration, match=r"retry: backoff is .*\nGive seconds, or a function"):
        gn.retry(backoff=backoff)


def test_retry_is_shown_as_it_would_be_written():
    """With the option that matters."""
    assert "retry(max_attempts=4)" == repr(gn.retry(4))
    assert list(inspect.signature(gn.retry).parameters) == ["max_attempts", "classifier", "backoff", "on_retry"]


@pytest.mark.parametrize("option", ["classifier", "on_retry"])
def test_option_of_retry_that_cannot_be_called_is_refused(option):
    """Not at the first failure, where it would hide the node's own error."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"^retry: {option} is 3 \(int\)\nGive a function\.$"):
        gn.retry(**{option: 3})
