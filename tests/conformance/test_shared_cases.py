"""The specification's fixtures, where they lie beside the checkout: some hold, others say what they need."""

import time
from pathlib import Path
from typing import Any

import pytest

from graphnb.conformance.reading.cases import Case, cases_of
from graphnb.conformance.run import Result, run_case

GRAPH_ENGINE = 26
"""Files of graph-engine; every case of them passes."""
CASES = 90
"""Cases that pass, those of pipeline-utilities that need no checkpoint included."""
LATER = frozenset({"checkpointer", "session_store", "signal_payload", "resume_invocation", "suspend_with_descriptor"})
"""Keys of cases that need what is not built yet: checkpoints, migrations, resuming, suspension."""


@pytest.fixture(scope="module")
def fixtures(shared: Path) -> Path:
    """Return the folder of the specification's fixtures."""
    folder = shared / "openarmature"
    if not folder.is_dir():
        pytest.skip("no fixtures of the specification beside this checkout (../shared/cases/openarmature)")
    return folder


def _passes(case: Case) -> bool:
    """True for a case that the product has everything for."""
    return LATER.isdisjoint(_keys_in(case.part.value))


def _keys_in(value: Any) -> set[Any]:
    if isinstance(value, list):
        return set().union(*map(_keys_in, value))
    return set(value).union(*map(_keys_in, value.values())) if isinstance(value, dict) else set()


def test_fixtures_pass(fixtures: Path) -> None:
    """Every case that needs no checkpoint and no suspension passes unchanged."""
    files = sorted((fixtures / "graph-engine").glob("*.yaml"))
    cases = [case for path in files for case in cases_of(path)]
    others = [case for path in sorted((fixtures / "pipeline-utilities").glob("*.yaml")) for case in cases_of(path)]
    results = [run_case(case) for case in (*cases, *filter(_passes, others))]

    assert GRAPH_ENGINE == len(files)
    assert [] == [result for result in results if result.status != "passed"]
    assert CASES == len(results)


def test_other_fixtures_fail_for_what_is_not_supported_yet(fixtures: Path) -> None:
    """A case that needs more fails, and names every key that the runner lacks; two need another system."""
    files = [path for path in sorted(fixtures.rglob("*.yaml")) if path.parent.name != "graph-engine"]
    results = [run_case(case) for path in files for case in cases_of(path) if not _passes(case)]
    failed = [result for result in results if result.status == "failed"]

    assert [] == [result for result in failed if not _is_for_lack_of_keys(result)]
    assert ["011-suspend-span-status.yaml", "012-suspend-with-sessions.yaml"] == [
        Path(result.file).name for result in results if result.status != "failed"
    ]


def test_sleeping_branch_of_a_fixture_is_not_waited_for(fixtures: Path) -> None:
    """Fixture 033 has a branch that sleeps for five seconds beside one that fails."""
    (case,) = cases_of(fixtures / "pipeline-utilities" / "033-parallel-branches-fail-fast.yaml")
    began = time.monotonic()
    result = run_case(case)

    assert "passed" == result.status
    assert time.monotonic() - began < 5


def _is_for_lack_of_keys(result: Result) -> bool:
    return all("not supported yet: " in reason.splitlines()[0] for reason in result.reasons)
