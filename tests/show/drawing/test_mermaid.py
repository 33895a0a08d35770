import re

import pytest

from graphnb.graph.ends import START
from graphnb.graph.topology import Topology, TopologyEdge, TopologyNode
from graphnb.show.drawing.mermaid import mermaid_of
from tests.show.drawings import DRAFT, NASTY, READABLE, REVIEW, chain, nasty, nested
from tests.show.together import round_trip, together
from tests.show.warned import read, warned


def labels_in(mermaid):
    """Id -> label of every node in Mermaid text, character codes resolved."""
    found = re.findall(r'^ *(\w+)[\[({/]+"(.*)"[\])}\\]+:::', mermaid, re.MULTILINE)
    return {name: re.sub(r"#(\d+);", lambda code: chr(int(code[1])), label) for name, label in found}


def test_whole_text_of_a_graph():
    """A chain of one node: shapes by kind, edges by id, colours for the kinds that occur."""
    assert mermaid_of(chain("plan")).splitlines() == [
        "flowchart TB",
        '    start(("start")):::start_look',
        '    n0("plan"):::node_look',
        '    finish((("end"))):::end_look',
        "    start --> n0",
        "    n0 --> finish",
        "    classDef node_look fill:#E6F2FA,stroke:#0072B2,color:#1F2933",
        "    classDef start_look fill:#1F2933,stroke:#1F2933,color:#FFFFFF",
        "    classDef end_look fill:#1F2933,stroke:#1F2933,color:#FFFFFF",
    ]


def test_warnings_are_marked_at_nodes_and_edges():
    """In the words of the drawing; what is folded into a cluster stands in its heading."""
    graph, loop = mermaid_of(warned().topology()), mermaid_of(read(ends=True))

    assert "#9888; verdict#58; one write wins" in labels_text(graph, "plan")
    assert "#9888; field odd" in labels_text(graph, "talk")
    assert "#9888; unfit for log" in labels_text(graph, "each")
    assert 1 == graph.count("counts log twice")
    assert 2 == loop.count("#9888; no limit of steps")
    assert "#9888; leads to no end" in labels_text(loop, "lost")


def labels_text(mermaid, name):
    """The line that declares what bears this name."""
    return next(line for line in mermaid.splitlines() if f'"{name}' in line)


def test_every_name_comes_out_as_written():
    """Names of any kind give distinct ids, and labels that resolve to exactly the name."""
    labels = labels_in(mermaid_of(nasty()))

    for i, name in enumerate(NASTY):
        assert READABLE.get(name, name) == labels[f"n{i}"].replace("<br>", "\n").removesuffix(" " if not name else "")


def test_signs_that_mean_something_are_character_codes():
    """No quote, bracket, backslash, hash or backtick of a name reaches the text; underscores within words do."""
    text = mermaid_of(chain('a"b', "`c`", "[d]", "#35;", "a\\b", "read_each", "_x_"))

    assert 'n0("a#34;b")' in text
    assert 'n1("#96;c#96;")' in text
    assert 'n2("#91;d#93;")' in text
    assert 'n3("#35;35#59;")' in text
    assert 'n4("a#92;b")' in text
    assert 'n5("read_each")' in text
    assert 'n6("#95;x#95;")' in text


def test_branch_goes_through_a_diamond():
    """A branch has a line to its router and dotted ones on to the targets, labelled as declared."""
    text = mermaid_of(REVIEW)

    assert 'n2_router{"after_judge"}' in text
    assert "n2 --- n2_router" in text
    assert 'n2_router -.->|"again"| n0' in text
    assert "n2_router -.-> n3" in text


def test_worker_graph_is_a_subgraph():
    """The worker's nodes stand within the fan-out, which edges join by its own id."""
    lines = [line.strip() for line in mermaid_of(REVIEW).splitlines()]
    begin = lines.index('subgraph n1["read_each reader#44; once per item"]')

    assert 'n1_0("open_file"):::node_look' in lines[begin : lines.index("end", begin)]
    assert "n0 --> n1" in lines
    assert "n1 --> n2" in lines


@pytest.mark.parametrize("depth", range(5))
def test_depth_folds_what_lies_deeper(depth):
    """Any depth draws, and `subgraph` and `end` are balanced."""
    lines = [line.strip() for line in mermaid_of(nested(4), depth=depth).splitlines()]

    assert depth == sum(line.startswith("subgraph ") for line in lines) == lines.count("end")
    assert (depth < 4) == any("nodes inside" in line for line in lines)


def test_unfinished_graph_is_drawn():
    """Missing nodes and open routers appear, and nothing that was not declared."""
    text = mermaid_of(DRAFT)

    assert 'n3("fetch<br>not declared yet"):::missing_look' in text
    assert "n2_router -.-> n2_open" in text
    assert "n2_router -.-> n0" not in text


def test_edges_of_nodes_that_are_only_mentioned():
    """An edge to an undeclared name leads to a missing node."""
    topology = Topology("g", "S", (), (TopologyEdge(START, "a", "edge"),), ())

    assert "start --> n0" in mermaid_of(topology)


def test_fan_out_over_a_function_has_its_own_shape():
    """A fan-out is a box with double sides, unlike a node."""
    topology = Topology("g", "S", (TopologyNode("f", "fan_out", (("over", "xs"),), "work"),), (), ())

    assert 'n0[["f<br>work#44; once per item<br>over xs"]]:::fan_out_look' in mermaid_of(topology)


@pytest.mark.parametrize("graph", [together, round_trip])
def test_branches_middleware_and_warnings_are_as_stored(golden, graph):
    """Branches stand side by side in a box; middleware below names; what counts twice at the edge."""
    made = graph()

    golden(f"{made.name}.mmd", mermaid_of(made.topology()))


def test_folded_branches_tell_how_many_nodes_they_hide():
    """With a shape of their own."""
    text = mermaid_of(together().topology(), depth=0)

    assert "both<br>5 branches at once<br>errors faults<br>nodes inside: 9" == labels_in(text)["n1"]
