"""What holds for every graph: the stream of events is well-formed, and neither driver, observers nor retries show."""

import asyncio
import threading
from collections import Counter, defaultdict
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphnb as gn
from tests.engine.driven import DRIVERS, drive, watch


class Tree(gn.State):
    log: Annotated[list[str], gn.append] = []
    out: Annotated[list[Any], gn.append] = []
    errors: list[Any] = []


# A call: is it asynchronous, how many of its calls fail (-1: all of them), what is around it.
CALLS = st.tuples(
    st.just("call"), st.booleans(), st.sampled_from([0, 0, 0, 1, 2, -1]), st.sampled_from(["", "plain", "async"])
)


def composites(lines: Any) -> Any:
    """Nodes that run lines of nodes."""
    policies = st.sampled_from(["fail_fast", "collect"])
    return (
        CALLS
        | st.tuples(st.just("subgraph"), lines)
        | st.tuples(st.just("fan-out"), lines, st.integers(1, 3), st.sampled_from([1, None]), policies)
        | st.tuples(st.just("branches"), st.lists(lines | CALLS, min_size=1, max_size=3), policies)
    )


LINES = st.recursive(
    st.lists(CALLS, min_size=1, max_size=2),
    lambda lines: st.lists(composites(lines), min_size=1, max_size=2),
    max_leaves=8,
)


def plain_layer(s: Any, following: Any) -> Any:
    """Middleware that changes nothing."""
    return following(s)


async def async_layer(s: Any, following: Any) -> Any:
    """The same, asynchronous."""
    return await following(s)


LAYERS = {"": (), "plain": (plain_layer,), "async": (async_layer,)}
RETRY = gn.retry(3, classifier=lambda error, state: not isinstance(error, ZeroDivisionError), backoff=0)


def call_of(shape: Any, name: str, *, is_sound: bool) -> tuple[Any, list[Any]]:
    """A function that writes its name, after as many failures as it is meant to have, and what is around it."""
    _, is_async, failures, layer = shape
    lock, left = threading.Lock(), [0 if is_sound else failures]

    def call(s: Any) -> dict[str, Any]:
        with lock:
            if left[0]:
                left[0] -= 1
                raise ZeroDivisionError if failures < 0 else LookupError(name)
        return {"log": [name]}

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return call(s)

    return later if is_async else call, [*LAYERS[layer], RETRY]


def built(line: Any, name: str = "g", *, is_sound: bool = False) -> gn.Graph:
    """The graph of a line; a sound one has no failures."""
    graph = gn.Graph(Tree, entry=f"{name}0", name=name)
    for i, shape in enumerate(line):
        own, to = f"{name}{i}", f"{name}{i + 1}" if i + 1 < len(line) else gn.END
        kind, outputs = shape[0], {"log": "log", "out": "out"}
        if kind == "call":
            function, layers = call_of(shape, own, is_sound=is_sound)
            graph.node(own, function, middleware=layers, to=to)
        elif kind == "subgraph":
            graph.subgraph(own, built(shape[1], f"{own}s", is_sound=is_sound), outputs=outputs, to=to)
        elif kind == "fan-out":
            _, inner, count, concurrency, policy = shape
            worker = built(inner, f"{own}w", is_sound=is_sound)
            graph.fan_out(
                own, worker, count=count, collect="log", into="out", concurrency=concurrency, error_policy=policy, to=to
            )  # fmt: skip
        else:
            branches = {}
            for j, each in enumerate(shape[1]):
                if each[0] == "call":
                    function, layers = call_of(each, f"{own}b{j}", is_sound=is_sound)
                    branches[f"{own}b{j}"] = gn.ParallelBranch(function, middleware=tuple(layers))
                else:
                    inner_graph = built(each, f"{own}b{j}", is_sound=is_sound)
                    branches[f"{own}b{j}"] = gn.ParallelBranch(inner_graph, outputs=outputs)
            graph.branches(own, branches, error_policy=shape[2], to=to)
    return graph


def may_cancel(line: Any) -> bool:
    """True if a failure somewhere stops others beside it."""
    for shape in line:
        if shape[0] == "fan-out" and ((shape[4] == "fail_fast" and shape[3] != 1) or may_cancel(shape[1])):
            return True
        if shape[0] == "branches" and (
            (shape[2] == "fail_fast" and len(shape[1]) > 1)
            or any(may_cancel(each) for each in shape[1] if each[0] != "call")
        ):
            return True
        if shape[0] == "subgraph" and may_cancel(shape[1]):
            return True
    return False


def spread_out(line: Any) -> bool:
    """True if anything runs beside anything else."""
    return any(
        (shape[0] == "fan-out" and (shape[3] != 1 or spread_out(shape[1])))
        or (shape[0] == "branches" and len(shape[1]) > 1)
        or (shape[0] == "branches" and any(spread_out(each) for each in shape[1] if each[0] != "call"))
        or (shape[0] == "subgraph" and spread_out(shape[1]))
        for shape in line
    )


def changed(line: Any, change: Any) -> Any:
    """The same with other failures: `change` makes them of those of each call."""
    if line and line[0] == "call":
        return (*line[:2], change(line[2]), line[3])
    if isinstance(line, list):
        return [changed(each, change) for each in line]
    return tuple(changed(each, change) if isinstance(each, (list, tuple)) else each for each in line)


def certain(line: Any) -> Any:
    """The same without anything that timing decides: who is cancelled, and who meets a failure that passes."""
    if may_cancel(line):
        return [("call", True, 0, "")]
    return changed(line, lambda failures: min(failures, 0)) if spread_out(line) else line


def identity(event: Any) -> Any:
    """Where an event comes from, whatever ran when."""
    return event.namespace, event.fan_out_index_chain, event.branch_name_chain


def summary(event: Any) -> Any:
    """All that an event tells, its step apart."""
    return (
        *identity(event), event.phase, event.attempt_index, event.pre_state.log, [s.log for s in event.parent_states],
        event.post_state and event.post_state.log, event.error and event.error.category, event.fan_out_config,
        event.parallel_branches_config,
    )  # fmt: skip


def check_stream(events: list[Any], *, is_complete: bool) -> None:
    """The rules of a single stream."""
    steps = defaultdict(list)
    for each in events:
        depth = len(each.namespace) - 1
        assert depth == len(each.fan_out_index_chain) == len(each.branch_name_chain) == len(each.parent_states)
        assert (each.post_state is None) is (each.phase == "started" or each.error is not None)
        steps[each.step].append(each)

    assert set(range(len(steps))) == set(steps)
    for own in steps.values():
        assert 1 == len({identity(each) for each in own})
        assert ["started", "completed"] * (len(own) // 2) + ["started"] * (len(own) % 2) == [each.phase for each in own]
        assert len(own) % 2 == 0 or not is_complete
        assert [i // 2 for i in range(len(own))] == [each.attempt_index for each in own]
        assert all(each.error is not None for each in own[1:-2:2])


def check_nesting(events: list[Any]) -> None:
    """What runs inside begins after what it runs in, with a later step, and ends before it."""
    first: dict[Any, int] = {}
    last: dict[Any, int] = {}
    for i, each in enumerate(events):
        first.setdefault(identity(each), i)
        last[identity(each)] = i
    for path, indices, branches in first:
        for depth in range(1, len(path)):
            outer = path[:depth], indices[: depth - 1], branches[: depth - 1]
            if outer in first:  # a subgraph has no events
                assert first[outer] < first[path, indices, branches]
                assert events[first[outer]].step < events[first[path, indices, branches]].step
                assert last[path, indices, branches] < last[outer]


@pytest.mark.parametrize("how", DRIVERS)
@given(line=LINES)
def test_stream_of_events_is_well_formed(how, line):
    """One end for every start, steps without gaps, chains as long as the path, composites around their insides."""
    driven = watch(built(line), how)
    is_complete = not may_cancel(line)
    check_stream(driven.events, is_complete=is_complete)
    if is_complete:
        check_nesting(driven.events)


@given(line=LINES)
def test_drivers_tell_the_same_events(line):
    """In the same order where nothing runs beside anything else, the same ones in any case."""
    line = certain(line)
    streams = [watch(built(line), how).events for how in DRIVERS]
    told = [[summary(each) for each in events] for events in streams]

    assert Counter(map(repr, told[0])) == Counter(map(repr, told[1])) == Counter(map(repr, told[2]))
    if not spread_out(line):
        assert told[0] == told[1] == told[2]
        starts = [each.step for each in streams[0] if each.phase == "started" and each.attempt_index == 0]
        assert list(range(len(starts))) == starts


@given(line=LINES)
def test_observers_and_drivers_do_not_show_in_the_run(line):
    """Trace and state are the same, however the graph was run, and whoever watched."""
    line = certain(line)
    watched = [watch(built(line), how).run.trace for how in DRIVERS]
    try:
        bare = built(line).run().trace
    except gn.RunError as error:
        bare = error.trace

    assert [bare] * 3 == watched


@given(line=LINES)
def test_failures_that_pass_do_not_show_in_the_state(line):
    """With retries around everything that fails, the run ends like one without a failure."""
    sound, retried = built(line, is_sound=True), built(changed(line, lambda failures: max(failures, 0)))

    assert drive(sound).state == drive(retried).state == drive(retried, "arun").state


def in_graphs(line: Any) -> Any:
    """The same with graphs in place of functions as branches, which are no steps of the trace."""
    return [
        (shape[0], [[each] if each[0] == "call" else in_graphs(each) for each in shape[1]], *shape[2:])
        if shape[0] == "branches"
        else (shape[0], in_graphs(shape[1]), *shape[2:])
        if shape[0] != "call"
        else shape
        for shape in line
    ]


@given(line=LINES.map(in_graphs))
def test_steps_of_the_trace_are_numbered_like_those_of_events(line):
    """Where nothing runs beside anything else and nothing fails: the same numbers for the same nodes."""
    if spread_out(line):
        line = [("call", False, 0, "")]
    driven = watch(built(line, is_sound=True))
    told = [(each.step, each.namespace) for each in driven.of("started")]
    steps = [(step.number, step.namespace) for step in driven.run.steps if step.namespace in dict(map(reversed, told))]

    assert sorted(told) == sorted(steps)
