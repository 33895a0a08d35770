"""Asking delegates by a plain call: what it gives, and where it may be called."""

import asyncio
import threading
from typing import Any

import pytest

import graphnb as gn


class Told(gn.State):
    brief: Any
    result: Any = None


def ada(brief: Any) -> Any:
    """Say who got what."""
    return ["ada", brief]


async def bo(brief: Any) -> Any:
    """Say so in a while."""
    await asyncio.sleep(0)
    return ["bo", brief]


def cy() -> gn.Graph:
    """A graph that says so."""
    graph = gn.Graph(Told, entry="n", name="cy")
    graph.node("n", lambda s: {"result": ["cy", s.brief]}, to=gn.END)
    return graph


def fails(brief: Any) -> Any:
    """Fail."""
    raise ValueError(f"not {brief}")


def test_results_are_a_list_under_both_names():
    """The raw one, which is the caller's; and the whole is a sequence of the same."""
    given = gn.delegate([ada, bo, cy()], ["x", "y", "z"])

    assert [["ada", "x"], ["bo", "y"], ["cy", "z"]] == given.results
    assert list is type(given.results)
    assert given.results is given.result
    assert (given.results, 3) == ([*given], len(given))
    assert (["bo", "y"], [["cy", "z"]], ["cy", "z"]) == (given[1], given[2:], given[-1])


async def test_results_of_an_awaited_call_are_the_same():
    """In the running loop, in which the caller's other tasks go on."""
    ticks: list[int] = []

    async def tick() -> None:
        while True:
            ticks.append(1)
            await asyncio.sleep(0.001)

    async def waits(brief: Any) -> Any:
        while len(ticks) < 3:
            await asyncio.sleep(0.001)
        return brief

    ticking = asyncio.create_task(tick())
    async with asyncio.timeout(20):
        given = await gn.adelegate([ada, bo, cy(), waits], "x")
    ticking.cancel()

    assert [["ada", "x"], ["bo", "x"], ["cy", "x"], "x"] == given.results


async def test_plain_call_serves_within_a_running_loop():
    """In every cell of a notebook, with asynchronous delegates as well."""
    assert [["bo", "x"], ["ada", "x"]] == gn.delegate([bo, ada], "x").results


def test_records_tell_who_was_asked_what_and_gave_what():
    """One for each, in their order; the briefs as they were, though a delegate has changed its own."""
    given = gn.delegate([ada, list.clear, fails, ada], [["a"], ["b"], ["c"], ["d"]], on_error="keep")
    answers = [*given.answers]

    assert [0, 1, 2, 3] == [each.index for each in answers]
    assert ["ada", "clear", "fails", "ada (2)"] == [each.delegate for each in answers]
    assert [["a"], ["b"], ["c"], ["d"]] == [each.brief for each in answers]
    assert [["ada", ["a"]], None, None, ["ada", ["d"]]] == [each.result for each in answers]
    assert ["done", "done", "failed", "done"] == [each.status for each in answers]


def test_errors_are_the_records_of_those_that_failed():
    """Index, delegate and what it raised; None of one that has given None."""
    given = gn.delegate([fails, ada, lambda b: None, fails], "x", on_error="keep")

    assert [None, ["ada", "x"], None, None] == given.results
    assert [(0, "fails"), (3, "fails (2)")] == [(each.index, each.delegate) for each in given.errors]
    assert [(ValueError, "not x")] * 2 == [(type(each.error), str(each.error)) for each in given.errors]
    assert () == gn.delegate([ada], "x", on_error="keep").errors


def test_failure_carries_what_the_others_gave():
    """It names the call, delegate and index."""
    with pytest.raises(gn.DelegateFailed) as caught:
        gn.delegate([ada, fails, cy()], ["x", "y", "z"])

    error = caught.value
    assert str(error).startswith("gn.delegate: delegate 1 'fails' failed with ValueError: not y (2 of 3 delegates fin")
    assert ("fails", 1, (["ada", "x"], None, ["cy", "z"])) == (error.delegate, error.index, error.results)
    assert isinstance(error.__cause__, ValueError)
    assert isinstance(error, gn.GraphError)


def test_functions_may_be_briefs():
    """There is no state that they could be asked about: they are given as they are."""
    assert [3, "AB"] == gn.delegate([lambda f: f("abc"), lambda f: f("ab")], [len, str.upper]).results
    assert [3, 3] == gn.delegate([lambda f: f("abc")] * 2, len).results


def test_text_is_a_brief_and_names_no_field():
    """Whatever it says."""
    assert ["results", "results"] == gn.delegate([lambda b: b] * 2, "results").results


@pytest.mark.parametrize("briefs", [["a"], ["a", "b", "c"], (), []])
def test_wrong_number_of_briefs_asks_nobody(briefs):
    """Both numbers are told."""
    asked: list[Any] = []
    with pytest.raises(gn.InvalidDeclaration, match=rf"gn.delegate: has 2 delegates and {len(briefs)} brief"):
        gn.delegate([asked.append] * 2, briefs)

    assert [] == asked


async def test_awaited_call_refuses_the_same():
    """When it is awaited."""
    with pytest.raises(gn.InvalidDeclaration, match="has 1 delegate and 2 briefs"):
        await gn.adelegate([ada], ["a", "b"])
    with pytest.raises(gn.DelegateFailed, match="not x"):
        await gn.adelegate([ada, fails], "x")
    with pytest.raises(gn.InvalidDeclaration, match="has no delegates"):
        await gn.adelegate([], "x")

    assert [] == (await gn.adelegate([], "x", on_empty="noop")).results
    assert [None] == (await gn.adelegate([fails], "x", on_error="keep")).results


def test_no_delegates_may_be_allowed():
    """Nothing is asked, and the list is empty."""
    given = gn.delegate([], "x", on_empty="noop")

    assert ([], 0, ()) == (given.results, len(given), given.errors)


def test_graph_that_is_unfinished_is_refused():
    """Before the others are asked."""
    asked: list[Any] = []
    with pytest.raises(gn.DanglingEdge, match="graph 'empty'"):
        gn.delegate([asked.append, gn.Graph(Told, entry="n", name="empty")], "x")

    assert [] == asked


def test_call_within_a_node_of_a_run():
    """Delegates may be asked anywhere; the run does not see them."""
    graph = gn.Graph(Told, entry="n")
    graph.node("n", lambda s: {"result": gn.delegate([ada, bo, cy()], s.brief).results}, to=gn.END)
    run = graph.run(brief="x")

    assert [["ada", "x"], ["bo", "x"], ["cy", "x"]] == run.state.result
    assert ["n"] == [step.path for step in run.steps]


def test_call_within_a_delegate():
    """As deep as one likes."""
    given = gn.delegate([lambda b: gn.delegate([ada, bo], [b, b * 2]).results, ada], "x")

    assert [[["ada", "x"], ["bo", "xx"]], ["ada", "x"]] == given.results


def test_results_are_raw():
    """The very objects that delegates gave."""
    lock, own = threading.Lock(), object()
    given = gn.delegate([lambda b: lock, lambda b: own], "x")

    assert lock is given[0]
    assert own is given[1]


def test_table_has_one_row_per_delegate():
    """In their order."""
    table = gn.delegate([ada, fails], ["x", "y"], on_error="keep").table()

    assert ["delegate", "brief", "result", "status"] == [*table.columns]
    assert [("ada", "x", ["ada", "x"], "done"), ("fails", "y", None, "failed")] == [
        *table.itertuples(index=False, name=None)
    ]


def test_table_has_results_as_they_were_given():
    """A number beside a failure is no float, and what failed is None, no NaN."""
    column = list(gn.delegate([len, fails], ["x", "y"], on_error="keep").table()["result"])

    assert [(int, 1), (type(None), None)] == [(type(each), each) for each in column]


def test_delegation_shows_itself():
    """As text and as HTML, failures included."""
    given = gn.delegate([ada, fails], "x", on_error="keep")
    bundle = given._repr_mimebundle_()

    assert all(
        word in text for text in (repr(given), bundle["text/html"]) for word in ("ada", "fails", "not x", "failed")
    )
    assert {"text/plain", "text/html"} <= set(bundle)


def test_table_keeps_what_was_given():
    """None stays None beside numbers, and large ones stay whole."""
    kept = gn.delegate([lambda b: 168, fails, lambda b: 2**60 + 1, lambda b: 1.5], "y", on_error="keep")

    assert [168, None, 2**60 + 1, 1.5] == kept.table()["result"].to_list()
