"""Timing: each dispatch is told to a callback, with a clock that is read twice."""

import asyncio
import time
from typing import Annotated, Any

import pytest

import graphnb as gn
from tests.engine.driven import DRIVERS, drive


class Batch(gn.State):
    n: int = 0
    out: Annotated[list[Any], gn.append] = []


class Busy(Exception):
    category = "provider_rate_limit"


class Clock:
    """A clock that goes on by a quarter of a second at each reading."""

    def __init__(self) -> None:
        self.readings = 0

    def __call__(self) -> float:
        self.readings += 1
        return self.readings / 4


def line(node: Any, *layers: Any) -> gn.Graph:
    """A graph of one node within the layers."""
    graph = gn.Graph(Batch, entry="a", name="line")
    graph.node("a", node, middleware=layers, to=gn.END)
    return graph


def more(s: Any) -> dict[str, Any]:
    """A node that counts."""
    return {"n": s.n + 1}


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_success_is_told_with_name_duration_and_outcome(how, is_async):
    """In milliseconds between the two readings; the update passes through."""
    records: list[gn.TimingRecord] = []
    clock = Clock()

    async def later(record: gn.TimingRecord) -> None:
        await asyncio.sleep(0)
        records.append(record)

    run = drive(line(more, gn.timing(later if is_async else records.append, clock=clock)), how)

    assert [gn.TimingRecord("a", 250.0, "success")] == records
    assert (2, 1) == (clock.readings, run.state.n)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize(
    ("error", "category"), [(LookupError("lost"), None), (Busy(), "provider_rate_limit")], ids=["bare", "categorised"]
)
def test_failure_is_told_with_the_errors_own_category(how, error, category):
    """The raw error is seen, not a wrapper; it is raised again."""
    records: list[gn.TimingRecord] = []

    def node(s: Any) -> Any:
        raise error

    with pytest.raises(gn.NodeException) as caught:
        drive(line(node, gn.timing(records.append, clock=Clock())), how)

    assert [gn.TimingRecord("a", 250.0, "exception", category)] == records
    assert error is caught.value.__cause__


@pytest.mark.parametrize("how", DRIVERS)
def test_timing_outside_of_a_retry_tells_all_attempts_as_one(how):
    """Inside of it, each attempt is told by itself."""
    whole: list[gn.TimingRecord] = []
    each: list[gn.TimingRecord] = []
    calls: list[int] = []

    def node(s: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise Busy
        return {}

    layers = gn.timing(whole.append, clock=Clock()), gn.retry(2, backoff=0), gn.timing(each.append, clock=Clock())
    drive(line(node, *layers), how)

    assert ["success"] == [record.outcome for record in whole]
    assert ["exception", "success"] == [record.outcome for record in each]


@pytest.mark.parametrize("how", DRIVERS)
def test_timing_of_a_graph_names_each_node(how):
    """One layer serves for all nodes; a name of its own serves for all as well."""
    records: list[gn.TimingRecord] = []
    graph = gn.Graph(
        Batch, entry="a", middleware=[gn.timing(records.append), gn.timing(records.append, node_name="mine")]
    )
    graph.node("a", more, to="b")
    graph.node("b", more, to=gn.END)
    drive(graph, how)

    assert ["mine", "a", "mine", "b"] == [record.node_name for record in records]


def test_timing_around_instances_and_branches_names_them():
    """An instance bears the name of its node, a branch its own."""
    records: list[gn.TimingRecord] = []
    layer = gn.timing(records.append)
    graph = gn.Graph(Batch, entry="each")
    graph.fan_out(
        "each", lambda i: i, count=2, into="out", instance_middleware=layer, concurrency=1, to="both"
    )  # fmt: skip
    graph.branches("both", {"left": gn.ParallelBranch(more, middleware=layer)}, to=gn.END)
    graph.run()

    assert ["each", "each", "left"] == [record.node_name for record in records]


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("node", [more, lambda s: 1 / 0], ids=["succeeds", "fails"])
def test_error_of_the_callback_is_one_of_the_node(how, node):
    """Whatever the node did."""

    def wrong(record: gn.TimingRecord) -> None:
        raise OSError("cannot tell")

    with pytest.raises(gn.NodeException, match="raised OSError: cannot tell"):
        drive(line(node, gn.timing(wrong)), how)


def test_interruption_is_not_told():
    """It is no outcome of the node; the clock is read once."""
    records: list[gn.TimingRecord] = []
    clock = Clock()

    def node(s: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        line(node, gn.timing(records.append, clock=clock)).run()

    assert ([], 1) == (records, clock.readings)


def test_clock_measures_real_milliseconds_by_itself():
    """Without one of your own it is monotonic."""
    records: list[gn.TimingRecord] = []
    line(lambda s: time.sleep(0.05) or {}, gn.timing(records.append)).run()

    assert 50 <= records[0].duration_ms < 5000


def test_timing_is_shown_as_it_would_be_written():
    """With the name if there is one."""
    assert "timing()" == repr(gn.timing(print))
    assert "timing(node_name='mine')" == repr(gn.timing(print, node_name="mine"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"on_complete": 3}, "on_complete is 3"),
        ({"on_complete": print, "clock": 3}, "clock is 3"),
        ({"on_complete": print, "node_name": 3}, "node_name is 3"),
    ],
)
def test_option_of_timing_of_a_wrong_kind_is_refused(options, told):
    """Before anything is timed."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"^timing: {told} \(int\)"):
        gn.timing(**options)


def test_asynchronous_clock_is_refused():
    """Nothing awaits it."""

    async def clock() -> float:
        return 0.0

    with pytest.raises(gn.InvalidDeclaration, match=r"^timing: clock is asynchronous, .*\nGive a plain function"):
        gn.timing(print, clock=clock)
