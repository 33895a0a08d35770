"""Middleware: what is expected wrongly fails, and a product that dispatches wrongly does not get through."""

from pathlib import Path
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.middleware.isolation import FailureIsolation
from graphnb.engine.middleware.retry import Retry
from graphnb.engine.middleware.timing import Timing
from tests.conformance.written import FAN_OUT, ISOLATED, LAYERED, SOUND, changed, reason_of

RETRY = "{type: retry, max_attempts: 2, backoff: {type: deterministic, seconds: 0}}"
FLAKY = """\
    flaky:
      failure_sequence: [{category: provider_unavailable, transient: true, message: cold}]
      success_update: {eggs: 3, trace: [crack]}
"""


@pytest.mark.parametrize("text", [LAYERED, ISOLATED], ids=["layered", "isolated"])
def test_control_passes(tmp_path: Path, text: str) -> None:
    """The cases that the tests below spoil do pass as they are."""
    assert "" == reason_of(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("{state_in: {eggs: 2", "{state_in: {eggs: 3", "trace_records.lid[0].state_in.eggs: expected 3, got 2"),
        ("{eggs: 3, trace: [down, crack, up]}}", "{eggs: 3, trace: []}}", "partial_update_returned.trace: expected []"),
        ("pre_seen: true", "pre_seen: false", "trace_records.lid[0].pre_seen: expected False, got True"),
        ("post_seen: true", "post_seen: false", "trace_records.lid[0].post_seen: expected False, got True"),
        ("    lid:\n", "    lad:\n", "trace_records.lad: expected 1 dispatches, got 0"),
        ("duration_ms: 4", "duration_ms: 5", "timing_records[0].duration_ms: expected 5, got 4"),
        ("outcome: success", "outcome: exception", "timing_records[0].outcome: expected 'exception', got 'success'"),
        ("exception_category: null", "exception_category: x", "exception_category: expected 'x' (str), got None"),
        ("{node_name: crack, duration", "{node_name: pan, duration", "timing_records[0].node_name: expected 'pan', g"),
        ("    - {node_name: crack, duration_ms: 4, outcome: success, exception_category: null}", "    []",
         "timing_records: expected 0 records, got 1"),
        ("post_marker: up", "post_marker: down", "final_state.trace[2]: expected 'up', got 'down'"),
        ("max_attempts: 2", "max_attempts: 1", "the run failed, which is not expected: NodeException"),
        ("max_attempts: 2", "max_attempts: 2, classifier: {transient_categories: [x]}", "the run failed, which is not"),
        ("advance_ms_per_call: 4", "advance_ms_per_call: 6", "timing_records[0].duration_ms: expected 4, got 6"),
        ("transient: true, ", "transient: false, ", ""),  # the category says it as well
    ],
)  # fmt: skip
def test_wrong_expectation_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """Records of dispatches, and what retry, timing and markers do, are held against what came."""
    got = reason_of(tmp_path, changed(LAYERED, old, new))

    assert reason in got
    assert bool(reason) == bool(got)


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (LAYERED, "type: retry", "type: repeat", "crack[1].type: not supported yet: 'repeat'\nTypes: ['trace_"),
        (LAYERED, "type: retry", "type: [retry]", "per_node.crack[1].type: not supported yet: ['retry']"),
        (LAYERED, RETRY, "{again: {}}", "per_node.crack[1].again: not supported yet: again"),
        (LAYERED, RETRY, "retry", "per_node.crack[1]: must be a mapping, not str"),
        (LAYERED, "max_attempts: 2", "jitter: true", "per_node.crack[1].jitter: not supported yet: jitter"),
        (LAYERED, "type: deterministic, seconds", "type: random, seconds", "must be one of ['deterministic']"),
        (LAYERED, "capture_to: timing_records", "capture_to: times", "must be one of ['timing_records'], not"),
        (LAYERED, "type: deterministic_monotonic", "type: sundial", "clock_stub.type: must be one of ['det"),
        (LAYERED, "per_graph:", "per_grph:", "middleware.per_grph: not supported yet: per_grph"),
        (LAYERED, "    crack:\n      - {type: timing", "    crock:\n      - {type: timing", "'crock' is no node"),
        (LAYERED, "  crack:\n    flaky", "  crack:\n    middleware: []\n    flaky", "stands beside per_node for"),
        (LAYERED, "duration_ms: 4", "seconds: 4", "timing_records[0].seconds: not supported yet: seconds"),
        (LAYERED, "post_seen: true", "seen: true", "trace_records.lid[0].seen: not supported yet: seen"),
        (LAYERED, "max_attempts: 2", "classifier: {type: state_aware_max_retries_remaining}", "asks for a field"),
        (LAYERED, "max_attempts: 2", "classifier: {kind: x}", "needs one of type and trans"),
        (SOUND, "initial_state: {}", "middleware: {per_graph: [{type: trace_recorder}]}", "[0]: has no 'name'"),
        (SOUND, "expected:\n", "middleware: {per_node: {whisk: [{type: short_circuit}]}}\nexpected:\n",
         "per_node.whisk[0]: has no 'partial_update'"),
        (ISOLATED, "degraded_update: {eggs: 1}", "degraded_update: {callable: state_derived, template: x}",
         "degraded_update: has no 'target_field'"),
        (ISOLATED, "degraded_update: {eggs: 1}",
         "degraded_update: {callable: state_derived, template: '{{ state.ham }}', target_field: said}",
         "degraded_update.template: 'ham' is no field of the state"),
        (ISOLATED, "catch: [greasy]", "predicate: {category: greasy}", "not supported yet: category"),
        (ISOLATED, "increment_field: calls", "increment_field: count", "on_caught names 'count' and"),
        (ISOLATED, "event_name: cracked\n        degr", "degr", "has no 'event_name'"),
    ],
)  # fmt: skip
def test_what_is_not_understood_fails(tmp_path: Path, text: str, old: str, new: str, reason: str) -> None:
    """An unknown type or key, a node or a field that is not there, and two places for one thing."""
    assert reason in reason_of(tmp_path, changed(text, old, new))


def test_markers_go_into_a_field_that_must_be_there(tmp_path: Path) -> None:
    """A recorder with markers writes `trace`, and says so where there is none."""
    layer = "middleware: {per_graph: [{type: trace_recorder, name: lid, pre_marker: down}]}"
    reason = reason_of(tmp_path, changed(SOUND, "initial_state: {}", layer))

    assert "middleware.per_graph[0]: has markers, which go into a field 'trace'\nFields: ['eggs', 'log']." in reason


@pytest.mark.parametrize(
    ("layers", "state", "order"),
    [
        ("{type: short_circuit, partial_update: {eggs: 9}}", "{eggs: 18, log: []}", "[whisk]"),
        ("{type: error_recovery, partial_update: {eggs: 9}}", "{eggs: 6, log: [crack]}", "[crack, whisk]"),
        ("{retry: {max_attempts: 3}}", "{eggs: 6, log: [crack]}", "[crack, whisk]"),
    ],
    ids=["short_circuit", "error_recovery", "retry"],
)
def test_layer_beside_a_node_works_as_one_under_per_node(tmp_path: Path, layers: str, state: str, order: str) -> None:
    """A node may list its own middleware; what stands in for it leaves it out of the order."""
    text = changed(SOUND, "crack: {update", f"crack: {{middleware: [{layers}], update")
    text = text[: text.index("expected:")] + f"expected: {{final_state: {state}, execution_order: {order}}}\n"

    assert "" == reason_of(tmp_path, text)


def test_recovery_answers_for_what_has_failed_alone(tmp_path: Path) -> None:
    """The update of error_recovery comes where the node raises, and nothing is raised then."""
    text = changed(LAYERED, RETRY, "{type: error_recovery, partial_update: {eggs: 8, trace: [mended]}}")
    text = text[: text.index("expected:")] + dedented("eggs: 8, trace: [down, mended, up]")

    assert "" == reason_of(tmp_path, text)
    assert "final_state.eggs: expected 3, got 8" in reason_of(
        tmp_path, text.replace("{eggs: 8, trace: [d", "{eggs: 3, trace: [d")
    )


def dedented(state: str) -> str:
    """An expectation of a final state and of one event."""
    return (
        f"expected:\n  final_state: {{{state}}}\n"
        "  expected_observer_event: {node_name: crack, error_absent: true, post_state: "
        f"{{{state}}}}}\n"
    )


def test_middleware_of_instances_gets_the_state_of_the_instance(tmp_path: Path) -> None:
    """Its template reads a field of the worker, and its update fills the slot of the instance that failed."""
    isolation = (
        "concurrency: 2\n      instance_middleware:\n"
        "        - {type: failure_isolation, event_name: e, degraded_update: "
        "{callable: state_derived, template: '{{ state.egg }}0', target_field: foam}}\n"
    )
    text = changed(
        changed(FAN_OUT, "concurrency: 2\n", isolation), "foams: {type: list<int>", "foams: {type: list<any>"
    )
    text = text.replace("foams: [4, 5]", 'foams: [4, "70", 5]')

    assert "" == reason_of(tmp_path, text)
    assert "template: 'eggs' is no field of the state" in reason_of(tmp_path, text.replace("state.egg ", "state.eggs "))


@pytest.mark.parametrize(
    ("kind", "around", "text", "reason"),
    [
        (Retry, lambda self, state, following, dispatch: following(state), LAYERED, "the run failed, which is not"),
        (Timing, lambda self, state, following, dispatch: following(state), LAYERED, "expected 1 records, got 0"),
        (
            FailureIsolation,
            lambda self, state, following, dispatch: following(state),
            ISOLATED,
            "the run failed, which",
        ),
    ],
    ids=["retry", "timing", "isolation"],
)
def test_product_whose_middleware_does_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type, around: Any, text: str, reason: str
) -> None:
    """What the product's own middleware is for is seen by its absence."""
    monkeypatch.setattr(kind, "around", around)

    assert reason in reason_of(tmp_path, text)


def test_product_that_reads_the_clock_three_times_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The case's clock goes on with every look."""
    around = Timing.around

    def curious(self: Timing, state: Any, following: Any, dispatch: Any) -> Any:
        def follow(state: Any) -> Any:
            self.clock()
            return following(state)

        return around(self, state, follow, dispatch)

    monkeypatch.setattr(Timing, "around", curious)

    assert "timing_records[0].duration_ms: expected 4, got 8" in reason_of(tmp_path, LAYERED)


def test_product_that_turns_middleware_around_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of a list is the outermost."""
    text = changed(
        LAYERED,
        "post_marker: up}\n",
        "post_marker: up}\n    - {type: trace_recorder, name: lid2, pre_marker: down2, post_marker: up2}\n",
    ).replace("[down, crack, up]", "[down, down2, crack, up2, up]")
    assert "" == reason_of(tmp_path, text)

    made = gn.Graph.__init__

    def reversed_layers(self: gn.Graph, state: type, *, middleware: Any = (), **options: Any) -> None:
        made(self, state, middleware=[*reversed(middleware)], **options)

    monkeypatch.setattr(gn.Graph, "__init__", reversed_layers)

    assert "final_state.trace[0]: expected 'down', got 'down2'" in reason_of(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    event_name: cracked\n    wr", "    event_name: craked\n    wr", "event_name: expected 'craked'"),
        ("namespace: [crack]", "namespace: [x]", "wrapped_node_lineage.namespace[0]: expected 'x', got 'crack'"),
        ("attempt_index: 0", "attempt_index: 1", "wrapped_node_lineage.attempt_index: expected 1, got 0"),
        ("fan_out_index: null", "fan_out_index: 0", "fan_out_index: expected 0 (int), got None"),
        ("branch_name: null", "branch_name: b", "branch_name: expected 'b' (str), got None"),
        ("pre_state: {eggs: 2", "pre_state: {eggs: 1", "pre_state.eggs: expected 1, got 2"),
        ("post_state: {eggs: 1}", "post_state: {eggs: 1, calls: 0}", "expected a key 'calls' with 0"),
        ("category: greasy\n      m", "category: dry\n      m", "caught_exception.category: expected 'dry', got 'grea"),
        ("message: butter\n      c", "message: slip\n      c", "exception.message: expected 'slip', got 'butter'"),
        ("        - {carrier: false, category: greasy, message: butter}\n", "", "chain: expected 1 links, got 2"),
        ("{carrier: false, category: null", "{carrier: true, category: null", "chain[0].carrier: expected True, got F"),
        ("category: greasy, message: butter}\n  inv", "category: x}\n  inv", "chain[1].category: expected 'x', got 'g"),
        ("calls: 1, said: slip}", "calls: 0, said: slip}", "final_state.calls: expected 0, got 1"),
        ("calls: 1, said: slip}", 'calls: 1, said: ""}', "final_state.said: expected '', got 'slip'"),
        ("catch: [greasy]", "catch: [dry]", "expected_failure_isolation_event: expected 1 isolated failure, got 0"),
        ("catch: [greasy]", "predicate: {matches_category: greasy}", "the run failed, which is not expected"),
    ],
)  # fmt: skip
def test_wrong_expectation_of_an_isolated_failure_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """Every part of what observers are told of it, and what the harness keeps beside the state."""
    assert reason in reason_of(tmp_path, changed(ISOLATED, old, new))


def test_isolated_failure_that_must_not_be_fails(tmp_path: Path) -> None:
    """`no_failure_isolation_event` holds only where none came."""
    told = ISOLATED[: ISOLATED.index("  expected_failure")] + "  no_failure_isolation_event: true\n"

    assert "no_failure_isolation_event: got one named 'cracked'" in reason_of(tmp_path, told)
    assert "" == reason_of(tmp_path, f"{SOUND}  no_failure_isolation_event: true\n")


def test_product_that_does_not_tell_of_an_isolated_failure_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The degraded update alone is not enough."""
    monkeypatch.setattr(FailureIsolation, "around", _silent)

    assert "expected 1 isolated failure, got 0" in reason_of(tmp_path, ISOLATED)


def _silent(self: FailureIsolation, state: Any, following: Any, dispatch: Any) -> Any:
    try:
        return (yield from following(state))
    except Exception:
        return dict(self.degraded_update)
