import re

import pytest

from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyEdge, TopologyField, TopologyNode
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.inside import count_of
from graphnb.show.drawing.routes import nodes_of, routes_of
from graphnb.trace.reading.visits import Visits
from tests.show.drawings import DRAFT, FAN_OUT, NASTY, READER, REVIEW, VISITS, chain, nasty, nested


def nodes_in(dot):
    """Id -> attributes of the nodes declared in DOT text, as written."""
    found = re.findall(r"^\t+(\w+) \[(.*)\]$", dot, re.MULTILINE)
    return {name: attributes for name, attributes in found if name not in ("graph", "node", "edge")}


def edges_in(dot):
    """(tail, head, attributes) of the edges in DOT text."""
    return re.findall(r"^\t+(\w+) -> (\w+) \[(.*)\]$", dot, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "topology", "visits"),
    [
        ("review", REVIEW, None),
        ("review-visits", REVIEW, VISITS),
        ("draft", DRAFT, None),
        ("nested", nested(3), None),
        ("nasty", nasty(), None),
    ],
)
def test_dot_text_is_as_stored(golden, name, topology, visits):
    """The DOT text of each example is the stored one, byte for byte."""
    golden(f"{name}.dot", dot_of(topology, visits))


def test_ids_are_positions():
    """Names of any kind give the ids n0, n1, ... and edges join those."""
    dot = dot_of(nasty())

    assert [f"n{i}" for i in range(len(NASTY))] == [name for name in nodes_in(dot) if re.fullmatch(r"n\d+", name)]
    assert [("start", "n0"), ("n0", "n1")] == [edge[:2] for edge in edges_in(dot)][:2]


def test_ids_within_a_node_start_with_its_own():
    """The worker's nodes of node n1 are n1_0 and n1_1, between n1_start and n1_end."""
    edges = [edge[:2] for edge in edges_in(dot_of(REVIEW))]

    assert [("n1_start", "n1_0"), ("n1_0", "n1_1"), ("n1_1", "n1_end")] == edges[:3]


def test_kinds_differ_in_shape():
    """Node, fan-out, folded subgraph, router, start and end have six shapes."""
    nodes = (TopologyNode("a", "node"), TopologyNode("b", "fan_out", FAN_OUT, "f"))
    sub = TopologyNode("c", "subgraph", inner=READER)
    edges = (TopologyEdge(START, "a", "edge"), TopologyEdge("a", END, "branch", "r"))
    drawn = nodes_in(dot_of(Topology("g", "S", (*nodes, sub), edges, ()), depth=0))
    shapes = [re.search(r"shape=(\w+)", each).group(1) for each in drawn.values()]

    assert sorted(["box", "box3d", "circle", "diamond", "doublecircle", "tab"]) == sorted(shapes)


def test_missing_node_is_dotted():
    """A name that nobody declared is drawn dotted and says so."""
    drawn = nodes_in(dot_of(DRAFT))["n3"]

    assert "dotted" in drawn
    assert "not declared yet" in drawn


def test_name_that_only_edges_mention_is_missing():
    """An edge to a name without a node gives a missing node instead of an error."""
    topology = Topology("g", "S", (TopologyNode("a", "node"),), (TopologyEdge("a", "b", "edge"),), ())

    assert ["node", "missing"] == [each.kind for each in nodes_of(topology)]
    assert [("n0", "n1")] == [edge[:2] for edge in edges_in(dot_of(topology))]


def test_fan_out_shows_its_details():
    """A fan-out's label tells that it runs per item, with its worker, over, item, collect, into and at once."""
    dot = dot_of(Topology("g", "S", (TopologyNode("f", "fan_out", FAN_OUT, "read"),), (), ()))

    for text in ("read, once per item", "over files · item file", "collect notes · into findings", "at once 4"):
        assert f">{text}<" in dot


def test_fan_out_by_count_says_how_often():
    """A fan-out without items tells its count instead."""
    dot = dot_of(Topology("g", "S", (TopologyNode("f", "fan_out", (("count", "3"),), "ask"),), (), ()))

    assert ">ask, 3 times<" in dot


def test_graph_that_holds_itself_is_drawn():
    """Where the topology stops, the node says so."""
    assert ">nested too deep to draw<" in dot_of(Topology("g", "S", (TopologyNode("a", "subgraph"),), (), ()))


def test_router_stands_between_its_node_and_its_targets():
    """A branch is a plain stem to a diamond with the router's name, and dashed lines on, with labels."""
    dot = dot_of(REVIEW)
    stem, again, publish = (edge for edge in edges_in(dot) if "n2_router" in edge[:2])

    assert "label=after_judge" in nodes_in(dot)["n2_router"]
    assert ("n2", "n2_router") == stem[:2]
    assert "arrowhead=none" in stem[2]
    assert ("n0", "n2_router") == again[:2]
    assert ">again<" in again[2]
    assert ("n2_router", "n3") == publish[:2]
    assert "label" not in publish[2]
    assert all("style=dashed" in edge[2] for edge in (again, publish))


def test_route_back_is_laid_out_downwards():
    """An edge that closes a loop runs from its target with its head at the tail, so that the entry stays on top."""
    back = [edge for edge in edges_in(dot_of(REVIEW)) if "dir=back" in edge[2]]

    assert [("n0", "n2_router")] == [edge[:2] for edge in back]
    assert 'class="n2_router-to-n0"' in back[0][2]


def test_several_labels_for_one_target_share_a_line():
    """A router that may answer yes, sure or the name for one target gives one edge with the three of them."""
    edges = tuple(TopologyEdge("a", "b", "branch", "r", label) for label in ("yes", "sure", None))
    topology = Topology("g", "S", (TopologyNode("a", "node"), TopologyNode("b", "node")), edges, ())

    assert ["", "yes / sure / b"] == [route.label for route in routes_of(topology)]


def test_open_router_leads_to_a_stub_alone():
    """Targets that are not declared are drawn as '?', and no edge to a node is invented."""
    dot = dot_of(DRAFT)

    assert "label=?" in nodes_in(dot)["n2_open"].replace('"', "")
    assert [("n2", "n2_router"), ("n2_router", "n2_open")] == [edge[:2] for edge in edges_in(dot)][-2:]


def test_open_router_with_visits_shows_what_it_chose():
    """Where a run took an edge that is not declared, it is drawn as taken beside the stub."""
    edges = (TopologyEdge(START, "a", "edge"), TopologyEdge("a", None, "open", "pick"))
    topology = Topology("g", "S", (TopologyNode("a", "node"), TopologyNode("b", "node")), edges, ())
    visits = Visits(nodes={"a": 1}, edges={(START, "a"): [1], ("a", "b"): [2], ("a", "gone"): [3]})

    assert ("n0_router", "n1") in [edge[:2] for edge in edges_in(dot_of(topology, visits))]
    assert ("n0_router", "n1") not in [edge[:2] for edge in edges_in(dot_of(topology))]


def test_edges_meet_a_cluster_at_its_border():
    """An edge to a subgraph ends at its cluster on the way to its start, and leaves from its end."""
    edges = {edge[:2]: edge[2] for edge in edges_in(dot_of(REVIEW))}

    assert "lhead=cluster_n1 minlen=2" in edges["n0", "n1_start"]
    assert "ltail=cluster_n1 minlen=2" in edges["n1_end", "n2"]
    assert "minlen" not in edges["start", "n0"]


@pytest.mark.parametrize(
    ("depth", "clusters", "hidden"), [(0, 0, "8"), (1, 1, "6"), (2, 2, "4"), (3, 3, "2"), (4, 4, "")]
)
def test_depth_folds_what_lies_deeper(depth, clusters, hidden):
    """Four levels are drawn to any depth; the folded box says how many nodes it hides, those inside them included."""
    dot = dot_of(nested(4), depth=depth)

    assert clusters == len(re.findall(r"subgraph cluster_n\w+ ", dot))
    assert ([hidden] if hidden else []) == re.findall(r">(\d+) nodes? inside<", dot)


def test_count_of_nodes_includes_inner_ones():
    """A graph with two nodes, one of which holds two, has four."""
    assert 4 == count_of(nested(1).nodes)


def test_empty_inner_graph_is_drawn():
    """A subgraph without nodes is a cluster that edges can meet."""
    empty = Topology("inner", "S", (), (), ())
    edges = (TopologyEdge(START, "a", "edge"), TopologyEdge("a", END, "edge"))
    dot = dot_of(Topology("g", "S", (TopologyNode("a", "subgraph", inner=empty),), edges, ()))

    assert ">no nodes yet<" in dot
    assert [("start", "n0_empty"), ("n0_empty", "end")] == [edge[:2] for edge in edges_in(dot)]


def test_empty_graph_is_drawn():
    """A graph without nodes shows its name, its state and that it is empty."""
    dot = dot_of(Topology("new", "S", (), (), ()))

    assert all(text in dot for text in (">new<", ">state S<", "no nodes yet", "no fields"))


def test_fields_show_type_reducer_and_default():
    """Each field stands with its type, its reducer or a dash, and its default or that it is required."""
    dot = dot_of(REVIEW)

    for text in ("files", "list[str]", "–", "required", "findings", "concat_flatten", "[]", "verdict", "''"):
        assert f">{text}</FONT>" in dot.replace("&#x27;", "'")


def test_many_fields_are_bounded_and_counted():
    """Beyond thirty fields the note says how many more there are."""
    fields = tuple(TopologyField(f"f{i}", "int", None, "0") for i in range(35))

    assert ">and 5 more<" in dot_of(chain("a", fields=fields))


def test_faults_are_told_in_words():
    """What keeps the graph from running stands in a note with a red border; a sound graph has none."""
    assert ">not ready to run<" in dot_of(DRAFT)
    assert "which is no" in dot_of(DRAFT)
    assert "not ready to run" not in dot_of(REVIEW)


def test_legend_lists_only_kinds_that_occur():
    """A chain's legend has start, end, node and edge; a run adds what is taken."""
    plain = dot_of(chain("a"))
    run = dot_of(chain("a"), Visits(nodes={"a": 1}, edges={(START, "a"): [1]}))

    assert all(f">{text}<" in plain for text in ("start", "end", "node", "edge"))
    assert not any(text in plain for text in ("router:", "fan-out:", ">subgraph<", "not declared", "taken", "failed"))
    assert ">taken, in this order<" in run


def test_visits_mark_order_count_failure_and_what_was_not_reached():
    """Taken edges are thick with their orders, nodes tell their count, failed ones say so behind a double border."""
    dot = dot_of(REVIEW, VISITS)
    nodes, edges = nodes_in(dot), {edge[:2]: edge[2] for edge in edges_in(dot)}

    assert "<B> ×2</B>" in nodes["n0"]
    assert "<B>2, 5</B>" in edges["n0", "n1_start"]
    assert "penwidth=2.2" in edges["n0", "n1_start"]
    assert "peripheries=2" in nodes["n3"]
    assert "<B>failed</B>" in nodes["n3"]
    assert "penwidth" not in edges["n3", "end"]


def test_node_that_was_not_reached_is_dashed():
    """A node without visits is grey with a dashed border."""
    drawn = nodes_in(dot_of(chain("a", "b"), Visits(nodes={"a": 1}, edges={(START, "a"): [1]})))

    assert "dashed" in drawn["n1"]
    assert "dashed" not in drawn["n0"]


def test_failed_cluster_has_two_borders():
    """A subgraph that failed is a cluster within a cluster, and says so."""
    dot = dot_of(REVIEW, Visits(nodes={"plan": 1}, failed={"read_each"}))

    assert "subgraph cluster_n1 {" in dot
    assert "subgraph cluster_n1_inside {" in dot
    assert "<B>failed</B>" in dot


def test_many_orders_are_abbreviated():
    """An edge taken nine times shows its first two orders, the last, and how many there are."""
    visits = Visits(nodes={"a": 9}, edges={(START, "a"): list(range(1, 10))})

    assert "<B>1, 2, … 9 (×9)</B>" in dot_of(chain("a"), visits)


def test_edges_within_a_node_show_counts():
    """Inside a fan-out, where orders of many runs would mix, an edge shows how often it was taken."""
    assert "<B>×6</B>" in dot_of(REVIEW, VISITS)


def test_edge_without_known_orders_is_still_taken():
    """An empty list of orders marks an edge as taken without a number."""
    edge = edges_in(dot_of(chain("a"), Visits(nodes={"a": 1}, edges={(START, "a"): []})))[0]

    assert "penwidth=2.2" in edge[2]
    assert "label" not in edge[2]


def test_long_name_is_shortened_in_the_label_and_whole_in_the_tooltip():
    """A name of 500 characters takes four lines of the label; the tooltip has all of it."""
    name = "x" * 500
    drawn = nodes_in(dot_of(chain(name)))["n0"]

    assert f"tooltip={name}" in drawn
    assert re.search(r'label="x{34}\\nx{34}\\nx{34}\\nx{34}…"', drawn)


def test_node_named_end_is_not_the_end():
    """The sentinel END and a node of that name are two things."""
    dot = dot_of(chain("END"))

    assert {"start", "n0", "end"} == set(nodes_in(dot))


def test_long_chain_needs_no_recursion():
    """A chain of 3,000 nodes is drawn; only depth is bounded by the stack."""
    assert 3001 == len(edges_in(dot_of(chain(*(f"s{i}" for i in range(3000))))))


def test_nodes_without_edges_stand_in_rows_of_four():
    """Unconnected nodes are kept together by invisible edges, four in a row."""
    topology = Topology("g", "S", tuple(TopologyNode(f"s{i}", "node") for i in range(6)), (), ())

    assert [("n0", "n4", "style=invis"), ("n1", "n5", "style=invis")] == edges_in(dot_of(topology))


def test_edge_from_a_cluster_to_itself_stays_inside():
    """A subgraph that follows itself is drawn with a line from its end to its start."""
    edges = (TopologyEdge(START, "a", "edge"), TopologyEdge("a", "a", "edge"))
    dot = dot_of(Topology("g", "S", (TopologyNode("a", "subgraph", inner=READER),), edges, ()))
    loop = edges_in(dot)[-1]

    assert ("n0_start", "n0_end") == loop[:2]
    assert "dir=back" in loop[2]
    assert "cluster" not in loop[2]


STOPS = {
    "stopped": (Visits(stopped={"a"}), "<B>stopped</B>", "stopped here"),
    "stopped at its edge": (
        Visits(nodes={"a": 1}, stopped_at_edge={"a"}),
        "<B>stopped at its edge</B>",
        "stopped here",
    ),
    "running": (Visits(running={"a"}), "<B>running</B>", "running now"),
}


@pytest.mark.parametrize(("visits", "label", "meaning"), STOPS.values(), ids=STOPS.keys())
def test_node_in_which_the_run_came_to_no_end_is_marked(visits, label, meaning):
    """By a heavy border, by a word, and in the legend; not as a node that was not reached."""
    dot = dot_of(chain("a", "b"), visits)
    nodes = nodes_in(dot)

    assert label in nodes["n0"]
    assert "penwidth=2.8" in nodes["n0"]
    assert "penwidth" not in nodes["n1"]
    assert "dashed" not in nodes["n0"]
    assert f">{meaning}<" in dot


def test_cluster_in_which_the_run_was_stopped_is_marked():
    """A graph within: the border around it, and its heading."""
    dot = dot_of(REVIEW, Visits(nodes={"plan": 1}, stopped={"read_each"}))

    assert "penwidth=2.8" in dot
    assert "<B>stopped</B>" in dot
    assert "peripheries" not in dot


def test_failure_is_shown_before_a_stop():
    """A node that failed in one instance and was stopped in another says both, and looks failed."""
    nodes = nodes_in(dot_of(chain("a"), Visits(failed={"a"}, stopped={"a"})))

    assert "<B>failed</B>" in nodes["n0"]
    assert "<B>stopped</B>" in nodes["n0"]
    assert "peripheries=2" in nodes["n0"]


def test_nodes_of_graphs_nested_deeper_than_the_stack_are_counted():
    """Two thousand graphs within each other: no recursion."""
    inner = chain("a")
    for _ in range(2000):
        inner = Topology("g", "S", (TopologyNode("sub", "subgraph", inner=inner),), (), ())

    assert 2001 == count_of(inner.nodes)
    assert "nodes inside" in dot_of(inner)
