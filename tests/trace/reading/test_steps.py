"""Steps and deltas: commits to look at, numbered."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.trace.instances import PENDING, Instances
from graphnb.trace.log import Commit, Failure, Open
from graphnb.trace.places import Part
from graphnb.trace.reading.steps import Delta, numbers_in
from graphnb.trace.reading.unfinished import FailedStep, OpenStep
from graphnb.trace.reading.walking import walk, walk_last
from tests.trace.spreadings import spreading
from tests.traces import Made, delta, fan_out


class Diary(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []
    notes: Annotated[dict[str, list[int]], gn.merge] = {}
    any: Any = None

    @property
    def double(self) -> int:
        """A property of the user's own."""
        return self.n * 2


def numbered(made: Made) -> list[tuple[int, str]]:
    """Number and path of every step and failure."""
    return [(each.number, each.path) for each in walk(made.log)]


def inner(*nodes: str) -> Made:
    """A graph in which the nodes have run, one after the other."""
    made = Made(Diary)
    for node in nodes:
        made.step(node, {})
    return made


def test_numbers_count_from_zero_over_the_outermost_graph():
    """One number per node that completed."""
    assert [(0, "a"), (1, "b"), (2, "a")] == numbered(inner("a", "b", "a"))


def test_steps_of_a_subgraph_are_counted_and_it_takes_none_itself():
    """A subgraph bears the number of its last inner step: the specification gives it no step."""
    made = Made(Diary).step("a", {}).step("child", {}, child=inner("x", "y")).step("b", {})

    assert [(0, "a"), (1, "child/x"), (2, "child/y"), (2, "child"), (3, "b")] == numbered(made)


def test_fan_out_takes_its_number_before_its_instances():
    """Instances follow in item order; those without a log are left out."""
    made = Made(Diary).step("each", {}, instances=fan_out(3, ["log"], logs=[inner("x"), None, inner("x", "y")]))

    assert [(0, "each"), (1, "each[0]/x"), (2, "each[2]/x"), (3, "each[2]/y")] == numbered(made)


def test_fan_out_over_a_function_has_no_inner_steps():
    """There is no graph that could take any."""
    assert [(0, "each"), (1, "b")] == numbered(
        Made(Diary).step("each", {}, instances=fan_out(3, ["log"])).step("b", {})
    )


def test_failed_node_has_the_next_number():
    """It was entered."""
    made = Made(Diary).step("a", {}).fail("b")

    assert [(0, "a"), (1, "b")] == numbered(made)
    assert [None, ("b", False)] == [
        (each.node, each.at_edge) if isinstance(each, FailedStep) else None for each in walk(made.log)
    ]


def test_failed_edge_has_the_number_of_its_node():
    """The node completed, and then its edge did not."""
    made = Made(Diary).step("a", {}, to=None).fail("a", at_edge=True)

    assert [(0, "a"), (0, "a")] == numbered(made)


def test_failure_inside_a_subgraph_is_told_on_every_level():
    """The subgraph bears the number of the step that failed in it."""
    made = Made(Diary).step("a", {})
    made.fail("child")
    made.log.failure = made.log.failure._replace(child=inner("x").fail("y").log)

    assert [(0, "a"), (1, "child/x"), (2, "child/y"), (2, "child")] == numbered(made)


def test_child_that_failed_at_its_first_node_takes_the_first_number():
    """There is no earlier step whose number the subgraph could bear."""
    made = Made(Diary).fail("child")
    made.log.failure = made.log.failure._replace(child=Made(Diary).fail("x").log)

    assert [(0, "child/x"), (0, "child")] == numbered(made)


def test_failed_fan_out_shows_what_its_instances_did():
    """Its own number comes first, as if it had completed."""
    made = Made(Diary).fail("each")
    made.log.failure = made.log.failure._replace(
        instances=fan_out(3, [], logs=[inner("x"), inner().fail("x"), None], errors={1: ValueError()})
    )

    assert [(0, "each"), (1, "each[0]/x"), (2, "each[1]/x")] == numbered(made)


def test_node_that_is_still_open_shows_what_is_inside():
    """It is numbered as if it had completed: a child after its steps, a fan-out before those of its instances."""
    child = Made(Diary).step("a", {})
    child.log.open = Open(1, "child", inner("x").log)
    spread = Made(Diary).step("a", {})
    logs = [inner("x").log, None, inner("y").log]
    spread.log.open = Open(1, "each", spread=spreading(1, PENDING, PENDING, logs=logs))

    assert [(0, "a"), (1, "child/x"), (1, "child")] == numbered(child)
    assert [(0, "a"), (1, "each"), (2, "each[0]/x"), (3, "each[2]/y")] == numbered(spread)


def test_open_child_without_steps_takes_a_number():
    """It was entered and has done nothing yet."""
    made = Made(Diary).step("a", {})
    made.log.open = Open(1, "child", Made(Diary).log)

    assert [(0, "a"), (1, "child")] == numbered(made)


def test_node_in_which_the_run_was_stopped_is_told():
    """With its number, and that its edge had not been reached; beside the steps, of which it is none."""
    made = Made(Diary).step("a", {}, "b")
    made.log.open = Open(1, "b", stopped=True)
    _, stop = walk(made.log)

    assert "OpenStep(1, 'b', stopped)" == repr(stop)
    assert (1, False, None) == (stop.index, stop.at_edge, stop.instances)


def test_stop_at_an_edge_has_the_number_of_its_node():
    """The node completed, and then its router was stopped."""
    made = Made(Diary).step("a", {}).step("b", {}, to=None)
    made.log.open = Open(2, "b", at_edge=True, stopped=True)

    assert [(0, "a"), (1, "b"), (1, "b")] == numbered(made)
    assert [True] == [each.at_edge for each in walk(made.log) if isinstance(each, OpenStep)]


def test_open_node_that_has_been_committed_meanwhile_is_not_told_twice():
    """What is open says how many commits there were when it was entered."""
    made = Made(Diary).step("child", {}, child=inner("x"))
    made.log.open = Open(0, "child", inner("x").log)

    assert [(0, "child/x"), (0, "child")] == numbered(made)


def test_graphs_nested_deeper_than_the_stack_are_walked():
    """Two thousand graphs within each other: no recursion."""
    made = inner("x")
    for _ in range(2000):
        made = Made(Diary).step("child", {}, child=made)
    steps = list(walk(made.log))

    assert 2001 == len(steps)
    assert "child/child/x" == steps[0].path[-13:]


def test_steps_of_the_last_commit():
    """The part of the walk that belongs to it, from a given number on, and the number after it."""
    made = Made(Diary).step("a", {}).step("child", {}, child=inner("x", "y"))
    steps, following = walk_last(made.log, first=7)

    assert [(7, "child/x"), (8, "child/y"), (8, "child")] == [(each.number, each.path) for each in steps]
    assert 9 == following


def test_paths_are_told_with_instances_in_brackets():
    """The path as text, and the names alone."""
    instance = Made(Diary).step("c", {}, child=inner("x"))
    _, step, _ = walk(Made(Diary).step("each", {}, instances=fan_out(1, [], logs=[instance])).log)

    assert ("each[0]/c/x", ("each", "c", "x")) == (step.path, step.namespace)
    assert (Part("each", 0), Part("c", None)) == step.parents


def first_step(update: Mapping[str, Any], **given: Any) -> Any:
    """The one step of a run that writes the update."""
    return next(iter(walk(Made(Diary, given).step("a", update).log)))


def test_states_before_and_after_are_of_the_users_class():
    """With properties and all, and in plain lists of the caller's own."""
    step = first_step({"n": 2, "log": ["b"]}, n=1, log=["a"])

    assert (Diary, Diary) == (type(step.before), type(step.after))
    assert (2, 4) == (step.before.double, step.after.double)
    assert (["a"], ["a", "b"]) == (step.before.log, step.after.log)
    assert list is type(step.after.log)


def test_looking_at_a_step_does_not_touch_the_record():
    """What is changed in a state, or in a delta, that was handed out is not seen by the next look."""
    step = first_step({"log": ["b"], "notes": {"k": [1]}}, log=["a"])
    step.after.log.append("x")
    step.after.notes["k"].append(9)
    for each in step.deltas:
        each.before.clear()
        each.written.clear()
        each.after.clear()

    assert (["a"], ["a", "b"], {"k": [1]}) == (step.before.log, step.after.log, step.after.notes)
    assert (["a"], ["b"], ["a", "b"]) == (step.deltas[0].before, step.deltas[0].written, step.deltas[0].after)


def test_earlier_states_are_not_changed_by_later_steps():
    """What a step showed it still shows after the list has grown."""
    made = Made(Diary).step("a", {"log": ["a"]}, "b")
    step = next(iter(walk(made.log)))
    before = step.after
    made.step("b", {"log": ["b"]}, "c").step("c", {"log": gn.Replace([])})

    assert ["a"] == before.log == step.after.log


def test_delta_tells_field_reducer_and_values():
    """One per written field, in the order of the update."""
    log, n = first_step({"log": ["b"], "n": 3}, log=["a"]).deltas

    assert ("log", "append", ["a"], ["b"], ["a", "b"]) == (log.field, log.reducer, log.before, log.written, log.after)
    assert ("n", "last_write_wins", 0, 3, 3) == (n.field, n.reducer, n.before, n.written, n.after)
    assert not log.is_replace


def test_replacement_is_marked():
    """A write that went round the reducer says so."""
    (log,) = first_step({"log": gn.Replace(["new"])}, log=["a"]).deltas

    assert (True, "Replace", ["new"], ["new"]) == (log.is_replace, log.reducer, log.written, log.after)


def test_delta_of_a_fan_out_knows_its_instances():
    """Only for the fields that received a list of the instances' values."""
    made = Made(Diary).step("each", {"log": ["a", "b"], "n": 2}, instances=fan_out(2, ["log"]))
    log, n = next(iter(walk(made.log))).deltas

    assert 2 == log.instances.count
    assert n.instances is None


def test_targets_are_empty_while_the_edge_is_not_asked():
    """And hold the choice afterwards."""
    made = Made(Diary).step("a", {}, "b").step("b", {}, to=None)

    assert [("b",), ()] == [step.targets for step in walk(made.log)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("append", [1], [2], [1, 2]), ("append", [1], [2], [1, 2])),
        (("custom", math.nan, [math.nan], {"k": math.nan}), ("custom", math.nan, [math.nan], {"k": math.nan})),
    ],
)
def test_deltas_with_equal_facts_are_equal(one, other):
    """NaN counts as equal to itself."""
    assert delta(*one[1:], reducer=one[0]) == delta(*other[1:], reducer=other[0])


@pytest.mark.parametrize(
    "other",
    [
        delta([1], [2], [1, 2], "merge"),
        delta([0], [2], [1, 2]),
        delta([1], [3], [1, 2]),
        delta([1], [2], [1, 2.0]),
        delta([1], [2], [True, 2]),
    ],
)
def test_deltas_with_other_facts_differ(other):
    """Reducer, values and the values' types count."""
    assert delta([1], [2], [1, 2]) != other


def test_arrays_do_not_break_the_comparison():
    """Equality of values that compare element by element is found all the same."""
    numpy = pytest.importorskip("numpy")
    one, same, other = ([numpy.array(items)] for items in ([1, 2], [1, 2], [1, 3]))

    assert delta(None, None, one) == delta(None, None, same)
    assert delta(None, None, one) != delta(None, None, other)


def not_equal(one: object, other: object) -> bool:
    """True if they differ."""
    return one != other


def test_steps_with_equal_facts_are_equal():
    """Number, place, targets and deltas, of whatever run."""
    assert first_step({"n": 1}) == first_step({"n": 1})
    assert first_step({"n": 1}) != first_step({"n": 2})
    assert not_equal(*walk(inner("a", "b").log))


def test_steps_and_deltas_are_equal_to_nothing_else():
    """Python may ask the other side."""
    step = first_step({"n": 1})

    assert step != "step"
    assert step.deltas[0] != "delta"


def test_texts_are_short_and_without_addresses():
    """What stands in a notebook's output."""
    step, failed = walk(Made(Diary).step("a", {"n": 1, "log": ["x"]}, to=None).fail("a", at_edge=True).log)

    assert "Step(0, 'a', writes ['n', 'log'])" == repr(step)
    assert "Delta('n', last_write_wins)" == repr(step.deltas[0])
    assert "FailedStep(0, 'a', node_exception)" == repr(failed)


def both(*names: str, owners: tuple[int | None, ...] = (), logs: tuple[Made | None, ...] = ()) -> Instances:
    """Parallel branches that have all completed."""
    inner = tuple(each.log if each else None for each in logs) or (None,) * len(names)
    return Instances(
        len(names), inner, tuple(range(len(names))), (), None, (), names=names, owners=owners, unit="branch"
    )


def of_branches(*writes: tuple[int | None, dict[str, Any]]) -> list[Delta]:
    """The deltas of a step in which these branches have written, one after the other."""
    made = Made(Diary)
    for _, write in writes:
        made.step("both", write)
    folds = tuple(fold for commit in made.log.commits for fold in commit.folds)
    owners = tuple(owner for owner, write in writes for _ in write)
    made.log.commits[:] = [Commit("both", folds, None, both("left", "right", owners=owners))]
    return list(next(iter(walk(made.log))).deltas)


def test_branch_that_is_a_function_takes_a_number():
    """Its step is within the node's; one that is a graph has steps of its own, under its name."""
    made = Made(Diary).step("both", {}, instances=both("left", "right", logs=(None, inner("x")))).step("b", {})

    assert [(0, "both"), (2, "both[right]/x"), (3, "b")] == numbered(made)


def test_deltas_name_the_branch_that_wrote():
    """In the order of the folds, each from its own value before; the node's own write has no branch."""
    deltas = of_branches((0, {"log": ["l"]}), (1, {"log": ["r"]}), (None, {"n": 1}))

    assert [("log", "left"), ("log", "right"), ("n", None)] == [(each.field, each.branch) for each in deltas]
    assert [[], ["l"], 0] == [each.before for each in deltas]


def test_write_that_a_later_branch_took_nothing_of_is_overwritten():
    """By its name, the empty one for the node itself; the last one stands."""
    deltas = of_branches((0, {"n": 1}), (1, {"n": 2}), (None, {"n": 3}))

    assert ["right", "", None] == [each.overwritten_by for each in deltas]


def test_write_that_was_folded_into_or_replaced():
    """A reducer takes it over; `Replace` does not; other fields do not matter."""
    folded = of_branches((0, {"log": ["l"]}), (1, {"n": 1, "log": ["r"]}))
    replaced = of_branches((0, {"log": ["l"]}), (1, {"log": gn.Replace(["r"])}))

    assert [None, None, None] == [each.overwritten_by for each in folded]
    assert ["right", None] == [each.overwritten_by for each in replaced]


def test_deltas_of_other_branches_differ():
    """Equal writes by another branch are another record."""
    left, right = of_branches((0, {"n": 1}))[0], of_branches((1, {"n": 1}))[0]

    assert left == of_branches((0, {"n": 1}))[0]
    assert left != right


def test_step_tells_its_attempts():
    """What failed before, whether the node was asked, and whether middleware answered in its place."""
    error = ValueError("no")
    made = Made(Diary)
    made.log.commits += [
        Commit("a", (), failures=(error,)),
        Commit("b", (), failures=(error,), is_degraded=True),
        Commit("c", (), is_entered=False),
    ]
    told = [(each.failures, each.is_degraded, each.is_entered) for each in walk(made.log)]

    assert [((error,), False, True), ((error,), True, True), ((), False, False)] == told


def test_failed_step_tells_its_attempts():
    """As the log has them."""
    made = Made(Diary)
    made.log.failure = Failure("a", gn.RunError("a", "no"), failures=(ValueError(),), is_entered=False)
    (failed,) = walk(made.log)

    assert (made.log.failure.failures, False) == (failed.failures, failed.is_entered)


def test_step_tells_what_its_instances_did():
    """As the log has it; None for other nodes."""
    made = fan_out(2, ["log"])

    assert [made, None] == [
        each.instances for each in walk(Made(Diary).step("each", {}, instances=made).step("b", {}).log)
    ]


def test_numbers_of_steps_stand_there_once():
    """A subgraph bears that of its last inner step."""
    inner = Made(Diary).step("a", {}, "b").step("b", {})
    steps = Made(Diary).step("plan", {}, "sub").step("sub", {}, child=inner).trace().steps

    assert [0, 1, 2, 2] == [each.number for each in steps]
    assert (0, 1, 2) == numbers_in(steps)


def test_parents_tell_of_what_kind_the_parts_of_a_node_are():
    """Names alone do not: a branch and a delegate may be called alike."""
    made = both("left", "right", logs=(None, inner("x")))
    units = [
        list(walk(Made(Diary).step("both", {}, instances=made._replace(unit=unit)).log))[-1].parents[0].unit
        for unit in ("branch", "delegate")
    ]

    assert ["branch", "delegate"] == units
