"""The graph that a user holds: declared piece by piece, shown at any time, run as it is now."""

import asyncio
import copy
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import pytest
from IPython.core.interactiveshell import InteractiveShell
from pydantic import BaseModel

import graphnb as gn
from graphnb.graph.ends import START


class Diary(gn.State):
    n: int = 0
    items: list[int] = [1, 2]
    log: Annotated[list[Any], gn.append] = []


def write(s: Any) -> dict[str, Any]:
    """A node that writes its mark."""
    return {"log": ["write"]}


def test_graph_is_named_after_its_state_or_as_told():
    """The name is used in messages and drawings."""
    assert ("Diary", "own") == (gn.Graph(Diary).name, gn.Graph(Diary, name="own").name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"state": 5}, "takes a state class, not int: 5"),
        ({"state": Diary()}, "takes a state class, not Diary"),
        ({"state": int}, "is no gn.State, pydantic model, dataclass or TypedDict"),
        ({"state": Diary, "entry": 5}, "graph 'Diary': a node's name is a text, not int: 5"),
        ({"state": Diary, "entry": ""}, "a node's name is a text, not str: ''"),
        ({"state": Diary, "entry": gn.END}, "a node's name is a text, not Endpoint: END"),
        ({"state": Diary, "name": ""}, "a graph's name is a text, not str: ''"),
        ({"state": Diary, "name": 3}, "a graph's name is a text, not int: 3"),
    ],
)
def test_graph_of_nonsense_is_refused(arguments, message):
    """What is no state class, no entry, no name."""
    with pytest.raises(gn.InvalidDeclaration, match=message):
        gn.Graph(**arguments)


def test_entry_may_be_set_later():
    """And is checked then."""
    graph = gn.Graph(Diary)

    assert graph.entry is None

    graph.node(write, to=gn.END)
    graph.entry = "write"

    assert ("write", ["write"]) == (graph.entry, graph.run().state.log)
    with pytest.raises(gn.InvalidDeclaration, match="a node's name"):
        graph.entry = None


def declare_bare(graph: gn.Graph) -> Any:
    """`@graph.node`."""

    @graph.node
    def plan(s):
        return {}

    return plan


def declare_with_target(graph: gn.Graph) -> Any:
    """`@graph.node(to=...)`."""

    @graph.node(to="next")
    def plan(s):
        return {}

    return plan


def declare_with_name(graph: gn.Graph) -> Any:
    """`@graph.node("name")`."""

    @graph.node("plan", to="next")
    def other(s):
        return {}

    return other


def declare_plainly(graph: gn.Graph) -> Any:
    """`graph.node(function)`."""

    def plan(s):
        return {}

    return graph.node(plan, to="next")


def declare_plainly_with_name(graph: gn.Graph) -> Any:
    """`graph.node("name", function)`."""
    return graph.node("plan", write, to="next")


@pytest.mark.parametrize(
    "declare", [declare_bare, declare_with_target, declare_with_name, declare_plainly, declare_plainly_with_name]
)
def test_every_way_to_declare_a_node_gives_the_function_back(declare):
    """Unchanged, so that it can be called by hand; name and edge are as told."""
    graph = gn.Graph(Diary)
    function = declare(graph)
    spec = graph.spec()

    assert ["plan"] == list(spec.nodes)
    assert spec.nodes["plan"].function is function
    assert ([] if declare is declare_bare else ["next"]) == [edge.target for edge in spec.edges.values()]


@pytest.mark.parametrize("given", [5, gn.Graph(Diary), ["plan"]], ids=["int", "graph", "list"])
def test_node_that_is_no_function_is_refused_at_once(given):
    """Not only when a decorator is applied, which may never happen."""
    graph = gn.Graph(Diary)
    with pytest.raises(gn.InvalidDeclaration, match="a node is a function"):
        graph.node(given)

    assert {} == graph.spec().nodes


def test_node_whose_edge_is_refused_is_not_declared():
    """Nothing is half applied."""
    graph = gn.Graph(Diary)
    with pytest.raises(gn.InvalidDeclaration, match="the edges from 'write' name 'a' twice"):
        graph.node(write, to=("a", "a"))
    with pytest.raises(gn.InvalidDeclaration, match="START cannot be a target"):
        graph.subgraph("sub", gn.Graph(Diary), to=START)
    with pytest.raises(gn.InvalidDeclaration, match="an edge leads to"):
        graph.fan_out("each", write, over="items", to=5)

    assert ({}, {}) == (graph.spec().nodes, graph.spec().edges)


def test_branch_is_a_decorator_and_a_plain_call():
    """Both give the router back."""
    graph = gn.Graph(Diary)

    @graph.branch("a", to=("a", gn.END))
    def route(s):
        return "a"

    def other(s) -> Literal["x"]:
        return "x"

    assert graph.branch("b", other) is other
    assert {"a": "a", gn.END: gn.END} == graph.spec().edges["a"].targets
    assert (route, {"x": "x"}) == (graph.spec().edges["a"].router, graph.spec().edges["b"].targets)


def test_branch_without_its_source_is_refused_at_once():
    """`@graph.branch` alone would take the router for the name of a node."""
    told = (
        r"a branch leaves a node, and <function write> is a function\nName the node: graph\.branch\('source', router,"
    )
    with pytest.raises(gn.InvalidDeclaration, match=told):
        gn.Graph(Diary).branch(write)


def test_declarations_reach_the_specification():
    """Edges, subgraphs and fan-outs with all of their options."""
    inner = gn.Graph(Diary)
    graph = gn.Graph(Diary)
    graph.edge("a", "b")
    graph.subgraph("sub", inner, inputs={"n": "n"}, outputs={}, to="b")
    graph.fan_out(
        *("each", inner),
        over="items",
        item="n",
        collect="log",
        into="log",
        inputs={"log": "log"},
        extra_outputs={"n": "n"},
        concurrency=3,
        error_policy="collect",
        errors_into="log",
        on_empty="noop",
        count_into="n",
        to=gn.END,
    )
    spec = graph.spec()
    each = spec.nodes["each"]

    assert {"a": "b", "sub": "b", "each": gn.END} == {source: edge.target for source, edge in spec.edges.items()}
    assert (inner, {"n": "n"}, {}) == (
        *(spec.nodes["sub"].graph, spec.nodes["sub"].projection.inputs, spec.nodes["sub"].projection.outputs),
    )
    assert ("items", None, "n", "log", "log", {"log": "log"}, {"n": "n"}) == (
        *(each.over, each.count, each.item, each.collect, each.into, each.inputs, each.extra_outputs),
    )
    assert (3, "collect", "log", "noop", "n") == (
        *(each.concurrency, each.error_policy, each.errors_into, each.on_empty, each.count_into),
    )


def test_removed_node_takes_its_edge_along():
    """Edges that lead to it stay, and keep the graph from running."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to="b")
    graph.node("b", write, to=gn.END)
    graph.remove("b")

    assert (["a"], ["a"]) == (list(graph.spec().nodes), list(graph.spec().edges))
    with pytest.raises(gn.DanglingEdge, match="edge from 'a' names 'b'"):
        graph.run()


@pytest.mark.parametrize(("name", "message"), [("nowhere", "no node 'nowhere' to remove"), ([1], "name is a text")])
def test_removal_of_what_is_not_there_is_refused(name, message):
    """A name that is not declared, and what is no name."""
    with pytest.raises(gn.InvalidDeclaration, match=message):
        gn.Graph(Diary).remove(name)


def test_graph_with_faults_lists_all_of_them():
    """Nothing runs; the first is raised and has the others."""
    graph = gn.Graph(Diary, entry="plan")
    graph.node("plan", write, to="judg")
    graph.node("judge", write, to="nowhere")
    with pytest.raises(gn.DanglingEdge, match=r"(?s)'judg'.*Did you mean 'judge'.*1 more:.*'nowhere'") as caught:
        graph.run()

    assert 2 == len(caught.value.problems)
    assert graph.last_run is None


def test_misspelt_literal_target_is_found_when_compiling():
    """A router's return type is checked before anything runs."""

    def route(s) -> Literal["plan", "jugde"]:
        return "plan"

    graph = gn.Graph(Diary, entry="plan")
    graph.node("plan", write)
    graph.node("judge", write, to=gn.END)
    graph.branch("plan", route)
    with pytest.raises(gn.DanglingEdge, match=r"names 'jugde', .*\n.*Did you mean 'judge'"):
        graph.compile()


def test_graph_that_holds_itself_is_refused_in_words():
    """By itself, or by way of another graph; it is drawn all the same."""
    graph, other = gn.Graph(Diary, entry="sub", name="graph"), gn.Graph(Diary, entry="sub", name="other")
    graph.subgraph("sub", other, to=gn.END)
    other.subgraph("sub", graph, to=gn.END)
    own = gn.Graph(Diary, entry="each", name="own")
    own.fan_out("each", own, over="items", item="n", collect="n", into="log", to=gn.END)
    both = gn.Graph(Diary, entry="both", name="both")
    both.branches("both", {"left": write, "right": gn.ParallelBranch(both, outputs={"log": "log"})}, to=gn.END)
    for each in (graph, other, own, both):
        with pytest.raises(gn.InvalidDeclaration, match="A graph cannot hold itself"):
            each.run()

        assert each.topology().name == each.name


def test_run_takes_the_graph_as_it_is_now():
    """Declared nodes, those added later, and graphs within."""
    inner = gn.Graph(Diary, entry="a", name="inner")
    inner.node("a", lambda s: {"log": ["old"]}, to=gn.END)
    graph = gn.Graph(Diary, entry="sub")
    graph.subgraph("sub", inner, outputs={"log": "log"}, to=gn.END)
    first = graph.run()
    inner.remove("a")
    inner.node("a", lambda s: {"log": ["new"]}, to=gn.END)

    assert (["old"], ["new"]) == (first.state.log, graph.run().state.log)


def test_version_rises_with_every_declaration():
    """Of this graph and of those within it, and with nothing else."""
    inner = gn.Graph(Diary, entry="a", name="inner")
    graph = gn.Graph(Diary)
    seen = [graph.version]
    for change in (
        lambda: graph.node("a", write),
        lambda: graph.edge("a", "sub"),
        lambda: graph.subgraph("sub", inner, to=gn.END),
        lambda: inner.node("a", write),
        lambda: inner.edge("a", gn.END),
        lambda: setattr(graph, "entry", "a"),
        lambda: graph.remove("sub"),
    ):
        change()
        seen.append(graph.version)

    assert len(seen) == len(set(seen))
    assert graph.version == graph.version

    inner.remove("a")

    assert seen[-1] == graph.version


def test_version_is_asked_of_graphs_of_another_kind():
    """Whatever can serve as a subgraph tells its own."""
    inner = gn.Graph(Diary, entry="a")
    inner.node("a", write, to=gn.END)
    pinned = inner.compile()
    graph = gn.Graph(Diary, entry="sub")
    graph.subgraph("sub", pinned, to=gn.END)
    before = graph.version
    inner.edge("b", "a")

    assert before == graph.version
    assert pinned.version in before


def test_version_can_be_asked_by_several_threads_at_once():
    """None of them sees another one's question."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to=gn.END)
    for i in range(20):
        graph.subgraph(f"sub{i}", gn.Graph(Diary), to=gn.END)
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.extend(graph.version for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 1 == len(set(seen))


def test_compiling_is_done_once_per_version():
    """A second run does not check and plan again."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to=gn.END)

    assert graph.compile().plan is graph.compile().plan

    old = graph.compile().plan
    graph.edge("b", "a")
    graph.remove("b")

    assert graph.compile().plan is not old


class Model(BaseModel):
    n: int = 0
    log: Annotated[list[str], gn.append] = []


@dataclass
class Record:
    n: int
    log: Annotated[list[str], gn.append]


class Dict(TypedDict):
    n: int
    log: Annotated[list[str], gn.append]


@pytest.mark.parametrize("cls", [Model, Record, Dict])
def test_state_may_be_any_kind_of_record(cls):
    """The final state, and every step's, is of the class that the user wrote."""
    graph = gn.Graph(cls, entry="a")
    graph.node("a", lambda s: {"n": (s["n"] if cls is Dict else s.n) + 1, "log": ["a"]}, to=gn.END)
    run = graph.run(n=1, log=["start"])

    assert cls(n=2, log=["start", "a"]) == run.state
    assert cls(n=1, log=["start"]) == run.steps[0].before
    assert (dict if cls is Dict else cls) is type(run.state) is type(run.steps[0].after)


def test_last_run_is_the_last_one_finished_or_not():
    """None at first; a run that could not start leaves it alone."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": 1 // s.n}, to=gn.END)

    assert graph.last_run is None

    run = graph.run(n=1)

    assert run is graph.last_run

    with pytest.raises(gn.NodeException) as caught:
        graph.run(n=0)

    assert caught.value.run is graph.last_run

    with pytest.raises(gn.StateValidationError):
        graph.run(n="x")

    assert caught.value.run is graph.last_run


def test_last_run_of_a_run_within_a_node_is_the_one_begun_last():
    """A node that runs its own graph once more begins another run; both have ids of their own."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": s.n if s.n == 0 else graph.run(n=s.n - 1).state.n}, to=gn.END)
    run = graph.run(n=1)

    assert run is not graph.last_run
    assert run.run_id != graph.last_run.run_id
    assert ("done", 0) == (graph.last_run.status, graph.last_run.state.n)


def test_last_run_can_be_forgotten_and_not_be_set():
    """It is what happened; a run that goes on is forgotten as well, and goes on."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to=gn.END)
    run = graph.run()
    with pytest.raises(gn.InvalidDeclaration, match="last_run tells what happened"):
        graph.last_run = run
    session = graph.session()
    graph.last_run = None
    session.finish()

    assert graph.last_run is None


def test_copy_of_a_graph_has_not_run():
    """Whether the graph itself has, or is running."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to="b")
    graph.node("b", write, to=gn.END)
    session = graph.session()
    session.step()
    own = copy.deepcopy(graph)

    assert (None, "running") == (own.last_run, graph.last_run.status)
    assert graph.run() == own.run()


def test_unfinished_graph_shows_itself_in_every_form():
    """Empty, with dotted names, with faults: drawing never raises."""
    graph = gn.Graph(Diary)
    empty = graph._repr_mimebundle_()
    graph.entry = "nowhere"
    graph.edge("a", "b")
    half = graph._repr_mimebundle_()

    assert {"text/plain", "text/html"} <= set(empty) & set(half)
    assert "nowhere" in str(graph)
    assert "nowhere" in graph.dot
    assert "nowhere" in graph.mermaid
    assert "nowhere" in half["text/plain"]


def test_text_is_short_and_without_address():
    """What stands in a message."""
    graph = gn.Graph(Diary, name="review")
    texts = [repr(graph)]
    graph.node("a", write)
    texts.append(repr(graph))
    graph.node("b", write)
    texts.append(repr(graph))

    assert ["<Graph 'review': 0 nodes>", "<Graph 'review': 1 node>", "<Graph 'review': 2 nodes>"] == texts


@pytest.fixture
def cell(shell: InteractiveShell) -> Callable[..., dict[str, Any]]:
    """`cell(source, id)` runs a cell in a new notebook and gives the notebook's names."""

    def run(source: str, cell_id: str | None = None) -> dict[str, Any]:
        shell.run_cell(source, store_history=True, cell_id=cell_id).raise_error()
        return shell.user_ns

    run("import asyncio, graphnb as gn\nclass S(gn.State):\n    x: int = 0\n")
    run("graph = gn.Graph(S, entry='a', name='g')")
    return run


def test_node_whose_cell_is_run_again_is_used_by_the_next_run(cell):
    """Still one node, its edge kept; a compiled graph knows that it is stale."""
    cell("@graph.node(to='b')\ndef a(s): return {'x': 1}", "one")
    cell("@graph.node(to=gn.END)\ndef b(s): return {}", "two")
    names = cell("first = graph.run()\ncompiled = graph.compile()")
    cell("@graph.node(to='b')\ndef a(s): return {'x': 2}", "one")
    cell("second = graph.run()\npinned = compiled.run()")

    assert (1, 2, 1) == tuple(names[name].state.x for name in ("first", "second", "pinned"))
    assert ["a", "b"] == list(names["graph"].spec().nodes)
    assert names["compiled"].is_stale


def test_node_whose_name_is_changed_in_its_cell_leaves_nothing_behind(cell):
    """The edge to the old name is told as dangling until it is mended."""
    cell("@graph.node(to='b')\ndef a(s): return {'x': 1}", "one")
    cell("@graph.node(to=gn.END)\ndef b(s): return {}", "two")
    cell("@graph.node(to=gn.END)\ndef c(s): return {}", "two")
    with pytest.raises(gn.DanglingEdge, match="edge from 'a' names 'b'"):
        cell("graph.run()")
    names = cell("@graph.node(to='c')\ndef a(s): return {'x': 3}\nrun = graph.run()", "one")

    assert 3 == names["run"].state.x


def test_cell_that_declares_nothing_any_more_changes_the_graph(cell):
    """A compiled graph is stale from then on, and the next run finds nothing at the entry."""
    cell("@graph.node(to=gn.END)\ndef a(s): return {'x': 1}", "one")
    names = cell("compiled = graph.compile()")
    cell("pass", "one")

    assert names["compiled"].is_stale
    assert 1 == names["compiled"].run().state.x
    with pytest.raises(gn.DanglingEdge, match="entry 'a' is no node"):
        cell("graph.run()")


INNER = "inner = gn.Graph(S, entry='a', name='inner')\n@inner.node(to=gn.END)\ndef a(s): return {'x': s.x + 1}"
OUTER = "outer = gn.Graph(S, entry='sub', name='outer')\nouter.subgraph('sub', inner, to=gn.END)"


def test_graph_within_that_its_cell_has_made_anew_names_the_cells_to_run_again(cell):
    """The outer graph holds the one that was emptied: it does not go on with it, and running its cell mends that."""
    cell(INNER, "inner")
    cell(OUTER, "outer")
    cell("assert outer.run().state.x == 1")
    names = cell(INNER.replace("1}", "2}"), "inner")
    with pytest.raises(gn.InvalidDeclaration) as caught:
        cell("outer.run()")

    assert (
        "graph 'outer', graph 'inner' within it: is empty: what cells declared on it was taken back when they ran "
        "again, or was removed\nIf they made a new graph, let graph 'outer' take that one; run again: cell [4]."
    ) == str(caught.value)
    assert names["outer"]._repr_mimebundle_()["text/plain"]

    cell(OUTER, "outer")
    names = cell("run = outer.run()")

    assert 2 == names["run"].state.x


def test_graph_within_that_was_emptied_by_hand_is_told_too():
    """Where there are no cells to be named; one that was never filled has the faults of an unfinished graph."""
    inner, outer = gn.Graph(Diary, entry="a", name="inner"), gn.Graph(Diary, entry="sub", name="outer")
    outer.subgraph("sub", inner, to=gn.END)
    with pytest.raises(gn.DanglingEdge, match="entry 'a' is no node"):
        outer.run()
    inner.node("a", write, to=gn.END)
    inner.remove("a")
    with pytest.raises(
        gn.InvalidDeclaration, match=r"'inner' within it: is empty: .*removed\n.* the cells that build it"
    ):
        outer.run()


def test_every_way_to_run_works_in_a_cell(cell):
    """Plain calls and `await`, with an asynchronous node, in a cell whose loop is running."""
    cell("@graph.node(to=gn.END)\nasync def a(s):\n    await asyncio.sleep(0)\n    return {'x': 1}")
    names = cell(
        "plain = graph.run()\n"
        "awaited = await graph.arun()\n"
        "background = await graph.start()\n"
        "stepped = graph.session().finish()"
    )

    assert names["plain"] == names["awaited"] == names["background"] == names["stepped"]


def test_copy_of_a_graph_goes_its_own_way():
    """What is declared on a deep copy leaves the graph alone, and both run."""

    class Count(gn.State):
        n: int = 0

    graph = gn.Graph(Count, entry="tick")
    graph.node("tick", lambda s: {"n": s.n + 1}, to=gn.END)
    graph.run()
    own = copy.deepcopy(graph)
    own.node("tock", lambda s: {"n": s.n + 1}, to=gn.END)

    assert ("tick",) == tuple(graph.spec().nodes)
    assert ("tick", "tock") == tuple(own.spec().nodes)
    assert 1 == graph.run().state.n


# --- what runs at once, and what crosses a boundary ------------------------------------------------------------------


def inner_of(**nodes: Any) -> gn.Graph:
    """A graph of one node on the same state."""
    ((name, function),) = nodes.items()
    graph = gn.Graph(Diary, entry=name, name="inner")
    graph.node(name, function, to=gn.END)
    return graph


def test_branches_run_and_are_merged_in_declared_order():
    """Functions of the state, graphs of their own; of a field without reducer the last one declared wins."""
    inner = inner_of(double=lambda s: {"n": s.n * 2, "items": [s.n], "log": ["double"]})
    graph = gn.Graph(Diary, entry="both")
    graph.branches(
        "both",
        {
            "right": gn.ParallelBranch(inner, outputs={"n": "n", "items": "items"}),
            "plain": lambda s: {"log": [s.n], "items": [7]},
            "left": gn.ParallelBranch(inner, inputs={"n": "n"}, outputs={"n": "n", "log": "log"}),
        },
        to=gn.END,
    )
    run = graph.run(n=3)

    assert (6, [7], [3, "double"]) == (run.state.n, run.state.items, run.state.log)


def test_branch_that_is_not_wanted_does_not_run():
    """`when` is asked about the state before; all may be skipped."""
    graph = gn.Graph(Diary, entry="both")
    graph.branches(
        "both",
        {
            "few": gn.ParallelBranch(lambda s: {"log": ["few"]}, when=lambda s: s.n < 3),
            "many": gn.ParallelBranch(lambda s: {"log": ["many"]}, when=lambda s: s.n > 3),
        },
        to=gn.END,
    )

    assert [["few"], [], ["many"]] == [graph.run(n=n).state.log for n in (1, 3, 5)]


def test_branches_that_fail_end_the_node_or_leave_a_record():
    """By `error_policy`; what the others give is kept only with `collect`."""
    graph = gn.Graph(Diary, entry="both")
    graph.branches("both", {"bad": lambda s: 1 / 0, "good": write}, to=gn.END)
    kept = gn.Graph(Diary, entry="both")
    kept.branches(
        "both",
        {"bad": lambda s: 1 / 0, "good": write},
        error_policy="collect",
        errors_into="log",
        to=gn.END,
    )
    with pytest.raises(
        gn.ParallelBranchesBranchFailed, match="node 'both', step 0: branch 'bad' failed with"
    ) as caught:
        graph.run()

    assert ("bad", []) == (caught.value.branch_name, caught.value.run.state.log)
    assert ["write", {"branch_name": "bad", "category": "node_exception"}] == kept.run().state.log


def test_branches_reach_the_specification():
    """With all options, and an outgoing edge like any node's."""
    graph = gn.Graph(Diary)
    options = {"error_policy": "collect", "errors_into": "log", "middleware": [around("x")]}
    graph.branches("both", {"left": write}, to="next", **options)
    node = graph.spec().nodes["both"]

    assert ({"left": gn.ParallelBranch(write)}, "collect", "log") == (
        node.branches,
        node.error_policy,
        node.errors_into,
    )
    assert (options["middleware"], "next") == ([*node.middleware], graph.spec().edges["both"].target)


def test_branches_whose_edge_is_refused_are_not_declared():
    """Nothing is half applied."""
    graph = gn.Graph(Diary)
    with pytest.raises(gn.InvalidDeclaration, match="an edge leads to"):
        graph.branches("both", {"left": write}, to=5)

    assert {} == graph.spec().nodes


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ({}, (1, ["inner"])),
        ({"projects_in": ["n"]}, (5, [])),
        ({"projects_out": ["n"]}, (1, [])),
        ({"projects_in": ("n",), "projects_out": ("log",)}, (5, ["inner"])),
        ({"projects_in": (), "projects_out": ()}, (5, [])),
        ({"inputs": {"n": "n"}}, (6, ["inner"])),
        ({"outputs": {"n": "n"}}, (1, [])),
    ],
)
def test_projection_takes_one_of_three_forms(options, state):
    """Nothing, maps, or sets of names that are the same on both sides; then nothing else crosses."""
    graph = gn.Graph(Diary, entry="sub")
    graph.subgraph("sub", inner_of(a=lambda s: {"n": s.n + 1, "log": ["inner"]}), to=gn.END, **options)
    run = graph.run(n=5)

    assert state == (run.state.n, run.state.log)


@pytest.mark.parametrize("maps", [{"inputs": {}}, {"outputs": {"n": "n"}}])
@pytest.mark.parametrize("sets", [{"projects_in": ()}, {"projects_out": ["n"]}])
def test_projection_of_two_forms_is_refused_when_compiling(maps, sets):
    """Even an empty one is declared."""
    graph = gn.Graph(Diary, entry="sub")
    graph.subgraph("sub", inner_of(a=write), to=gn.END, **maps, **sets)
    with pytest.raises(gn.ConflictingProjectionForms, match=r"has maps \(inputs, outputs\) and sets"):
        graph.compile()


# --- what is around the nodes ----------------------------------------------------------------------------------------


def around(word: str, *, is_async: bool = False) -> Any:
    """Middleware that writes a word before and after what it wraps; plain or asynchronous."""

    def layer(s: Any, following: Any) -> Any:
        return _worded(word, following(s))

    async def later(s: Any, following: Any) -> Any:
        return _worded(word, await following(s))

    return later if is_async else layer


def _worded(word: str, update: Mapping[str, Any]) -> dict[str, Any]:
    return {**update, "log": [f"<{word}", *update.get("log", []), f"{word}>"]}


@pytest.fixture(params=[False, True], ids=["plain", "async"])
def layer(request: pytest.FixtureRequest) -> Any:
    """`layer(word)` makes middleware, plain or asynchronous."""
    return lambda word: around(word, is_async=request.param)


@pytest.fixture(params=["run", "arun", "start", "session", "compiled"])
def log_of(request: pytest.FixtureRequest) -> Any:
    """`log_of(graph)` runs the graph in every way, and gives the log that is left."""
    ways: dict[str, Callable[[gn.Graph], gn.Run]] = {
        "run": lambda graph: graph.run(),
        "arun": lambda graph: asyncio.run(graph.arun()),
        "start": lambda graph: graph.start().result(20),
        "session": lambda graph: graph.session().finish(),
        "compiled": lambda graph: graph.compile().run(),
    }
    return lambda graph: ways[request.param](graph).state.log


def test_middleware_of_the_graph_is_around_that_of_the_node(layer, log_of):
    """What the graph was made with, then what was declared on it, then the node's own; the first is outermost."""
    graph = gn.Graph(Diary, entry="a", middleware=[layer("1"), layer("2")])
    graph.middleware(layer("3"), name="three")
    graph.middleware(layer("4"), name="four")
    graph.node("a", write, to=gn.END, middleware=[layer("5"), layer("6")])

    assert "<1 <2 <3 <4 <5 <6 write 6> 5> 4> 3> 2> 1>".split() == log_of(graph)


def test_middleware_is_around_nodes_of_every_kind(layer, log_of):
    """A subgraph, a fan-out and branches are one call each; what is inside has its own."""
    inner = gn.Graph(Diary, entry="a", name="inner", middleware=layer("inner"))
    inner.node("a", write, to=gn.END)
    graph = gn.Graph(Diary, entry="sub")
    graph.subgraph("sub", inner, outputs={"log": "log"}, middleware=layer("sub"), to="each")
    graph.fan_out(
        *("each", inner),
        over="items",
        item="n",
        collect="log",
        into="log",
        middleware=layer("each"),
        instance_middleware=layer("one"),
        to="both",
    )
    left = gn.ParallelBranch(inner, outputs={"log": "log"}, middleware=layer("left"))
    right = gn.ParallelBranch(write, middleware=[layer("right")])
    graph.branches("both", {"left": left}, middleware=layer("both"), to="call")
    graph.branches("call", {"right": right}, middleware=layer("call"), to=gn.END)
    one = "<one <inner write inner> one>".split()

    assert [
        *"<sub <inner write inner> sub>".split(),
        *("<each", one, one, "each>"),
        *"<both <left <inner write inner> left> both> <call <right write right> call>".split(),
    ] == log_of(graph)


def test_middleware_is_a_decorator_and_a_plain_call():
    """Every way gives it back unchanged, so that it can be tested by hand."""
    graph = gn.Graph(Diary)

    @graph.middleware
    def bare(s, following):
        return following(s)

    @graph.middleware(name="named")
    async def other(s, following):
        return await following(s)

    retry = gn.retry()

    assert graph.middleware(retry) is retry
    assert graph.middleware(bare, name="again") is bare
    assert (bare, other, retry, bare) == graph.spec().middleware


def test_middleware_that_was_made_works_in_every_place(log_of):
    """Retry, timing and isolation, around a node, an instance and a branch."""
    records: list[gn.TimingRecord] = []
    left: dict[str, int] = {}

    def flaky(name: str) -> Any:
        def node(s: Any) -> dict[str, Any]:
            left[name] = left.get(name, 0) + 1
            if left[name] % 2:
                raise ConnectionError(name)
            return {"log": [name]}

        return node

    again = gn.retry(2, classifier=lambda error, s: True, backoff=0)
    graph = gn.Graph(Diary, entry="a", middleware=gn.timing(records.append, clock=lambda: 0.0))
    graph.node("a", flaky("a"), middleware=again, to="each")
    graph.fan_out(
        "each",
        flaky("item"),
        over="items",
        concurrency=1,
        collect="log",
        into="log",
        instance_middleware=again,
        to="both",
    )
    degraded = gn.failure_isolation({"log": ["degraded"]}, event_name="e")
    graph.branches(
        "both",
        {
            "left": gn.ParallelBranch(flaky("left"), middleware=again),
            "right": gn.ParallelBranch(lambda s: 1 / 0, middleware=degraded),
        },
        to=gn.END,
    )

    assert ["a", ["item"], ["item"], "left", "degraded"] == log_of(graph)
    assert [("a", "success"), ("each", "success"), ("both", "success")] == [
        (record.node_name, record.outcome) for record in records
    ]


def test_middleware_may_be_taken_away_by_name():
    """What was declared first keeps its place; what the graph was made with has no name."""
    graph = gn.Graph(Diary, entry="a", middleware=around("made"))
    for word in "xyz":
        graph.middleware(around(word), name=word)
    graph.node("a", write, to=gn.END)
    graph.remove_middleware("y")

    assert "<made <x <z write z> x> made>".split() == graph.run().state.log
    with pytest.raises(gn.InvalidDeclaration, match=r"no middleware 'made' to remove\nMiddleware: \['x', 'z'\]"):
        graph.remove_middleware("made")
    with pytest.raises(gn.InvalidDeclaration, match="a middleware's name is a text, not function"):
        graph.remove_middleware(around("x"))


# --- who is told -----------------------------------------------------------------------------------------------------


def test_observer_is_a_decorator_and_a_plain_call():
    """Every way gives it back unchanged."""
    graph = gn.Graph(Diary)

    @graph.observer
    def bare(event):
        pass

    @graph.observer(phases=["started"], name="named")
    async def other(event):
        pass

    assert graph.observer(bare, phases="completed", name="again") is bare
    assert [("bare", bare, 2), ("named", other, 1), ("again", bare, 1)] == [
        (each.name, each.function, len(each.phases)) for each in graph.spec().observers
    ]


def test_observers_are_told_in_declared_order_of_their_phases(log_of):
    """Those of an inner graph of what happens there, after those of the outer one, which are told of everything."""
    told: list[tuple[str, str, str]] = []

    def tell(name: str) -> Any:
        return lambda event: told.append((name, "/".join(event.namespace), event.phase))

    inner = inner_of(b=lambda s: {})
    inner.observer(tell("inner"), name="inner")
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {}, to="sub")
    graph.subgraph("sub", inner, to=gn.END)
    graph.observer(tell("first"), name="first", phases=["completed"])
    graph.observer(tell("second"), name="second")
    log_of(graph)
    graph.drain(20)

    assert [
        ("second", "a", "started"),
        ("first", "a", "completed"),
        ("second", "a", "completed"),
        ("second", "sub/b", "started"),
        ("inner", "sub/b", "started"),
        ("first", "sub/b", "completed"),
        ("second", "sub/b", "completed"),
        ("inner", "sub/b", "completed"),
    ] == told


def test_observer_may_be_taken_away_by_name():
    """From the next run on."""
    told: list[str] = []
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to=gn.END)
    graph.observer(lambda event: told.append("x"), name="x")
    graph.observer(lambda event: told.append("y"), name="y")
    compiled = graph.compile()
    graph.remove_observer("x")
    graph.run()
    graph.drain(20)

    assert ["y", "y"] == told
    assert compiled.is_stale
    with pytest.raises(gn.InvalidDeclaration, match=r"no observer 'x' to remove\nObservers: \['y'\]"):
        graph.remove_observer("x")
    with pytest.raises(gn.InvalidDeclaration, match="an observer's name is a text, not int"):
        graph.remove_observer(5)


@pytest.mark.parametrize(
    ("declare", "again"),
    [
        (lambda graph, f: graph.middleware(f, name="x"), "middleware 'x' is declared twice in one script"),
        (lambda graph, f: graph.observer(f, name="x"), "observer 'x' is declared twice in one script"),
    ],
    ids=["middleware", "observer"],
)
def test_name_is_declared_once_in_a_script(declare, again):
    """Unless it was taken away; nodes, middleware and observers may bear the same name."""
    graph = gn.Graph(Diary)
    graph.node("x", write)
    declare(graph, write)
    with pytest.raises(gn.DuplicateName, match=again):
        declare(graph, print)
    graph.remove_middleware("x") if "middleware" in again else graph.remove_observer("x")
    declare(graph, print)
    spec = graph.spec()

    assert [print] == [*spec.middleware, *(each.function for each in spec.observers)]


def test_version_rises_with_middleware_and_observers():
    """What was compiled before is stale, and runs as it was."""
    told: list[Any] = []
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to=gn.END)
    outer = gn.Graph(Diary, entry="sub")
    outer.subgraph("sub", graph, outputs={"log": "log"}, to=gn.END)
    compiled = outer.compile()
    seen = [outer.version]
    for change in (
        lambda: graph.middleware(around("x"), name="x"),
        lambda: graph.observer(told.append),
        lambda: graph.remove_observer("append"),
        lambda: graph.remove_middleware("x"),
    ):
        change()
        seen.append(outer.version)

    assert len(seen) == len(set(seen))
    assert compiled.is_stale

    graph.middleware(around("y"), name="y")
    graph.observer(told.append)

    assert (["write"], ["<y", "write", "y>"]) == (compiled.run().state.log, outer.run().state.log)
    assert (compiled.drain(20), 2) == (gn.DrainSummary(0, timeout_reached=False), len(told))


def test_topology_tells_of_middleware_and_observers():
    """Their names are drawn."""
    graph = gn.Graph(Diary, entry="a", middleware=gn.retry(2))
    graph.node("a", write, to=gn.END, middleware=write)
    graph.observer(write)

    assert ("retry(max_attempts=2)", "write") == graph.topology().nodes[0].middleware
    assert ("write",) == graph.topology().observers


# --- middleware and observers in cells -------------------------------------------------------------------------------

LAYER = "@graph.middleware\ndef {name}(s, following): return {{**(u := following(s)), 'x': u['x'] * 10 + {digit}}}"


def test_middleware_follows_its_cell(cell):
    """Run again, edited, renamed, taken back; what is outermost follows from the order of the cells."""
    seen: list[int] = []

    def run() -> None:
        seen.append(cell("run = graph.run()")["run"].state.x)

    cell("@graph.node(to=gn.END)\ndef a(s): return {'x': 1}", "node")
    cell(LAYER.format(name="outer", digit=2), "outer")
    cell(LAYER.format(name="inner", digit=3), "inner")
    run()
    cell(LAYER.format(name="outer", digit=2), "outer")
    run()
    cell(LAYER.format(name="outer", digit=4), "outer")
    run()
    cell(LAYER.format(name="renamed", digit=5), "outer")
    run()
    cell("pass", "outer")
    run()

    assert [132, 132, 134, 135, 13] == seen


def test_observer_follows_its_cell(cell):
    """Run again it is told once, and no longer when its cell declares it no longer; a cell can wait for it."""
    cell("@graph.node(to=gn.END)\ndef a(s): return {'x': 1}", "node")
    cell("told = []")
    for _ in range(2):
        cell("@graph.observer(phases='completed')\ndef see(event): told.append(event.node_name)", "see")
    cell("graph.run(); graph.drain()")
    cell("await graph.arun(); await graph.adrain()")
    names = cell("summary = graph.drain()")
    once = list(names["told"])
    cell("pass", "see")
    cell("graph.run(); graph.drain()")

    assert ["a", "a"] == once == names["told"]
    assert gn.DrainSummary(undelivered_count=0, timeout_reached=False) == names["summary"]


def test_plain_drain_of_an_awaited_run_is_refused_in_a_cell(cell):
    """The cell's loop delivers, which it would block; the message shows what to write."""
    cell("@graph.node(to=gn.END)\ndef a(s): return {'x': 1}")
    cell("async def see(event): await asyncio.sleep(0.01)")
    with pytest.raises(gn.GraphError, match=r"would block the event loop .*\nWrite: await graph\.adrain\("):
        cell("await graph.arun(observers=[see])\ngraph.drain()")

    assert 0 == cell("left = (await graph.adrain()).undelivered_count")["left"]


def test_replaced_middleware_is_told_in_one_line(cell, capsys):
    """As for nodes."""
    cell(LAYER.format(name="layer", digit=2), "one")
    cell(LAYER.format(name="layer", digit=3), "two")

    assert "graphnb: middleware 'layer' replaced (it was declared in cell [3])\n" == capsys.readouterr().out


def test_round_trip_is_warned_of_in_the_cell_that_runs(cell):
    """Not in a file of the package."""
    cell("class T(gn.State):\n    log: __import__('typing').Annotated[list[int], gn.append] = []")
    cell("part = gn.Graph(T, entry='a', name='part')\npart.node('a', lambda s: {}, to=gn.END)")
    cell(
        "whole = gn.Graph(T, entry='sub', name='whole')\nwhole.subgraph('sub', part, inputs={'log': 'log'}, to=gn.END)"
    )
    with pytest.warns(gn.ProjectionRoundTripWarning, match="graph 'whole', node 'sub'") as caught:
        cell("whole.run()\nwhole.run()")

    assert [1] == [each.lineno for each in caught]
    assert all("graphnb" not in each.filename for each in caught)
