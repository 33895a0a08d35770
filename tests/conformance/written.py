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
