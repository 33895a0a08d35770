"""What the instances of a fan-out did, finished or not."""

import pickle
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.trace.instances import PENDING, Fates, Instances, fates_of
from tests.trace.spreadings import spreading
from tests.traces import Made, fan_out


class Diary(gn.State):
    log: Annotated[list[str], gn.append] = []


def test_finished_instances_are_paired_with_what_they_gave():
    """The bare value, under the number of its instance; None is a value."""
    made = spreading(5, PENDING, None, PENDING).so_far()

    assert ((0, (5,)), (2, (None,))) == made.given
    assert (4, (), ("log",)) == (made.count, made.slots, made.into)


def test_contribution_of_several_fields_has_a_value_for_each():
    """From the place on at which the collected ones begin."""
    assert ((0, ("a", 1)),) == spreading(("a", 1), into=("out", "more"), first=0).so_far().given
    assert ((0, (1,)),) == spreading((None, 1), into=("more",), first=1).so_far().given


def test_failures_are_told_by_instance():
    """Whatever failed first."""
    first, second = ValueError("first"), ValueError("second")

    assert ((0, first), (2, second)) == spreading(*[PENDING] * 3, errors={2: second, 0: first}).so_far().errors


def test_what_has_not_begun_is_counted():
    """Items that nobody has taken yet."""
    assert 1 == spreading(5, PENDING, PENDING, begun=1).so_far().begun


def test_record_does_not_change_when_instances_go_on():
    """Neither results nor errors nor logs nor items that come later are in it."""
    logs: list[Any] = [None, None]
    under_way = spreading(5, PENDING, begun=1, logs=logs)
    made = under_way.so_far()
    next(under_way.ahead)
    under_way.results[1] = 6
    under_way.errors[1] = ValueError()
    under_way.logs[1] = Made(Diary).log

    assert (((0, (5,)),), (), 1, (None, None)) == (made.given, made.errors, made.begun, made.logs)


def test_values_are_own_copies():
    """A worker may go on to change what it gave."""
    value = {"k": [1]}
    made = spreading(value).so_far()
    value["k"].append(2)

    assert {"k": [1]} == made.given[0][1][0]


def test_value_that_cannot_be_copied_is_kept_as_it_is(monkeypatch):
    """Another instance may be changing it at this very moment."""

    def fail(value: object) -> None:
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr("graphnb.trace.instances.detach", fail)
    value = [1]

    assert value is spreading(value).so_far().given[0][1][0]


def test_completed_fan_out_tells_no_values_beside_its_fold():
    """They are in the fold; all instances have begun."""
    made = spreading(5, PENDING, errors={1: ValueError()}).collected((0,))

    assert ((0,), (), None) == (made.slots, made.given, made.begun)


@pytest.mark.parametrize(
    ("made", "fates"),
    [
        (
            spreading(1, PENDING, PENDING, PENDING, errors={2: ValueError()}, begun=3).so_far(),
            Fates((0,), (2,), (1,), range(3, 4)),
        ),
        (fan_out(3, ["log"], errors={1: ValueError()}), Fates((0, 2), (1,), (), ())),
        (fan_out(2, ["log"]), Fates(range(2), (), (), ())),
    ],
    ids=["under way", "completed with a failure", "completed"],
)
def test_every_instance_has_one_fate(made, fates):
    """Finished, failed, stopped or never started."""
    assert fates == fates_of(made)


def test_delegate_that_failed_has_a_slot_and_one_fate():
    """None stands there, and it has not finished."""
    asked = Instances(3, (), range(3), ((1, ValueError()),), None, ("out",), names=("a", "b", "c"), unit="delegate")

    assert Fates((0, 2), (1,), (), ()) == fates_of(asked)
    assert Fates(range(3), (), (), ()) == fates_of(asked._replace(errors=()))


def test_pending_says_what_it_is():
    """In a debugger, and in a failing test."""
    assert "PENDING" == repr(PENDING)


def test_writer_of_a_fold_is_a_branch_or_nobody():
    """By the places that the engine has kept; the node's own write has none, nor has a fan-out's."""
    made = Instances(2, (None, None), (0, 1), (), None, (), names=("a", "b"), owners=(1, None))

    assert ["b", None] == [made.writer(0), made.writer(1)]
    assert fan_out(2, ["log"]).writer(0) is None


def test_instance_is_called_by_its_number_or_its_branch():
    """Branches have names."""
    assert (1, "b") == (fan_out(2, ["log"]).label(1), Instances(2, (), (), (), None, (), names=("a", "b")).label(1))


def test_mark_of_what_is_not_finished_stays_itself_when_pickled():
    """It is told by identity."""
    assert PENDING is pickle.loads(pickle.dumps(PENDING))
