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
    """Unless it is given another name; to say its phases again changes nothing."""
    observer = Observer(watch, "own", frozenset({"started"}))

    assert observer is observer_of(observer, "graph 'g'") is observer_of(observer, "graph 'g'", phases=["started"])
    assert Observer(watch, "other", frozenset({"started"})) == observer_of(observer, "graph 'g'", name="other")


@pytest.mark.parametrize("phases", ["completed", ["started", "completed"]], ids=["another", "more"])
def test_observer_that_is_made_already_is_told_of_no_other_phases(phases):
    """What is said beside its own phases would be dropped: it is refused, with the two ways to say it once."""
    observer = Observer(watch, "own", frozenset({"started"}))
    told = (
        r"^graph 'g': observer 'own' is told of started already, and here of (started and )?completed\n"
        r"Say it once: give the bare function here, or leave phases out\.$"
    )
    with pytest.raises(gn.InvalidDeclaration, match=told):
        observer_of(observer, "graph 'g'", phases=phases)


def test_observer_of_a_run_keeps_its_phases_and_name_as_one_of_the_graph():
    """`graph.observer(gn.observer(f, phases=..., name=...))` needs nothing else."""
    graph = gn.Graph(type("Text", (gn.State,), {}), entry="a")
    graph.observer(gn.observer(watch, phases="started", name="mine"))

    assert (Observer(watch, "mine", frozenset({"started"})),) == graph.spec().observers


def test_nameless_observer_of_a_run_needs_a_name_as_one_of_the_graph():
    """A later cell could not replace it otherwise."""
    graph = gn.Graph(type("Text", (gn.State,), {}), entry="a")
    with pytest.raises(gn.InvalidDeclaration, match=r"has no name\nGive one: graph\.observer\(function, name='name'\)"):
        graph.observer(gn.observer(lambda event: None))


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
