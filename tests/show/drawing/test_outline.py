import re

import pytest

from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyEdge, TopologyField, TopologyNode
from graphnb.show.drawing.outline import outline_of
from graphnb.trace.reading.visits import Visits, visits_of
from tests.show.drawings import DRAFT, NASTY, REVIEW, VISITS, chain, fault, nasty, nested
from tests.show.together import failed, round_trip, together, trace_of
from tests.show.warned import read, warned


def test_whole_text_of_a_graph():
    """Nodes with what they do, edges with what is chosen, fields with type, reducer and default."""
    assert outline_of(REVIEW).splitlines() == [
        "graph review, state Review",
        "nodes",
        "  plan",
        "  read_each  fan-out: reader for each item",
        "    over files, item file, collect notes, into findings, at once 4",
        "      open_file",
        "      take_notes",
        "      START → open_file",
        "      open_file → take_notes",
        "      take_notes → END",
        "  judge",
        "  publish",
        "edges",
        "  START → plan",
        "  plan → read_each",
        "  read_each → judge",
        "  judge ⇢ plan       if after_judge says 'again'",
        "  judge ⇢ publish    if after_judge says 'publish'",
        "  publish → END",
        "fields",
        "  files     list[str]  -               required",
        "  findings  list[str]  concat_flatten  = []",
        "  verdict   str        -               = ''",
    ]


def test_path_taken_is_told_in_words():
    """Counts stand at nodes, orders at edges, failure in a word."""
    lines = [line.strip() for line in outline_of(REVIEW, VISITS).splitlines()]

    assert "plan       ×2" in lines
    assert "publish    failed" in lines
    assert "judge ⇢ plan       if after_judge says 'again'    taken as 4" in lines
    assert "open_file → take_notes  taken 6 times" in lines
    assert "publish → END" in lines


def test_node_that_was_not_reached_is_told():
    """A node without visits says so; one that failed at its edge has both its count and its failure."""
    text = outline_of(chain("a", "b"), Visits(nodes={"a": 1}, failed={"a"}))

    assert "a  ×1, failed" in text
    assert "b  not reached" in text


def test_many_orders_are_abbreviated():
    """More than eight orders are shortened, with their number."""
    visits = Visits(nodes={"a": 20}, edges={(START, "a"): list(range(1, 21)), ("a", END): []})

    assert "START → a  taken as 1, 2, 3, 4, 5, 6, … 20 (20 times)" in outline_of(chain("a"), visits)
    assert "a → END    taken" in outline_of(chain("a"), visits).splitlines()[-1]


def test_unfinished_graph_tells_its_faults():
    """Missing nodes, open routers and faults are told; nothing raises."""
    text = outline_of(DRAFT)

    assert "fetch   not declared yet" in text
    assert re.search("^  plan → fetch +✗ 1$", text, re.MULTILINE)
    assert "route ⇢ ?     wherever pick says, targets not declared" in text
    assert text.endswith(
        "not ready to run\n  ✗ 1  edge from 'plan' names 'fetch', which is no node. Nodes: ['plan', 'lonely', 'route']"
    )


def test_errors_within_a_node_are_told_where_the_node_is_folded():
    """By their numbers; else at the inner nodes."""
    inner = chain("a")._replace(nodes=(TopologyNode("a", "node", marks=(fault("Bad.", number=2),)),))
    topology = Topology("g", "S", (TopologyNode("sub", "subgraph", inner=inner, marks=(fault("Wrong."),)),), (), ())

    assert "sub  subgraph chain, 1 node inside, ✗ 1, 2" in outline_of(topology, depth=0)
    assert re.search("^  sub  subgraph chain, ✗ 1\n      a  ✗ 2$", outline_of(topology), re.MULTILINE)


def test_open_router_tells_what_it_chose():
    """A taken edge that was not declared stands below the open one."""
    topology = Topology("g", "S", (TopologyNode("a", "node"),), (TopologyEdge("a", None, "open", "pick"),), ())

    assert "a ⇢ END  not declared" in outline_of(topology, Visits(nodes={"a": 1}, edges={("a", END): [1]}))


@pytest.mark.parametrize(("depth", "hidden"), [(0, "8"), (1, "6"), (2, "4"), (3, "2")])
def test_depth_folds_what_lies_deeper(depth, hidden):
    """Graphs deeper than `depth` are told by the number of their nodes."""
    assert f"{hidden} nodes inside" in outline_of(nested(4), depth=depth)


def test_names_that_could_be_misread_stand_in_quotes():
    """Empty names, line breaks, outer spaces, arrows and nodes called END are quoted; others stand as they are."""
    lines = outline_of(chain("", "a\nb", " c ", "d → e", "END", "?", r"C:\new", 'say "hi"', "步骤", "<b>")).splitlines()

    assert lines[2:12] == [
        "  ''",
        r"  'a\nb'",
        "  ' c '",
        "  'd → e'",
        "  'END'",
        "  '?'",
        r"  C:\new",
        '  say "hi"',
        "  步骤",
        "  <b>",
    ]


def test_every_nasty_name_takes_one_line():
    """No name breaks a line or brings a character that cannot be shown."""
    text = outline_of(nasty())
    text.encode("utf-8")

    assert 1 + 1 + len(NASTY) == text.splitlines().index("edges")


def test_empty_graph_says_so():
    """A graph without nodes is told in two lines."""
    assert "graph new, state S\nno nodes yet" == outline_of(Topology("new", "S", (), (), ()))


def test_fan_out_by_count_says_how_often():
    """A fan-out without items tells its count."""
    topology = Topology("g", "S", (TopologyNode("f", "fan_out", (("count", "3"),), "ask"),), (), ())

    assert "f  fan-out: ask 3 times" in outline_of(topology)


def test_wide_characters_keep_columns_below_each_other():
    """A name in Chinese counts twice its length, so that what follows is aligned."""
    topology = Topology("g", "S", (TopologyNode("步骤", "missing"), TopologyNode("four", "missing")), (), ())

    assert "  步骤  not declared yet\n  four  not declared yet" in outline_of(topology)


def test_outline_of_a_huge_graph_is_bounded():
    """Very many nodes and fields are counted, long names are cut."""
    names = [f"{'n' * 500}{i}" for i in range(1000)]
    fields = tuple(TopologyField(name, "int", None, "0") for name in names)
    text = outline_of(chain(*names, fields=fields))

    assert "\n  … 700 more lines\n" in text
    assert text.endswith("\n  … 940 more lines")
    assert len(text) < 150_000


def test_text_that_would_turn_or_break_a_line_is_escaped():
    """Marks that change the direction of text and line separators come out as escapes, joined emoji as they are."""
    text = outline_of(chain("a\u202eb", "c\u2028d", "👩\u200d👧", fields=()))

    assert r"a\u202eb → c\u2028d" in text
    assert r"c\u2028d → 👩" + "\u200d👧" in text


@pytest.mark.parametrize(
    ("visits", "line"),
    [
        (Visits(stopped={"a"}), "a  stopped"),
        (Visits(nodes={"a": 2}, stopped={"a"}), "a  ×2, stopped"),
        (Visits(nodes={"a": 1}, stopped_at_edge={"a"}), "a  ×1, stopped at its edge"),
        (Visits(running={"a"}), "a  running"),
        (Visits(failed={"a"}, stopped={"a"}), "a  failed, stopped"),
    ],
)
def test_node_in_which_the_run_came_to_no_end_says_so(visits, line):
    """It was reached; within instances a node may have met several ends."""
    assert f"  {line}\n" in outline_of(chain("a", "b"), visits)


@pytest.mark.parametrize("graph", [together, failed, round_trip])
def test_branches_middleware_observers_and_warnings_are_as_stored(golden, graph):
    """The graph, and the path of a run: branches that failed or were skipped, attempts, middleware that answered."""
    made = graph()
    topology = made.topology()
    told = [outline_of(topology)]
    if not topology.marks:
        told.append(outline_of(topology, visits_of(trace_of(made).log)))

    golden(f"{made.name}.txt", "\n\n".join(told) + "\n")


@pytest.mark.parametrize("name", ["warned", "loop", "limited"])
def test_warnings_stand_below_what_they_are_about(golden, name):
    """Nodes, edges and fields; first those about the graph as a whole."""
    made = {"warned": lambda: warned().topology(), "loop": read, "limited": lambda: read(max_supersteps=9)}

    golden(f"marked-{name}.txt", outline_of(made[name]()) + "\n")


def test_branches_of_a_node_that_was_not_reached_were_not_skipped():
    """Nobody asked whether they should run."""
    text = outline_of(together().topology(), Visits(nodes={"plan": 1}))

    assert "skipped" not in text
    assert "spell  not reached" in text


def test_folded_branches_tell_how_many_nodes_they_hide():
    """The branches, and the nodes inside of them."""
    assert "5 branches at once, 9 nodes inside" in outline_of(together().topology(), depth=0)


def test_middleware_around_every_inner_node_is_told_once():
    """Above the nodes of the graph that it is around."""
    inner = chain("a", "b")._replace(nodes=tuple(TopologyNode(each, "node", middleware=("timed",)) for each in "ab"))
    text = outline_of(Topology("g", "S", (TopologyNode("sub", "subgraph", inner=inner),), (), ()))

    assert 1 == text.count("within timed")
    assert "      each node within timed" in text.splitlines()
