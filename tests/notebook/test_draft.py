"""What a graph holds: warned of once for each version, copied and pickled with everything around its nodes."""

import asyncio
import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import pytest

import graphnb as gn

SECONDS = 20  # until a test that hangs gives up


class Diary(gn.State):
    n: int = 0
    items: list[Any] = [[1]]
    log: Annotated[list[Any], gn.append] = []
    deep: Annotated[list[Any], gn.concat_flatten] = []
    short: Annotated[list[Any], gn.bounded_append(9)] = []
    table: Annotated[dict[str, Any], gn.merge_all] = {}
    union: Annotated[dict[str, Any], gn.merge] = {}
    once: Annotated[list[Any], gn.dedupe_append()] = []
    own: list[Any] = []


def write(s: Any) -> dict[str, Any]:
    """A node that writes its mark."""
    return {"log": ["write"]}


def worker() -> gn.Graph:
    """A graph to be run within another."""
    graph = gn.Graph(Diary, entry="a", name="worker")
    graph.node("a", lambda s: {}, to=gn.END)
    return graph


def around(declare: Callable[[gn.Graph, gn.Graph], None]) -> gn.Graph:
    """A graph with one node, as it is declared around the worker."""
    graph = gn.Graph(Diary, entry="x", name="g")
    declare(graph, worker())
    graph.edge("x", gn.END)
    return graph


def tripping() -> gn.Graph:
    """A graph with one round trip."""
    return around(lambda graph, inner: graph.subgraph("x", inner, projects_in=["log"], projects_out=["log"]))


def warned_by(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    """The warnings that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


# --- round trips -----------------------------------------------------------------------------------------------------

TRIPS = {
    "sets": (
        lambda graph, inner: graph.subgraph("x", inner, projects_in=["log", "n"], projects_out=["n", "log"]),
        ("log", "append", "projects_in and projects_out"),
    ),
    "maps": (
        lambda graph, inner: graph.subgraph("x", inner, inputs={"own": "deep"}, outputs={"deep": "own"}),
        ("deep", "concat_flatten", "inputs and outputs"),
    ),
    "inputs alone": (
        lambda graph, inner: graph.subgraph("x", inner, inputs={"short": "short"}),
        ("short", "bounded_append(max_len=9)", "inputs and outputs"),
    ),
    "fan-out": (
        lambda graph, inner: graph.fan_out(
            "x", inner, over="items", item="own", inputs={"union": "table"}, extra_outputs={"table": "union"}
        ),
        ("table", "merge_all", "inputs and extra_outputs"),
    ),
    "fan-out, inputs and collect": (
        lambda graph, inner: graph.fan_out(
            "x", inner, over="items", item="own", inputs={"n": "log"}, collect="n", into="log"
        ),
        ("log", "append", "inputs and collect"),
    ),
    "fan-out, item and collect": (
        lambda graph, inner: graph.fan_out("x", inner, over="log", item="own", collect="own", into="log"),
        ("log", "append", "item and collect"),
    ),
    "branches": (
        lambda graph, inner: graph.branches(
            "x", {"left": gn.ParallelBranch(inner, inputs={"own": "log"}, outputs={"log": "own"})}
        ),
        ("log", "append", "branch 'left', inputs and outputs"),
    ),
}


@pytest.mark.parametrize(("declare", "facts"), TRIPS.values(), ids=TRIPS.keys())
def test_round_trip_is_warned_of_on_every_channel(declare, facts):
    """The warning names node, field, reducer and channel, and says what to do; compiling succeeds."""
    graph = around(declare)
    (caught,) = warned_by(graph.compile)
    warning = caught.message

    assert gn.ProjectionRoundTripWarning is caught.category
    assert facts == (warning.field, warning.reducer, warning.channel)
    assert str(warning).startswith(f"graph 'g', node 'x': field '{facts[0]}' goes in as ")
    assert f"({facts[2]}), where {facts[1]} adds all of it once more. Give back what is new under" in str(warning)


QUIET = {
    "other reducers": lambda graph, inner: graph.subgraph(
        "x", inner, projects_in=["n", "union", "once"], projects_out=["n", "union", "once"]
    ),
    "in alone": lambda graph, inner: graph.subgraph("x", inner, projects_in=["log"]),
    "out through another": lambda graph, inner: graph.subgraph(
        "x", inner, inputs={"own": "log"}, outputs={"log": "log"}
    ),
    "default": lambda graph, inner: graph.subgraph("x", inner),
}


@pytest.mark.parametrize("declare", QUIET.values(), ids=QUIET.keys())
def test_what_is_no_round_trip_is_not_warned_of(declare):
    """A reducer that may take it twice, a field that goes one way, or comes back through another one."""
    assert [] == warned_by(around(declare).compile)


LINES = {
    "run": lambda graph: graph.run(),
    "compile": lambda graph: graph.compile(),
    "compiled run": lambda graph: graph.compile().run(),
    "start": lambda graph: graph.start().result(SECONDS),
    "session": lambda graph: graph.session(),
    "arun": lambda graph: asyncio.run(graph.arun()),
}


@pytest.mark.parametrize("way", LINES.values(), ids=LINES.keys())
def test_warning_appears_at_the_line_that_runs_or_compiles(way):
    """Not at one of the package's own."""
    graph = tripping()
    caught = warned_by(lambda: way(graph))

    assert [(__file__, way.__code__.co_firstlineno)] == [(each.filename, each.lineno) for each in caught]


async def test_warning_of_an_awaited_run_appears_at_the_line_that_awaits():
    """As in a cell."""
    graph = tripping()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        await graph.arun()

    assert [__file__] == [each.filename for each in caught]


def test_warning_comes_once_for_each_version():
    """Not with every run; again when something has changed."""
    graph = tripping()

    assert 1 == len(warned_by(graph.run))
    assert [] == warned_by(lambda: (graph.run(), graph.compile(), graph.compile().run()))

    graph.observer(see)

    assert 1 == len(warned_by(graph.run))


def test_drawing_does_not_warn():
    """It shows the round trip itself."""
    graph = tripping()

    assert [] == warned_by(lambda: (graph.topology(), graph._repr_mimebundle_(), str(graph)))


def test_round_trip_of_a_graph_within_is_warned_of():
    """Where the outer graph runs; the message names the inner one."""
    graph = gn.Graph(Diary, entry="sub", name="outer")
    graph.subgraph("sub", tripping(), outputs={}, to=gn.END)
    (caught,) = warned_by(graph.run)

    assert str(caught.message).startswith("graph 'g', node 'x': field 'log' goes in")


def test_warning_that_is_an_error_keeps_the_graph_from_running():
    """Every time: who has asked for that does not want it once."""
    graph = tripping()
    for _ in range(2):
        with pytest.raises(gn.ProjectionRoundTripWarning, match="goes in as 'log'"):
            graph.run()

    assert graph.last_run is None


# --- copies ----------------------------------------------------------------------------------------------------------


def outer(s: Any, following: Any) -> Any:
    """Middleware that tells of itself."""
    update = following(s)
    return {**update, "log": ["outer", *update["log"]]}


def inner(s: Any, following: Any) -> Any:
    """More of it."""
    update = following(s)
    return {**update, "log": ["inner", *update["log"]]}


SEEN: list[str] = []


def see(event: Any) -> None:
    """An observer that keeps what it is told."""
    SEEN.append("/".join(event.namespace))


def full() -> gn.Graph:
    """A graph with everything that may be around a node, and a graph within."""
    part = gn.Graph(Diary, entry="a", name="part")
    part.node("a", write, to=gn.END)
    graph = gn.Graph(Diary, entry="a", name="g", middleware=[outer])
    graph.middleware(inner)
    graph.middleware(gn.retry(2, backoff=0))
    graph.middleware(gn.retry(3), name="more")
    graph.middleware(gn.failure_isolation({}, event_name="e"))
    graph.observer(see, phases="completed")
    graph.node("a", write, to="sub", middleware=[inner])
    graph.subgraph("sub", part, outputs={"log": "log"}, to=gn.END)
    return graph


COPIED = {"deepcopy": copy.deepcopy, "pickle": lambda graph: pickle.loads(pickle.dumps(graph))}
EXPECTED = ["outer", "inner", "inner", "write", "outer", "inner", "write"]


@pytest.fixture(params=COPIED.values(), ids=COPIED.keys())
def copied(request: pytest.FixtureRequest) -> Any:
    """Every way to copy a graph."""
    return request.param


def test_copy_runs_with_middleware_and_observers(copied):
    """In their order, with their phases; also when the original has run."""
    graph = full()
    graph.run()
    graph.drain(SECONDS)
    SEEN.clear()
    own = copied(graph)
    run = own.run()
    own.drain(SECONDS)

    assert EXPECTED == run.state.log
    assert ["a", "sub/a"] == SEEN
    assert ("g", "a") == (own.name, own.entry)


def test_copy_and_original_go_their_own_ways(copied):
    """What is declared, replaced or removed on one leaves the other alone."""
    graph = full()
    own = copied(graph)
    own.remove_middleware("inner")
    own.remove_observer("see")
    own.node("b", write, to=gn.END)
    own.entry = "b"
    graph.remove_middleware("more")

    assert [(4, 1, 2), (4, 0, 3)] == [
        (len(each.spec().middleware), len(each.spec().observers), len(each.spec().nodes)) for each in (graph, own)
    ]
    assert ("a", "b") == (graph.entry, own.entry)
    assert EXPECTED == graph.run().state.log


def test_copy_has_not_run(copied):
    """It begins with no last run, and its runs are its own."""
    graph = full()
    run = graph.run()
    own = copied(graph)
    before = own.last_run
    own.run()

    assert before is None
    assert run is graph.last_run is not own.last_run


def test_copy_warns_for_itself(copied):
    """It is compiled anew."""
    graph = gn.Graph(Diary, entry="sub", name="outer")
    graph.subgraph("sub", full(), projects_in=["log"], projects_out=["log"], to=gn.END)
    warned_by(graph.run)

    assert 1 == len(warned_by(copied(graph).compile))


def test_deep_copy_of_a_graph_around_a_compiled_one_shares_that():
    """Nothing changes it."""
    compiled = full().compile()
    graph = gn.Graph(Diary, entry="sub")
    graph.subgraph("sub", compiled, outputs={"log": "log"}, to=gn.END)
    own = copy.deepcopy(graph)

    assert compiled is own.spec().nodes["sub"].graph is copy.deepcopy(compiled)
    assert EXPECTED == own.run().state.log
