"""What the engine gets: names resolved, kinds of functions told apart, through all inner graphs."""

from typing import Any

import pytest

import graphnb as gn
from graphnb.graph.compiling import compile_graph
from graphnb.graph.making_topology import topology_of


class Box(gn.State):
    items: list[int] = []
    total: int = 0


def plain(s: Any, extra: int = 0) -> dict[str, Any]:
    """A plain node."""
    return {}


async def later(s: Any, extra: int = 0) -> dict[str, Any]:
    """An asynchronous node."""
    return {}


def one_node(function: Any) -> gn.Graph:
    """A graph of one node."""
    graph = gn.Graph(Box, entry="a", name="one")
    graph.node("a", function, to=gn.END)
    return graph


def holding(inner: Any, kind: str) -> gn.Graph:
    """A graph that does nothing but run the given one."""
    graph = gn.Graph(Box, entry="n", name="outer")
    if kind == "subgraph":
        graph.subgraph("n", inner, to=gn.END)
    else:
        graph.fan_out("n", inner, count=1, count_into="total", to=gn.END)
    return graph


def kinds(graph: gn.Graph) -> tuple[bool, bool]:
    """Whether asynchronous and whether plain functions run in the graph."""
    plan = compile_graph(graph.spec())
    return plan.has_async, plan.has_plain


@pytest.mark.parametrize(("function", "expected"), [(plain, (False, True)), (later, (True, False))])
def test_plan_tells_which_kinds_of_functions_run_at_any_depth(function, expected):
    """In nodes, in a subgraph, in a fan-out's graph or function, and in a graph within a graph; nothing is added."""
    graphs = [one_node(function), holding(function, "fan_out")]
    graphs += [holding(inner, kind) for inner in graphs for kind in ("subgraph", "fan_out")]
    graphs += [holding(inner, kind) for inner in graphs[2:] for kind in ("subgraph", "fan_out")]

    assert [expected] * 14 == [kinds(graph) for graph in graphs]


@pytest.mark.parametrize("kind", ["subgraph", "fan_out"])
@pytest.mark.parametrize(("outside", "inside"), [(plain, later), (later, plain)])
def test_plan_with_both_kinds_says_so(kind, outside, inside):
    """Whichever of them stands in the inner graph."""
    graph = holding(one_node(inside), kind)
    graph.node("m", outside, to="n")
    graph.entry = "m"

    assert (True, True) == kinds(graph)


def test_asynchronous_router_counts_for_neither_kind_but_is_marked():
    """The plan's flags are those of nodes; the router's own flag tells that its answer has to be awaited."""
    graph = gn.Graph(Box, entry="a")
    graph.node("a", plain)
    graph.node("b", plain)
    graph.branch("a", later, to=("b", gn.END))
    graph.branch("b", plain, to=("a", gn.END))
    plan = compile_graph(graph.spec())

    assert (False, True) == (plan.has_async, plan.has_plain)
    assert [True, False] == [plan.nodes[name].is_async_router for name in "ab"]


def test_plain_node_is_resolved():
    """Its function, its place for messages and its fixed target; nothing else is set."""
    graph = gn.Graph(Box, entry="a", name="g")
    graph.node("a", later, to="b")
    graph.node("b", plain, to=gn.END)
    plan = compile_graph(graph.spec())
    first, last = plan.nodes["a"], plan.nodes["b"]

    assert ("a", "graph 'g', node 'a'", later, True, "b") == (
        first.name, first.place, first.function, first.is_async, first.target
    )  # fmt: skip
    assert (plain, False) == (last.function, last.is_async)
    assert gn.END is last.target
    assert (None, None, False) == (first.branch, first.child, first.is_async_router)
    assert graph.spec().nodes["a"] is first.spec


def test_branch_leaves_the_fixed_target_empty():
    """A node has either a target or a branch."""
    graph = gn.Graph(Box, entry="a")
    graph.node("a", plain)
    graph.branch("a", plain, to={"done": gn.END})
    node = compile_graph(graph.spec()).nodes["a"]

    assert node.target is None
    assert (plain, {"done": gn.END}) == (node.branch.router, node.branch.targets)


@pytest.mark.parametrize("kind", ["subgraph", "fan_out"])
def test_inner_graph_is_compiled_into_the_node(kind):
    """The node has the child's plan and no function of its own, and is not itself to be awaited."""
    node = compile_graph(holding(one_node(later), kind).spec()).nodes["n"]

    assert ("one", "a", ["a"]) == (node.child.name, node.child.entry, list(node.child.nodes))
    assert (None, False) == (node.function, node.is_async)
    assert "graph 'one', node 'a'" == node.child.nodes["a"].place


def test_worker_function_of_a_fan_out_is_no_node_function():
    """It stays in the specification; the plan tells whether it has to be awaited."""
    node = compile_graph(holding(later, "fan_out").spec()).nodes["n"]

    assert (None, None, True, later) == (node.function, node.child, node.is_async, node.spec.worker)


def test_plan_holds_schema_entry_declared_order_and_topology():
    """Everything that was declared once is there once."""
    graph = gn.Graph(Box, entry="z", name="g")
    graph.node("z", plain, to="m")
    graph.node("m", plain, to="a")
    graph.node("a", plain, to=gn.END)
    plan = compile_graph(graph.spec())

    assert ("g", "z", ["z", "m", "a"]) == (plan.name, plan.entry, list(plan.nodes))
    assert Box is plan.schema.cls
    assert topology_of(graph.spec()) == plan.topology


def test_plan_is_left_alone_by_later_declarations():
    """A compiled graph is a snapshot."""
    graph = one_node(plain)
    plan = compile_graph(graph.spec())
    graph.node("b", plain, to="a")

    assert ["a"] == list(plan.nodes)


def test_graph_with_faults_is_not_compiled():
    """The first fault is raised, all of them are its problems."""
    graph = gn.Graph(Box, name="g")
    graph.node("a", plain, to="b")

    with pytest.raises(gn.BuildError) as caught:
        compile_graph(graph.spec())

    assert ["no_declared_entry", "dangling_edge"] == [each.category for each in caught.value.problems]


def layered(*layers: Any, **options: Any) -> gn.Graph:
    """A graph of one plain node within layers."""
    graph = gn.Graph(Box, entry="a", **options)
    graph.node("a", plain, middleware=layers, to=gn.END)
    return graph


def test_layers_of_the_graph_come_before_the_nodes_own():
    """Outermost first."""
    own, shared, declared = gn.retry(), gn.timing(print), gn.retry(5)
    graph = layered(own, middleware=[shared])
    graph.middleware(declared, name="declared")

    assert (shared, declared, own) == graph.compile().plan.nodes["a"].layers


@pytest.mark.parametrize(("layer", "has_async"), [(plain, False), (later, True), (gn.retry(), False)])
def test_layers_count_among_the_functions_that_are_called(layer, has_async):
    """Those that are functions; what is work by itself runs under every driver."""
    plan = layered(layer).compile().plan

    assert (has_async, True) == (plan.has_async, plan.has_plain)


def test_layers_of_instances_and_branches_count_too():
    """At any place."""
    each, both = gn.Graph(Box, entry="a"), gn.Graph(Box, entry="a")
    each.fan_out("a", later, count=1, into="items", instance_middleware=plain, to=gn.END)
    both.branches("a", {"left": gn.ParallelBranch(later, middleware=(plain,))}, to=gn.END)
    alone = gn.Graph(Box, entry="a")
    alone.branches("a", {"left": later}, to=gn.END)

    assert [(True, True), (True, True), (True, False)] == [
        (plan.has_async, plan.has_plain) for plan in (graph.compile().plan for graph in (each, both, alone))
    ]


def test_branches_are_resolved():
    """Graphs are compiled, functions are told by their kind; each has a place that begins its messages."""
    inner, graph = layered(name="inner"), gn.Graph(Box, entry="both", name="g")
    left = gn.ParallelBranch(inner, outputs={"total": "total"})
    graph.branches("both", {"left": left, "right": later}, to=gn.END)
    node = graph.compile().plan.nodes["both"]

    assert (None, None, False) == (node.function, node.child, node.is_async)
    assert [("left", "inner", None, False), ("right", None, later, True)] == [
        (each.name, each.child and each.child.name, each.function, each.is_async) for each in node.branches
    ]
    assert ["graph 'g', node 'both', branch 'left'", "graph 'g', node 'both', branch 'right'"] == [
        each.place for each in node.branches
    ]


@pytest.mark.parametrize("kind", ["subgraph", "fan-out", "branches"])
def test_graph_is_observed_if_any_within_it_is(kind):
    """So that a run knows whether there is anybody to be told."""
    inner, graph = layered(name="inner"), gn.Graph(Box, entry="a")
    if kind == "subgraph":
        graph.subgraph("a", inner, to=gn.END)
    elif kind == "fan-out":
        graph.fan_out("a", inner, count=1, collect="total", into="items", to=gn.END)
    else:
        graph.branches("a", {"left": gn.ParallelBranch(inner, outputs={})}, to=gn.END)
    before = graph.compile().plan.is_observed
    inner.observer(plain, name="watcher")
    plan = graph.compile().plan

    assert (False, True, ()) == (before, plan.is_observed, plan.observers)
    assert ["watcher"] == [each.name for each in inner.compile().plan.observers]


def test_graphs_nested_deeper_than_the_stack_are_refused_in_words():
    """A bare RecursionError would not say what is too deep."""
    graph = gn.Graph(Box, entry="a", name="g0")
    graph.node("a", lambda s: {}, to=gn.END)
    for i in range(1, 400):
        graph, inner = gn.Graph(Box, entry="sub", name=f"g{i}"), graph
        graph.subgraph("sub", inner, outputs={}, to=gn.END)

    with pytest.raises(gn.InvalidDeclaration, match=r"^graph 'g399': graphs are nested too deep: Python's stack"):
        compile_graph(graph.spec())
