"""Parallel branches: what is expected wrongly fails, and a product that merges wrongly does not get through."""

import time
from pathlib import Path
from typing import Any

import pytest

import graphnb as gn
from tests.conformance.written import BRANCHES, SOUND, changed, reason_of

CALL = "{call: {update: {log: [salt]}}, when: {field: salted}}"


def test_control_passes(tmp_path: Path) -> None:
    """The case that the tests below spoil does pass as it is."""
    assert "" == reason_of(tmp_path, BRANCHES)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("foam: 10", "foam: 2", "final_state.foam: expected 2, got 10"),
        ("log: [heat]\n    f", "log: [salt]\n    f", "final_state.log[0]: expected 'salt', got 'heat'"),
        ("[{branch_name: burnt, c", "[{branch_name: left, c", "faults[0].branch_name: expected 'left', got"),
        ("category: node_exception}]", "category: x}]", "final_state.faults[0].category: expected 'x', got 'node_ex"),
        ("category: node_exception}]", "index: 0}]", "final_state.faults[0]: expected a key 'index' with 0, got keys"),
        ("[{branch_name: burnt, category: node_exception}]", "[]", "final_state.faults: expected [] (0 items), got [{"),
        ("[{branch_name: burnt, category: node_exception}]", "[{}, {}]", "final_state.faults: expected [{}, {}] (2 i"),
        ("execution_order: [cook]", "execution_order: [left, right]", "execution_order: expected ['left', 'right']"),
        ("cook_node_events_count: 2", "cook_node_events_count: 4", "cook_node_events_count: expected 4, got 2"),
        ("inner_event_count: 6", "inner_event_count: 8", "inner_event_count: expected 8, got 6"),
        ("order: [left, right, burnt]", "order: [right, left, burnt]", "started_event_order[0]: expected 'right'"),
        ("indices_seen: [0]", "indices_seen: [0, 1]", "left_inner_attempt_indices_seen: expected [0, 1] (2"),
        ("names_seen: [left, right, burnt]", "names_seen: [left]", "expected ['left'] in any order, got ['burnt'"),
        ("{stir: left, right: right}", "{stir: right}", "expected events of 'stir' in branch 'right', got ['left']"),
        ("{stir: left, right: right}", "{cook: left}", "expected events of 'cook' in branch 'left', got []"),
        ("{nodes: [cook]}", "{nodes: [stir]}", "expected events of 'stir' without a branch, got ['left']"),
        ("salted: {type: bool, default: false}", "salted: {type: bool, default: true}", "expected ['heat'] (1 item)"),
        ("{skipped_branch_emits_no_event: true}", "{when_true_branch_dispatches: true}", "not told of ['salt']"),
        ("multiplier: 5", "multiplier: 6", "final_state.foam: expected 10, got 12"),
        ("inputs: {egg: eggs}, ", "", "final_state.foam: expected 10, got 0"),
    ],
)  # fmt: skip
def test_wrong_expectation_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """State, records, order and events of branches are held against what came."""
    assert reason in reason_of(tmp_path, changed(BRANCHES, old, new))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (CALL, "{subgraph: bat, outputs: {}}", "branches.salt.subgraph: 'bat' is no subgraph\nSubgraphs: ['beat']."),
        (CALL, "{call: {subgraph: beat}}", "branches.salt.call.subgraph: not supported yet: subgraph"),
        (CALL, "{call: {}}", "branches.salt.call: does nothing"),
        (CALL, "{call: {update: {}}, unless: {}}", "branches.salt.unless: not supported yet: unless"),
        (CALL, "{call: {update: {}}, when: {field: sweet}}", "when.field: 'sweet' is no field of the state"),
        (CALL, "{call: {update: {}}, when: {callable: x}}", "when.callable: not supported yet: callable"),
        (CALL, "{call: {update: {}}, middleware: [{type: x}]}", "middleware[0].type: not supported yet: 'x'"),
        ("error_policy: collect\n", "error_policy: collect\n      concurrency: 2\n", "not supported yet: concurrency"),
    ],
)
def test_what_is_not_understood_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """An unknown key, a graph or a field that is not there."""
    assert reason in reason_of(tmp_path, changed(BRANCHES, old, new))


@pytest.mark.parametrize(
    ("branches", "category"),
    [
        ("{}", "parallel_branches_no_branches"),
        ("{left: {}}", "parallel_branches_invalid_branch_spec"),
        ("{left: {call: {update: {}}, subgraph: beat}}", "parallel_branches_invalid_branch_spec"),
        ("{left: {subgraph: beat, outputs: {cream: foam}}}", "mapping_references_undeclared_field"),
    ],
    ids=["none", "neither", "both", "undeclared"],
)
def test_branches_that_the_product_must_refuse(tmp_path: Path, branches: str, category: str) -> None:
    """What the language lets pass is for the product to refuse, with its category."""
    before, _, rest = BRANCHES.partition("branches:\n        left:")
    _, _, after = rest.partition("edges: [{from: cook")
    graph = f"{before}branches: {branches}\nedges: [{{from: cook{after}"
    text = f"{graph[: graph.index('expected:')]}expected_compile_error: {category}\n"

    assert "" == reason_of(tmp_path, text)


FAILS_FAST = """\
state: {fields: {eggs: {type: int, default: 2}}}
entry: cook
nodes:
  cook:
    parallel_branches:
      branches:
        slow: {call: {update: {eggs: 7}, sleep_ms: 30000}}
        burnt: {call: {flaky: {failure_sequence: [{category: provider_unavailable, message: hot}]}}}
edges: [{from: cook, to: END}]
expected:
  expected_error:
    category: parallel_branches_branch_failed
    raised_from: cook
    branch_name: burnt
    cause_message: hot
    transient: true
  recoverable_state: {eggs: 2}
"""


def test_branch_that_sleeps_is_cancelled_by_the_failure_of_another(tmp_path: Path) -> None:
    """Half a minute of sleep, in each of the ways to run, is not waited for."""
    began = time.monotonic()
    reason = reason_of(tmp_path, FAILS_FAST)

    assert "" == reason
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("branch_name: burnt", "branch_name: slow", "branch_name: expected 'slow', got 'burnt'"),
        ("raised_from: cook", "raised_from: burnt", "raised_from: expected 'burnt', got 'cook'"),
        ("message: hot\n    t", "message: cold\n    t", "cause_message: expected 'cold', got 'hot'"),
        ("transient: true", "transient: false", "transient: expected False, got True"),
        ("{eggs: 2}\n", "{eggs: 7}\n", "recoverable_state.eggs: expected 7, got 2"),
    ],
)
def test_wrong_expectation_of_a_failed_branch_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """What the error of the node carries is held against what is expected."""
    assert reason in reason_of(tmp_path, changed(FAILS_FAST, old, new))


def test_error_of_a_run_without_branches_has_no_branch(tmp_path: Path) -> None:
    """An attribute that the error lacks is told, whatever is expected of it."""
    text = changed(SOUND, "{update_from_field: {eggs: eggs, multiplier: 2}}", "{raises: gone}")
    text = f"{text[: text.index('expected:')]}expected_error: {{branch_name: left}}\n"

    assert "branch_name: expected 'left', but the error has none" == reason_of(tmp_path, text)


def _swapped(self: gn.Graph, name: str, branches: Any, /, **options: Any) -> None:
    BRANCHES_OF(self, name, dict(reversed(branches.items())), **options)


def _unconditional(self: gn.Graph, name: str, branches: Any, /, **options: Any) -> None:
    made = {each: gn.ParallelBranch(branch.worker, branch.inputs, branch.outputs) for each, branch in branches.items()}
    BRANCHES_OF(self, name, made, **options)


def _forgetful(self: gn.Graph, name: str, branches: Any, /, **options: Any) -> None:
    BRANCHES_OF(self, name, branches, **{**options, "errors_into": None})


BRANCHES_OF = gn.Graph.branches


@pytest.mark.parametrize(
    ("declare", "reason"),
    [
        (_swapped, "branch_started_event_order[0]: expected 'left', got 'burnt'"),
        (_unconditional, "skipped_branch_emits_no_event: observers were told of branch 'salt'"),
        (_forgetful, "final_state.faults: expected [{'branch_name': 'burnt', 'category': 'node_exception'}] (1 item)"),
    ],
)
def test_product_that_runs_branches_wrongly_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declare: Any, reason: str
) -> None:
    """Another order, a condition that is not asked, records that get lost."""
    monkeypatch.setattr(gn.Graph, "branches", declare)

    assert reason in reason_of(tmp_path, BRANCHES)
