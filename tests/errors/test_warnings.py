"""Warnings say where, what and how to mend, like errors; nobody has to catch them."""

import copy
import pickle
import warnings

import pytest

from graphnb.errors import GraphError, GraphWarning, ObserverWarning, ProjectionRoundTripWarning

CATEGORIES = {
    GraphWarning: "graph_warning",
    ProjectionRoundTripWarning: "projection_reducer_round_trip",
    ObserverWarning: "observer_failed",
}
CLASSES = pytest.mark.parametrize("cls", CATEGORIES)


@CLASSES
def test_warning_has_a_category_and_is_no_error(cls):
    """That of the specification where it has one."""
    assert CATEGORIES[cls] == cls.category
    assert issubclass(cls, GraphWarning)
    assert issubclass(cls, UserWarning)
    assert not issubclass(cls, GraphError)


@CLASSES
def test_warning_is_one_line(cls):
    """Place, fault and mend, as Python prints warnings."""
    assert "node 'a': is odd. Mend it." == str(cls("node 'a'", "is odd", "Mend it."))
    assert "node 'a': is odd." == str(cls("node 'a'", "is odd"))


@CLASSES
def test_warning_can_be_filtered_by_its_class(cls):
    """An error where the user wants one, silence where not."""
    warning = cls("node 'a'", "is odd")
    with warnings.catch_warnings():
        warnings.simplefilter("error", cls)
        with pytest.raises(cls, match="is odd"):
            warnings.warn(warning, stacklevel=1)
        warnings.simplefilter("ignore", cls)
        warnings.warn(warning, stacklevel=1)


@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_warning_keeps_its_parts_when_copied_or_pickled(travel):
    """Also what was added."""
    warning = ProjectionRoundTripWarning("node 'a'", "is odd", "Mend it.")
    warning.field, warning.reducer, warning.channel = "log", "append", "inputs and outputs"
    again = travel(warning)

    assert ("node 'a'", "is odd", "Mend it.") == (again.where, again.what, again.mend)
    assert ("log", "append", "inputs and outputs") == (again.field, again.reducer, again.channel)


def test_own_attributes_start_out_empty():
    """Those of one warning are not another's."""
    warning = ProjectionRoundTripWarning("w", "x")

    assert ("", "", "") == (warning.field, warning.reducer, warning.channel)
