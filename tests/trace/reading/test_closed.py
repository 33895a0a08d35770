"""Guards that were false where a graph ended, so that nothing came after a node."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb import step
from tests.documents import gives, written
from tests.documents import graph as document_of

END = gn.END


class Log(gn.State):
    n: int = 0
    log: Annotated[list[str], step.append]
    answers: Annotated[list[str], step.append]


def never(s: Any) -> bool:
    """A guard that is always false."""
    return False


def guarded(**targets: Any) -> gn.Graph:
    """A graph of the node `judge`, with an edge of this guard to each of the targets."""
    graph = gn.Graph(Log, entry="judge", name="g")
    graph.node("judge", lambda s: {"n": 2})
    for target, when in targets.items():
        graph.edge("judge", END if target == "end" else target, when=when)
        if target != "end":
            graph.node(target, lambda s: {}, to=END)
    return graph


def test_node_and_its_guards_are_named() -> None:
    """One guard or several, with where they would have led; in the text of the run too."""
    run = guarded(publish=gn.field("n") == 3, end=never).run()
    told = "nothing came after 'judge': its guards field('n') == 3 (to 'publish') and never() (to END) were false"

    assert (f"step 0: {told}",) == run.notices
    assert "done" == run.status
    assert f"\u26a0 step 0: {told}" in run._repr_mimebundle_()["text/plain"]
    assert ("step 0: nothing came after 'judge': its guard never() (to END) was false",) == guarded(
        end=never
    ).run().notices


@pytest.mark.parametrize("target", ["end", "publish"])
def test_guard_that_holds_gives_no_notice(target: str) -> None:
    """Whether it leads on or to the end, and whatever the others say."""
    assert () == guarded(**{target: lambda s: True, "other": never}).run().notices


def test_run_that_goes_on_elsewhere_has_not_ended_there() -> None:
    """A side path may be closed; what counts is the last super-step."""

    def forked(target: Any) -> gn.Graph:
        graph = gn.Graph(Log, entry="a", name="g")
        graph.node("a", lambda s: {}, to=("b", "c", "d"))
        graph.node("b", lambda s: {})
        graph.edge("b", END, when=never)
        graph.node("c", lambda s: {}, to=target)
        graph.node("d", lambda s: {}, to=END)
        return graph

    assert () == forked("d").run().notices
    assert ("step 1: nothing came after 'b': its guard never() (to END) was false",) == forked(END).run().notices


def test_run_that_waits_or_has_failed_is_not_over() -> None:
    """An answer may lead on; of a failure its error tells."""
    graph = gn.Graph(Log, entry="a", name="g")
    graph.node("a", lambda s: {}, to=("b", "c"))
    graph.node("b", lambda s: {})
    graph.edge("b", END, when=never)
    graph.node("c", lambda s: {} if s.answers else gn.interrupt("answers"), to=END)
    waiting = graph.run()

    assert ("waiting", ()) == (waiting.status, waiting.notices)
    assert () == waiting.resume("yes").notices

    failing = guarded(end=lambda s: 1 // 0)
    with pytest.raises(gn.EdgeException) as caught:
        failing.run()
    assert () == caught.value.run.notices


def test_session_that_stands_still_has_more_to_do() -> None:
    """Between two steps nothing has ended."""
    session = guarded(publish=lambda s: True, end=never).session()
    session.step()

    assert () == session.run.notices


def test_guard_of_a_join_is_told_where_it_was_asked() -> None:
    """At the last of its sources; where one never came, the join waits, and the guard was not asked."""
    graph = gn.Graph(Log, entry="a", name="g")
    graph.node("a", lambda s: {}, to=("b", "c"))
    graph.node("b", lambda s: {})
    graph.node("c", lambda s: {})
    graph.edge(("b", "c"), "d", when=never)
    graph.node("d", lambda s: {}, to=END)

    assert ("step 1: nothing came after 'c': its guard never() (to 'd') was false",) == graph.run().notices

    apart = gn.Graph(Log, entry="a", name="g")
    apart.node("a", lambda s: {}, to=("b", "x"))
    apart.node("b", lambda s: {})
    apart.node("x", lambda s: {})
    apart.node("c", lambda s: {})
    apart.edge("x", "c", when=never)
    apart.edge(("b", "c"), "d", when=never)
    apart.node("d", lambda s: {}, to=END)
    guard, join = apart.run().notices
    assert "step 1: nothing came after 'x': its guard never() (to 'c') was false" == guard
    assert "the join to 'd' still waited for 'c' ('b' had come)" == join


def test_join_of_a_cycle_is_asked_once_a_round() -> None:
    """What had come before it was last asked does not count."""
    graph = gn.Graph(Log, entry="a", name="g")
    graph.node("a", lambda s: {"n": s.n + 1}, to=("b", "c"))
    graph.node("b", lambda s: {})
    graph.node("c", lambda s: {})
    graph.edge(("b", "c"), "a", when=gn.field("n") == 1)

    assert ("step 3: nothing came after 'c': its guard field('n') == 1 (to 'a') was false",) == graph.run().notices


def joined_again(*third: str) -> gn.Graph:
    """A graph of `c`, then `b` and `c` at once, both sources of a join, and these nodes in the step after that."""
    graph = gn.Graph(Log, entry="a", name="g")
    graph.node("a", lambda s: {}, to=("c", "x"))
    graph.node("b", lambda s: {})
    graph.node("c", lambda s: {})
    graph.node("x", lambda s: {}, to=("b", "c", "y"))
    graph.node("y", lambda s: {}, to=third or END)
    graph.edge(("b", "c"), "d", when=never)
    graph.node("d", lambda s: {}, to=END)
    return graph


def test_source_that_came_twice_counts_once_for_a_join() -> None:
    """The step in which the other one came too is that in which the guard was asked, at the last of its sources."""
    assert ("step 2: nothing came after 'c': its guard never() (to 'd') was false",) == joined_again().run().notices


def test_join_that_waits_once_more_was_not_asked_again() -> None:
    """Of one join it is told either that its guard was false in the end, or that it still waited."""
    assert ("the join to 'd' still waited for 'c' ('b' had come)",) == joined_again("b").run().notices


@pytest.mark.parametrize("kind", ["subgraph", "branch", "fan-out"])
def test_graph_within_another_one_is_told_with_its_path(kind: str) -> None:
    """It has ended early, whatever the outer one does then."""
    inner = guarded(end=never)
    graph = gn.Graph(Log, entry="sub", name="outer")
    if kind == "subgraph":
        graph.subgraph("sub", inner, to=END)
    elif kind == "branch":
        graph.branches("sub", {"x": lambda s: {}, "y": gn.ParallelBranch(inner, outputs={})}, to=END)
    else:
        graph.fan_out("sub", inner, count=1, count_into="n", to=END)
    path = {"subgraph": "sub/judge", "branch": "sub[y]/judge", "fan-out": "sub[0]/judge"}[kind]
    number = {"subgraph": 0, "branch": 2, "fan-out": 1}[kind]

    assert (f"step {number}: nothing came after '{path}': its guard never() (to END) was false",) == graph.run().notices


def test_graph_of_a_document_is_told_alike() -> None:
    """Its guards are as they are written."""
    edges = {
        "begin": {"from": "$start", "to": "a"},
        "end": {"from": "a", "to": "$finish", "guard": {"op": "equals", "args": ["total", 3]}},
    }
    run = document_of(written("a", edges=edges), a=gives({"total": 1})).run()

    assert ("step 0: nothing came after 'a': its guard field('total') == 3 (to END) was false",) == run.notices


CHANGED = {"op": "changed", "args": ["topic"]}


@pytest.mark.parametrize(
    ("edges", "given", "told"),
    [
        (
            {"s": {"from": "$start", "to": "a", "guard": CHANGED}},
            {},
            ("nothing came after the start: its guard field('topic').changed() (to 'a') was false",),
        ),
        ({"s": {"from": "$start", "to": "a", "guard": CHANGED}}, {"topic": "tea"}, ()),
        (
            {
                "s": {"from": "$start", "to": "a", "guard": CHANGED},
                "t": {"from": "$start", "to": "a", "guard": {"op": "exists", "args": ["topic"]}},
            },
            {},
            (
                "nothing came after the start: its guards field('topic').changed() (to 'a') and "
                "field('topic').exists() (to 'a') were false",
            ),
        ),
        (
            {
                "s": {"from": "$start", "to": "a", "guard": CHANGED},
                "e": {"from": "$start", "to": "$finish", "guard": {"op": "not", "args": [CHANGED]}},
            },
            {},
            (),
        ),
    ],
)
def test_start_of_a_document_is_told_of_as_a_node_is(edges: Any, given: Any, told: tuple[str, ...]) -> None:
    """Where nothing ran at all; nothing is said where the start may have led to the end."""
    document = written("a", edges=edges, inputs={"topic": {"schema": {"type": "string"}}})
    run = document_of(document, a=gives({"log": "a"})).run(**given)

    assert ("done", told) == (run.status, run.notices)
