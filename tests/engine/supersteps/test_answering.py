"""Answers as the engine takes them: a log that goes on, and the one before as it was."""

import pytest

import graphnb as gn
from graphnb.engine.supersteps.answering import answered
from graphnb.trace.trace import Trace
from tests.engine.forks import graph_of, says

END = gn.END


def asks(s):
    """Ask until there is an answer."""
    return {"log": ["g"]} if s.seen else gn.interrupt("seen")


def test_answer_is_a_commit_of_its_own_in_a_log_of_its_own():
    """The step is not counted, the commits before are shared, and the log before does not grow."""
    graph = graph_of({"a": ("g", "b"), "b": END, "g": END}, g=asks)
    plan, log = graph.compile().plan, graph.run().trace.log
    own = answered(plan, log, "waiting", {"1:g": "x"})

    assert (3, 4, 2, 2) == (len(log.commits), len(own.commits), log.step, own.step)
    assert log.commits == own.commits[:3]
    assert (("seen",), ()) == (tuple(fold.field for fold in own.commits[-1].folds), own.routes[-1])
    assert ("x", "g") == (Trace(own, plan.topology, "waiting").state.seen[0], own.commits[-1].node)
    assert log.waits
    assert not own.waits


@pytest.mark.parametrize("how", ["done", "failed"])
def test_log_of_a_run_that_has_ended_takes_no_answer(how):
    """Even if a node had asked in it."""
    graph = graph_of({"a": ("g", "b"), "b": "c", "g": END, "c": END}, g=asks, c=lambda s: 1 / 0, b=says("b"))
    if how == "done":
        log = graph_of({"a": END}).run().trace.log
    else:
        with pytest.raises(gn.NodeException) as caught:
            graph.run()
        log = caught.value.trace.log
        assert 1 == len(caught.value.trace.pending)
    with pytest.raises(gn.InactiveRun, match=f"the run is {how} and takes no answers"):
        answered(graph.compile().plan, log, how, {"1:g": "x"})
