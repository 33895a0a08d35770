"""Joins that still waited when a run had nothing left to do."""

import pytest

import graphnb as gn
from tests.engine.forks import graph_of, rounds

END = gn.END


def test_join_that_got_some_of_its_sources_is_told():
    """With those that had come, in declared order, and those that never came."""
    graph = graph_of(
        {"a": ("b", "c", "d"), ("d", "never", "b"): "z", "c": lambda s: END if s.n == 0 else "never", "z": END}
    )
    run = graph.run()

    assert ["a", "b+c+d"] == rounds(run)
    assert ("done", [("z", ("d", "b"), ("never",))]) == (run.status, [tuple(each) for each in run.stalled])
    assert "the join to 'z' still waited for 'never' ('d', 'b' had come)" == str(run.stalled[0])
    assert () == graph.run(n=1).stalled


def test_join_that_nobody_reached_and_one_that_has_fired_are_not_told():
    """Only what waited."""
    edges = {"a": lambda s: ("b", "c") if s.n else "d", ("b", "c"): "z", "d": END, "z": END}

    assert () == graph_of(edges).run().stalled
    assert () == graph_of(edges).run(n=1).stalled


def test_source_that_has_only_asked_has_not_come():
    """While the run waits nothing is told; after the answer the source completes."""
    ask = lambda s: {"log": ["b"]} if s.seen else gn.interrupt("seen")  # noqa: E731  one of two answers
    graph = graph_of({"a": lambda s: ("b", "d"), ("b", "c"): "z", "d": END, "z": END}, b=ask)
    run = graph.run()
    assert ("waiting", ()) == (run.status, run.stalled)

    done = run.resume("x")
    assert ["a", "b?+d", "b!", "b"] == rounds(done)
    assert [("z", ("b",), ("c",))] == [tuple(each) for each in done.stalled]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_run_that_did_not_come_to_its_end_tells_none(status):
    """Something would still have been to do."""
    graph = graph_of({"a": ("b", "d"), ("b", "c"): "z", "d": "c", "z": END}, c=lambda s: 1 / 0)
    session = graph.session()
    session.step()
    session.step()
    if status == "cancelled":
        session.close()
    else:
        with pytest.raises(gn.NodeException):
            session.step()

    assert (status, ()) == (session.run.status, session.run.stalled)
