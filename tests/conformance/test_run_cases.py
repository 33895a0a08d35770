"""Cases of runs: what is expected bears weight, and what is written wrongly is told."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from graphnb.conformance.documents import runs
from graphnb.conformance.documents.language import form_of
from graphnb.conformance.documents.scripted import scripted
from graphnb.conformance.reading.cases import Case, cases_of
from graphnb.engine.supersteps import document_step
from graphnb.engine.supersteps.parkable import ParkableStep
from tests.conformance.mutants import otherwise, passes
from tests.conformance.written import changed, reason_of

RUN = dedent("""\
    format: graphnb-conformance/1
    cases:
    - name: tea
      kind: run
      replay: true
      graph:
        inputs: {leaf: {schema: {type: string}, required: true}}
        fields:
          pot: {schema: {type: list, item: {type: string}}, reducer: {type: append}}
          cups: {schema: {type: integer}, reducer: {type: sum}}
          guest: {schema: {type: string}}
          view: {schema: {type: map}}
        outputs: {cups: {source: cups}}
        nodes:
          boil: {rules: [{when: {attempt_below: 2}, fail: cold}, {write: {pot: water}, snapshot_to: view}],
            policies: {retry: {max_attempts: 2}}}
          ask: {rules: [{when: {absent: guest}, interrupt: {id: who, resume: guest, schema: {type: string}}},
            {when: {equals: [cups, 0]}, add: {cups: [cups, 3]}}]}
          pour: {rules: [{when: {present: pot, not_equals: [guest, Bo]}, copy: {guest: guest}}, {write: {}}]}
        edges:
          e1: {from: $start, to: boil}
          e2: {from: $start, to: ask}
          e3: {from: [boil, ask], to: pour}
      ops:
      - {op: start, input: {}, error: invalid_input}
      - {op: start, input: {leaf: oolong}, max_commits: 1,
            expect: {status: running, step: 0, pending_writes: [ask], unwritten: [pot, cups]}}
      - {op: drive, expect: {status: waiting, step: 1, interrupts: {who: open}, pending_nodes: [ask],
            barriers: {e3: [boil]}, changed: [pot, view], checkpoints: [interrupt_requested],
            attempts: ["r1:0:boil:2"]}}
      - {op: resolve, id: who, value: 3, error: invalid_input}
      - {op: resolve, id: who, value: Al, expect: {fields: {guest: {value: Al, version: 1}}}}
      - {op: drive, expect: {status: done, output: {cups: 3}, inputs: {leaf: {value: oolong, version: 1}},
            fields: {guest: {value: Al, version: 2}}, failure: null}}
      - {op: crash, drop_commits: 1, expect: {status: running}}
      - {op: resume, expect: {status: done}}
      - {op: cancel, expect: {checkpoints: []}}
    """)
"""One case that passes and has everything in it."""


def test_control_passes(tmp_path: Path) -> None:
    """The case that is spoilt below does pass as it is."""
    assert "" == reason_of(tmp_path, RUN)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("cups: 3}, inputs", "cups: 4}, inputs", "ops[5] (drive).output.cups: expected 4, got 3"),
        (
            "- {op: start, input: {}, error: invalid_input}",
            "- {op: start, input: {leaf: x}, error: invalid_input}",
            "it was not refused",
        ),
        ("value: 3, error: invalid_input", "value: 3, error: not_found", "refused, category invalid_input"),
        ("value: 3, error: invalid_input", "value: 3", "refused, category invalid_input"),
        ("[pot, cups]}", "[pot, cup]}", "'cup' is no input and no field"),
        ("[pot, cups]}", "[pot, leaf]}", "'leaf' was written"),
        ("{guest: {value: Al, version: 1}}", "{cups: {version: 1}}", "cups: was never written"),
        ("drop_commits: 1", "drop_commits: 9", "there are 7 commits, and the first stays"),
        ("drop_commits: 1", "drop_commits: 0", "must be at least 1"),
        ("drop_commits: 1", "drop_commits: true", "must be a whole number"),
        ("drop_commits: 1, ", "", "has no 'drop_commits'"),
        ("max_commits: 1", "max_commits: 0", "must be at least 1"),
        ("max_commits: 1", "max_commits: x", "must be a whole number"),
        ("op: cancel", "op: cancels", "not supported yet: op 'cancels'"),
        ("{op: cancel, ", "{op: cancel, id: who, ", "not supported yet: id"),
        ("value: Al, expect", "valu: Al, expect", "not supported yet: valu"),
        ("{op: resume, ", "{op: start, ", "starts a second run"),
        (
            "input: {}, error: invalid_input}",
            "input: {}, error: invalid_input, expect: {status: done}}",
            "there is no run then",
        ),
        ("op: start, input: {}, error: invalid_input", "op: drive", "stands before a start"),
        ("{op: resume, expect: {status: done}}", "{op: resume, expect: {}}", "asserts nothing"),
        ("{op: resume, expect: {status: done}}", "{op: resume, expect: {state: done}}", "not supported yet: state"),
        ("{op: resume, expect: {status: done}}", "{op: resume, expect: {status: finished}}", "must be one of"),
        ("{op: resume, expect: {status: done}}", "{op: resume, expect: {checkpoints: [done]}}", "must be one of"),
        ("{op: resume, expect: {status: done}}", "{op: resume, expect: {fields: {guest: {}}}}", "asserts nothing"),
        ("{op: resume, expect: {status: done}}", "{op: resume, expect: {fields: {guest: Al}}}", "must be a mapping"),
        ("{op: resume, expect: {status: done}}", "{op: resume, expect: {failure: {node: ask}}}", "has no 'code'"),
        ("{op: resume, expect: {status: done}}", "resume", "not supported yet: op None"),
        ("fail: cold", "fail: 3", "must be a text"),
        ("fail: cold", "fails: cold", "not supported yet: fails"),
        ("fail: cold", "fail: cold, write: {}", "does several things: write, fail"),
        ("fail: cold", "fail: cold, return: 1", "does several things: fail, return"),
        (", fail: cold", "", "does nothing"),
        ("{attempt_below: 2}", "{attempt_below: 1}", "must be at least 2"),
        ("{attempt_below: 2}", "{attempt_above: 1}", "not supported yet: attempt_above"),
        ("{equals: [cups, 0]}", "{equals: [cups]}", "must be a list of a field and a value"),
        ("{equals: [cups, 0]}", "{equals: [0, 0]}", "must be a text"),
        ("{cups: [cups, 3]}", "{cups: [cups, x]}", "must be a number"),
        ("{absent: guest}", "{absent: [guest]}", "must be a text"),
        ("resume: guest, ", "", "has no 'resume'"),
        ("resume: guest, ", "resume: guest, ask: x, ", "not supported yet: ask"),
        ("replay: true", "replay: false", "must be true"),
    ],
)
def test_case_that_is_written_wrongly_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """A wrong expectation, an unknown key, a form that means nothing: each with a reason that names it."""
    assert reason in reason_of(tmp_path, changed(RUN, old, new))


@pytest.mark.parametrize("ops", ["[]", "[{op: start}]", "start", "[start]", "{op: start}"])
def test_case_without_an_assertion_fails(tmp_path: Path, ops: str) -> None:
    """Operations alone say nothing."""
    assert "" != reason_of(tmp_path, f"{RUN[: RUN.index('  ops:')]}  ops: {ops}\n")


def test_reason_tells_of_asynchronous_nodes(tmp_path: Path) -> None:
    """A case is run with both kinds of nodes."""
    reason = reason_of(
        tmp_path, changed(RUN, "{op: resume, expect: {status: done}}", "{op: resume, expect: {step: 9}}")
    )

    assert (
        "ops[7] (resume).step: expected 9, got 3\nops[7] (resume).step: expected 9, got 3 (asynchronous nodes)"
        == reason
    )


def test_replay_tells_of_a_run_that_goes_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that do not give the same again."""
    calls = iter(range(99))
    monkeypatch.setattr(
        runs, "scripted", lambda rules, told, is_async: lambda view, context: {"pot": f"cup {next(calls)}"}
    )
    text = f"{RUN[: RUN.index('  ops:')]}  ops: [{{op: start, input: {{leaf: x}}, expect: {{status: done}}}}]\n"

    assert "replayed from commit 0 (run_initialized): commit step_committed at 2 is another one" in reason_of(
        tmp_path, text
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda key, view: (key.replace(":0:", ":1:"), view),
            "replayed from commit 0 (run_initialized): before commit 1 (retry_scheduled) nodes ran as "
            "['r1:1:ask:1', 'r1:1:boil:1'], and as ['r1:0:ask:1', 'r1:0:boil:1'] in the run itself",
        ),
        (
            lambda key, view: (key, "0"),
            "before commit 2 (interrupt_requested) ['r1:0:boil:2'] saw other values than in the run itself",
        ),
    ],
)
def test_replay_tells_of_other_executions_that_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any, reason: str
) -> None:
    """Other keys, or other values that are seen."""
    met: set[str] = set()

    def changing(rules: Any, told: list[Any], *, is_async: bool) -> Any:
        real = scripted(rules, told)

        def node(view: Any, context: Any) -> Any:
            try:
                return real(view, context)
            finally:
                key, seen = told[-1]
                told[-1] = change(key, seen) if key in met else (key, seen)
                met.add(key)

        return node

    monkeypatch.setattr(runs, "scripted", changing)
    monkeypatch.setattr(runs, "WAYS", (False,))

    assert reason in reason_of(tmp_path, RUN)


def test_replay_tells_of_nodes_that_had_finished_and_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the siblings of an attempt that is repeated have given was kept."""

    class Forgetful(ParkableStep):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            again = sorted({*self.given} - {*self.attempts})
            self.given = {}
            self.attempts |= dict.fromkeys(again, 1)
            self.waits |= dict.fromkeys(again, 0)

    monkeypatch.setattr(document_step, "ParkableStep", Forgetful)

    assert "['r1:0:ask:1', 'r1:0:boil:2'], and as ['r1:0:boil:2'] in the run itself" in reason_of(
        tmp_path, changed(RUN, "max_commits: 1,", "max_commits: 9,")
    )


def test_waits_between_attempts_take_no_time(tmp_path: Path) -> None:
    """Not even an endless one: what is due together follows from the policies."""
    endless = changed(RUN, "{max_attempts: 2}", f"{{max_attempts: 2, backoff_ms: {10**40}}}")

    assert "" == reason_of(tmp_path, endless)


def _is_weaker(name: str, value: Any, other: Any) -> bool:
    """True for an expectation that only says less than before, and may pass."""
    if name == "unwritten":
        return set(other) <= set(value)
    if name not in ("fields", "inputs"):
        return False
    return all(
        key in value and told.items() <= value[key].items() for key, told in other.items() if isinstance(told, dict)
    )


def _mutants(ops: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    for i, op in enumerate(ops):
        others = [{**op, "error": f"{op['error']}_"}] if "error" in op else []
        for name, value in op.get("expect", {}).items():
            wrong = (other for other in otherwise(value, is_ordered=True) if not _is_weaker(name, value, other))
            others += [{**op, "expect": {**op["expect"], name: other}} for other in wrong]
        yield from ([*ops[:i], other, *ops[i + 1 :]] for other in others)


def _survivors(cases: list[Case]) -> tuple[list[str], int]:
    mutants = [(case, ops) for case in cases for ops in _mutants(case.part.value["ops"])]
    survivors = []
    for case, ops in mutants:
        told = {key: value for key, value in case.part.value.items() if key != "replay"}
        if passes(case, {**told, "ops": ops}):
            survivors.append(f"{case.name}: {[op for op in ops if op not in case.part.value['ops']]}")
    return survivors, len(mutants)


def _runs_in(folder: Path) -> list[Case]:
    cases = [case for path in sorted(folder.rglob("*.yaml")) for case in cases_of(path)]
    return [case for case in cases if form_of(case) is not None and case.part.value["kind"] == "run"]


def test_every_own_expectation_written_otherwise_fails(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each scalar, element, key and type of what the project's own cases of runs expect is checked."""
    monkeypatch.setattr(runs, "WAYS", (False,))
    survivors, count = _survivors(_runs_in(repository / "conformance"))

    assert [] == survivors
    assert 1100 < count


def test_every_shared_expectation_written_otherwise_fails(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of the shared ones."""
    if not (shared / "docket").is_dir():
        pytest.skip("no cases of runs beside this checkout (../shared/cases/docket)")
    monkeypatch.setattr(runs, "WAYS", (False,))
    survivors, count = _survivors(_runs_in(shared / "docket"))

    assert [] == survivors
    assert 700 < count
