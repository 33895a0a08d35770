"""Graphs to draw, spelled out as the plain records that drawing starts from."""

import itertools

from graphnb.graph.ends import END, START
from graphnb.graph.topology import Mark, Topology, TopologyEdge, TopologyField, TopologyNode
from graphnb.trace.reading.visits import Visits

FIELDS = (
    TopologyField("files", "list[str]", None, None),
    TopologyField("findings", "list[str]", "concat_flatten", "[]"),
    TopologyField("verdict", "str", None, "''"),
)
FAN_OUT = (("over", "files"), ("item", "file"), ("collect", "notes"), ("into", "findings"), ("at once", "4"))

NASTY = (
    r"C:\new\logs",
    'say "hi"',
    "ends with \\",
    r"\N \G \l",
    "two\nlines",
    "",
    "<b>bold</b>",
    "<i>",
    "a & b &lt; &#65; &nbsp;",
    "stage:one",
    "::",
    "http://host:81/x",
    "step 1",
    "step_1",
    "step-1",
    "étape",
    "шаг",
    "步骤",
    "مرحبا",
    "😀 👩\u200d👧 a\u0301",
    "a[0]",
    "{x|y}",
    "  two  spaces ",
    "END",
    "lone \ud800 and \x1b and \ufffe",
)
READABLE = {"lone \ud800 and \x1b and \ufffe": r"lone \ud800 and \x1b and \ufffe"}


def chain(*names, name="chain", fields=()):
    """A graph whose nodes follow one another from START to END."""
    ends = (START, *names, END)
    edges = tuple(TopologyEdge(source, target, "edge") for source, target in itertools.pairwise(ends))
    return Topology(name, "S", tuple(TopologyNode(each, "node") for each in names), edges, fields)


READER = chain("open_file", "take_notes", name="reader")

REVIEW = Topology(
    "review",
    "Review",
    (
        TopologyNode("plan", "node"),
        TopologyNode("read_each", "fan_out", FAN_OUT, "reader", READER),
        TopologyNode("judge", "node"),
        TopologyNode("publish", "node"),
    ),
    (
        TopologyEdge(START, "plan", "edge"),
        TopologyEdge("plan", "read_each", "edge"),
        TopologyEdge("read_each", "judge", "edge"),
        TopologyEdge("judge", "plan", "branch", "after_judge", "again"),
        TopologyEdge("judge", "publish", "branch", "after_judge"),
        TopologyEdge("publish", END, "edge"),
    ),
    FIELDS,
)

FETCH = Mark(
    1,
    "error",
    "",
    "edge from 'plan' names 'fetch', which is no node. Nodes: ['plan', 'lonely', 'route']",
    "no such node",
)

DRAFT = Topology(
    "draft",
    "Review",
    (
        TopologyNode("plan", "node"),
        TopologyNode("lonely", "node"),
        TopologyNode("route", "node"),
        TopologyNode("fetch", "missing"),
    ),
    (
        TopologyEdge(START, "plan", "edge"),
        TopologyEdge("plan", "fetch", "edge", marks=(FETCH,)),
        TopologyEdge("route", None, "open", "pick"),
    ),
    FIELDS,
    marks=(FETCH,),
)

VISITS = Visits(
    nodes={"plan": 2, "read_each": 2, "judge": 2},
    edges={
        (START, "plan"): [1],
        ("plan", "read_each"): [2, 5],
        ("read_each", "judge"): [3, 6],
        ("judge", "plan"): [4],
        ("judge", "publish"): [7],
    },
    failed={"publish"},
    inner={
        "read_each": Visits(
            nodes={"open_file": 6, "take_notes": 6},
            edges={
                (START, "open_file"): [1, 4, 7, 10, 13, 16],
                ("open_file", "take_notes"): [2, 5, 8, 11, 14, 17],
                ("take_notes", END): [3, 6, 9, 12, 15, 18],
            },
        )
    },
)


def nested(levels):
    """A graph within a graph, `levels` times, each with a router that may go back into the inner one."""
    inner = READER
    for level in range(levels, 0, -1):
        name = f"sub{level}"
        edges = (
            TopologyEdge(START, "prepare", "edge"),
            TopologyEdge("prepare", name, "edge"),
            TopologyEdge(name, name, "branch", "retry", "again"),
            TopologyEdge(name, END, "branch", "retry", "ok"),
        )
        sub = TopologyNode(name, "subgraph", (("inputs", "q ← question"),), inner=inner)
        inner = Topology(f"level{level}", "S", (TopologyNode("prepare", "node"), sub), edges, FIELDS)
    return inner


def nasty():
    """A graph in which every name that ever broke a drawing stands as node, router, label, field and worker."""
    nodes = tuple(TopologyNode(each, "node") for each in NASTY)
    edges = (
        TopologyEdge(START, NASTY[0], "edge"),
        *(TopologyEdge(*pair, "edge") for pair in itertools.pairwise(NASTY)),
        TopologyEdge(NASTY[-1], END, "branch", NASTY[3], NASTY[0]),
    )
    return Topology(NASTY[6], NASTY[1], nodes, edges, tuple(TopologyField(each, each, each, each) for each in NASTY))


def warning(text: str, sign: str = "", *, number: int = 1, place: str = "") -> Mark:
    """Make a mark of a warning."""
    return Mark(number, "warning", place, text, sign)


def fault(text: str, *, number: int = 1, name: str = "") -> Mark:
    """Make a mark of an error, at a node if it has a name."""
    return Mark(number, "error", "", text, "wrong", name)
