"""Why runs failed, in the words of the super-step contract."""

from typing import Any

import pytest

import graphnb as gn
from graphnb.trace.reading.faults import Fault, fault_of
from tests.documents import gives, graph, written

LOOP = {"s": {"from": "$start", "to": "a"}, "e": {"from": "a", "to": "a"}}
BROKEN = {"s": LOOP["s"], "e": {"from": "a", "to": "a", "guard": {"op": "path", "args": ["log", []]}}}


def fails(view: Any, context: gn.NodeContext) -> Any:
    """Raises."""
    raise ValueError("no tea")


@pytest.mark.parametrize(
    ("document", "node", "fault"),
    [
        (written("a", edges=LOOP), gives({}), Fault("max_supersteps_exceeded", None, {})),
        (written("a", edges=BROKEN), gives({}), Fault("guard_evaluation_failed", None, {})),
        (written("a"), fails, Fault("node_failed", "a", {"a": "raised ValueError: no tea"})),
        (
            written("a"),
            gives({"nope": 1}),
            Fault(
                "node_failed",
                "a",
                {
                    "a": "'nope': is no field of the document. Fields: "
                    "['log', 'total', 'card', 'rows', 'word', 'first']."
                },
            ),
        ),
    ],
)
def test_code_tells_the_kind_and_reasons_tell_the_nodes(document: Any, node: Any, fault: Fault) -> None:
    """A limit, a guard, a node."""
    with pytest.raises(gn.RunError) as failed:
        graph(document, a=node).run(max_steps=3)

    assert fault == failed.value.run.fault


def test_reasons_are_all_there_are() -> None:
    """Where the message of the error has the first ones."""
    update = {"log": list(range(30)), "word": 3}
    with pytest.raises(gn.StateValidationError, match="and 25 more, see `details`") as failed:
        graph(written("a"), a=gives(update)).run()
    told = failed.value.run.fault.reasons["a"]

    assert [30, 1] == [len(each) for each in failed.value.details.values()]
    assert 31 == told.count("want text, not int")
    assert "log[29]: want text, not int: 29" in told


def test_single_node_of_a_class_is_at_fault_too() -> None:
    """Its graph runs one node at a time, without lanes; a router that fails is told as a guard."""
    review = gn.Graph(gn.State, entry="plan")
    review.node("plan", lambda s: 1 / 0, to=gn.END)
    with pytest.raises(gn.NodeException) as failed:
        review.run()
    routed = gn.Graph(gn.State, entry="plan")
    routed.node("plan", lambda s: {})
    routed.branch("plan", lambda s: 1 / 0)
    with pytest.raises(gn.EdgeException) as lost:
        routed.run()

    assert (
        Fault("node_failed", "plan", {"plan": "raised ZeroDivisionError: division by zero"}) == failed.value.run.fault
    )
    assert "guard_evaluation_failed" == lost.value.run.fault.code
    assert fault_of(failed.value.run.trace.log) == failed.value.run.fault
