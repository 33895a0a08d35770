"""What observers are told: records that can be read for as long as anybody keeps them."""

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.errors import MutatedState, NodeException, ReducerError, causes_of
from graphnb.state.schema import schema_of, start_values


class Outer(gn.State):
    n: int = 0


class Inner(gn.State):
    log: Annotated[list[str], gn.append] = []
    box: Any = None


OUTER, INNER = schema_of(Outer), schema_of(Inner)


def kept(schema: Any, **fields: Any) -> Any:
    """A state as the log keeps it."""
    return schema, start_values(schema, fields, "")


def event(**options: Any) -> gn.NodeEvent:
    """An event of node `a` within `sub`."""
    defaults = {
        "phase": "completed", "step": 4, "invocation_id": "i", "correlation_id": "c",
        "lineage": gn.Lineage(("sub", "a"), 2, (None,), (None,)),
        "kept_pre": kept(INNER, log=["before"]), "kept_parents": (kept(OUTER, n=1),),
    }  # fmt: skip
    return gn.NodeEvent(**{**defaults, **options})


@pytest.mark.parametrize(
    ("indices", "branches", "index", "branch"),
    [
        ((), (), None, None),
        ((None,), (None,), None, None),
        ((0,), (None,), 0, None),
        ((0, None), (None, "left"), 0, "left"),
        ((0, None, 5), (None, "left", None), 5, "left"),
        ((3, 4), (None, None), 4, None),
        ((None, None), ("left", "right"), None, "right"),
    ],
)
def test_lineage_tells_the_innermost_instance_and_branch(indices, branches, index, branch):
    """The instance of number 0 is one."""
    lineage = gn.Lineage(("a",), 0, indices, branches)

    assert (index, branch) == (lineage.fan_out_index, lineage.branch_name)


def test_event_tells_its_lineage_by_the_specifications_names():
    """The node's own name is the last of its namespace."""
    lineage = gn.Lineage(("each", "both", "a"), 2, (3, None), (None, "left"))
    told = event(lineage=lineage)

    assert ("a", ("each", "both", "a"), 2, 3, "left", (3, None), (None, "left")) == (
        told.node_name, told.namespace, told.attempt_index, told.fan_out_index, told.branch_name,
        told.fan_out_index_chain, told.branch_name_chain,
    )  # fmt: skip


def test_states_are_instances_of_the_users_classes():
    """Of the graph's own, and of those around it."""
    told = event(kept_post=kept(INNER, log=["before", "after"]))

    assert (["before"], ["before", "after"]) == (told.pre_state.log, told.post_state.log)
    assert [1] == [state.n for state in told.parent_states]
    assert isinstance(told.pre_state, Inner)
    assert isinstance(told.post_state, Inner)
    assert isinstance(told.parent_states[0], Outer)


def test_attempt_that_has_not_completed_has_no_state_after():
    """None stands for it."""
    assert event(phase="started").post_state is None


def test_states_refuse_to_be_changed():
    """Whoever looks at them."""
    told = event()
    with pytest.raises(MutatedState, match="field 'log'"):
        told.pre_state.log.append("x")
    with pytest.raises(MutatedState):
        told.parent_states[0].n = 2

    assert ["before"] == told.pre_state.log


def test_what_cannot_refuse_is_copied_for_each_look():
    """One observer does not see what another one has done."""
    told = event(kept_pre=kept(INNER, box={1}))
    told.pre_state.box.add(2)

    assert {1} == told.pre_state.box


def test_error_tells_its_own_category_and_that_of_its_cause():
    """A wrapper's is on the error itself."""
    wrapped = NodeException("node 'a'", "raised")
    busy: Any = ValueError("busy")
    busy.category = "provider_unavailable"
    wrapped.__cause__ = busy

    assert ("node_exception", "provider_unavailable") == (
        event(error=wrapped).error.category,
        event(error=wrapped).error_category,
    )
    assert "reducer_error" == event(error=ReducerError("w", "x")).error_category
    assert None is event().error_category is event(error=NodeException("w", "x")).error_category


def test_event_is_shown_by_step_path_and_phase():
    """With the category of its error, if there is one; no id and no state."""
    assert "NodeEvent(4, 'sub/a', completed)" == repr(event())
    assert "NodeEvent(4, 'sub/a', completed, node_exception)" == repr(event(error=NodeException("w", "x")))


def test_isolated_failure_is_shown_by_its_name_and_path():
    """As it is told in warnings."""
    told = gn.FailureIsolated("lost", gn.Lineage(("sub", "a")), "i", "c", None, {}, causes_of(ValueError()))

    assert "FailureIsolated('lost', 'sub/a')" == repr(told)


def test_events_are_equal_to_themselves_alone():
    """Two attempts are never the same; events can be kept in sets."""
    one, other = event(), event()

    assert one != other
    assert 2 == len({one, other, one})


def test_events_cannot_be_changed():
    """They are shared by all observers."""
    with pytest.raises(AttributeError):
        event().step = 5
