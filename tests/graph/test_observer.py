"""Observers as they are declared: checked, named, and told of the phases they ask for."""

import functools
from typing import Any

import pytest

import graphnb as gn
from graphnb.graph.observer import PHASES, Observer, observer, observer_of


def watch(event: Any) -> None:
    """An observer."""


class Watcher:
    def __call__(self, event: Any) -> None: ...


@pytest.mark.parametrize(
    ("function", "name"),
    [(watch, "watch"), (Watcher(), "Watcher"), (functools.partial(watch), "partial"), ([].append, "append")],
)
def test_observer_is_named_after_its_function(function, name):
    """Or after its class, if it is an object."""
    observer = observer_of(function, "graph 'g'")

    assert (function, name) == (observer.function, observer.name)


def test_observer_may_be_given_a_name():
    """By which a later cell replaces it."""
    assert "mine" == observer_of(watch, "graph 'g'", name="mine").name


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        (PHASES, {"started", "completed"}),
        ("started", {"started"}),
        (["completed"], {"completed"}),
        ({"started", "completed"}, {"started", "completed"}),
        (iter(["started", "started"]), {"started"}),
    ],
    ids=["default", "one", "list", "set", "iterator"],
)
def test_phases_may_be_given_in_any_form(phases, expected):
    """One by itself, or several in whatever holds them."""
    assert expected == observer_of(watch, "graph 'g'", phases=phases).phases


def test_every_phase_is_told_by_default():
    """Also of an observer that is made by hand."""
    assert frozenset(PHASES) == observer_of(watch, "graph 'g'").phases == Observer(watch, "watch").phases


def test_observer_that_is_made_already_stays_as_it_is():
    """Whatever else is said."""
    observer = Observer(watch, "own", frozenset({"started"}))

    assert observer is observer_of(observer, "graph 'g'", phases="completed", name="other")


@pytest.mark.parametrize("given", [None, 5, "watch"])
def test_what_cannot_be_called_is_refused(given):
    """With value and type."""
    with pytest.raises(gn.InvalidDeclaration, match=r"graph 'g': observer is .*\nGive a function\."):
        observer_of(given, "graph 'g'")


@pytest.mark.parametrize("phases", [[], (), set(), iter(())])
def test_observer_of_no_phase_is_refused(phases):
    """It would never be told."""
    with pytest.raises(
        gn.InvalidDeclaration, match=r"an observer of no phase would never be told\nPhases: \['started', 'completed'\]"
    ):
        observer_of(watch, "graph 'g'", phases=phases)


@pytest.mark.parametrize(
    ("phases", "message"),
    [
        ("start", r"'start' is no phase\nPhases: .* Did you mean 'started'\?"),
        (["started", 3], r"3 is no phase"),
        ([["started"]], r"\['started'\] is no phase"),
        (None, "None is no phase"),
    ],
)
def test_unknown_phase_is_refused_with_what_there_is(phases, message):
    """And with the nearest one."""
    with pytest.raises(gn.InvalidDeclaration, match=message):
        observer_of(watch, "graph 'g'", phases=phases)


def test_observer_of_one_run_may_ask_for_phases():
    """Made by hand, for the list that a run takes; faults are told under the name of what makes it."""
    made = observer(watch, phases="started", name="mine")

    assert (watch, "mine", frozenset({"started"})) == (made.function, made.name, made.phases)
    assert frozenset(PHASES) == observer(watch).phases
    with pytest.raises(gn.InvalidDeclaration, match=r"gn\.observer: 'start' is no phase"):
        observer(watch, phases="start")
