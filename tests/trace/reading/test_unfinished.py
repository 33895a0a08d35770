"""Nodes that were entered and did not complete."""

import graphnb as gn
from graphnb.errors import NodeException
from graphnb.trace.places import Part
from graphnb.trace.reading.unfinished import FailedStep, OpenStep
from tests.traces import Made


class Diary(gn.State):
    n: int = 0


LOG = Made(Diary).log


def test_failed_step_tells_where_and_why():
    """Number, path with the instance, and the category of the error."""
    failed = FailedStep(3, (Part("each", 1),), LOG, 0, "a", NodeException("where", "what"), at_edge=False)

    assert "FailedStep(3, 'each[1]/a', node_exception)" == repr(failed)


def test_open_step_tells_where_and_whether_it_was_stopped():
    """Number, path, and in one word what became of it."""
    stopped, running = (OpenStep(3, (), LOG, 0, "a", stopped=each, at_edge=False) for each in (True, False))

    assert ("OpenStep(3, 'a', stopped)", "OpenStep(3, 'a', running)") == (repr(stopped), repr(running))


def test_failed_step_counts_its_attempts():
    """The last one included; none if middleware failed without asking the node."""
    error = NodeException("where", "what")
    once = FailedStep(0, (), LOG, 0, "a", error, at_edge=False)
    again = FailedStep(0, (), LOG, 0, "a", error, at_edge=False, failures=(ValueError(), ValueError()))
    never = FailedStep(0, (), LOG, 0, "a", error, at_edge=False, is_entered=False)

    assert [1, 3, 0] == [once.attempts, again.attempts, never.attempts]
