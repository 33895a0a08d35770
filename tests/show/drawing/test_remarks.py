"""Diagnostics beside a drawing: what several nodes have in common is said once."""

from graphnb.show.drawing.remarks import remarks_of
from tests.show.drawings import fault, warning


def lacking(*names):
    """The fault that nodes have no edge."""
    return [fault(f"node {name!r} has no edge.", number=i, name=name) for i, name in enumerate(names, start=1)]


def test_same_fault_of_several_nodes_is_one_line():
    """With all numbers, and the names of the others."""
    (remark,) = remarks_of(lacking("a", "b", "c"))

    assert ((1, 2, 3), "node 'a' has no edge. The same: 'b', 'c'.") == remark


def test_many_names_are_counted():
    """A few are told."""
    (remark,) = remarks_of(lacking(*"abcdefg"))

    assert remark.text.endswith("The same: 'b', 'c', 'd', 'e', … 2 more.")


def test_faults_that_differ_in_more_than_the_name_stand_apart():
    """So do an error and a warning with the same words, and the same words of no node at all are told once."""
    marks = [*lacking("a"), fault("node 'b' has none.", number=2, name="b"), warning("Look.", number=3)]

    assert [(1,), (2,), (3,), (4,)] == [each.numbers for each in remarks_of([*marks, fault("Look.", number=4)])]


def test_long_line_is_cut_before_the_names():
    """What is said of the others stays."""
    marks = [fault(f"{name!r}: {'x' * 400}", number=i, name=name) for i, name in enumerate("ab", start=1)]
    (remark,) = remarks_of(marks)

    assert 260 + len(" The same: 'b'.") == len(remark.text)
    assert remark.text.endswith("… The same: 'b'.")
