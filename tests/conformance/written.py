"""Case files written down in a test, and what comes of them."""

from pathlib import Path
from textwrap import dedent

from graphnb.conformance.run import Result, run_file

SOUND = dedent("""\
    state:
      fields:
        eggs: {type: int, default: 2}
        log: {type: list<string>, reducer: append, default: []}
    entry: crack
    nodes:
      crack: {update: {eggs: 3, log: ["crack"]}}
      whisk: {update_from_field: {eggs: eggs, multiplier: 2}}
    edges:
      - {from: crack, to: whisk}
      - {from: whisk, to: END}
    initial_state: {}
    expected:
      final_state: {eggs: 6, log: ["crack"]}
      execution_order: [crack, whisk]
    """)
"""One case that passes."""

FAILING = dedent("""\
    state: {fields: {eggs: {type: int, default: 2}}}
    entry: crack
    nodes:
      crack: {update: {eggs: 3}}
      drop: {raises: {message: "it fell", exception_kind: ValueError}, error_category: clumsy}
    edges:
      - {from: crack, to: drop}
      - {from: drop, to: END}
    expected_error:
      category: node_exception
      raised_from: drop
      message: it fell
      cause_message: it fell
      cause: {exception_type: ValueError}
      recoverable_state: {eggs: 3}
      execution_order: [crack, drop]
    """)
"""One case that passes because its run fails as expected."""

UNFIT = dedent("""\
    state: {fields: {eggs: {type: int, default: 2}}}
    entry: crack
    nodes:
      crack: {update: {eggs: "three"}}
    edges:
      - {from: crack, to: END}
    expected_error:
      category: state_validation_error
      carries: {fields: [eggs]}
    """)
"""One case that passes because a value does not fit."""

REFUSED = dedent("""\
    graph:
      state: {fields: {eggs: {type: int, default: 2}}}
      entry: crack
      nodes:
        crack: {update: {eggs: 3}}
      edges:
        - {from: crack, to: pan}
    expected_compile_error: dangling_edge
    """)
"""One case that passes because its graph is refused."""

FAN_OUT = dedent("""\
    subgraphs:
      beat:
        state: {fields: {egg: {type: int, default: 0}, foam: {type: int, default: 0}}}
        entry: whisk
        nodes:
          whisk: {flaky_by_index: {fail_when_idx: 7, success_compute: {foam: egg}}}
        edges:
          - {from: whisk, to: END}
    state:
      fields:
        eggs: {type: list<int>, default: [4, 7, 5]}
        foams: {type: list<int>, reducer: append, default: []}
    entry: beat_all
    nodes:
      beat_all:
        fan_out:
          subgraph: beat
          items_field: eggs
          item_field: egg
          collect_field: foam
          target_field: foams
          error_policy: collect
          concurrency: 2
    edges:
      - {from: beat_all, to: END}
    expected:
      final_state: {eggs: [4, 7, 5], foams: [4, 5]}
      concurrency_invariant: {max_in_flight: 2}
    """)
"""One case with a fan-out that passes."""


WATCHED = dedent("""\
    subgraphs:
      beat:
        state: {fields: {foam: {type: int, default: 0}}}
        entry: stir
        nodes: {stir: {update: {foam: 5}}}
        edges: [{from: stir, to: END}]
    state:
      fields:
        eggs: {type: int, default: 2}
        foam: {type: int, default: 0}
    entry: crack
    nodes:
      crack: {update: {eggs: 3}}
      whisk: {subgraph: beat}
    edges:
      - {from: crack, to: whisk}
      - {from: whisk, to: END}
    observers:
      - {name: cook, attach: graph, target: outer, behavior: record}
      - {name: pan, attach: graph, target: beat, behavior: record, phases: [completed]}
      - {name: guest, attach: invocation, target: outer, behavior: raise}
    expected:
      final_state: {eggs: 3, foam: 5}
      no_propagated_error: true
      empty_phases_raises_at_registration: true
      observer_events:
        cook:
          - {step: 0, phase: started, node_name: crack, namespace: [crack], pre_state: {eggs: 2, foam: 0}}
          - {step: 0, phase: completed, attempt_index: 0, post_state: {eggs: 3, foam: 0}, parent_states: []}
          - {step: 1, phase: started, node_name: stir, namespace: [whisk, stir], parent_states: [{eggs: 3, foam: 0}]}
          - {step: 1, phase: completed, pre_state: {foam: 0}, post_state: {foam: 5}, error_absent: true}
        pan:
          - {step: 1, phase: completed, node_name: stir}
      delivery_order:
        - {observer: cook, step: 0, phase: started}
        - {observer: guest, step: 0, phase: started}
        - {observer: cook, step: 0, phase: completed}
        - {observer: guest, step: 0, phase: completed}
        - {observer: cook, step: 1, phase: started}
        - {observer: guest, step: 1, phase: started}
        - {observer: cook, step: 1, phase: completed}
        - {observer: pan, step: 1, phase: completed}
        - {observer: guest, step: 1, phase: completed}
      expected_observer_event: {node_name: stir, post_state: {foam: 5}, error_absent: true}
      expected_attempt_events:
        - {node_name: crack, phase: started, error_category: null}
        - {node_name: crack, phase: completed, attempt_index: 0}
      observer_event_invariants: {crack_node_events_count: 2, inner_event_count: 2}
    """)
"""One case with observers that passes; `guest` raises each time."""

LAYERED = dedent("""\
    state:
      fields:
        eggs: {type: int, default: 2}
        trace: {type: list<string>, reducer: append, default: []}
    entry: crack
    nodes:
      crack:
        flaky:
          failure_sequence: [{category: provider_unavailable, transient: true, message: cold}]
          success_update: {eggs: 3, trace: [crack]}
    edges: [{from: crack, to: END}]
    clock_stub: {type: deterministic_monotonic, advance_ms_per_call: 4}
    middleware:
      per_graph:
        - {type: trace_recorder, name: lid, pre_marker: down, post_marker: up}
      per_node:
        crack:
          - {type: timing, node_name: crack, on_complete: {capture_to: timing_records}}
          - {type: retry, max_attempts: 2, backoff: {type: deterministic, seconds: 0}}
    expected:
      final_state: {eggs: 3, trace: [down, crack, up]}
      execution_order: [crack]
      trace_records:
        lid:
          - {state_in: {eggs: 2, trace: []}, pre_seen: true, post_seen: true,
             partial_update_returned: {eggs: 3, trace: [down, crack, up]}}
      timing_records:
        - {node_name: crack, duration_ms: 4, outcome: success, exception_category: null}
      expected_attempt_events:
        - {node_name: crack, phase: started, attempt_index: 0}
        - {node_name: crack, phase: completed, error: node_exception, error_category: provider_unavailable}
        - {node_name: crack, phase: started, attempt_index: 1, pre_state: {eggs: 2, trace: []}}
        - {node_name: crack, phase: completed, attempt_index: 1, error: null}
    """)
"""One case with middleware that passes."""

ISOLATED = dedent("""\
    state:
      fields:
        eggs: {type: int, default: 2}
        calls: {type: int, default: 0}
        said: {type: string, default: ""}
    entry: crack
    nodes:
      crack:
        flaky:
          failure_sequence:
            - {category: null, message: slip, cause: {category: greasy, message: butter}}
    edges: [{from: crack, to: END}]
    middleware:
      per_node:
        crack:
          - type: failure_isolation
            event_name: cracked
            degraded_update: {eggs: 1}
            catch: [greasy]
            on_caught:
              {kind: record_to_state_side_channel, increment_field: calls, capture_message_field: said}
    expected:
      final_state: {eggs: 1, calls: 1, said: slip}
      expected_failure_isolation_event:
        event_name: cracked
        wrapped_node_lineage: {namespace: [crack], attempt_index: 0, fan_out_index: null, branch_name: null}
        pre_state: {eggs: 2, calls: 0, said: ""}
        post_state: {eggs: 1}
        caught_exception:
          category: greasy
          message: butter
          chain:
            - {carrier: false, category: null, message: slip}
            - {carrier: false, category: greasy, message: butter}
      invariants: {engine_does_not_see_exception: true, on_caught_fires_exactly_once: true}
    """)
"""One case with an isolated failure that passes."""

BRANCHES = dedent("""\
    subgraphs:
      beat:
        state: {fields: {egg: {type: int, default: 0}, foam: {type: int, default: 0}}}
        entry: stir
        nodes: {stir: {update_from_field: {foam: egg, multiplier: 5}}}
        edges: [{from: stir, to: END}]
    state:
      fields:
        eggs: {type: int, default: 2}
        foam: {type: int, default: 0}
        salted: {type: bool, default: false}
        log: {type: list<string>, reducer: append, default: []}
        faults: {type: list<dict>, reducer: append, default: []}
    entry: cook
    nodes:
      cook:
        parallel_branches:
          error_policy: collect
          errors_field: faults
          branches:
            left: {subgraph: beat, inputs: {egg: eggs}, outputs: {foam: foam}}
            right: {call: {update: {log: [heat]}}}
            burnt: {call: {raises: "too hot"}}
            salt: {call: {update: {log: [salt]}}, when: {field: salted}}
    edges: [{from: cook, to: END}]
    observers:
      - {name: obs, attach: graph, target: outer, behavior: record}
    expected:
      final_state:
        eggs: 2
        foam: 10
        salted: false
        log: [heat]
        faults: [{branch_name: burnt, category: node_exception}]
      execution_order: [cook]
      observer_event_invariants:
        cook_node_events_count: 2
        inner_event_count: 6
        branch_started_event_order: [left, right, burnt]
        left_inner_attempt_indices_seen: [0]
        inner_branch_names_seen: [left, right, burnt]
        inner_events_carry_correct_branch_name: {stir: left, right: right}
        outermost_events_have_no_branch_name: {nodes: [cook]}
      invariants: {skipped_branch_emits_no_event: true}
    """)
"""One case with parallel branches that passes."""

DRAINED = dedent("""\
    state: {fields: {eggs: {type: int, default: 2}}}
    entry: crack
    nodes:
      crack: {update: {eggs: 3}}
      whisk:
        update: {eggs: 4}
        invoke_drain_events_for: {timeout_seconds: 5, snapshot_observer: cook}
    edges:
      - {from: crack, to: whisk}
      - {from: whisk, to: END}
    observers:
      - {name: cook, attach: graph, target: outer, behavior: accumulate, sleep_ms_per_event: 5}
    invoke: {drain: {timeout_seconds: 9}}
    expected:
      final_state: {eggs: 4}
      drain_summary: {timeout_reached: false, undelivered_count: 0}
      node_drain_summaries: {whisk: {timeout_reached: false, undelivered_count: 0}}
      node_accumulator_snapshots:
        whisk:
          cook:
            - {node_name: crack, phase: started}
            - {node_name: crack, phase: completed}
            - {node_name: whisk, phase: started}
      node_accumulator_snapshot_invariants:
        whisk:
          cook: {whisk_started_present: true, whisk_completed_present: false, crack_node_events_count: 2}
      final_accumulator_state:
        cook:
          - {node_name: crack, phase: started}
          - {node_name: crack, phase: completed}
          - {node_name: whisk, phase: started}
          - {node_name: whisk, phase: completed}
      invariants:
        drain_returned_within_timeout: true
        drain_waited_for_all_events: true
        drain_events_for_synchronized_accumulator_read: true
    """)
"""One case with drains that passes."""


def results_of(folder: Path, text: str) -> list[Result]:
    """The results of a case file with this text."""
    path = folder / "written.yaml"
    path.write_text(text, encoding="utf-8")
    return list(run_file(path))


def reason_of(folder: Path, text: str) -> str:
    """Why the one case with this text fails; empty if it passes."""
    (result,) = results_of(folder, text)
    assert (result.status == "failed") == bool(result.reasons), result
    return "\n".join(result.reasons)


def changed(text: str, old: str, new: str) -> str:
    """The text with the one place `old` written otherwise."""
    assert 1 == text.count(old), f"{old!r} stands {text.count(old)} times in the text"
    return text.replace(old, new)
