"""What is drawn of finished, unfinished and nested graphs, in an order that declarations alone decide."""

import enum
import functools
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphnb as gn
from graphnb.errors.text import shown
from graphnb.graph.ends import END, START
from graphnb.graph.topology import TopologyEdge, TopologyField, TopologyNode


class Review(gn.State):
    files: list[str]
    notes: Annotated[list[str], gn.concat_flatten] = []
    verdict: str = "none"
    late: int = gn.UNSET


class Reader(gn.State):
    file: str = ""
    note: list[str] = []


class Way(enum.Enum):
    ON = 1


def work(s: Any) -> dict[str, Any]:
    """A node that changes nothing."""
    return {}


def limit(s: Any) -> int:
    """A function for `count` and `concurrency`."""
    return 3


def brief(given: object) -> str:
    """A test's id, for values that pytest cannot show."""
    return shown(given)


def reader() -> gn.Graph:
    """A sound graph of one node."""
    graph = gn.Graph(Reader, entry="read", name="reader")
    graph.node("read", work, to=gn.END)
    return graph


def fan_out_node(worker: Any = limit, **options: Any) -> TopologyNode:
    """The drawn node of a fan-out."""
    graph = gn.Graph(Review, entry="each", name="review")
    graph.fan_out("each", worker, **options, to=gn.END)
    return graph.topology().nodes[0]


def branch_edges(router: Any, to: Any = None) -> tuple[TopologyEdge, ...]:
    """The drawn edges that leave a branch."""
    graph = gn.Graph(Review, entry="a")
    graph.node("a", work)
    graph.node("b", work, to=gn.END)
    graph.branch("a", router, to=to)
    return tuple(edge for edge in graph.topology().edges if edge.source == "a")


def lines_of(topology):
    """What keeps the graph from running, in whole lines."""
    return tuple(each.line for each in topology.faults)


def test_empty_graph_is_drawn_with_its_fields_and_what_it_lacks():
    """A graph without a single node has a topology."""
    topology = gn.Graph(Review, name="review").topology()

    assert ("review", "Review", (), ()) == (topology.name, topology.state, topology.nodes, topology.edges)
    assert ("has no entry node. Name one: gn.Graph(..., entry='name').",) == lines_of(topology)
    assert ["files", "notes", "verdict", "late"] == [each.name for each in topology.fields]


def test_field_tells_type_declared_reducer_and_default():
    """No reducer where none was declared, although last_write_wins serves; no default for a required field."""
    assert (
        TopologyField("files", "list[str]", None, None),
        TopologyField("notes", "list[str]", "concat_flatten", "[]"),
        TopologyField("verdict", "str", None, "'none'"),
        TopologyField("late", "int", None, "UNSET"),
    ) == gn.Graph(Review).topology().fields


def test_sound_graph_is_drawn_without_faults():
    """START leads to the entry, and edges come in the order of their nodes."""
    graph = gn.Graph(Review, entry="plan")
    graph.node("plan", work, to="judge")
    graph.node("judge", work, to=gn.END)
    topology = graph.topology()

    assert (TopologyNode("plan", "node"), TopologyNode("judge", "node")) == topology.nodes
    assert (
        TopologyEdge(START, "plan", "edge"),
        TopologyEdge("plan", "judge", "edge"),
        TopologyEdge("judge", END, "edge"),
    ) == topology.edges
    assert () == lines_of(topology)


def test_names_that_nobody_declared_are_drawn_as_missing():
    """Entry, sources and targets, each once, behind the declared nodes in the order of their mention."""
    graph = gn.Graph(Review, entry="first")
    graph.node("a", work)
    graph.branch("a", work, to=("z", "b", gn.END, "first"))
    graph.edge("y", "z")

    assert [("a", "node"), ("first", "missing"), ("z", "missing"), ("b", "missing"), ("y", "missing")] == [
        (node.name, node.kind) for node in graph.topology().nodes
    ]


def test_edge_of_a_missing_source_is_drawn_last():
    """Edges follow the declared nodes, whatever was declared first; those of unknown sources come behind."""
    graph = gn.Graph(Review, entry="b")
    graph.edge("ghost", "b")
    graph.edge("a", gn.END)
    graph.node("b", work, to="a")
    graph.node("a", work)

    assert [START, "b", "a", "ghost"] == [edge.source for edge in graph.topology().edges]


def test_node_without_an_edge_is_drawn_without_an_arrow():
    """It stands there alone, and what it lacks is told."""
    graph = gn.Graph(Review, entry="a")
    graph.node("a", work)
    topology = graph.topology()

    assert (TopologyEdge(START, "a", "edge"),) == topology.edges
    assert ("node 'a' has no outgoing edge. Declare one, or end there: to=gn.END.",) == lines_of(topology)


def test_graph_without_entry_has_no_edge_from_start():
    """The rest of it is drawn."""
    graph = gn.Graph(Review)
    graph.node("a", work, to=gn.END)

    assert (TopologyEdge("a", END, "edge"),) == graph.topology().edges


def test_faults_leave_out_the_name_of_the_graph_that_is_drawn():
    """But keep the place within it; what and mend make one line."""
    inner = gn.Graph(Reader, entry="raed", name="reader")
    inner.node("read", work, to=gn.END)
    graph = gn.Graph(Review, entry="a", name="review")
    graph.subgraph("a", inner, to="b")
    graph.fan_out("c", work, into="notes", to=gn.END)

    assert (
        "edge from 'a' names 'b', which is no node. Nodes: ['a', 'c'].",
        "no path leads from entry 'a' to node 'c'. Lead an edge to it, or take it out: graph.remove('c').",
        "node 'a', graph 'reader': entry 'raed' is no node. Nodes: ['read']. Did you mean 'read'?",
        "node 'c': has neither of over and count. Give one: over='field' or count=3.",
    ) == lines_of(graph.topology())


def test_branch_without_labels_shows_targets_by_name():
    """Targets that are returned by name need no label; END is its own target."""
    assert (
        TopologyEdge("a", "b", "branch", "limit"),
        TopologyEdge("a", END, "branch", "limit"),
    ) == branch_edges(limit, ("b", gn.END))


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("go on", "go on"),
        ("b", None),
        (True, "True"),
        (None, "None"),
        (("more", 1), "('more', 1)"),
        (Way.ON, "Way.ON"),
        (frozenset({"q", "a", "x", "k"}), "frozenset({'a', 'k', 'q', 'x'})"),
        (work, "<function work>"),
        (10**5000, "<int>"),
    ],
    ids=brief,
)
def test_branch_label_is_what_the_router_returns(label, text):
    """Unless that is the target's own name. No address, no order of hashes, no refusal to be drawn."""
    assert (TopologyEdge("a", "b", "branch", "limit", text),) == branch_edges(limit, {label: "b"})


def test_branch_label_that_cannot_be_shown_is_named_after_its_type():
    """Drawing an unfinished graph never raises, so a label's own repr must not either."""

    class Sulky:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert ["<Sulky>"] == [edge.label for edge in branch_edges(limit, {Sulky(): "b"})]


def test_two_labels_for_one_target_are_two_arrows():
    """In the order in which they were declared."""
    assert [("b", "yes"), (END, "no"), ("b", "maybe")] == [
        (edge.target, edge.label) for edge in branch_edges(limit, {"yes": "b", "no": gn.END, "maybe": "b"})
    ]


def test_branch_without_declared_targets_is_one_open_arrow():
    """The drawing claims no target that nobody has declared."""
    assert (TopologyEdge("a", None, "open", "lambda"),) == branch_edges(lambda s: "b")


def test_literal_return_type_draws_its_targets_alone():
    """What may be returned is what is drawn."""

    def router(s) -> Literal["b"]:
        return "b"

    assert (TopologyEdge("a", "b", "branch", "router"),) == branch_edges(router)


def test_targets_of_a_set_are_drawn_in_sorted_order():
    """The hash seed decides nothing."""
    assert ["b", "d", "k", "x"] == [edge.target for edge in branch_edges(limit, {"x", "k", "d", "b"})]


def test_subgraph_shows_its_projection_and_its_inside():
    """Arrows point from where a value comes to where it goes."""
    graph = gn.Graph(Review, entry="n")
    graph.subgraph("n", reader(), inputs={"file": "verdict", "note": "notes"}, outputs={"notes": "note"}, to=gn.END)
    node = graph.topology().nodes[0]

    assert ("n", "subgraph", None) == (node.name, node.kind, node.worker)
    assert (("inputs", "file ← verdict, note ← notes"), ("outputs", "notes ← note")) == node.details
    assert reader().topology() == node.inner


@pytest.mark.parametrize(
    ("options", "details"),
    [({}, ()), ({"inputs": {}}, (("inputs", ""),)), ({"outputs": {}}, (("outputs", ""),))],
)
def test_empty_projection_is_shown_other_than_an_absent_one(options, details):
    """`outputs={}` projects nothing, which is a declaration; no outputs are the default."""
    graph = gn.Graph(Review, entry="n")
    graph.subgraph("n", reader(), **options, to=gn.END)

    assert details == graph.topology().nodes[0].details


def test_fan_out_shows_all_options_in_fixed_order():
    """Whatever the order in which they were given."""
    node = fan_out_node(
        reader(), concurrency=4, errors_into="verdict", error_policy="collect", extra_outputs={"verdict": "file"},
        into="notes", collect="note", inputs={"note": "notes"}, item="file", over="files",
    )  # fmt: skip

    assert ("each", "fan_out", "reader") == (node.name, node.kind, node.worker)
    assert (
        ("over", "files"),
        ("item", "file"),
        ("inputs", "note ← notes"),
        ("collect", "note"),
        ("into", "notes"),
        ("extra", "verdict ← file"),
        ("errors", "verdict"),
        ("at once", "4"),
    ) == node.details
    assert reader().topology() == node.inner


@pytest.mark.parametrize(
    ("options", "details"),
    [
        ({}, ()),
        ({"count": 3}, (("count", "3"),)),
        ({"count": 0}, (("count", "0"),)),
        ({"count": limit}, (("count", "limit()"),)),
        ({"count": functools.partial(limit)}, (("count", "limit()"),)),
        ({"count": -1}, (("count", "-1"),)),
        ({"count": 10**5000}, (("count", "<int>"),)),
        ({"concurrency": 10}, ()),
        ({"concurrency": 1}, (("at once", "1"),)),
        ({"concurrency": None}, (("at once", "all"),)),
        ({"concurrency": limit}, (("at once", "limit()"),)),
        ({"error_policy": "collect"}, (("errors", "dropped"),)),
        ({"errors_into": "notes"}, ()),
        ({"on_empty": "noop"}, ()),
    ],
    ids=brief,
)
def test_fan_out_shows_only_what_differs_from_the_default(options, details):
    """The default concurrency is silent; errors that nobody collects are said to be dropped; nothing raises."""
    assert details == fan_out_node(**options).details


def test_worker_function_has_a_name_and_no_inside():
    """A plain function is drawn by its name."""
    node = fan_out_node(count=1)

    assert ("limit", None) == (node.worker, node.inner)


def test_inner_graph_tells_no_faults_of_its_own():
    """The outermost graph lists them all, with their place."""
    inner = gn.Graph(Reader, name="reader")
    graph = gn.Graph(Review, entry="n")
    graph.subgraph("n", inner, to=gn.END)
    topology = graph.topology()

    assert () == topology.nodes[0].inner.marks
    assert ("node 'n', graph 'reader': has no entry node. Name one: gn.Graph(..., entry='name').",) == lines_of(
        topology
    )


@pytest.mark.parametrize("kind", ["subgraph", "fan_out"])
def test_graph_that_holds_itself_is_drawn_without_the_inside(kind):
    """Drawing ends, and the fault is told."""
    graph = gn.Graph(Review, entry="n", name="g")
    if kind == "subgraph":
        graph.subgraph("n", graph, to=gn.END)
    else:
        graph.fan_out("n", graph, count=1, count_into="late", to=gn.END)
    topology = graph.topology()

    assert [("n", kind, None)] == [(node.name, node.kind, node.inner) for node in topology.nodes]
    assert ("node 'n': runs a graph that this node is part of. A graph cannot hold itself.",) == lines_of(topology)


def test_graph_that_holds_itself_through_another_is_drawn_up_to_the_circle():
    """The other graph is shown, and within it the node that closes the circle."""
    outer, middle = gn.Graph(Review, entry="m", name="outer"), gn.Graph(Review, entry="o", name="middle")
    outer.subgraph("m", middle, to=gn.END)
    middle.fan_out("o", outer, count=1, to=gn.END)
    inner = outer.topology().nodes[0].inner

    assert ("middle", [("o", "outer", None)]) == (inner.name, [(it.name, it.worker, it.inner) for it in inner.nodes])


def test_graph_in_two_nodes_is_drawn_in_both():
    """Using a graph twice is no circle."""
    child = reader()
    graph = gn.Graph(Review, entry="one")
    graph.subgraph("one", child, to="two")
    graph.fan_out("two", child, count=1, to=gn.END)

    assert [child.topology()] * 2 == [node.inner for node in graph.topology().nodes]


def test_equal_declarations_have_equal_topologies():
    """A topology is data: what is drawn twice compares equal and can be hashed."""
    assert reader().topology() == reader().topology()
    assert hash(reader().topology()) == hash(reader().topology())


names = st.sampled_from(["a", "b", "c", "END", "x y", 'q"', "ü"])


@given(
    nodes=st.lists(names, max_size=4, unique=True),
    edges=st.dictionaries(names, st.one_of(names, st.just(gn.END)), max_size=4),
    branches=st.dictionaries(names, st.none() | st.lists(names, min_size=1, max_size=3, unique=True), max_size=2),
    entry=st.none() | names,
)
def test_half_built_graph_is_drawn_as_it_was_declared(nodes, edges, branches, entry):
    """Drawing never raises; every declared edge is there, and every name in one is a node."""
    graph = gn.Graph(Review, entry=entry)
    for name in nodes:
        graph.node(name, work)
    for source, target in edges.items():
        graph.edge(source, target)
    for source, targets in branches.items():
        if source not in edges:
            graph.branch(source, limit, to=targets)
    topology = graph.topology()
    arrows = {(each.source, each.target) for each in topology.edges}
    chosen = {
        (source, target) for source, targets in branches.items() if source not in edges for target in targets or [None]
    }

    assert arrows - {(START, entry)} == {*edges.items(), *chosen}
    assert {each.name for each in topology.nodes} == {
        end for arrow in arrows for end in arrow if isinstance(end, str)
    } | {*nodes}


def test_subgraph_with_sets_shows_what_crosses():
    """By names, which are the same on both sides; an absent set is an empty one."""
    graph = gn.Graph(Review, entry="sub")
    graph.subgraph("sub", reader(), projects_in=("note", "file"), to=END)

    assert (("in", "note, file"), ("out", "")) == graph.topology().nodes[0].details


def test_branches_are_drawn_within_their_node():
    """Each with the name of its graph or function, what it is given and gives, and the inside of a graph."""
    graph = gn.Graph(Review, entry="both")
    branches = {
        "plain": work,
        "inner": gn.ParallelBranch(
            reader(), inputs={"file": "verdict"}, outputs={"notes": "note"}, when=limit, middleware=(gn.retry(2), work)
        ),
    }
    graph.branches("both", branches, error_policy="collect", errors_into="notes", to=END)
    node = graph.topology().nodes[0]

    assert ("branches", (("errors", "notes"),), None) == (node.kind, node.details, node.worker)
    assert [("plain", "work", ()), ("inner", "reader")] == [
        (node.branches[0].name, node.branches[0].worker, node.branches[0].details),
        (node.branches[1].name, node.branches[1].worker),
    ]
    assert (
        ("inputs", "file ← verdict"), ("outputs", "notes ← note"), ("when", "limit()"),
        ("middleware", "retry(max_attempts=2), work"),
    ) == node.branches[1].details  # fmt: skip
    assert (None, "reader") == (node.branches[0].inner, node.branches[1].inner.name)


def test_branches_whose_errors_are_dropped_say_so():
    """Those that raise have nothing to show."""
    graph = gn.Graph(Review, entry="a")
    graph.branches("a", {"plain": work}, error_policy="collect", to="b")
    graph.branches("b", {"plain": work}, to=END)

    assert [(("errors", "dropped"),), ()] == [node.details for node in graph.topology().nodes]


def test_branch_that_runs_the_graph_itself_is_drawn_without_the_inside():
    """It would have no end."""
    graph = gn.Graph(Review, entry="both")
    graph.branches("both", {"self": gn.ParallelBranch(graph, outputs={})}, to=END)

    assert graph.topology().nodes[0].branches[0].inner is None


def test_middleware_and_observers_are_named():
    """Around each node that of the graph first; of instances among the options of their fan-out."""
    graph = gn.Graph(Review, entry="a", middleware=[gn.retry(2)])
    graph.node("a", work, middleware=[gn.failure_isolation({}, event_name="lost"), work], to="each")
    graph.fan_out("each", limit, count=2, into="notes", instance_middleware=gn.timing(print), to=END)
    graph.observer(work, name="watcher")
    a, each = graph.topology().nodes

    assert ("retry(max_attempts=2)", "failure_isolation('lost')", "work") == a.middleware
    assert ("retry(max_attempts=2)",) == each.middleware
    assert ("each in", "timing()") == each.details[-1]
    assert ("watcher",) == graph.topology().observers


def test_what_is_odd_about_a_field_is_told_at_the_field():
    """As a sentence that says what to do; all other fields have none."""

    class Odd(gn.State):
        log: Annotated[list[str], gn.append] = []
        seen: Annotated[set[str], gn.append] = set()

    graph = gn.Graph(Odd, entry="a")
    graph.node("a", work, to=END)
    log, seen = graph.topology().fields

    assert () == log.marks
    assert 1 == len(seen.marks)
    assert seen.marks[0].text.startswith("append cannot fold a set[str]. Declare seen: Annotated[list[str], gn.append]")


def test_round_trips_are_told_where_an_edge_leaves_their_node():
    """As sentences that say what to do; all else has none."""
    graph = gn.Graph(Review, entry="a")
    graph.node("a", work, to="sub")
    graph.subgraph("sub", reader(), inputs={"note": "notes"}, outputs={"notes": "note"}, to=END)
    topology = graph.topology()
    *others, leaving = topology.edges

    assert {()} == {each.marks for each in (*others, *topology.nodes)}
    assert 1 == len(leaving.marks)
    assert leaving.marks[0].text.startswith("field 'notes' goes in as 'note' and comes back into itself")
