"""Every expectation of the project's own cases bears weight: written otherwise, its case fails."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphnb.conformance import verdict
from graphnb.conformance.cases import Case, cases_of
from graphnb.conformance.outcomes import WAYS, Outcome, Way, outcome_of
from graphnb.conformance.run import run_case

EXPECTATIONS = ("expected", "expected_error", "expected_compile_error", "expected_compile_warning")
STATES = ("final_state", "recoverable_state", "carries")


def _otherwise(value: Any) -> Iterator[Any]:
    """The value, wrong in one way each: another value, another type, one element less or more."""
    if isinstance(value, bool):
        yield from (not value, int(value))
    elif isinstance(value, int):
        yield from (value + 1, float(value))
    elif isinstance(value, float):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}_"
    elif value is None:
        yield 0
    elif isinstance(value, list):
        yield [*value, "more"]
        yield from [value[:-1]] if value else []
        yield from [value[::-1]] if value != value[::-1] else []
        yield from ([*value[:i], other, *value[i + 1 :]] for i, each in enumerate(value) for other in _otherwise(each))
    else:
        yield {**value, "more": 1}
        for key, each in value.items():
            yield {name: other for name, other in value.items() if name != key}
            yield from ({**value, key: other} for other in _otherwise(each))


def _mutants(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The case with one expectation wrong; a whole assertion is never just left out, since that is no mistake."""
    for key in EXPECTATIONS:
        if not isinstance(told.get(key), dict):
            yield from ({**told, key: other} for other in (_otherwise(told[key]) if key in told else ()))
            continue
        for name, value in told[key].items():
            if name == "concurrency_invariant":
                others: Iterator[Any] = iter([{"max_in_flight": value["max_in_flight"] - 1}])
            elif name in STATES or not isinstance(value, dict):
                others = _otherwise(value)
            else:
                others = ({**value, inner: other} for inner in value for other in _otherwise(value[inner]))
            yield from ({**told, key: {**told[key], name: other}} for other in others)


def _passes(case: Case, told: dict[str, Any]) -> bool:
    part = replace(case.part, value=copy.deepcopy(told))
    return run_case(replace(case, part=part)).status == "passed"


def _is_weaker(told: dict[str, Any], mutant: dict[str, Any]) -> bool:
    """True if `carries` only says less than before: that is allowed to pass."""
    before, after = (each.get("expected_error", {}).get("carries") for each in (told, mutant))
    return bool(after) and all(before.get(key) == value for key, value in after.items())


@pytest.mark.parametrize("folder", ["graph-engine", "fan-out"])
def test_every_expectation_written_otherwise_fails(
    repository: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Each scalar, element, key and type of what the own cases expect is checked."""
    # One way of running is enough here, and with asynchronous bodies the number at once is exact. A case is run
    # once: what is expected of it does not change what comes.
    monkeypatch.setattr(verdict, "WAYS", [way for way in WAYS if way.is_awaited and way.has_async])
    known: dict[tuple[str, str], Outcome] = {}

    def remembered(case: Case, way: Way, *, runs: bool, watch: bool) -> Outcome:
        if (case.file, case.name) not in known:
            known[case.file, case.name] = outcome_of(case, way, runs=runs, watch=watch)
        return known[case.file, case.name]

    monkeypatch.setattr(verdict, "outcome_of", remembered)
    cases = [case for path in sorted((repository / "conformance" / folder).glob("*.yaml")) for case in cases_of(path)]
    mutants = [(case, mutant) for case in cases for mutant in _mutants({**case.part.value, "run_count": 1})]
    survivors = [
        f"{Path(case.file).name}, {case.name}: {[mutant[key] for key in EXPECTATIONS if key in mutant]}"
        for case, mutant in mutants
        if not _is_weaker(case.part.value, mutant) and _passes(case, mutant)
    ]

    assert [] == survivors
    assert 1000 < len(mutants)
