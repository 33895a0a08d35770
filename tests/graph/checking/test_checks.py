"""Every fault under its category, in order, with place and mend; all of them at once in `problems`."""

from typing import Any

import pytest

import graphnb as gn
from graphnb.errors import BuildError
from graphnb.graph.checking.checks import check_graph, faults_of
from graphnb.graph.edges import Branch, Edge
from graphnb.graph.ends import END, START
from graphnb.graph.spec import FanOutNode, FunctionNode, GraphSpec
from graphnb.state.schema import schema_of


class Parent(gn.State):
    files: list[str] = []
    notes: list[str] = []
    errors: list[dict[str, str]] = []
    topic: str = ""
    total: int = 0
    maybe: list[str] | None = None


class Child(gn.State):
    file: str = ""
    note: str = ""
    lang: str = "en"


def work(s: Any) -> dict[str, Any]:
    """A node that changes nothing."""
    return {}


def child_graph(name: str = "child") -> gn.Graph:
    """A sound graph of one node."""
    graph = gn.Graph(Child, entry="read", name=name)
    graph.node("read", work, to=gn.END)
    return graph


def chain(*names: str, entry: str | None = "a") -> gn.Graph:
    """A graph whose nodes lead from one to the next and then to END."""
    graph = gn.Graph(Parent, entry=entry, name="g")
    for name, target in zip(names, (*names[1:], gn.END), strict=False):
        graph.node(name, work, to=target)
    return graph


def fan_out_graph(worker: Any = None, **options: Any) -> gn.Graph:
    """A graph of one fan-out, over the child graph unless a worker is given."""
    graph = gn.Graph(Parent, entry="each", name="g")
    graph.fan_out("each", child_graph() if worker is None else worker, **options, to=gn.END)
    return graph


def subgraph_graph(**options: Any) -> gn.Graph:
    """A graph of one subgraph."""
    graph = gn.Graph(Parent, entry="inner", name="g")
    graph.subgraph("inner", child_graph(), **options, to=gn.END)
    return graph


def told(graph: gn.Graph | GraphSpec) -> list[tuple[str, str, str, str]]:
    """Category, where, what and mend of every fault, in order."""
    faults = faults_of(graph.spec() if isinstance(graph, gn.Graph) else graph)
    return [(fault.category, fault.where, fault.what, fault.mend) for fault in faults]


def categories(graph: gn.Graph) -> list[str]:
    """The category of every fault, in order."""
    return [category for category, *_ in told(graph)]


SOUND = {
    "chain": lambda: chain("a", "b", "c"),
    "loop without end": lambda: looped(),
    "subgraph by default": subgraph_graph,
    "subgraph with maps": lambda: subgraph_graph(inputs={"file": "topic"}, outputs={"topic": "note"}),
    "subgraph that gives nothing back": lambda: subgraph_graph(outputs={}),
    "fan-out over": lambda: fan_out_graph(over="files", item="file", collect="note", into="notes"),
    "fan-out with an item that the child lacks": lambda: fan_out_graph(
        over="files", item="absent", collect="note", into="notes"
    ),
    "fan-out with count": lambda: fan_out_graph(count=2, collect="note", into="notes"),
    "fan-out with count of 0": lambda: fan_out_graph(count=0, collect="note", into="notes"),
    "fan-out of a function": lambda: fan_out_graph(len, over="files", into="notes"),
    "fan-out of a function with parameters": lambda: fan_out_graph(
        lambda item, anything: item, over="files", into="notes", inputs={"anything": "topic"}
    ),
    "fan-out for its effects, counted": lambda: fan_out_graph(len, over="files", count_into="total"),
    "fan-out for its effects, with failures": lambda: fan_out_graph(
        len, over="files", error_policy="collect", errors_into="errors"
    ),
    "fan-out of extra outputs alone": lambda: fan_out_graph(len, over="files", extra_outputs={"notes": "note"}),
    "fan-out whose failures nobody wants": lambda: fan_out_graph(
        len, over="files", into="notes", error_policy="collect"
    ),
    "fan-out with all options": lambda: fan_out_graph(
        over="files", item="file", collect="note", into="notes", inputs={"lang": "topic"},
        extra_outputs={"topic": "lang"}, error_policy="collect", errors_into="errors", count_into="total",
    ),
    "node named END": lambda: chain("a", "END"),
    "one graph in two nodes": lambda: twins(),
}  # fmt: skip


def looped() -> gn.Graph:
    """Two nodes that lead to each other."""
    graph = gn.Graph(Parent, entry="a")
    graph.node("a", work, to="b")
    graph.node("b", work, to="a")
    return graph


def twins() -> gn.Graph:
    """A graph that runs the very same child twice, and another equal to it."""
    child = child_graph()
    graph = gn.Graph(Parent, entry="one")
    graph.subgraph("one", child, to="two")
    graph.subgraph("two", child, to="three")
    graph.subgraph("three", child_graph(), to=gn.END)
    return graph


@pytest.mark.filterwarnings("ignore:.*no instance gets its item")
@pytest.mark.parametrize("make", SOUND.values(), ids=SOUND)
def test_sound_graph_has_no_faults(make):
    """What may be declared passes: a graph may also be used more than once."""
    graph = make()

    assert () == faults_of(graph.spec())
    check_graph(graph.spec())


def test_graph_without_entry_offers_its_first_node():
    """The mend is the very argument to write."""
    assert [("no_declared_entry", "graph 'g'", "has no entry node", "Name one: gn.Graph(..., entry='b').")] == told(
        chain("b", "a", entry=None)
    )


def test_empty_graph_lacks_an_entry():
    """Nothing else is wrong with it, and a placeholder stands for the name."""
    assert [("no_declared_entry", "graph 'g'", "has no entry node", "Name one: gn.Graph(..., entry='name').")] == told(
        chain(entry=None)
    )


def test_entry_that_is_no_node_dangles():
    """The nodes there are, and the nearest."""
    assert [
        ("dangling_edge", "graph 'g'", "entry 'plam' is no node", "Nodes: ['plan', 'judge']. Did you mean 'plan'?")
    ] == told(chain("plan", "judge", entry="plam"))


def test_edge_to_undeclared_node_dangles():
    """Source and target are named, and the nearest node is offered."""
    graph = gn.Graph(Parent, entry="judge", name="g")
    graph.node("judge", work, to="plam")
    graph.node("plan", work, to=gn.END)

    assert [
        (
            "dangling_edge",
            "graph 'g'",
            "edge from 'judge' names 'plam', which is no node",
            "Nodes: ['judge', 'plan']. Did you mean 'plan'?",
        )
    ] == told(graph)


def test_edge_from_undeclared_node_dangles():
    """As when a node was renamed and its edge was not."""
    graph = chain("plan", entry="plan")
    graph.edge("plann", "plan")

    what = "an edge leaves 'plann', which is no node"
    assert [("dangling_edge", "graph 'g'", what, "Nodes: ['plan']. Did you mean 'plan'?")] == told(graph)


def test_edge_between_undeclared_nodes_dangles_at_both_ends():
    """The source first, then the target."""
    graph = chain("a")
    graph.edge("x", "y")

    assert [
        "an edge leaves 'x', which is no node",
        "edge from 'x' names 'y', which is no node",
    ] == [what for _, _, what, _ in told(graph)]


def test_branch_reports_each_undeclared_target_once():
    """Two answers that lead to the same missing node are one fault; a declared target and END are none."""
    graph = chain("a", entry="b")
    graph.node("b", work)
    graph.branch("b", work, to={1: "x", 2: "a", 3: "y", 4: "x", 5: gn.END})

    assert ["edge from 'b' names 'x', which is no node", "edge from 'b' names 'y', which is no node"] == [
        what for _, _, what, _ in told(graph)
    ]


def test_text_end_is_no_end():
    """END is a sentinel: to="END" means a node of that name, and there is none."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.node("a", work, to="END")

    assert [("dangling_edge", "edge from 'a' names 'END', which is no node")] == [(it[0], it[2]) for it in told(graph)]


@pytest.mark.parametrize("edge", [Edge("a", START), Branch("a", work, {"back": START, "on": gn.END})])
def test_edge_to_start_is_refused(edge):
    """START is where nothing can lead; this too is told as a fault, not as a crash."""
    spec = GraphSpec("g", schema_of(Parent), "a", {"a": FunctionNode("a", work)}, {"a": edge})

    assert [
        ("invalid_declaration", "graph 'g'", "edge from 'a' leads to START", "Name the node to go back to.")
    ] == told(spec)


def test_orphans_are_unreachable_in_declared_order():
    """Each is named with the entry and with the call that takes it out; that they lead somewhere does not help."""
    graph = chain("a")
    graph.node("z", work, to="b")
    graph.node("b", work, to="a")

    assert [
        (
            "unreachable_node",
            "graph 'g'",
            f"no path leads from entry 'a' to node {name!r}",
            f"Lead an edge to it, or take it out: graph.remove({name!r}).",
        )
        for name in ("z", "b")
    ] == told(graph)


def test_orphan_without_edge_is_unreachable_and_nothing_else():
    """Its missing edge is not reported beside. Source: fixture 007 of graph-engine."""
    graph = chain("a")
    graph.node("orphan", work)

    assert ["unreachable_node"] == categories(graph)


def test_reachable_node_without_edge_is_told_how_to_end():
    """Design 9 (4): every reachable node says where it leads."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.node("a", work)

    assert [
        (
            "missing_outgoing_edge",
            "graph 'g'",
            "node 'a' has no outgoing edge",
            "Declare one, or end there: to=gn.END.",
        )
    ] == told(graph)


def test_open_branch_reaches_every_node():
    """A router without declared targets may return any name, so no node is an orphan."""
    graph = chain("b", "c", entry="a")
    graph.node("a", work)
    graph.branch("a", work)

    assert [] == told(graph)


def test_node_without_edge_that_an_open_branch_alone_may_choose_is_warned_of():
    """Whether a run comes there is not known before it does (graph-engine fixture 020), so the graph compiles."""
    graph = chain("b", "c", entry="a")
    graph.node("a", work)
    graph.branch("a", work)
    graph.node("last", work)

    with pytest.warns(gn.GraphWarning, match="node 'last': has no outgoing edge, and a router whose targets") as caught:
        graph.compile()

    assert 1 == len(caught)


def test_node_without_edge_behind_an_open_branch_is_refused_where_a_declared_route_leads_to_it():
    """The open branch hides nothing of what is declared."""
    graph = chain("b", entry="first")
    graph.node("first", work)
    graph.branch("first", work, to=("a", "last"))
    graph.node("a", work)
    graph.branch("a", work)
    graph.node("last", work)

    assert ["node 'last' has no outgoing edge"] == [what for _, _, what, _ in told(graph)]


def test_open_branch_of_an_orphan_reaches_nothing():
    """A branch that is never asked does not make nodes reachable."""
    graph = chain("a")
    graph.node("b", work)
    graph.branch("b", work)
    graph.node("c", work, to=gn.END)

    assert ["no path leads from entry 'a' to node 'b'", "no path leads from entry 'a' to node 'c'"] == [
        what for _, _, what, _ in told(graph)
    ]


def test_declared_targets_alone_are_reachable():
    """A branch with targets leads to these and to no other node."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.node("a", work)
    graph.branch("a", work, to=("b", gn.END))
    graph.node("b", work, to="a")
    graph.node("c", work, to="a")

    assert ["no path leads from entry 'a' to node 'c'"] == [what for _, _, what, _ in told(graph)]


def test_what_can_be_reached_is_judged_though_an_edge_dangles():
    """Everything that is wrong is told at once."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.node("a", work)
    graph.node("b", work, to="q")
    graph.node("z", work, to=gn.END)

    assert [
        "edge from 'b' names 'q', which is no node",
        "no path leads from entry 'a' to node 'b'",
        "no path leads from entry 'a' to node 'z'",
        "node 'a' has no outgoing edge",
    ] == [what for _, _, what, _ in told(graph)]


def test_misspelt_target_makes_no_orphan_of_the_node_that_is_offered():
    """What is meant is reached, and what it lacks is told as well."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.node("a", work, to="bb")
    graph.node("b", work)

    assert ["dangling_edge", "missing_outgoing_edge"] == categories(graph)


def test_misspelt_target_of_a_branch_makes_no_orphan():
    """Nor does one that a fork leads to, or the end of a join."""
    graph = gn.Graph(Parent, entry="plan", name="g")
    graph.node("plan", work)
    graph.branch("plan", work, to=("jugde", gn.END))
    graph.node("judge", work, to=("prnit", "publish"))
    graph.node("print", work)
    graph.node("publish", work)
    graph.edge(("print", "publish"), "aftre")
    graph.node("after", work, to=gn.END)

    assert ["dangling_edge"] * 3 == categories(graph)


def test_misspelt_source_leaves_no_node_without_an_edge():
    """The edge is that of the node which is offered."""
    graph = gn.Graph(Parent, entry="plan", name="g")
    graph.node("plan", work)
    graph.edge("plam", "judge")
    graph.node("judge", work, to=gn.END)

    assert ["dangling_edge"] == categories(graph)


def test_edge_of_a_misspelt_source_does_not_take_the_place_of_the_own_one():
    """Where the node has one already."""
    graph = gn.Graph(Parent, entry="plan", name="g")
    graph.edge("plam", gn.END)
    graph.node("plan", work, to="judge")
    graph.node("judge", work, to=gn.END)

    assert ["dangling_edge"] == categories(graph)


@pytest.mark.parametrize("source", ["reed", "nothing of the kind"])
def test_join_leads_on_though_one_of_its_sources_is_no_node(source):
    """Whether it is misspelt or not declared yet."""
    graph = gn.Graph(Parent, entry="plan", name="g")
    graph.node("plan", work, to=("read", "ask"))
    graph.node("read", work)
    graph.node("ask", work)
    graph.edge("read", gn.END) if source != "reed" else None
    graph.edge(("ask", source), "print")
    graph.node("print", work, to=gn.END)

    assert ["dangling_edge"] == categories(graph)


def test_join_of_sources_that_are_no_nodes_leads_nowhere():
    """Nothing leads to them either."""
    graph = chain("a")
    graph.edge(("one", "two"), "z")
    graph.node("z", work, to=gn.END)

    assert ["dangling_edge", "dangling_edge", "unreachable_node"] == categories(graph)


def test_way_through_a_node_that_is_not_declared_yet_leads_on():
    """What stands behind it is no orphan."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.node("a", work, to="later")
    graph.edge("later", "z")
    graph.node("z", work)

    assert ["dangling_edge", "dangling_edge", "missing_outgoing_edge"] == categories(graph)


def test_misspelt_entry_is_gone_into():
    """From the node that is offered."""
    graph = chain("plan", "judge", entry="plam")
    graph.node("lost", work)

    assert ["dangling_edge", "unreachable_node"] == categories(graph)
    assert "no path leads from entry 'plan' to node 'lost'" == told(graph)[1][2]


@pytest.mark.parametrize(("entry", "category"), [(None, "no_declared_entry"), ("zzz", "dangling_edge")])
def test_without_an_entry_no_node_is_an_orphan_and_each_needs_an_edge(entry, category):
    """Unless a router may lead anywhere: then a node need not have one."""
    graph = chain("a", "b", entry=entry)
    graph.node("c", work)
    assert [category, "missing_outgoing_edge"] == categories(graph)

    graph.node("open", work)
    graph.branch("open", work)
    assert [category] == categories(graph)


@pytest.mark.parametrize(
    ("options", "what", "mend"),
    [
        ({"inputs": {"fil": "topic"}}, "inputs names 'fil', which is no field of Child",
         "Fields: ['file', 'note', 'lang']. Did you mean 'file'?"),
        ({"inputs": {"file": "topik"}}, "inputs names 'topik', which is no field of Parent",
         "Fields: ['files', 'notes', 'errors', 'topic', 'total', 'maybe']. Did you mean 'topic'?"),
        ({"outputs": {"topik": "note"}}, "outputs names 'topik', which is no field of Parent",
         "Fields: ['files', 'notes', 'errors', 'topic', 'total', 'maybe']. Did you mean 'topic'?"),
        ({"outputs": {"topic": "zzzz"}}, "outputs names 'zzzz', which is no field of Child",
         "Fields: ['file', 'note', 'lang']."),
    ],
)  # fmt: skip
def test_projection_of_undeclared_field_is_refused(options, what, mend):
    """On either side of either map, with the fields of the state at fault."""
    assert [("mapping_references_undeclared_field", "graph 'g', node 'inner'", what, mend)] == told(
        subgraph_graph(**options)
    )


def test_projection_reports_inputs_before_outputs_and_child_before_parent_as_written():
    """The order of the faults is that in which a reader meets the names."""
    graph = subgraph_graph(inputs={"c1": "p1", "c2": "p2"}, outputs={"p3": "c3"})

    assert ["c1", "p1", "c2", "p2", "p3", "c3"] == [what.split("'")[1] for _, _, what, _ in told(graph)]


@pytest.mark.parametrize(("options", "given"), [({}, "neither"), ({"over": "files", "count": 2}, "both")])
def test_fan_out_needs_one_of_over_and_count(options, given):
    """Both and neither are one category."""
    assert [
        (
            "fan_out_count_mode_ambiguous",
            "graph 'g', node 'each'",
            f"has {given} of over and count",
            "Give one: over='field' or count=3.",
        )
    ] == told(fan_out_graph(len, into="notes", **options))


@pytest.mark.parametrize(
    ("over", "declared"), [("total", "int"), ("topic", "str"), ("maybe", "list[str] | None")]
)  # fmt: skip
def test_fan_out_over_what_is_no_list_is_refused(over, declared):
    """A text can be iterated and an optional list may be None: neither is a list."""
    assert [
        ("fan_out_field_not_list", "graph 'g', node 'each'", f"goes over field {over!r}, which is {declared}",
         "It must be a list.")
    ] == told(fan_out_graph(len, over=over, into="notes"))  # fmt: skip


@pytest.mark.parametrize("worker", [lambda item, **more: item, None], ids=["function", "graph"])
@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("over", "filez"),
        ("into", "filez"),
        ("errors_into", "filez"),
        ("count_into", "filez"),
        ("inputs", {"file": "filez"}),
        ("extra_outputs", {"filez": "note"}),
    ],
)
def test_fan_out_option_with_undeclared_field_is_refused(worker, option, given):
    """Every option that names a field of the parent is checked, whatever the worker is."""
    sound = {"over": "files", "item": "file", "collect": "note", "into": "notes", "error_policy": "collect"}
    options = {**sound, option: given}
    mend = "Fields: ['files', 'notes', 'errors', 'topic', 'total', 'maybe']. Did you mean 'files'?"

    assert [
        (
            "mapping_references_undeclared_field",
            "graph 'g', node 'each'",
            f"{option} names 'filez', which is no field of Parent",
            mend,
        )
    ] == told(fan_out_graph(worker, **options))


@pytest.mark.parametrize(
    ("option", "given"), [("collect", "notte"), ("inputs", {"notte": "topic"}), ("extra_outputs", {"topic": "notte"})]
)
def test_fan_out_option_with_undeclared_field_of_the_worker_is_refused(option, given):
    """Every option that names a field of the worker graph is checked against the worker's state."""
    options = {"over": "files", "item": "file", "collect": "note", "into": "notes", option: given}

    assert [
        (
            "mapping_references_undeclared_field",
            "graph 'g', node 'each'",
            f"{option} names 'notte', which is no field of Child",
            "Fields: ['file', 'note', 'lang']. Did you mean 'note'?",
        )
    ] == told(fan_out_graph(**options))


@pytest.mark.parametrize(
    ("options", "what", "mend"),
    [
        ({"over": "files"}, "does not say which field of the worker gets the item", "Give item='field'."),
        ({"count": 2, "item": "file"}, "has an item field, but count makes no items", "Leave item out."),
        ({"count": 0, "item": "file"}, "has an item field, but count makes no items", "Leave item out."),
    ],
)
def test_worker_graph_gets_an_item_exactly_with_over(options, what, mend):
    """With `over` the item has to go somewhere, with `count` there is none."""
    assert [("invalid_declaration", "graph 'g', node 'each'", what, mend)] == told(
        fan_out_graph(collect="note", into="notes", **options)
    )


@pytest.mark.parametrize("worker", [len, None], ids=["function", "graph"])
@pytest.mark.parametrize(
    ("options", "what", "mend"),
    [
        ({}, "writes no field: what its instances give is lost",
         "Name the field that receives the list: into='field'. For a worker with effects alone: count_into='field'."),
        ({"error_policy": "collect"}, "writes no field: what its instances give is lost",
         "Name the field that receives the list: into='field'. For a worker with effects alone: count_into='field'."),
        ({"collect": "note"}, "collects 'note', but no field receives it",
         "Name the field that receives the list: into='field'."),
        ({"collect": "note", "count_into": "total"}, "collects 'note', but no field receives it",
         "Name the field that receives the list: into='field'."),
    ],
)  # fmt: skip
def test_fan_out_without_a_field_that_receives_what_it_gives_is_refused(worker, options, what, mend):
    """A forgotten `into` would be noticed only by what is missing in the state after the run."""
    graph = fan_out_graph(worker, over="files", item="file", **options)

    assert [("invalid_declaration", "graph 'g', node 'each'", what, mend)] == told(graph)


def test_extra_outputs_of_a_function_without_collect_are_refused():
    """Its worker gives a dict, of which no entry was named for `into`."""
    graph = fan_out_graph(dict, over="files", into="notes", extra_outputs={"topic": "lang"})

    assert [
        (
            "invalid_declaration",
            "graph 'g', node 'each'",
            "into 'notes' receives nothing: with extra_outputs the worker gives a dict",
            "Name the entry of that dict: collect='key'.",
        )
    ] == told(graph)


def test_worker_graph_of_which_nothing_is_collected_is_no_fault():
    """The specification allows it (pipeline-utilities §9.1, suspension fixture 007): declaring it only warns."""
    with pytest.warns(UserWarning, match="receives nothing"):
        graph = fan_out_graph(over="files", item="file", into="notes", error_policy="collect")

    assert () == faults_of(graph.spec())


def test_field_for_errors_that_are_raised_is_refused():
    """Under fail_fast the first failure ends the node, so that the field is never written."""
    graph = fan_out_graph(len, over="files", into="notes", errors_into="errors")

    assert [
        (
            "invalid_declaration",
            "graph 'g', node 'each'",
            "errors_into 'errors' receives nothing: error_policy 'fail_fast' raises",
            "Declare error_policy='collect', or leave errors_into out.",
        )
    ] == told(graph)


def test_faults_of_one_fan_out_come_in_fixed_order():
    """Mode, options of the parent, maps of the parent, what concerns the worker, then what would be lost."""
    graph = fan_out_graph(
        over="total", count=2, into="p1", errors_into="p2", count_into="p3",
        inputs={"c1": "p4"}, extra_outputs={"p5": "c2"}, collect="c3",
    )  # fmt: skip

    assert [
        "has both of over and count",
        "into names 'p1', which is no field of Parent",
        "errors_into names 'p2', which is no field of Parent",
        "count_into names 'p3', which is no field of Parent",
        "goes over field 'total', which is int",
        "inputs names 'p4', which is no field of Parent",
        "extra_outputs names 'p5', which is no field of Parent",
        "does not say which field of the worker gets the item",
        "collect names 'c3', which is no field of Child",
        "inputs names 'c1', which is no field of Child",
        "extra_outputs names 'c2', which is no field of Child",
        "errors_into 'p2' receives nothing: error_policy 'fail_fast' raises",
    ] == [what for _, _, what, _ in told(graph)]


def broken_child() -> gn.Graph:
    """A child with two faults: its entry dangles, and so does an edge."""
    graph = gn.Graph(Child, entry="raed", name="child")
    graph.node("read", work, to="rest")
    return graph


@pytest.mark.parametrize("kind", ["subgraph", "fan_out"])
def test_fault_of_an_inner_graph_keeps_its_category_and_gets_the_whole_place(kind):
    """The path leads from the outermost graph to the fault; what and mend are those of the inner graph."""
    graph = gn.Graph(Parent, entry="n", name="g")
    if kind == "subgraph":
        graph.subgraph("n", broken_child(), to=gn.END)
    else:
        graph.fan_out("n", broken_child(), over="files", item="file", count_into="total", to=gn.END)
    where = "graph 'g', node 'n', graph 'child'"

    assert [
        ("dangling_edge", where, "entry 'raed' is no node", "Nodes: ['read']. Did you mean 'read'?"),
        ("dangling_edge", where, "edge from 'read' names 'rest', which is no node",
         "Nodes: ['read']. Did you mean 'read'?"),
    ] == told(graph)  # fmt: skip


def test_fault_two_graphs_down_is_found():
    """A graph within a worker within a graph."""
    middle = gn.Graph(Child, entry="deep", name="middle")
    middle.subgraph("deep", broken_child(), to=gn.END)
    graph = fan_out_graph(middle, over="files", item="file", count_into="total")

    assert ["graph 'g', node 'each', graph 'middle', node 'deep', graph 'child'"] * 2 == [
        where for _, where, _, _ in told(graph)
    ]


def test_faults_come_from_entry_to_edges_to_nodes():
    """The most basic first; then each node's own faults and those of its graph, in declared order."""
    graph = gn.Graph(Parent, name="g")
    graph.fan_out("each", len, into="notes", to="x")
    graph.subgraph("inner", broken_child(), inputs={"bad": "topic"}, to="each")

    assert [
        ("no_declared_entry", "graph 'g'"),
        ("dangling_edge", "graph 'g'"),
        ("fan_out_count_mode_ambiguous", "graph 'g', node 'each'"),
        ("mapping_references_undeclared_field", "graph 'g', node 'inner'"),
        ("dangling_edge", "graph 'g', node 'inner', graph 'child'"),
        ("dangling_edge", "graph 'g', node 'inner', graph 'child'"),
    ] == [(category, where) for category, where, _, _ in told(graph)]


def test_check_raises_the_first_fault_with_all_as_its_problems():
    """The message shows the first in full and lists the others; the first is among `problems`, as itself."""
    graph = gn.Graph(Parent, entry="b", name="g")
    graph.node("a", work, to=gn.END)
    graph.node("b", work)
    graph.branch("b", work, to=("x", "a"))
    graph.edge("c", "a")

    with pytest.raises(gn.BuildError) as caught:
        check_graph(graph.spec())

    error = caught.value
    assert error is error.problems[0]
    assert ["edge from 'b' names 'x', which is no node", "an edge leaves 'c', which is no node"] == [
        each.what for each in error.problems
    ]
    assert (
        "graph 'g': edge from 'b' names 'x', which is no node\n"
        "Nodes: ['a', 'b'].\n"
        "1 more:\n"
        "  - graph 'g': an edge leaves 'c', which is no node"
    ) == str(error)


def test_single_fault_lists_no_others():
    """`problems` holds it alone and the message does not speak of more."""
    with pytest.raises(gn.BuildError) as caught:
        check_graph(chain("a", entry=None).spec())

    assert (caught.value,) == caught.value.problems
    assert "graph 'g': has no entry node\nName one: gn.Graph(..., entry='a')." == str(caught.value)


def test_inner_fault_carries_no_problems_of_its_own():
    """Checking an inner graph by itself leaves no trace on what the outer graph reports."""
    graph = subgraph_graph()
    graph.spec().nodes["inner"].graph.edge("ghost", gn.END)
    fault = faults_of(graph.spec())[0]

    assert () == fault.problems


@pytest.mark.parametrize("kind", ["subgraph", "fan_out"])
def test_graph_that_holds_itself_is_refused(kind):
    """Checking ends, and the node at fault is named."""
    graph = gn.Graph(Parent, entry="n", name="g")
    if kind == "subgraph":
        graph.subgraph("n", graph, to=gn.END)
    else:
        graph.fan_out("n", graph, over="files", item="topic", count_into="total", to=gn.END)

    what = "runs a graph that this node is part of"
    assert [("invalid_declaration", "graph 'g', node 'n'", what, "A graph cannot hold itself.")] == told(graph)


def test_graph_that_holds_itself_through_another_is_refused():
    """The place is the whole way round; seen from either graph there is one fault."""
    outer, middle = gn.Graph(Parent, entry="m", name="outer"), gn.Graph(Parent, entry="o", name="middle")
    outer.subgraph("m", middle, to=gn.END)
    middle.fan_out("o", outer, count=1, count_into="total", to=gn.END)

    assert ["graph 'outer', node 'm', graph 'middle', node 'o'"] == [where for _, where, _, _ in told(outer)]
    assert ["graph 'middle', node 'o', graph 'outer', node 'm'"] == [where for _, where, _, _ in told(middle)]


def test_graph_is_refused_if_an_inner_graph_holds_itself():
    """The circle need not pass through the outermost graph."""
    inner = gn.Graph(Parent, entry="again", name="inner")
    inner.subgraph("again", inner, to=gn.END)
    graph = gn.Graph(Parent, entry="n", name="g")
    graph.subgraph("n", inner, to=gn.END)

    assert [("invalid_declaration", "graph 'g', node 'n', graph 'inner', node 'again'")] == [
        (category, where) for category, where, _, _ in told(graph)
    ]


@pytest.mark.parametrize("kind", ["subgraph", "fan_out", "branch"])
def test_graph_of_a_document_within_another_graph_is_refused_as_what_it_is(kind):
    """Not as a graph that lacks an entry, which a document has none of."""
    start = {"s": {"from": "$start", "to": "a"}}
    node = {"a": {"implementation": {"type": "module", "implementation": "a"}}}
    content = {"schema_version": 1, "id": "doc", "nodes": node, "edges": start}
    inner = gn.graph_of(content, nodes={"a": lambda view, context: {}})
    graph = gn.Graph(Parent, entry="n", name="g")
    if kind == "subgraph":
        graph.subgraph("n", inner, outputs={}, to=gn.END)
    elif kind == "fan_out":
        graph.fan_out("n", inner, count=2, count_into="total", to=gn.END)
    else:
        graph.branches("n", {"b": gn.ParallelBranch(inner, outputs={})}, to=gn.END)

    what = "runs graph 'doc', which was read from a document and runs by itself alone"
    mend = "Call its run in a function, and return what is wanted of its outputs."
    assert [("invalid_declaration", "graph 'g', node 'n'", what, mend)] == told(graph)


def test_faults_are_equal_from_one_check_to_the_next():
    """The same declarations give the same messages in the same order."""
    graph = gn.Graph(Parent, name="g")
    graph.node("a", work)
    graph.branch("a", work, to={"s", "r", "q", "p"})
    graph.subgraph("n", broken_child(), to="zz")

    assert told(graph) == told(graph)
    assert ["p", "q", "r", "s"] == [what.split("'")[3] for _, _, what, _ in told(graph)[1:5]]


def test_checking_changes_nothing_and_counts_nothing_as_run():
    """A graph that was refused can be mended and is then sound."""
    graph = chain("a", entry=None)
    with pytest.raises(BuildError):
        check_graph(graph.spec())
    graph.entry = "a"

    assert () == faults_of(graph.spec())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"into": "notes", "errors_into": "notes", "error_policy": "collect"},
            "fills field 'notes' twice: by into and errors_into",
        ),
        ({"into": "notes", "count_into": "notes"}, "fills field 'notes' twice: by into and count_into"),
        (
            {"into": "notes", "collect": "a", "extra_outputs": {"notes": "b"}},
            "fills field 'notes' twice: by into and extra_outputs",
        ),
    ],
)
def test_fan_out_that_fills_a_field_twice_is_refused(options, told):
    """One update holds one value per field, so one of the two would be lost."""
    node = FanOutNode("read_each", len, over="files", **options)
    spec = GraphSpec(
        "review", schema_of(Parent), "read_each", {"read_each": node}, {"read_each": Edge("read_each", END)}
    )

    assert [told] == [fault.what for fault in faults_of(spec)]


def test_edge_to_end_as_text_is_told_the_sentinel():
    """Listing the nodes would not help who wanted to end."""
    spec = GraphSpec(
        "review", schema_of(Parent), "plan", {"plan": FunctionNode("plan", len)}, {"plan": Edge("plan", "END")}
    )

    assert ["To end there write gn.END without quotes."] == [fault.mend for fault in faults_of(spec)]
