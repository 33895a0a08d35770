"""The tour: a graph that reads the Python reference, which the standard library ships as text.

It reads some topics side by side, one subgraph per topic, notes which other topics each mentions and which
rules of the grammar it defines, and goes on with what was mentioned until nothing new turns up. The notebook
`01-tour.ipynb` builds the same graph cell by cell.
"""

from __future__ import annotations

import argparse
import keyword
import pathlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import graphnb as gn

# The topics whose text is the same in Python 3.11 to 3.13, so that the tour shows the same everywhere.
TOPICS = """
    assert atom-literals attribute-references bitwise bltin-code-objects bltin-ellipsis-object bltin-null-object
    bltin-type-objects booleans break callable-types calls comparisons context-managers continue conversions del
    dynamic-features else exceptions floating for global id-classes if imaginary import in integers lambda numbers
    operator-summary pass return slicings truth typesfunctions typesmodules unary while with yield
""".split()

# Those of them that no other one mentions: from here a reader comes to all.
STARTS = """
    assert atom-literals attribute-references bltin-code-objects bltin-ellipsis-object bltin-null-object
    bltin-type-objects booleans callable-types calls context-managers conversions dynamic-features exceptions
    floating id-classes imaginary integers operator-summary pass truth typesfunctions typesmodules unary yield
""".split()


class Topic(gn.State):
    """What is known of one topic of the reference."""

    name: str
    text: str = ""
    mentions: list[str] = []
    rules: dict[str, int] = {}


class Tour(gn.State):
    """What the tour has found so far."""

    ahead: list[str]
    read: Annotated[list[str], gn.append] = []
    mentions: Annotated[list[str], gn.concat_flatten] = []
    rules: Annotated[dict[str, int], gn.merge_all] = {}
    rounds: int = 0
    central: dict[str, int] = {}


def look_up(s: Topic) -> dict[str, object]:
    """The topic's text."""
    from pydoc_data.topics import topics  # half a megabyte of text, wanted only here

    return {"text": topics[s.name]}


def note(s: Topic) -> dict[str, object]:
    """The other topics that the text mentions, and how often it uses each grammar rule that it defines."""
    quoted = set(re.findall(r'"([a-z]+)"', s.text))
    titles = {word.lower() for word in re.findall(r"\b[A-Z][a-z]+\b", s.text)} - set(keyword.kwlist)
    rules = re.findall(r"^ +([a-z_]+) +::=", s.text, re.MULTILINE)
    return {
        "mentions": sorted((quoted | titles) & set(TOPICS) - {s.name}),
        "rules": {rule: len(re.findall(rf"\b{rule}\b", s.text)) for rule in rules},
    }


def choose(s: Tour) -> dict[str, object]:
    """What comes next: topics that were mentioned and not read yet."""
    read = [*s.read, *s.ahead]
    return {"read": s.ahead, "ahead": sorted(set(s.mentions) - set(read)), "rounds": s.rounds + 1}


def is_anything_left(s: Tour) -> str:
    """Read on as long as there is something ahead."""
    return "read_each" if s.ahead else "rank"


def rank(s: Tour) -> dict[str, object]:
    """The five topics that others mention most, with how many do."""
    counts = Counter(s.mentions)
    return {"central": dict(sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:5])}


def topic_graph() -> gn.Graph:
    """The graph that runs once per topic."""
    topic = gn.Graph(Topic, entry="look_up", name="topic")
    topic.node(look_up, to="note")
    topic.node(note, to=gn.END)
    return topic


def tour_graph() -> gn.Graph:
    """The tour's graph, built in one go."""
    tour = gn.Graph(Tour, entry="read_each", name="tour")
    tour.fan_out(
        "read_each",
        topic_graph(),
        over="ahead",
        item="name",
        collect="mentions",
        into="mentions",
        extra_outputs={"rules": "rules"},
        to="choose",
    )
    tour.node(choose)
    tour.branch("choose", is_anything_left, to=("read_each", "rank"))
    tour.node(rank, to=gn.END)
    return tour


def main(arguments: Sequence[str] = ()) -> int:
    """Runs the tour and prints its topology, its first changes, and where the report is. Gives the exit code."""
    parser = argparse.ArgumentParser(prog="graphnb demo", description="Run the tour's graph on the Python reference.")
    parser.add_argument("--html", type=pathlib.Path, default=pathlib.Path("graphnb-demo.html"), help="report to write")
    options = parser.parse_args(arguments)
    tour = tour_graph()
    run = tour.run(ahead=STARTS)
    report = run.to_html(options.html)
    for part in (tour, run.diff(limit=24), f"Report: {report.resolve()}"):
        print(part, end="\n\n")
    return 0
