"""Events: what is expected wrongly fails, and a product that tells observers wrongly does not get through."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.observers.delivery import Delivery
from tests.conformance.written import DRAINED, LAYERED, SOUND, WATCHED, changed, reason_of

FIRST = "namespace: [crack], pre_state: {eggs: 2, foam: 0}"


@pytest.mark.parametrize("text", [WATCHED, LAYERED, DRAINED], ids=["watched", "layered", "drained"])
def test_control_passes(tmp_path: Path, text: str) -> None:
    """The cases that the tests below spoil do pass as they are."""
    assert "" == reason_of(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (FIRST, FIRST.replace("eggs: 2", "eggs: 3"), "observer_events.cook[0].pre_state.eggs: expected 3, got 2"),
        (FIRST, FIRST.replace(", foam: 0", ""), "cook[0].pre_state: got a key 'foam' with 0 that is not expected"),
        (FIRST, FIRST.replace("[crack]", "[whisk, crack]"), "cook[0].namespace: expected ['whisk', 'crack'] (2 items)"),
        ("attempt_index: 0, post", "attempt_index: 1, post", "cook[1].attempt_index: expected 1, got 0"),
        ("attempt_index: 0, post", "fan_out_index: 0, post", "fan_out_index: expected 0 (int), got None"),
        ("attempt_index: 0, post", "branch_name: a, post", "branch_name: expected 'a' (str), got None"),
        ("attempt_index: 0, post", "fan_out_index_chain: [0], post", "index_chain: expected [0] (1 item), got []"),
        ("attempt_index: 0, post", "branch_name_chain: [a], post", "name_chain: expected ['a'] (1 item), got []"),
        ("attempt_index: 0, post", "fan_out_config: {}, post", "fan_out_config: expected {} (dict), got None"),
        ("attempt_index: 0, post", "parallel_branches_config: {}, post", "branches_config: expected {} (dict), got N"),
        ("attempt_index: 0, post", "error: node_exception, post", "[1].error: expected 'node_exception' (str), got N"),
        ("attempt_index: 0, post", "error: {category: x}, post", "cook[1].error: expected 'x' (str), got None"),
        ("parent_states: []", "parent_states: [{}]", "cook[1].parent_states: expected [{}] (1 item), got [] (0 items)"),
        ("[{eggs: 3, foam: 0}]", "[{eggs: 2, foam: 0}]", "cook[2].parent_states[0].eggs: expected 2, got 3"),
        ("post_state: {foam: 5}, error_absent: true}\n    pan", "error_absent: false}\n    pan", "error_absent: exp"),
        ("- {step: 1, phase: completed, node_name: stir}", "- {step: 0, node_name: stir}", "pan[0].step: expected 0"),
        ("- {step: 1, phase: completed, node_name: stir}", "[]", "pan: expected 0 events, got 1: ['whisk/stir compl"),
        ("    pan:\n", "    pot:\n", "observer_events: 'pot' is no observer of the case"),
        ("    - {observer: pan, step: 1, phase: completed}\n", "", "delivery_order: expected [{"),
        ("- {observer: pan, step: 1", "- {observer: pan, step: 2", "delivery_order[7].step: expected 2, got 1"),
        ("- {observer: pan, ", "- {observer: guest, ", "delivery_order[7].observer: expected 'guest', got 'pan'"),
        ("event: {node_name: stir, post_state: {foam: 5}", "event: {node_name: stir, post_state: {foam: 6}", "foam: e"),
        ("event: {node_name: stir", "event: {node_name: whisk", "observer_event: 'whisk' completed 0 times, want once"),
        ("phase: started, error_category: null", "phase: completed", "attempt_events[0].phase: expected 'completed'"),
        ("error_category: null", "error_category: x", "attempt_events[0].error_category: expected 'x' (str), got None"),
        ("    - {node_name: crack, phase: completed, attempt_index: 0}\n", "", "attempt_events: expected 1 events"),
        ("{crack_node_events_count: 2, ", "{crack_node_events_count: 3, ", "crack_node_events_count: expected 3, got"),
        (", inner_event_count: 2", ", inner_event_count: 4", "as 'cook' saw it.inner_event_count: expected 4, got 2"),
    ],
)  # fmt: skip
def test_wrong_expectation_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """Number, order, and every key of an event that is expected are held against what came."""
    assert reason in reason_of(tmp_path, changed(WATCHED, old, new))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("attempt_index: 0, post", "atempt_index: 0, post", "cook[1].atempt_index: not supported yet: atempt_index"),
        ("phases: [completed]", "phases: [suspended]", "phases[0]: not supported yet: suspended"),
        ("phases: [completed]", "sleep: 1", "observers[1].sleep: not supported yet: sleep"),
        ("behavior: raise", "behavior: shout", "must be one of ['record', 'accumulate', 'raise'], not str: 'shout'"),
        ("attach: invocation", "attach: run", "must be one of ['graph', 'invocation'], not str: 'run'"),
        ("target: beat", "target: bowl", "observer 'pan': 'bowl' is no graph that the case runs\nGraphs: ['beat', '"),
        ("attach: invocation, target: outer", "attach: invocation, target: beat", "sees the outermost graph\nWrite ta"),
        ("name: guest", "name: cook", "line 21, observers[2]: a second observer is named 'cook'\nRename one."),
        ("name: guest", 'name: "(recorder)"', "a second observer is named '(recorder)'"),
        ("crack_node_events_count", "crack_node_event_count", "not supported yet: crack_node_event_count"),
        ("crack_node_events_count", "cruck_node_events_count", "'cruck' is neither a node nor a branch of the case"),
        ("{crack_node_events_count: 2, inner_event_count: 2}", "{}", "observer_event_invariants: asserts nothing"),
        ("{node_name: stir, post_state: {foam: 5}, error_absent: true}\n  exp", "{}\n  exp", "has no 'node_name'"),
    ],
)  # fmt: skip
def test_what_is_not_understood_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """An unknown key, name or claim is no reason to pass."""
    assert reason in reason_of(tmp_path, changed(WATCHED, old, new))


def test_bare_list_of_events_is_held_against_all_of_them(tmp_path: Path) -> None:
    """Without an observer in the case the harness's own one is asked; one event too few fails."""
    events = "[{node_name: crack, step: 0}, {phase: completed}, {node_name: whisk}, {namespace: [whisk]}]"
    text = f"{SOUND}  observer_events: {events}\n"

    assert "" == reason_of(tmp_path, text)
    assert "observer_events: expected 3 events, got 4" in reason_of(
        tmp_path, text.replace(", {namespace: [whisk]}", "")
    )


def _lose(self: Delivery, event: Any, observers: Any) -> None:
    if getattr(event, "phase", "") != "completed" or event.node_name != "stir":
        PUT(self, event, observers)


def _double(self: Delivery, event: Any, observers: Any) -> None:
    PUT(self, event, observers)
    if event.node_name == "stir":
        PUT(self, event, observers)


def _swap(self: Delivery, event: Any, observers: Any) -> None:
    PUT(self, event, tuple(reversed(observers)))


def _renumber(self: Delivery, event: Any, observers: Any) -> None:
    PUT(self, dataclasses.replace(event, step=event.step + 1), observers)


def _forget(self: Delivery, event: Any, observers: Any) -> None:
    PUT(self, dataclasses.replace(event, kept_post=None), observers)


def _rename(self: Delivery, event: Any, observers: Any) -> None:
    PUT(self, dataclasses.replace(event, invocation_id="another"), observers)


def _orphan(self: Delivery, event: Any, observers: Any) -> None:
    PUT(self, dataclasses.replace(event, kept_parents=()), observers)


def _flatten(self: Delivery, event: Any, observers: Any) -> None:
    lineage = dataclasses.replace(event.lineage, fan_out_index_chain=(), branch_name_chain=())
    PUT(self, dataclasses.replace(event, lineage=lineage), observers)


PUT = Delivery.put


@pytest.mark.parametrize(
    ("put", "reason"),
    [
        (_lose, "observer_events.cook: expected 4 events, got 3"),
        (_double, "starts an attempt before the one before it has completed"),
        (_double, "completes what has not started"),
        (_swap, "delivery_order[0].observer: expected 'cook', got 'guest'"),
        (_renumber, "the steps of the events are [1, 2], want each number from 0 on"),
        (_forget, "event NodeEvent(0, 'crack', completed) has 0 of post_state and error"),
        (_rename, "event NodeEvent(0, 'crack', started) belongs to another invocation"),
        (_orphan, "event NodeEvent(1, 'whisk/stir', started) has 0 parent states, want 1"),
        (_flatten, "event NodeEvent(1, 'whisk/stir', started) has chains ((), ()), want 1 entries in each"),
    ],
)
def test_product_that_tells_observers_wrongly_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Any, reason: str
) -> None:
    """Events that are lost, doubled, swapped or changed are found out, most of them whatever the case expects."""
    monkeypatch.setattr(Delivery, "put", put)

    assert reason in reason_of(tmp_path, WATCHED)


def test_product_that_tells_observers_nothing_fails_a_case_that_says_nothing_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every case is run with the harness's own observer too, and its events must fit the run."""
    monkeypatch.setattr(Delivery, "put", lambda self, event, observers: None)

    assert "by its events the run has entered [], by its own account ['crack', 'whisk']" in reason_of(tmp_path, SOUND)


def test_observer_that_changes_the_outcome_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is watched must give what one gives that nobody watches."""
    run = gn.Graph.run

    def other(self: gn.Graph, state: Any = None, /, **options: Any) -> gn.Run:
        return run(self, state, **options, **({"log": ["watched"]} if "observers" in options else {}))

    monkeypatch.setattr(gn.Graph, "run", other)

    assert "differs from the first (graph.run, def nodes).state.log" in reason_of(tmp_path, SOUND)


def test_order_of_attempts_that_depends_on_the_way_of_running_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Observers of all ways must be told the same of the outermost nodes."""

    def put(self: Delivery, event: Any, observers: Any) -> None:
        lineage = dataclasses.replace(event.lineage, attempt_index=int(self._loop is not None))
        PUT(self, dataclasses.replace(event, lineage=lineage), observers)

    monkeypatch.setattr(Delivery, "put", put)

    assert "observers are told [('crack', 'started', 1)" in reason_of(tmp_path, SOUND)


def test_product_that_takes_an_observer_of_no_phase_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registering one must raise."""
    observer = gn.Graph.observer

    def lenient(self: gn.Graph, function: Any = None, /, **options: Any) -> Any:
        return observer(self, function, **{**options, "phases": options.get("phases") or ("started", "completed")})

    monkeypatch.setattr(gn.Graph, "observer", lenient)

    assert "an observer of no phase was registered" in reason_of(tmp_path, WATCHED)


def test_product_that_is_silent_about_an_observer_that_raises_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody must be warned."""
    monkeypatch.setattr("graphnb.engine.observers.delivery.warn_of", lambda *_, error: None)

    assert "an observer raised, and nobody was warned" in reason_of(tmp_path, WATCHED)


@pytest.mark.parametrize("word", ["invocation_id", "correlation_id"])
def test_id_of_the_caller_is_used_or_the_case_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """A run bears the id that it was given, and so do its events."""
    text = f"caller_{word}: mine\n{WATCHED}"
    assert "" == reason_of(tmp_path, text)

    monkeypatch.setattr(gn.Run, word, property(lambda self: "other"))
    reason = reason_of(tmp_path, text)

    assert f"caller_{word}: expected 'mine', got 'other'" in reason
    assert {"invocation_id": "belongs to another invocation", "correlation_id": "has another correlation id"}[
        word
    ] in reason
