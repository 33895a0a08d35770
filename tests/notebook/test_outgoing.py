"""Outgoing edges: forks, joins and guarded edges as cells declare, replace and take them back."""

import copy
import pickle
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import graphnb as gn
from graphnb.graph.edges import Links, targets_of
from graphnb.graph.ends import START

END = gn.END
NAMES = "abcdez"


class Log(gn.State):
    log: Annotated[list[str], gn.append] = []
    n: int = 0


def node_of(name: str) -> Any:
    """A node that appends its name."""
    return _Says(name)


class _Says:
    """A function that can be pickled."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, s: Any) -> dict[str, Any]:
        return {"log": [self.name]}


def always(s: Any) -> bool:
    """Hold."""
    return True


def graph_with(*edges: tuple[Any, ...], entry: str = "a") -> gn.Graph:
    """A graph of six nodes and these edges (source, target) or (source, target, when)."""
    graph = gn.Graph(Log, entry=entry, name="review")
    for name in NAMES:
        graph.node(name, node_of(name))
    for source, target, *when in edges:
        graph.edge(source, target, when=when[0] if when else None)
    return graph


def leads(graph: gn.Graph) -> dict[str, list[str]]:
    """For each source what leaves it, as text."""
    told = {}
    for source, edge in graph.spec().edges.items():
        if isinstance(edge, Links):
            told[source] = [
                f"{'+'.join(link.sources)} -> {link.target}{'?' if link.when is not None else ''}"
                for link in edge.links
            ]
        else:
            told[source] = [str(getattr(edge, "target", "router"))]
    return told


def led_to(graph: gn.Graph) -> set[str]:
    """All names to which edges lead."""
    return {str(target) for edge in graph.spec().edges.values() for target in targets_of(edge)}


def told(edges: Any) -> str:
    """Edges in an id that is the same in every process."""
    return "; ".join(f"{source} {target}{'?' if when else ''}" for source, target, *when in edges)


class Cells:
    """A shell with a graph `g` of six nodes; cells are run by `run`."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        shell.push({"gn": gn, "g": graph_with(), "node_of": node_of, "END": END, "always": always})

    @property
    def graph(self) -> gn.Graph:
        """The graph."""
        return self.shell.user_ns["g"]  # type: ignore[no-any-return]

    def run(self, source: str, cell: str) -> None:
        """Run a cell. Raises what it raised."""
        self.shell.run_cell(source, store_history=True, cell_id=cell).raise_error()


@pytest.fixture
def cells(shell: InteractiveShell) -> Cells:
    """Cells in IPython's one shell of this process."""
    return Cells(shell)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[str]]:
    """`said()` gives the lines of graphnb printed since the last call."""
    return lambda: [line for line in capsys.readouterr().out.splitlines() if line.startswith("graphnb:")]


# --- what a declaration comes to -------------------------------------------------------------------------------


def test_declarations_in_their_forms():
    """An edge, a fork, a join at each of its sources, guarded edges of one node, and a tuple of one."""
    graph = graph_with(
        ("a", ("b", "c")), (("b", "c"), ("d", "e")), ("d", "z", always), ("d", "a", gn.field("n") == 1), ("e", ("z",)),
        (["z"], END),
    )  # fmt: skip

    assert {
        "a": ["a -> b", "a -> c"], "b": ["b+c -> d", "b+c -> e"], "c": ["b+c -> d", "b+c -> e"],
        "d": ["d -> z?", "d -> a?"], "e": ["z"], "z": ["z -> END"],
    } == leads(graph)  # fmt: skip


def test_fork_beside_a_node_is_the_same_as_by_edge():
    """`to=` takes a tuple or a list, for every kind of node."""
    graph = gn.Graph(Log, entry="a")
    inner = graph_with(("a", END))
    graph.node("a", node_of("a"), to=("b", "c"))
    graph.subgraph("b", inner, to=["c", "d"])
    graph.fan_out("c", node_of("c"), count=1, into="log", to=("d", END))
    graph.branches("d", {"x": node_of("x")}, to=("e", "a"))
    graph.node("e", node_of("e"), to=END)

    assert {
        "a": ["a -> b", "a -> c"], "b": ["b -> c", "b -> d"], "c": ["c -> d", "c -> END"], "d": ["d -> e", "d -> a"],
        "e": ["END"],
    } == leads(graph)  # fmt: skip


@pytest.mark.parametrize(
    ("source", "target", "when", "what"),
    [
        ("a", ("b", "b"), None, "the edges from 'a' name 'b' twice\nName each node once"),
        ("a", (END, END), None, "the edges from 'a' name END twice"),
        ("a", (), None, "the edges from 'a' are none\nName at least one node"),
        (("b", "b"), "z", None, "a join's sources name 'b' twice"),
        ((), "z", None, "a join's sources are none"),
        (("b", "c"), (), None, "a join's targets are none"),
        (("b", "c"), ("z", "z"), None, "a join's targets name 'z' twice"),
        (("b", "c"), None, None, r"not from \('b', 'c'\) to None"),
        ("a", ("b", None), None, "an edge leads to a node's name or END, not to None"),
        ("a", ("b", ("c", "d")), None, "an edge leads to a node's name or END, not to tuple"),
        ("a", {"b", "c"}, None, "not to set.*\nTo go to several at once give a tuple"),
        ({"b", "c"}, "z", None, r"that it joins, not set: .*\nName one in quotes; to wait for several give a tuple"),
        (("b", END), "z", None, "a node's name is a text, not Endpoint: END\nNothing follows END"),
        (("b", 3), "z", None, "a node's name is a text, not int: 3"),
        ("a", ("b", START), None, "START cannot be a target"),
        ("a", "b", True, r"when is True \(bool\)\nGive a function of the state, or a guard"),
        ("a", "b", "n", r"when is 'n' \(str\)"),
        (("b", "c"), "z", 0, r"when is 0 \(int\)"),
        ("a", "b", gn.field("n"), "when is field"),
        ("a", "b", lambda: True, "the guard lambda is called with one argument, the state: .*\nWrite lambda s: ..."),
        (("b", "c"), "z", lambda s, n: True, "the guard lambda is called with .*\nBind what else it needs before"),
    ],
)
def test_wrong_declaration_is_refused(source, target, when, what):
    """Duplicates, no ends at all, ends of wrong types, guards that are none."""
    graph = graph_with()
    with pytest.raises(gn.InvalidDeclaration, match=what) as caught:
        graph.edge(source, target, when=when)

    assert "graph 'review'" == caught.value.where
    assert {} == leads(graph)


def test_to_beside_a_node_is_checked_alike():
    """And the node is not declared either."""
    graph = gn.Graph(Log, entry="a", name="review")
    with pytest.raises(gn.InvalidDeclaration, match="the edges from 'a' name 'b' twice"):
        graph.node("a", node_of("a"), to=("b", "b"))

    assert {} == dict(graph.spec().nodes)


# --- one outgoing edge -------------------------------------------------------------------------------

PAIRS = [
    [("a", "b"), ("a", "c")],
    [("a", ("b", "c")), ("a", "d")],
    [("a", "b"), ("a", ("b", "c"))],
    [("a", "b"), ("a", "c", always)],
    [("a", "b", always), ("a", "c")],
    [("a", "b"), (("a", "c"), "d")],
    [("a", ("d", "e")), (("a", "c"), "d")],
    [(("a", "c"), "d"), ("a", ("d", END))],
    [(("a", "b"), "d"), (("a", "c"), "e")],
    [(("a", "b"), ("d", "e")), (("a", "c"), "e")],
    [(("a", "b"), "d"), (("a", "b"), "e")],
    [(("a", "b"), "d", always), (("a", "c"), "e")],
]


@pytest.mark.parametrize("edges", PAIRS, ids=told)
def test_second_outgoing_edge_is_refused_and_each_way_that_is_shown_works(edges):
    """The first stays; the ways, pasted in place of both, are taken."""
    graph = graph_with(edges[0])
    before = leads(graph)
    with pytest.raises(gn.MultipleOutgoingEdges, match="node 'a' gets two outgoing edges in one script") as caught:
        graph.edge(edges[1][0], edges[1][1], when=edges[1][2] if len(edges[1]) > 2 else None)
    assert before == leads(graph)

    ways: list[list[str]] = []
    for line in caught.value.mend.splitlines()[1:]:
        start = line.index("graph.")
        if line[:start].strip(" @"):  # a way has a name, and may go on in further lines
            ways.append([])
        ways[-1].append(line[start:])
    assert len(ways) >= 2
    targets = {str(name) for _, target, *_ in edges for name in (target if isinstance(target, tuple) else (target,))}
    for way in ways:
        own = graph_with()
        for code in way:
            code = code.replace("to=", "always, to=").replace("'name'", "'n'").replace("value", "1")
            exec(code, {"graph": own, "gn": gn, "always": always})
        assert targets & led_to(own)


@pytest.mark.parametrize(
    "edges",
    [
        [("a", "b", always), ("a", "c", always)],
        [("a", "b", always), (("a", "c"), "d", always)],
        [(("a", "b"), "d", always), (("a", "b"), "e", always)],
        [(("a", "b"), "d"), (("c", "d"), "e")],
    ],
    ids=told,
)
def test_guarded_edges_and_joins_stand_beside_one_another(edges):
    """Edges of one node to different targets, guarded joins, and joins that share no source."""
    assert 2 == len({link for each in leads(graph_with(*edges)).values() for link in each})


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        (gn.field("n") == 0, gn.field("n") == 1, "one | other"),
        (always, gn.field("n") == 1, "lambda s: one(s) or other(s)"),
    ],
)
def test_guarded_edge_to_the_same_target_twice_is_refused(first, second, joined):
    """They are one edge whose guards are joined; without one of them it would be another graph."""
    for source, target in (("a", "d"), (("a", "b"), gn.END)):
        graph = graph_with((source, target, first))
        with pytest.raises(gn.MultipleOutgoingEdges) as caught:
            graph.edge(source, target, when=second)

        assert caught.value.mend == (
            "Both lead to the same place. To go there if either holds write one edge: "
            f"graph.edge({source!r}, {'gn.END' if target is gn.END else repr(target)}, when={joined})."
        )


def test_edge_that_stands_beside_one_without_a_guard_is_one_too_many():
    """What always leads there needs no other."""
    graph = graph_with(("a", "d", always))
    with pytest.raises(gn.MultipleOutgoingEdges, match="Both lead to the same place: delete one of them"):
        graph.edge("a", "d")


# --- cells -------------------------------------------------------------------------------


def test_cell_run_again_replaces_its_edges(cells, said):
    """A fork becomes a join, a guarded edge a fork; what is not declared again is gone."""
    cells.run("g.edge('a', ('b', 'c'))", "one")
    cells.run("g.edge(('a', 'b'), 'd')", "one")
    assert {"a": ["a+b -> d"], "b": ["a+b -> d"]} == leads(cells.graph)
    cells.run("g.edge('a', 'd', when=always); g.edge('a', 'e', when=always)", "one")
    assert {"a": ["a -> d?", "a -> e?"]} == leads(cells.graph)
    cells.run("g.edge('a', 'e', when=always)", "one")
    assert {"a": ["a -> e?"]} == leads(cells.graph)
    cells.run("g.edge('a', 'e')", "one")
    assert {"a": ["e"]} == leads(cells.graph)
    cells.run("pass", "one")
    assert {} == leads(cells.graph)
    assert [] == said()


def test_later_cell_replaces_a_join_at_all_of_its_sources_and_says_so(cells, said):
    """And takes nothing of what it does not touch."""
    cells.run("g.edge(('a', 'b'), 'd'); g.edge('c', 'd')", "one")
    cells.run("g.edge('b', 'z')", "two")

    assert {"b": ["z"], "c": ["d"]} == leads(cells.graph)
    assert [
        "graphnb: edge from 'a' replaced (it was declared in cell [1])",
        "graphnb: edge from 'b' replaced (it was declared in cell [1])",
    ] == said()


def test_later_cell_replaces_guarded_edges_each_by_its_target(cells, said):
    """To the same target: replaced. To another one: it stands beside. Unguarded: all of them are replaced."""
    cells.run("g.edge('a', 'b', when=always)", "one")
    cells.run("g.edge('a', 'c', when=always)", "two")
    assert {"a": ["a -> b?", "a -> c?"]} == leads(cells.graph)
    assert [] == said()
    cells.run("g.edge('a', 'b', when=gn.field('n') == 1)", "three")
    assert {"a": ["a -> b?", "a -> c?"]} == leads(cells.graph)
    assert ["graphnb: edge from 'a' replaced (it was declared in cell [1])"] == said()
    cells.run("g.edge('a', 'z')", "four")
    assert {"a": ["z"]} == leads(cells.graph)
    assert 2 == len(said())
    cells.run("g.edge('a', 'b', when=always)", "one")
    assert {"a": ["a -> b?"]} == leads(cells.graph)


def test_cell_run_again_leaves_what_another_cell_has_replaced_since(cells):
    """A join that a later cell has taken the place of does not come back by itself."""
    cells.run("g.edge(('a', 'b'), 'd'); g.edge('c', 'd')", "one")
    cells.run("g.edge('a', 'z')", "two")
    cells.run("g.edge('c', 'e')", "one")
    assert {"a": ["z"], "c": ["e"]} == leads(cells.graph)
    cells.run("pass", "two")
    assert {"c": ["e"]} == leads(cells.graph)


def test_second_edge_in_one_cell_is_refused_at_once(cells):
    """In whatever form; the first stays."""
    for second in ("g.edge('a', 'z')", "g.edge(('a', 'b'), 'z')", "g.edge('a', 'z', when=always)"):
        with pytest.raises(
            gn.MultipleOutgoingEdges, match=r"node 'a' gets two outgoing edges in one run of cell \[\d\]"
        ):
            cells.run(f"g.edge('a', ('b', 'c')); {second}", "one")
        assert {"a": ["a -> b", "a -> c"]} == leads(cells.graph)


def test_removed_node_takes_its_joins_along(cells):
    """The other sources have then no outgoing edge; a join to it stays, and dangles."""
    cells.run("g.edge(('a', 'b'), 'd'); g.edge('d', END); g.edge('c', 'b')", "one")
    cells.run("g.remove('b')", "two")

    assert {"d": ["END"], "c": ["b"]} == leads(cells.graph)
    cells.run("g.edge(('a', 'c'), 'b'); g.edge('d', END)", "one")
    with pytest.raises(gn.DanglingEdge, match="'b', which is no node"):
        cells.graph.compile()


def test_renamed_source_leaves_the_join_dangling(cells):
    """Edges hold names."""
    cells.run("g.remove('b'); g.node('b2', node_of('b2'), to=END); g.edge(('b', 'c'), 'd')", "one")
    with pytest.raises(gn.DanglingEdge, match=r"an edge leaves 'b', which is no node.*\n.*Did you mean 'b2'"):
        cells.graph.compile()
    cells.run("g.node('b', node_of('b')); g.edge('a', ('b', 'c')); g.edge(('b', 'c'), 'd'); g.edge('d', END)", "one")
    cells.run("for name in 'ez': g.remove(name)", "two")
    assert ["a", "b", "c", "d"] == cells.graph.run().state.log


def test_snapshot_keeps_its_edges(cells):
    """Later cells do not change what was compiled, and it knows that it is stale."""
    cells.run("g.edge('a', ('b', 'c')); g.edge(('b', 'c'), 'd'); g.edge('d', END)", "one")
    cells.run("for name in 'ez': g.remove(name)", "two")
    pinned = cells.graph.compile()
    cells.run("g.edge('a', ('b', 'c')); g.edge(('b', 'c'), END); g.edge('d', END)", "one")

    assert pinned.is_stale
    assert ["a", "b", "c", "d"] == pinned.run().state.log
    with pytest.raises(gn.UnreachableNode, match="'d'"):
        cells.graph.run()


@pytest.mark.parametrize("travel", [copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])
def test_copied_graph_has_its_edges_and_goes_its_own_way(travel):
    """Forks, joins and guards; what is declared on the one is not seen by the other."""
    graph = graph_with(
        ("a", ("b", "c")), (("b", "c"), "d", gn.field("n") == 0), ("d", "e", always), ("d", "z", always), ("e", END),
        ("z", END),
    )  # fmt: skip
    again = travel(graph)

    assert leads(graph) == leads(again)
    assert graph.run().state == again.run().state
    again.remove("d")
    assert "d" in leads(graph)
    assert {"a", "e", "z"} == set(leads(again)) - {"b", "c"}


# --- compile time -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "kind", "what", "mend"),
    [
        ([("a", ("b", "x"))], gn.DanglingEdge, "edge from 'a' names 'x', which is no node", "Nodes: "),
        ([("a", "b"), (("b", "x"), "c")], gn.DanglingEdge, "an edge leaves 'x', which is no node", "Nodes: "),
        ([("a", ("b", "c")), (("b", "c"), "x")], gn.DanglingEdge, "names 'x', which is no node", "Nodes: "),
        ([("a", "x", always)], gn.DanglingEdge, "edge from 'a' names 'x'", "Nodes: "),
        ([("a", ("b", "END"))], gn.DanglingEdge, "names 'END'", "To end there write gn.END without quotes."),
        (
            [("a", "b"), ("b", END), ("c", END)],
            gn.UnreachableNode,
            "no path leads from entry 'a' to node 'c'",
            "Lead an edge to it, or take it out",
        ),
        ([("a", ("b", "c")), ("b", END)], gn.MissingOutgoingEdge, "node 'c' has no outgoing edge", "to=gn.END"),
        (
            [("a", "b", gn.field("m") == 1), ("b", END)],
            gn.InvalidDeclaration,
            "the guard of edge 'a-b' asks about 'm', which is no field",
            "Fields: ['log', 'n']",
        ),
        (
            [("a", ("b", "c")), (("b", "c"), "d", gn.field("n").exists() & ~gn.field("lug").at(0).exists())],
            gn.InvalidDeclaration,
            "the guard of edge 'b+c-d' asks about 'lug', which is no field",
            "Did you mean 'log'?",
        ),
    ],
)  # fmt: skip
def test_fault_is_found_before_anything_runs(edges, kind, what, mend):
    """Dangling ends, joins that can never fire, guards about fields that there are not, nodes that lead nowhere."""
    used = {name for source, target, *_ in edges for each in (source, target)
            for name in (each if isinstance(each, tuple) else (each,)) if isinstance(name, str)}  # fmt: skip
    graph = graph_with(*edges)
    for name in NAMES:
        if name not in used:
            graph.remove(name)
    with pytest.raises(gn.BuildError) as caught:
        graph.run()

    fault = caught.value
    assert (kind, "graph 'review'") == (type(fault), fault.where)
    assert what in fault.what
    assert mend in fault.mend
    assert None is graph.last_run
    assert 1 == sum(what in each.what for each in fault.problems)


def test_join_of_which_a_source_cannot_be_reached_is_no_path():
    """The node behind it is told with the source that is lacking."""
    graph = graph_with(("a", "b"), (("b", "c"), "d"), ("d", END), ("e", END), ("z", END))
    with pytest.raises(gn.UnreachableNode) as caught:
        graph.compile()

    told = {each.what.rpartition(" ")[2]: each.mend for each in caught.value.problems}
    assert {"'c'", "'d'", "'e'", "'z'"} == set(told)
    assert "The join to it also waits for 'c', which cannot be reached: lead an edge there." == told["'d'"]
    assert told["'e'"] == "Lead an edge to it, or take it out: graph.remove('e')."


def test_join_behind_joins_is_reached_in_whatever_order_they_were_declared():
    """A join counts as a path once all its sources are reached, also in a cycle."""
    graph = graph_with((("d", "e"), "z"), (("b", "c"), ("d", "e")), ("a", ("b", "c")), ("z", "a", lambda s: False))

    assert ["a", "b", "c", "d", "e", "z"] == graph.run().state.log


def test_reading_graphs_with_faults_never_raises():
    """A graph with dangling forks and joins is drawn with its faults."""
    graph = graph_with(("a", ("b", "x")), (("b", "y"), "q", gn.field("m") == 1))
    topology = graph.topology()

    assert {"x", "y", "q"} == {each.name for each in topology.nodes if each.kind == "missing"}
    assert {("a", "b", "fork"), ("a", "x", "fork"), ("b", "q", "join"), ("y", "q", "join")} == {
        (each.source, each.target, each.kind) for each in topology.edges if each.source is not START
    }
    assert 4 <= len(topology.faults)
