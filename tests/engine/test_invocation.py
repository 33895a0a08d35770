"""Which run is executing, asked from everywhere in user code."""

import asyncio
import uuid
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.invocation import Ids, Inside, Within, enter_branch, enter_instance
from tests.engine.driven import DRIVERS, drive


class Diary(gn.State):
    n: int = 0
    items: list[int] = []
    item: int = 0
    seen: Annotated[list[Any], gn.append] = []


def where() -> tuple[Any, Any]:
    """Instance and branch, as the calling code sees them."""
    invocation = gn.invocation()
    assert invocation is not None
    return invocation.fan_out_index, invocation.branch_name


def look(s: Any) -> dict[str, Any]:
    """A node that writes where it runs."""
    return {"seen": [where()]}


async def look_later(s: Any) -> dict[str, Any]:
    """The same as an asynchronous node."""
    await asyncio.sleep(0)
    return look(s)


LOOKS = pytest.mark.parametrize("look", [look, look_later], ids=["plain", "async"])


def worker(look: Any) -> gn.Graph:
    """A graph whose node looks."""
    graph = gn.Graph(Diary, entry="w", name="worker")
    graph.node("w", look, to=gn.END)
    return graph


def test_outside_of_a_run_there_is_none():
    """Before, between and after."""
    worker(look).run()

    assert gn.invocation() is None


@pytest.mark.parametrize("how", DRIVERS)
@LOOKS
def test_ids_are_those_of_the_run(how, look):
    """Those that were given; in a node, a router, and middleware."""
    ids: list[Any] = []

    def note(*given: Any) -> Any:
        invocation = gn.invocation()
        ids.append((invocation.invocation_id, invocation.correlation_id))
        return given[1](given[0]) if len(given) > 1 else gn.END

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", look, middleware=note)
    graph.branch("a", note)
    drive(graph, how, invocation_id="mine", correlation_id="all")

    assert [("mine", "all")] * 2 == ids


def test_ids_that_were_not_given_are_drawn_once():
    """Random uuids, each when it is first asked for."""
    ids = Ids()

    assert 4 == uuid.UUID(ids.invocation_id).version == uuid.UUID(ids.correlation_id).version
    assert (ids.invocation_id, ids.correlation_id) == (ids.invocation_id, ids.correlation_id)
    assert ids.invocation_id != ids.correlation_id
    assert Ids().invocation_id != ids.invocation_id


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("concurrency", [1, None])
@LOOKS
def test_instances_know_their_number(how, concurrency, look):
    """However they are run; afterwards nobody is in one."""
    graph = gn.Graph(Diary, entry="each")
    graph.fan_out(
        "each", worker(look), over="items", item="item", collect="seen", into="seen", concurrency=concurrency, to="end"
    )  # fmt: skip
    graph.node("end", look, to=gn.END)

    assert [*([(i, None)] for i in range(5)), (None, None)] == drive(graph, how, items=[0] * 5).state.seen


@pytest.mark.parametrize("how", DRIVERS)
@LOOKS
def test_branches_know_their_name(how, look):
    """Functions and graphs; afterwards nobody is in one."""
    graph = gn.Graph(Diary, entry="both")
    branch = gn.ParallelBranch(worker(look), outputs={"seen": "seen"})
    graph.branches("both", {"left": look, "right": branch}, to="end")
    graph.node("end", look, to=gn.END)

    assert [(None, "left"), (None, "right"), (None, None)] == drive(graph, how).state.seen


@pytest.mark.parametrize("how", DRIVERS)
@LOOKS
def test_instance_and_branch_may_enclose_each_other(how, look):
    """The innermost of each kind is told; what is left gives back the outer one."""
    both = gn.Graph(Diary, entry="both", name="both")
    inner = gn.Graph(Diary, entry="each", name="inner")
    inner.fan_out("each", worker(look), count=2, collect="seen", into="seen", to="end")
    inner.node("end", look, to=gn.END)
    both.branches("both", {"left": gn.ParallelBranch(inner, outputs={"seen": "seen"})}, to="last")
    both.node("last", look, to=gn.END)
    graph = gn.Graph(Diary, entry="outer")
    graph.fan_out("outer", both, count=2, collect="seen", into="seen", to=gn.END)

    assert [[[(0, "left")], [(1, "left")], (i, "left"), (i, None)] for i in range(2)] == drive(graph, how).state.seen


@pytest.mark.parametrize("how", DRIVERS)
def test_run_within_a_node_is_one_of_its_own(how):
    """With other ids, and in no instance; the outer one is there again afterwards."""
    ids: list[Any] = []

    def outer(s: Any) -> dict[str, Any]:
        before = gn.invocation()
        inner = worker(look).run()
        ids.append((inner.state.seen, before == gn.invocation(), inner.invocation_id == before.invocation_id))
        return {}

    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", worker(outer), count=2, collect="seen", into="seen", to=gn.END)
    drive(graph, how)

    assert [([(None, None)], True, False)] * 2 == ids


async def test_runs_beside_each_other_do_not_mix():
    """Each task has its own."""

    async def node(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0.001)
        return {"seen": [gn.invocation().invocation_id]}

    graph = worker(node)
    runs = await asyncio.gather(*(graph.arun(invocation_id=f"run {i}") for i in range(5)))

    assert [[f"run {i}"] for i in range(5)] == [run.state.seen for run in runs]


def test_observers_are_in_no_run():
    """The event tells them all there is to know, under every driver."""
    seen: list[Any] = []
    graph = worker(look)
    graph.observer(lambda event: seen.append(gn.invocation()), name="look")
    graph.run()
    graph.drain()

    async def here() -> None:
        await graph.arun()
        await graph.adrain()

    asyncio.run(here())

    assert [None] * 4 == seen


def test_what_was_entered_within_is_left_again():
    """Also when something raises."""

    def fail() -> None:
        with Within():
            enter_instance(2)
            enter_branch("left")
            raise LookupError

    with Inside(Ids("i", "c")):
        enter_instance(1)
        with pytest.raises(LookupError):
            fail()

        assert gn.Invocation("i", "c", 1, None) == gn.invocation()
    assert gn.invocation() is None
