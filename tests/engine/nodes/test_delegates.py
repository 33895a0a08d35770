"""Delegates: one brief each, a copy of its own, all at once, all waited for, in their order, and nothing made of it."""

import asyncio
import contextvars
import functools
import itertools
import threading
from collections import Counter
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphnb as gn
from graphnb.trace.instances import fates_of
from tests.engine.driven import DRIVERS, drive, watch
from tests.engine.nodes.asked import (
    KINDS,
    MIXES,
    SECONDS,
    WAYS,
    Asked,
    Board,
    Gate,
    ask,
    board,
    delegate_of,
    delegates_of,
)

every_way = pytest.mark.parametrize("way", WAYS)
every_mix = pytest.mark.parametrize("mix", MIXES)


def failing(error: Exception) -> Any:
    """A function that raises."""

    def fails(brief: Any) -> Any:
        raise error

    return fails


@every_mix
@every_way
def test_each_delegate_is_asked_once_with_its_own_brief(way, mix):
    """Counted: five briefs, two of which are equal, reach five delegates."""
    asked: list[tuple[int, Any]] = []
    works = [lambda brief, i=i: asked.append((i, brief)) or f"{i}:{brief}" for i in range(5)]
    briefs = ["e", "d", "c", "d", "a"]
    given = ask(way, delegates_of(mix, works), briefs)

    assert Counter({(0, "e"): 1, (1, "d"): 1, (2, "c"): 1, (3, "d"): 1, (4, "a"): 1}) == Counter(asked)
    assert ["0:e", "1:d", "2:c", "3:d", "4:a"] == given


@every_mix
@every_way
@pytest.mark.parametrize("brief", ["all of you", {"topic": ["tides"]}, None, 7, {3, 4}], ids=repr)
def test_single_brief_reaches_every_delegate_once(way, mix, brief):
    """Whatever it is, as long as it is no list or tuple."""
    asked: list[tuple[int, Any]] = []
    works = [lambda own, i=i: asked.append((i, own)) for i in range(3)]
    ask(way, delegates_of(mix, works), brief)

    assert [(0, brief), (1, brief), (2, brief)] == sorted(asked, key=lambda each: each[0])


@every_mix
@every_way
@pytest.mark.parametrize("is_single", [False, True])
def test_each_delegate_has_a_copy_of_its_brief(way, mix, is_single):
    """All write into theirs, deep inside, before one of them reads: none sees more than its own mark."""
    brief = {"topic": "tides", "notes": [{"seen": []}]}
    marked = Gate(4)
    own: dict[int, Any] = {}

    def mark(brief: Any, i: int) -> Any:
        brief["notes"][0]["seen"].append(i)
        own[i] = brief
        return sorted(brief["notes"][0]["seen"])

    works = [functools.partial(mark, i=i) for i in range(4)]
    briefs = brief if is_single else [brief] * 4
    given = ask(way, delegates_of(mix, works, behind=[marked] * 4, opens=[marked] * 4), briefs)

    assert [[0], [1], [2], [3]] == given
    assert {"topic": "tides", "notes": [{"seen": []}]} == brief
    assert 4 == len({id(each["notes"][0]["seen"]) for each in own.values()})


@every_mix
@every_way
def test_no_delegate_sees_what_another_one_gave(way, mix):
    """Each gets its brief alone, also when the one before has given its result: they are asked one by one."""
    seen: list[Any] = []
    works = [lambda brief, i=i: seen.append(brief) or {"secret": i} for i in range(4)]
    given = ask(way, delegates_of(mix, works), "only this", concurrency=1)

    assert ["only this"] * 4 == seen
    assert [{"secret": i} for i in range(4)] == given


@every_mix
@every_way
@pytest.mark.parametrize("count", [2, 7, 40])
def test_all_begin_before_any_ends(way, mix, count):
    """Each waits until all have begun: nobody would give anything otherwise."""
    meeting = Gate(count)
    works = [lambda brief, i=i: i for i in range(count)]
    delegates = delegates_of(mix, works, behind=[meeting] * count, opens=[meeting] * count)

    assert [*range(count)] == ask(way, delegates, "meet")


@every_mix
@every_way
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_concurrency_bounds_how_many_are_asked_at_once(way, mix, limit):
    """Never more, and so many where they wait for each other."""
    now, most, lock = [0], [0], threading.Lock()
    meeting = Gate(limit)

    class Entering:
        def arrive(self) -> None:
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            meeting.arrive()

    def leave(brief: Any) -> Any:
        with lock:
            now[0] -= 1
        return brief

    delegates = delegates_of(mix, [leave] * 6, behind=[meeting] * 6, opens=[Entering()] * 6)

    assert [*"abcdef"] == ask(way, delegates, [*"abcdef"], concurrency=limit)
    assert limit == most[0]


def chained(mix: str, count: int, order: Any) -> tuple[list[Any], list[int]]:
    """Delegates that end in this order, each once the one before has ended; and the order in which they did."""
    done = {i: Gate() for i in range(count)}
    ended: list[int] = []
    before: list[Any] = [None] * count
    for earlier, later in itertools.pairwise(order):
        before[later] = done[earlier]

    def end(brief: Any, i: int) -> Any:
        ended.append(i)
        done[i].arrive()
        return f"{i} {brief}"

    return delegates_of(mix, [functools.partial(end, i=i) for i in range(count)], behind=before), ended


@every_mix
@every_way
def test_results_keep_the_order_of_the_delegates(way, mix):
    """The last delegate ends first, and the first one last."""
    delegates, ended = chained(mix, 5, [4, 3, 2, 1, 0])
    given = ask(way, delegates, [*"vwxyz"])

    assert [4, 3, 2, 1, 0] == ended
    assert ["0 v", "1 w", "2 x", "3 y", "4 z"] == given


@given(st.permutations(range(5)), st.sampled_from(MIXES), st.sampled_from(["delegate", "adelegate", "run", "arun"]))
def test_order_of_completion_never_shows(order, mix, way):
    """Whatever it is."""
    delegates, ended = chained(mix, 5, order)

    assert [f"{i} b" for i in range(5)] == ask(way, delegates, "b")
    assert order == ended


@every_mix
@every_way
@pytest.mark.parametrize("first", [0, 2])
def test_all_are_waited_for_when_one_fails(way, mix, first):
    """The others end after the failure, and the error carries what they gave, in the order of the delegates."""
    failed = Gate()
    ended: list[int] = []

    def fail(brief: Any) -> Any:
        failed.arrive()
        raise ValueError("no tide today")

    works: list[Any] = [lambda brief, i=i: ended.append(i) or [i, brief] for i in range(4)]
    works[first] = fail
    shut = [None if i == first else failed for i in range(4)]
    with pytest.raises(gn.DelegateFailed) as caught:
        ask(way, delegates_of(mix, works, behind=shut), "tides")

    rest = [i for i in range(4) if i != first]
    error = caught.value
    assert rest == sorted(ended)
    assert (f"d{first}", first) == (error.delegate, error.index)
    assert tuple(None if i == first else [i, "tides"] for i in range(4)) == error.results
    assert [first] == [i for i, _ in error.errors]
    assert error.__cause__ is error.errors[0][1]
    assert f"delegate {first} 'd{first}' failed with " in str(error)
    assert "no tide today (3 of 4 delegates finished)" in str(error)
    assert "node_exception" == error.category


@every_mix
@every_way
def test_first_in_order_is_named_when_several_fail(way, mix):
    """Though it was the last to fail; all failures are there."""
    failed = Gate()

    def last(brief: Any) -> Any:
        raise ValueError("the earlier one")

    def early(brief: Any) -> Any:
        failed.arrive()
        raise KeyError("the later one")

    works = [lambda brief: 0, last, lambda brief: 2, early]
    with pytest.raises(gn.DelegateFailed, match="delegate 1 'd1' failed") as caught:
        ask(way, delegates_of(mix, works, behind=[None, failed, None, None]), "x")

    assert ("d1", 1, (0, None, 2, None)) == (caught.value.delegate, caught.value.index, caught.value.results)
    assert [1, 3] == [i for i, _ in caught.value.errors]
    assert ["the earlier one" in str(caught.value.errors[0][1]), "the later one" in str(caught.value.errors[1][1])] == [
        True, True
    ]  # fmt: skip


@every_mix
@every_way
def test_failures_that_are_kept_leave_none_in_their_slots(way, mix):
    """The list is as long as there are delegates; None may also be what a delegate gives."""
    works: list[Any] = [lambda brief: "a", failing(ValueError("no")), lambda brief: None, failing(OSError("nor"))]

    assert ["a", None, None, None] == ask(way, delegates_of(mix, works), "x", on_error="keep")


@pytest.mark.parametrize("how", DRIVERS)
@every_mix
def test_records_of_failures_are_kept_in_order(how, mix):
    """Index, delegate, category and error, by the one update that has the list as well."""
    works: list[Any] = [failing(ValueError("no")), lambda brief: "b", failing(OSError("nor"))]
    graph = board(delegates_of(mix, works), lambda s: "x", on_error="keep", errors_into="failed")
    state = drive(graph, how).state

    assert [None, "b", None] == state.answers
    assert [(0, "d0", "node_exception"), (2, "d2", "node_exception")] == [
        (each["index"], each["delegate"], each["category"]) for each in state.failed
    ]
    assert ["ValueError: no", "OSError: nor"] == [
        next(text for text in ("ValueError: no", "OSError: nor") if text in each["error"]) for each in state.failed
    ]
    assert [{"index", "delegate", "category", "error"}] * 2 == [set(each) for each in state.failed]


@pytest.mark.parametrize("how", DRIVERS)
def test_no_failures_are_an_empty_list(how):
    """As a fan-out writes it."""
    state = drive(board([len], lambda s: "x", on_error="keep", errors_into="failed"), how).state

    assert ([1], []) == (state.answers, state.failed)


@every_mix
@every_way
@pytest.mark.parametrize("briefs", [[], ["a"], ["a", "b", "c"], ("a", "b", "c")], ids=repr)
def test_wrong_number_of_briefs_asks_nobody(way, mix, briefs):
    """Refused before anything runs, with both numbers: when declared if it is known by then, else by the node."""
    asked: list[Any] = []
    delegates = delegates_of(mix, [asked.append] * 2)
    category = "invalid_declaration" if "delegate" in way else "node_exception"
    with pytest.raises(gn.GraphError, match=rf"has 2 delegates and {len(briefs)} brief") as caught:
        ask(way, delegates, briefs)

    assert [] == asked
    assert category == caught.value.category


@pytest.mark.parametrize("how", DRIVERS)
def test_wrong_number_of_briefs_is_an_error_of_the_node(how):
    """The state is that before it, and the node is named."""
    with pytest.raises(
        gn.DelegationError, match="graph 'board', node 'ask', step 0: has 2 delegates and 3 briefs"
    ) as e:
        drive(board([len, len], "briefs"), how, briefs=["a", "b", "c"])

    assert "ask" == e.value.node
    assert ["a", "b", "c"] == e.value.recoverable_state.briefs
    assert [] == [*e.value.run.steps]


@every_way
def test_no_delegates_give_an_empty_list_where_that_may_be(way):
    """With one brief for all, or an empty list of briefs."""
    assert [] == ask(way, [], "x", on_empty="noop")
    assert [] == ask(way, [], [], on_empty="noop")


@every_way
def test_no_delegates_are_refused_otherwise(way):
    """When they are declared."""
    with pytest.raises(gn.InvalidDeclaration, match="has no delegates"):
        ask(way, [], "x")


@every_way
def test_briefs_without_delegates_are_too_many(way):
    """Also where there may be no delegates."""
    with pytest.raises(gn.GraphError, match="has 0 delegates and 1 brief"):
        ask(way, [], ["x"], on_empty="noop")


@every_way
@pytest.mark.parametrize("kind", KINDS)
def test_same_delegate_may_stand_twice(way, kind):
    """It is asked twice, each time with the brief of that place, at the same time."""
    meeting = Gate(3)
    twice = delegate_of(kind, lambda brief: brief.upper(), behind=meeting, opens=meeting)
    other = delegate_of(kind, lambda brief: brief * 2, behind=meeting, opens=meeting)

    assert ["A", "bb", "C"] == ask(way, [twice, other, twice], ["a", "b", "c"])


@every_way
def test_same_delegate_is_told_apart_by_number(way):
    """The error names the second one."""

    def ada(brief: Any) -> Any:
        return 1 // brief

    with pytest.raises(gn.DelegateFailed, match=r"delegate 1 'ada \(2\)' failed with ZeroDivisionError") as caught:
        ask(way, [ada, ada], [1, 0])

    assert ("ada (2)", 1, (1, None)) == (caught.value.delegate, caught.value.index, caught.value.results)


@every_way
@pytest.mark.parametrize(
    "given",
    [[[1], [2]], [{"a": 1}, {"a": 2}], [3, 1], [None, None], [{"score": 1}, {"score": 9}], [(), [()]]],
    ids=repr,
)
def test_what_they_give_is_never_merged_or_ranked(way, given):
    """Lists stay lists within the list, mappings stay apart, and nothing is sorted or left out."""
    assert given == ask(way, [lambda brief, each=each: each for each in given], "x")


class Folded(gn.State):
    rows: Annotated[list[Any], gn.append] = [["before"]]
    flat: Annotated[list[Any], gn.concat_flatten] = ["before"]
    merged: Annotated[dict[str, Any], gn.merge_all] = {"before": 0}
    last: Any = None


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize(
    ("into", "given", "after"),
    [
        ("rows", [[1], [2, 3]], [["before"], [1], [2, 3]]),
        ("flat", [[1], [2, 3]], ["before", 1, 2, 3]),
        ("merged", [{"a": 1, "b": 1}, {"a": 2}], {"before": 0, "a": 2, "b": 1}),
        ("last", [[1], [2, 3]], [[1], [2, 3]]),
    ],
)
def test_reducer_decides_what_becomes_of_the_list(how, into, given, after):
    """The node writes it once, whole."""
    graph = gn.Graph(Folded, entry="ask")
    graph.delegates("ask", [lambda b, each=each: each for each in given], briefs="?", into=into, to=gn.END)
    run = drive(graph, how)

    assert after == getattr(run.state, into)
    assert [(into, given)] == [(delta.field, delta.written) for step in run.steps for delta in step.deltas]


@pytest.mark.parametrize("how", DRIVERS)
def test_results_may_be_dropped(how):
    """Without a field they go nowhere; the delegates are asked all the same."""
    asked: list[Any] = []
    state = drive(board([asked.append], lambda s: "x", into=None), how).state

    assert (["x"], Board()) == (asked, state)


def write(s: Any) -> dict[str, Any]:
    """Say what the delegates are to do."""
    return {"briefs": [["a"], ["b", "c"]]}


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize(
    "briefs",
    ["briefs", lambda s: s.briefs, lambda s: tuple(s.briefs), lambda s: [list(each) for each in s.briefs]],
    ids=["field", "list of the state", "tuple", "new list"],
)
@every_mix
def test_briefs_come_from_the_state(how, briefs, mix):
    """Of the step before; in a form that delegates may change, which the state does not see."""
    works = [lambda brief: brief.append("own") or brief, lambda brief: brief.clear() or len(brief)]
    graph = gn.Graph(Board, entry="write")
    graph.node("write", write, to="ask")
    graph.delegates("ask", delegates_of(mix, works), briefs=briefs, into="answers", to=gn.END)
    state = drive(graph, how).state

    assert [["a", "own"], 0] == state.answers
    assert [["a"], ["b", "c"]] == state.briefs


@pytest.mark.parametrize("how", DRIVERS)
def test_literal_briefs_are_those_of_the_declaration(how):
    """Whoever changes the list afterwards changes nothing, and neither does a run before."""
    briefs: Any = [["a"], ["b"]]
    graph = board([lambda brief: brief.append("own") or brief] * 2, briefs)
    briefs[0].append("late")
    briefs.append("more")

    assert [["a", "own"], ["b", "own"]] == drive(graph, how).state.answers
    assert [["a", "own"], ["b", "own"]] == drive(graph, how).state.answers


@pytest.mark.parametrize("how", DRIVERS)
def test_single_brief_in_a_field_is_for_all(how):
    """A text, as if it had been written in the declaration."""
    assert [3, "ABC"] == drive(board([len, str.upper], "briefs"), how, briefs="abc").state.answers


class Bare(gn.State):
    briefs: Any = gn.UNSET
    answers: Any = None


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_told", [False, True])
def test_briefs_that_were_never_written_are_named(how, is_told):
    """Observers are told that the node has started and failed."""
    graph = gn.Graph(Bare, entry="ask", name="bare")
    graph.delegates("ask", [len], briefs="briefs", into="answers", to=gn.END)
    if not is_told:
        with pytest.raises(gn.UnsetField, match="takes its briefs from field 'briefs', which is unset"):
            drive(graph, how)
        return

    driven = watch(graph, how)

    assert [("started", "ask"), ("completed", "ask")] == driven.told
    assert "takes its briefs" in str(driven.error)


@pytest.mark.parametrize("how", DRIVERS)
def test_function_for_briefs_that_fails_is_an_error_of_the_node(how):
    """It is named."""
    with pytest.raises(gn.NodeException, match="its function for briefs raised ZeroDivisionError"):
        drive(board([len], lambda s: 1 // 0), how)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("on_error", ["raise", "keep"])
@every_way
def test_delegate_cannot_ask(way, kind, on_error):
    """An interrupt is no result; all have ended by then."""
    ended: list[Any] = []
    asks = gn.interrupt("answers", "Well?")
    delegates = [
        asking_graph(is_async=kind == "async graph") if "graph" in kind else delegate_of(kind, lambda brief: asks),
        delegate_of(kind, ended.append),
    ]
    if on_error == "keep":  # a failure like any other
        assert [None, None] == ask(way, delegates, "x", on_error=on_error)
        return
    with pytest.raises(gn.DelegateFailed, match="Only a node of the graph that is run may ask"):
        ask(way, delegates, "x", on_error=on_error)

    assert ["x"] == ended


def asking_graph(*, is_async: bool) -> gn.Graph:
    """A graph whose node returns an interrupt."""

    async def later(s: Any) -> Any:
        return gn.interrupt("result")

    graph = gn.Graph(Asked, entry="n", name="asking")
    graph.node("n", later if is_async else (lambda s: gn.interrupt("result")), to=gn.END)
    return graph


def test_interrupt_of_a_delegate_names_it():
    """With its place in the list."""
    with pytest.raises(gn.DelegateFailed, match=r"delegate 1 'bo' failed with InvalidUpdate.*returned an interrupt"):
        board([len, delegate_of("plain", lambda b: gn.interrupt("answers"), name="bo")], lambda s: "x").run()


@pytest.mark.parametrize("how", DRIVERS)
def test_events_of_delegates_know_where_they_are(how):
    """Nodes of a graph are told with the index of the delegate and the state of the node; functions have none."""
    delegates = delegates_of("mixed", [lambda brief: brief] * 4)
    driven = watch(board(delegates, [*"abcd"]), how)
    inner = [each for each in driven.of("completed") if each.namespace == ("ask", "work")]

    assert ("started", ("ask",)) == (driven.events[0].phase, driven.events[0].namespace)
    assert ("completed", ("ask",)) == (driven.events[-1].phase, driven.events[-1].namespace)
    assert [(2, "c"), (3, "d")] == sorted((each.fan_out_index, each.post_state.result) for each in inner)
    assert [None, None] == [each.parent_states[0].answers for each in inner]
    assert [*"abcd"] == driven.events[-1].post_state.answers


@pytest.mark.parametrize("how", DRIVERS)
def test_middleware_around_the_node_sees_the_whole_list(how):
    """It may change it; the delegates are asked in between."""

    def plain(state: Any, following: Any) -> Any:
        update = following(state)
        return {"answers": [*update["answers"], "more"]}

    async def later(state: Any, following: Any) -> Any:
        update = await following(state)
        return {"answers": [*update["answers"], "more"]}

    layer = later if how == "arun" else plain

    assert [1, "X", "more"] == drive(board([len, str.upper], lambda s: "x", middleware=[layer]), how).state.answers


@pytest.mark.parametrize("how", DRIVERS)
def test_retry_around_the_node_asks_all_again(how):
    """With the same briefs, though a delegate has changed its own."""
    seen: list[Any] = []

    def ada(brief: Any) -> Any:
        brief.append("changed")
        return len(brief)

    def bo(brief: Any) -> Any:
        seen.append(list(brief))
        if len(seen) == 1:
            raise ConnectionError("busy")
        return "at last"

    again = gn.retry(classifier=lambda error, s: True, backoff=0)
    state = drive(board([ada, bo], lambda s: [[], ["b"]], middleware=again), how).state

    assert [1, "at last"] == state.answers
    assert [["b"], ["b"]] == seen


class Busy(Exception):
    category = "provider_unavailable"


@every_mix
@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize(("error", "calls"), [(Busy(), 2), (ValueError(), 1)], ids=["transient", "lasting"])
def test_retry_knows_whether_the_failure_is_transient(how, mix, error, calls):
    """Of a function or of a graph's node."""
    asked: list[Any] = []

    def fails(brief: Any) -> Any:
        asked.append(brief)
        raise error

    graph = board(delegates_of(mix, [fails] * 4), lambda s: "x", middleware=gn.retry(2, backoff=0))
    with pytest.raises(gn.DelegateFailed) as caught:
        drive(graph, how)

    assert 4 * calls == len(asked)
    assert (calls == 2) == caught.value.transient == gn.is_transient(caught.value)


@pytest.mark.parametrize("how", DRIVERS)
def test_failure_isolation_stands_in_for_the_node(how):
    """Nothing was written of what had been given."""
    layer = gn.failure_isolation({"answers": "none"}, event_name="lost")

    assert "none" == drive(board([len, failing(OSError())], lambda s: "x", middleware=layer), how).state.answers


class Shelf(gn.State):
    items: list[str] = []
    given: list[Any] = []


@pytest.mark.parametrize("how", DRIVERS)
def test_delegates_in_a_subgraph_and_in_a_fan_out(how):
    """Each instance asks its own delegates; a graph that asks is a delegate itself."""
    inner = board(delegates_of("mixed", [lambda brief, i=i: f"{i}{brief}" for i in range(4)]), "briefs")
    sub = gn.Graph(Board, entry="in", name="sub")
    sub.subgraph("in", inner, inputs={"briefs": "briefs"}, outputs={"answers": "answers"}, to=gn.END)
    spread = gn.Graph(Shelf, entry="each", name="spread")
    options = {"over": "items", "item": "briefs", "collect": "answers", "into": "given", "concurrency": None}
    spread.fan_out("each", inner, **options, to=gn.END)

    assert ["0x", "1x", "2x", "3x"] == drive(sub, how, briefs="x").state.answers
    assert [[f"{i}{each}" for i in range(4)] for each in "xy"] == drive(spread, how, items=["x", "y"]).state.given


@pytest.mark.parametrize("how", DRIVERS)
def test_delegates_of_delegates(how):
    """A delegate is a graph that asks delegates of its own; what failed inside leads to where it was."""
    inner = gn.Graph(Board, entry="in", name="inner")
    inner.delegates("in", [len, failing(OSError("deep"))], briefs="briefs", into="answers", to=gn.END)
    with pytest.raises(gn.DelegateFailed) as caught:
        drive(board([inner, str], {"briefs": "x"}), how)

    within = caught.value.__cause__
    assert ("inner", 0, (None, "{'briefs': 'x'}")) == (caught.value.delegate, caught.value.index, caught.value.results)
    assert isinstance(within, gn.DelegateFailed)
    assert ("fails", 1, (1, None)) == (within.delegate, within.index, within.results)


VARIABLE: contextvars.ContextVar[Any] = contextvars.ContextVar("variable", default="unset")


@every_mix
@every_way
def test_no_delegate_sees_context_variables_that_another_one_set(way, mix):
    """Each has a copy of the caller's."""

    def note(brief: Any) -> Any:
        before = VARIABLE.get()
        VARIABLE.set(brief)
        return before

    token = VARIABLE.set("the caller's")
    given = ask(way, delegates_of(mix, [note] * 6), "mine", concurrency=1)
    VARIABLE.reset(token)

    assert ["the caller's"] * 6 == given


@pytest.mark.parametrize("how", DRIVERS)
def test_runs_are_equal_whatever_ended_first(how):
    """The steps of two runs in which the delegates end the other way round are the same."""
    forth, back = ([*range(4)], [*range(4)][::-1])
    runs = [drive(board(chained("mixed", 4, order)[0], lambda s: [*"abcd"]), how) for order in (forth, back)]

    assert runs[0].steps == runs[1].steps


def test_log_tells_who_was_asked_what():
    """Delegates by name, their briefs, the slots, and the failures."""
    works: list[Any] = [lambda brief: brief, failing(OSError("no")), lambda brief: brief]
    run = board(delegates_of("mixed", works), lambda s: [*"abc"], on_error="keep").run()
    made = run.steps[0].instances

    assert ("delegate", ("d0", "d1", "d2"), ("a", "b", "c")) == (made.unit, made.names, made.briefs)
    assert (3, ("answers",), "d1") == (made.count, made.into, made.label(1))
    assert ((0, 2), (1,)) == (tuple(fates_of(made).finished), fates_of(made).failed)
    assert ["ask", "ask[d2]/work"] == [step.path for step in run.steps]


def test_keyboard_interrupt_in_a_delegate_ends_the_run():
    """With what the others have given so far; `keep` does not keep it."""

    def interrupted(brief: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        board([len, interrupted], lambda s: "x", on_error="keep", concurrency=1).run()

    (stopped,) = [each for each in caught.value.run.trace.open_steps if each.stopped]
    assert "cancelled" == caught.value.run.status
    assert (((0, (1,)),), ("delegate", 2)) == (
        stopped.instances.given,
        (stopped.instances.unit, stopped.instances.count),
    )
    with pytest.raises(KeyboardInterrupt):
        gn.delegate([len, interrupted], "x", on_error="keep")


@pytest.mark.parametrize("kind", ["async", "async graph"])
async def test_cancellation_reaches_all_delegates(kind):
    """They clean up, and the run is cancelled."""
    begun, cleaned = [], []

    async def waits(brief: Any) -> Any:
        begun.append(1)
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(1)

    graph = gn.Graph(Bare, entry="n")
    graph.node("n", waits, to=gn.END)
    delegate = waits if kind == "async" else graph
    asked = [board([delegate, delegate], lambda s: {}).arun(), gn.adelegate([delegate, delegate], {})]
    for each in asked:
        begun.clear()
        cleaned.clear()
        task = asyncio.create_task(each)
        async with asyncio.timeout(SECONDS):
            while len(begun) < 2:
                await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert [1, 1] == cleaned


def test_run_is_seen_while_delegates_work():
    """What has been given so far, by whom, and what is under way."""
    shut, done = Gate(), Gate()
    slow = delegate_of("graph", lambda brief: brief, name="slow", behind=shut)
    quick = delegate_of("plain", lambda brief: [brief], name="quick", opens=done)
    handle = board([slow, quick], lambda s: [*"ab"]).start()
    done.wait()
    while not (seen := [each.instances for each in handle.run.trace.open_steps if each.node == "ask"]) or not (
        seen[0].given
    ):
        pass
    shut.arrive()

    assert [((1, (["b"],)),)] == [made.given for made in seen]
    assert [("slow", "quick"), ("a", "b")] == [seen[0].names, seen[0].briefs]
    assert ["a", ["b"]] == handle.result(SECONDS).state.answers


def test_stopped_run_tells_which_delegates_were_at_work():
    """Graphs that threads go on running are told as stopped, each under the name of its delegate."""
    shut, first, begun = Gate(), Gate(), Gate(3)
    plain = delegate_of("plain", lambda brief: brief, name="f", behind=first, opens=begun)  # in the run's own thread
    graphs = [delegate_of("graph", lambda brief: brief, name="g", behind=shut, opens=begun) for _ in range(2)]
    handle = board([plain, *graphs], lambda s: "x").start()
    begun.wait()
    handle.cancel()
    first.arrive()
    trace = handle.result(SECONDS).trace
    shut.arrive()

    assert ["ask", "ask[g (2)]/work", "ask[g]/work"] == sorted(each.path for each in trace.open_steps if each.stopped)


@pytest.mark.parametrize("reducer", [gn.concat_flatten, gn.append])
def test_none_of_a_delegate_that_failed_is_told_where_it_does_not_fit(reducer):
    """With what to declare; an error about something else keeps its own mend."""

    class Strict(gn.State):
        answers: Annotated[list[str], reducer] = []

    def fails(brief: str) -> str:
        raise LookupError(brief)

    graph = gn.Graph(Strict, entry="ask")
    graph.delegates("ask", [fails], briefs="a b", into="answers", on_error="keep", to=gn.END)
    with pytest.raises(gn.RunError, match="A delegate that failed leaves None in the list"):
        graph.run()
    graph = gn.Graph(Strict, entry="ask")
    graph.delegates("ask", [len], briefs="a b", into="answers", on_error="keep", to=gn.END)
    with pytest.raises(gn.RunError) as caught:
        graph.run()
    assert "leaves None" not in str(caught.value)
