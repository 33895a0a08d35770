"""Joins in drawings, in Mermaid and in outlines: what they wait for, and whether it came."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import graphnb as gn
from graphnb.graph.ends import END
from graphnb.graph.topology import Topology
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.joins import Join, joins_of, orders_of_join, waits_of
from graphnb.show.drawing.mermaid import mermaid_of
from graphnb.show.drawing.outline import outline_of
from graphnb.show.drawing.outline_edges import edges_of
from graphnb.show.drawing.picture import picture_of
from graphnb.show.writing import palette
from graphnb.trace.reading.visits import Visits, visits_of
from tests.show.drawing.test_dot import edges_in, nodes_in
from tests.show.supersteps import (
    Desk,
    asking,
    broken,
    diamond,
    guard_loop,
    logs,
    mixed,
    run_of,
    stalled,
    three_writers,
    twelve,
)

Make = Callable[[], gn.Graph]
ALL = [diamond, three_writers, guard_loop, stalled, asking, broken, mixed]


def ran(graph: gn.Graph) -> tuple[Topology, Visits]:
    """The topology of the graph, and the path that a run took through it."""
    trace = run_of(graph).trace
    return trace.topology, visits_of(trace.log)


def drawn(graph: gn.Graph) -> str:
    """The drawing of a run."""
    return dot_of(*ran(graph))


def told(graph: gn.Graph) -> str:
    """The outline of a run."""
    return outline_of(*ran(graph))


def edge(dot: str, source: str, target: str) -> str:
    """The attributes of one drawn line."""
    return next(attributes for tail, head, attributes in edges_in(dot) if (tail, head) == (source, target))


@pytest.mark.parametrize("make", ALL)
def test_dot_text_is_as_stored(make: Make, golden: Callable[[str, str], None]) -> None:
    """Forks, joins and guarded edges as they were declared, to be read in review."""
    golden(f"super-{make.__name__}.dot", dot_of(make().topology()))


@pytest.mark.parametrize("make", ALL)
def test_dot_text_of_a_run_is_as_stored(make: Make, golden: Callable[[str, str], None]) -> None:
    """The path that a run took, with nodes that wait, failed, or whose update was dropped."""
    golden(f"super-{make.__name__}-run.dot", drawn(make()))


@pytest.mark.parametrize("make", ALL)
def test_outline_of_a_run_is_as_stored(make: Make, golden: Callable[[str, str], None]) -> None:
    """The same in words."""
    golden(f"super-{make.__name__}.txt", told(make()) + "\n")


@pytest.mark.parametrize("make", [diamond, guard_loop, mixed])
def test_mermaid_text_is_as_stored(make: Make, golden: Callable[[str, str], None]) -> None:
    """Bars are boxes that say join, conditions stand at dotted lines."""
    golden(f"super-{make.__name__}.mmd", mermaid_of(make().topology()))


def test_a_join_is_a_bar_with_a_line_from_each_source_and_one_to_its_target() -> None:
    """Only the last line has a head."""
    dot = dot_of(diamond().topology())

    assert "shape=box" in nodes_in(dot)["nj0"]
    assert "arrowhead=none" in edge(dot, "n1", "nj0")
    assert "arrowhead=none" in edge(dot, "n2", "nj0")
    assert "arrowhead" not in edge(dot, "nj0", "n3")
    assert "join: waits for all its sources" in dot


def test_the_bar_of_an_inner_graph_has_an_id_of_its_own() -> None:
    """Made of its position, like all ids."""
    bars = [name for name, look in nodes_in(dot_of(mixed().topology())).items() if " bar" in look]

    assert ["n2_j0", "nj0"] == bars


def test_joins_of_the_same_sources_share_a_bar() -> None:
    """A line leads on to each of their targets."""
    graph = gn.Graph(Desk, entry="plan", name="multi")
    graph.node("plan", logs("plan"), to=("a", "b"))
    graph.node("a", logs("a"))
    graph.node("b", logs("b"))
    graph.edge(("a", "b"), ("c", gn.END))
    graph.node("c", logs("c"), to=gn.END)
    dot = drawn(graph)

    assert [("n1", "nj0"), ("n2", "nj0"), ("nj0", "n3"), ("nj0", "end")] == [
        each[:2] for each in edges_in(dot) if "nj0" in each[:2]
    ]
    assert all("<B>3</B>" in edge(dot, "nj0", target) for target in ("n3", "end"))


def test_a_source_is_lit_when_it_has_come_and_the_target_when_the_join_was_taken() -> None:
    """The order stands at the line from the bar alone."""
    dot, waiting = drawn(diamond()), drawn(asking())

    assert "taken" in edge(dot, "n1", "nj0")
    assert "label" not in edge(dot, "n1", "nj0")
    assert "<B>3</B>" in edge(dot, "nj0", "n3")
    assert palette.PASSED_BY in edge(waiting, "n1", "nj0")
    assert palette.TAKEN in edge(waiting, "n3", "nj0")
    assert "taken" not in edge(waiting, "nj0", "n4")


def test_a_join_that_still_waits_says_for_what() -> None:
    """In the colour of what waits, since the graphs may come."""
    dot = drawn(asking())

    assert "<B>waits for gate</B>" in edge(dot, "nj0", "n4")
    assert palette.WAIT in edge(dot, "nj0", "n4")
    assert "when all have come, if field('rounds') == 0  waits for gate" in told(asking())


def test_a_join_that_waited_in_vain_is_marked_and_says_for_what() -> None:
    """By more than a colour."""
    dot = drawn(stalled())

    assert palette.ALARM in nodes_in(dot)["nj0"]
    assert "<B>still waited for ask</B>" in edge(dot, "nj0", "n3")
    assert "join that waited in vain" in dot
    assert "still waited for ask" in told(stalled())


def test_a_join_within_a_node_tells_in_how_many_of_its_runs_it_waited() -> None:
    """Of all runs of its graph."""
    inner = stalled()
    graph = gn.Graph(Desk, entry="sub", name="outer")
    graph.subgraph("sub", inner, outputs={"log": "log"}, to="count")
    graph.node("count", lambda s: {"rounds": s.rounds + 1})
    graph.edge("count", "sub", when=lambda s: s.rounds < 3)

    assert "still waited for ask in 3 of 3 runs" in told(graph)


def test_a_join_whose_condition_did_not_hold_has_waited_for_nothing() -> None:
    """All have come: the bar is dark, the line from it is not lit."""
    graph = gn.Graph(Desk, entry="plan", name="never")
    graph.node("plan", logs("plan"), to=("a", "b"))
    graph.node("a", logs("a"))
    graph.node("b", logs("b"))
    graph.edge(("a", "b"), "c", when=gn.field("rounds") == 7)
    graph.node("c", logs("c"), to=gn.END)
    dot = drawn(graph)

    assert f'color="{palette.INK}"' in nodes_in(dot)["nj0"]
    assert palette.PASSED_BY in edge(dot, "nj0", "n3")
    assert {} == waits_of(*ran(graph))


def test_a_run_that_was_stopped_has_joins_that_wait_and_none_that_waited_in_vain() -> None:
    """Whoever goes on with it may bring the graphs."""
    graph = gn.Graph(Desk, entry="plan", name="cut")
    graph.node("plan", logs("plan"), to=("a", "b"))
    graph.node("a", logs("a"))
    graph.node("b", logs("b"), to="bad")
    graph.node("bad", lambda s: 1 / 0)
    graph.edge(("a", "bad"), gn.END)

    assert ["waits for bad"] == [each.text for each in waits_of(*ran(graph)).values()]
    assert not any(each.is_over for each in waits_of(*ran(graph)).values())


@pytest.mark.parametrize("answered", [False, True])
def test_a_join_waits_as_long_as_the_run_can_go_on(answered: bool) -> None:
    """Step by step, a join is never given up before the run has ended."""
    graph = gn.Graph(Desk, entry="plan", name="steps")
    graph.node("plan", logs("plan"), to=("a", "b"))
    graph.node("a", logs("a"))
    graph.node("b", logs("b"), to="c")
    graph.node("c", logs("c"), to="d")
    graph.node("d", logs("d"))
    graph.edge(("a", "d"), gn.END)
    session = graph.session()
    for _ in range(3 + answered):
        session.step()
    trace = session.run.trace
    waits = waits_of(trace.topology, visits_of(trace.log))

    assert [] == [each for each in waits.values() if each.is_over]
    assert (not answered) == bool(waits)


def test_missing_sources_are_named_a_few_of_them() -> None:
    """Then their number."""
    graph = gn.Graph(Desk, entry="plan", name="many")
    graph.node("plan", logs("plan"))
    names = ("a", "b", "c", "d", "e", "f")
    for name in names:
        graph.edge("plan", name, when=gn.field("rounds") == (0 if name == "a" else 1))
        graph.node(name, logs(name))
    graph.edge(names, gn.END)

    assert "still waited for b, c, d, … 2 more" in told(graph)


def test_records_of_a_graph_without_joins() -> None:
    """There is nothing to tell, and nothing is looked for."""
    topology, visits = ran(guard_loop())

    assert () == joins_of(topology)
    assert {} == waits_of(topology, visits)
    assert "nj0" not in dot_of(topology, visits)


def test_orders_of_a_join_are_those_of_its_last_sources() -> None:
    """None if it was not taken."""
    join = Join("a+b-c", ("a", "b"), "c", None)

    assert [2, 5] == orders_of_join(join, Visits(edges={("b", "c"): [5], ("a", "c"): [2]}))
    assert orders_of_join(join, Visits(edges={("a", "d"): [1]})) is None


def test_a_join_is_one_edge_in_words() -> None:
    """Also in the text that stands for the picture."""
    topology = diamond().topology()

    assert "read + ask → write" in edges_of(topology)
    assert "read + ask → write" in picture_of(topology).alternative
    assert 1 == sum("write" in each and "read" in each for each in edges_of(topology))
    assert "write → END" in edges_of(topology)


def test_edges_of_one_super_step_bear_one_number() -> None:
    """Those of the step after it the next one."""
    _, visits = ran(diamond())

    assert [2] == visits.edges["plan", "read"] == visits.edges["plan", "ask"]
    assert [4] == visits.edges["write", END]


def test_many_lines_get_more_room() -> None:
    """Those of a fork, and those that meet at a bar."""
    dot = dot_of(twelve().topology())

    assert all("minlen=2" in edge(dot, f"n{i}", "nj0") for i in range(1, 13))
    assert all("minlen=2" in edge(dot, "n0", f"n{i}") for i in range(1, 13))
    assert "minlen" not in edge(dot, "nj0", "n13")
    assert re.search(r"width=1\.50", nodes_in(dot)["nj0"])
