"""Nodes that take too long."""

import asyncio
import math
import threading
from typing import Any

import pytest

import graphnb as gn
from tests.documents import asynchronous, gives, graph, tries, written

SHORT = {"a": {"policies": {"timeout_ms": 30}}}
LONG = {"a": {"policies": {"timeout_ms": 60_000}}}


def waits_for(event: threading.Event) -> Any:
    """A node that comes to its end when it is let go."""

    def node(view: Any, context: gn.NodeContext) -> Any:
        event.wait(10)
        return {"word": "late"}

    return node


def test_plain_node_that_takes_too_long_fails() -> None:
    """What it gives later is dropped."""
    event = threading.Event()
    with pytest.raises(
        gn.NodeException, match=r"node 'a', step 0: raised TimeoutError: took longer than 0\.03 seconds"
    ):
        graph(written("a", nodes=SHORT), a=waits_for(event)).run()
    event.set()


def test_asynchronous_node_that_takes_too_long_is_cancelled() -> None:
    """And told the same."""
    cancelled: list[bool] = []

    async def node(view: Any, context: gn.NodeContext) -> Any:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    tea = graph(written("a", nodes=SHORT), a=node)
    with pytest.raises(gn.NodeException, match=r"took longer than 0\.03 seconds"):
        tea.run()
    with pytest.raises(gn.NodeException, match=r"took longer than 0\.03 seconds"):
        asyncio.run(tea.arun())

    assert [True, True] == cancelled


def test_attempt_that_took_too_long_is_repeated() -> None:
    """As any other that failed."""
    event = threading.Event()

    def node(view: Any, context: gn.NodeContext) -> Any:
        return waits_for(event)(view, context) if context.attempt == 1 else {"word": "soon"}

    run = graph(written("a", nodes={"a": tries(2, timeout_ms=30)}), a=node).run()
    event.set()

    assert "soon" == run.state["word"]
    assert ["took longer than 0.03 seconds"] == [str(each) for each in run.steps[0].failures]


@pytest.mark.parametrize("wrap", [lambda node: node, asynchronous])
def test_node_in_time_gives_what_it_gives(wrap: Any) -> None:
    """Also an error of its own, a TimeoutError among them."""

    def late(view: Any, context: gn.NodeContext) -> Any:
        raise TimeoutError("the kettle's own")

    def fails(view: Any, context: gn.NodeContext) -> Any:
        raise SystemExit(3)

    assert "x" == graph(written("a", nodes=LONG), a=wrap(gives({"word": "x"}))).run().state["word"]
    with pytest.raises(gn.NodeException, match=r"raised TimeoutError: the kettle's own"):
        graph(written("a", nodes=LONG), a=wrap(late)).run()
    with pytest.raises(SystemExit):
        graph(written("a", nodes=LONG), a=wrap(fails)).run()


def test_node_knows_its_run_on_a_thread_of_its_own() -> None:
    """Context variables go with it."""
    ids: list[str] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        ids.append(gn.invocation().invocation_id)  # type: ignore[union-attr]
        return {}

    run = graph(written("a", nodes=LONG), a=node).run()

    assert [run.invocation_id] == ids


def test_limit_of_the_host_holds_for_nodes_that_set_none() -> None:
    """Seconds, for every attempt."""
    event = threading.Event()
    with pytest.raises(gn.NodeException, match=r"took longer than 0\.02 seconds"):
        graph(written("a"), timeout=0.02, a=waits_for(event)).run()
    event.set()


def test_node_that_asks_for_more_than_the_host_allows_refuses_the_run() -> None:
    """Before anything is executed; as much is not more."""
    calls: list[int] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        calls.append(1)
        return {}

    document = written("a", "b", nodes={"a": {"policies": {"timeout_ms": 2500}}})
    with pytest.raises(
        gn.IncompatibleExecutionPolicy, match=r"node 'a': asks for a timeout of 2\.5 seconds, and 2 are"
    ):
        graph(document, timeout=2, a=node, b=node).run()
    assert [] == calls
    assert "done" == graph(document, timeout=2.5, a=node, b=node).run().status
    assert "done" == graph(document, a=node, b=node).run().status


def test_limit_holds_for_what_a_plain_node_gives_to_be_awaited() -> None:
    """A lambda around a coroutine function does not look asynchronous."""

    async def slow(seconds: float) -> Any:
        await asyncio.sleep(seconds)
        return {"word": "late"}

    with pytest.raises(gn.NodeException, match=r"took longer than 0\.03 seconds"):
        graph(written("a", nodes=SHORT), a=lambda view, context: slow(10)).run()
    assert "late" == graph(written("a", nodes=LONG), a=lambda view, context: slow(0)).run().state["word"]


@pytest.mark.parametrize("wrap", [lambda node: node, asynchronous])
@pytest.mark.parametrize("milliseconds", [9 * 10**12, 10**13, 10**30, 10**400], ids=["12", "13", "30", "400"])
def test_timeout_that_no_clock_can_hold_is_no_limit(wrap: Any, milliseconds: int) -> None:
    """Of a node and of the host; the host's own is still less."""
    document = written("a", nodes={"a": {"policies": {"timeout_ms": milliseconds}}})
    node = wrap(gives({"word": "x"}))

    for timeout in (None, 10**10, 10**400, 1e300, math.inf):
        assert "x" == graph(document, timeout=timeout, a=node).run().state["word"]
        assert "x" == graph(written("a"), timeout=timeout, a=node).run().state["word"]
    with pytest.raises(gn.IncompatibleExecutionPolicy, match=r"asks for a timeout of .* seconds.*, and 5 are the most"):
        graph(document, timeout=5, a=node).run()


def test_timeout_without_end_is_named_in_words() -> None:
    """No number that a clock could show says it."""
    document = written("a", nodes={"a": {"policies": {"timeout_ms": 10**400}}})
    with pytest.raises(gn.IncompatibleExecutionPolicy, match="of more seconds than a clock can hold, and 5 are"):
        graph(document, timeout=5, a=gives({})).run()
