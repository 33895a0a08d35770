"""Every expectation bears weight: written otherwise, its case fails. And a fixture that says the same passes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from graphnb.conformance import verdict
from graphnb.conformance.documents.language import form_of
from graphnb.conformance.invocations import Wanted, outcomes_of
from graphnb.conformance.outcomes import WAYS, Outcome, Way
from graphnb.conformance.reading.cases import Case, cases_of
from graphnb.conformance.run import Result, run_case, run_file
from tests.conformance.mutants import passes
from tests.conformance.rewriting import permuted, renamed, renumbered

EXPECTATIONS = ("expected", "expected_error", "expected_compile_error", "expected_compile_warning")
STATES = frozenset({"final_state", "recoverable_state", "carries"})
"""Expectations that are exact: nothing in them may be left out."""
INNER_STATES = frozenset(
    "pre_state post_state parent_states state_in partial_update_returned "
    "fan_out_config parallel_branches_config".split()
)
"""The same within expectations of which parts may be left out."""


def _otherwise(value: Any, *, is_exact: bool = True) -> Iterator[Any]:
    """The value, wrong in one way each: another value, another type, one element less or more.

    What is not exact says of mappings only what it names, and of lists nothing about order.
    """
    if isinstance(value, bool):
        yield from (not value, int(value))
    elif isinstance(value, int):
        yield from (value + 1, float(value)) if is_exact else (value + 1,)
    elif isinstance(value, float):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}_"
    elif value is None:
        yield 0
    elif isinstance(value, list):
        yield [*value, "more"]
        yield from [value[:-1]] if value else []
        yield from [value[::-1]] if is_exact and value != value[::-1] else []
        for i, each in enumerate(value):
            yield from ([*value[:i], other, *value[i + 1 :]] for other in _otherwise(each, is_exact=is_exact))
    else:
        yield {**value, "more": 1}
        for key, each in value.items():
            if is_exact:
                yield {name: other for name, other in value.items() if name != key}
            others = _otherwise(each, is_exact=is_exact or key in INNER_STATES)
            yield from ({**value, key: other} for other in others if not _may_pass(key, each, other))


def _may_pass(key: str, value: Any, other: Any) -> bool:
    """True for a number that bounds another one from below, and for nodes of which fewer are named."""
    return key == "undelivered_count_min" or (key == "nodes" and other == value[:-1])


def _mutants(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The case with one expectation wrong; a whole assertion is never just left out, since that is no mistake."""
    for key in EXPECTATIONS:
        if not isinstance(told.get(key), dict):
            yield from ({**told, key: other} for other in (_otherwise(told[key]) if key in told else ()))
        else:
            yield from ({**told, key: other} for other in _wrong(told[key], _records(told)))
    for i, invocation in enumerate(told.get("invocations", ())):
        for other in _wrong(invocation["expected"], frozenset()):
            listed = [*told["invocations"]]
            listed[i] = {**invocation, "expected": other}
            yield {**told, "invocations": listed}


def _wrong(expected: dict[str, Any], records: frozenset[str]) -> Iterator[dict[str, Any]]:
    for name, value in expected.items():
        if name == "concurrency_invariant":
            others: Iterable[Any] = [{"max_in_flight": value["max_in_flight"] - 1}]
        elif name == "expected_error":
            others = _wrong(value, records)
        elif name == "final_state" and records & value.keys():
            others = ({**value, each: other} for each in value for other in _otherwise(value[each], is_exact=False))
        else:
            others = _otherwise(
                value, is_exact=name in STATES or not isinstance(value, dict | list) or _is_plain(value)
            )
        yield from ({**expected, name: other} for other in others)


def _is_plain(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _records(told: dict[str, Any]) -> frozenset[str]:
    """Fields with records of failed branches, which may have more entries than are expected."""
    nodes = (told.get("graph") or told)["nodes"].values()
    return frozenset(node.get("parallel_branches", {}).get("errors_field", "") for node in nodes)


def _is_weaker(told: dict[str, Any], mutant: dict[str, Any]) -> bool:
    """True if `carries` only says less than before: that is allowed to pass."""
    before, after = (each.get("expected_error", {}).get("carries") for each in (told, mutant))
    return bool(after) and all(before.get(key) == value for key, value in after.items())


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each case once, in one way: what is expected of it does not change what comes."""
    # With asynchronous bodies the number at once is exact.
    monkeypatch.setattr(verdict, "WAYS", [way for way in WAYS if way.is_awaited and way.has_async])
    known: dict[tuple[str, str], tuple[Outcome, ...]] = {}

    def outcomes(case: Case, way: Way, wanted: Wanted) -> tuple[Outcome, ...]:
        if (case.file, case.name) not in known:
            known[case.file, case.name] = outcomes_of(case, way, wanted=wanted)
        return known[case.file, case.name]

    monkeypatch.setattr(verdict, "outcomes_of", outcomes)


def _survivors(cases: Iterable[Case]) -> tuple[list[str], int]:
    """The mutants that pass, told, and how many there are in all."""
    mutants = [(case, mutant) for case in cases for mutant in _mutants({**case.part.value, "run_count": 1})]
    survivors = [
        f"{Path(case.file).name}, {case.name}: "
        f"{[mutant[key] for key in (*EXPECTATIONS, 'invocations') if mutant.get(key) != case.part.value.get(key)]}"
        for case, mutant in mutants
        if not _is_weaker(case.part.value, mutant) and passes(case, mutant)
    ]
    return survivors, len(mutants)


@pytest.mark.usefixtures("remembered")
def test_every_own_expectation_written_otherwise_fails(repository: Path) -> None:
    """Each scalar, element, key and type of what the project's own cases expect is checked."""
    files = sorted((repository / "conformance").rglob("*.yaml"))
    cases = [case for path in files for case in cases_of(path)]
    survivors, count = _survivors(case for case in cases if form_of(case) is None)

    assert [] == survivors
    assert 2000 < count


@pytest.mark.usefixtures("remembered")
def test_every_expectation_of_the_fixtures_written_otherwise_fails(fixtures: list[Path]) -> None:
    """The same of the specification's fixtures, where they pass."""
    cases = [case for path in fixtures for case in cases_of(path)]
    survivors, count = _survivors(case for case in cases if run_case(case).status == "passed")

    assert [] == survivors
    assert 1500 < count


@pytest.fixture
def fixtures(shared: Path) -> list[Path]:
    """List the specification's fixtures that the product has everything for, one case at least."""
    folder = shared / "openarmature"
    if not folder.is_dir():
        pytest.skip("no fixtures of the specification beside this checkout (../shared/cases/openarmature)")
    named = [path for name in ("graph-engine", "pipeline-utilities") for path in sorted((folder / name).glob("*.yaml"))]
    return [path for path in named if "checkpointer:" not in path.read_text() or path.name.startswith("069")]


@pytest.mark.parametrize("way", [WAYS[0], WAYS[1]], ids=["plain", "asynchronous"])
def test_fixtures_that_are_rewritten_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixtures: list[Path], way: Way
) -> None:
    """Other names, other numbers and another order of declarations change nothing."""
    monkeypatch.setattr(verdict, "WAYS", [way])
    results: list[Result] = []
    for path in fixtures:
        text = path.read_text()
        if way.is_awaited or "sleep_ms" not in text:  # those that sleep take time: once is enough
            copied = tmp_path / path.name
            copied.write_text(yaml.safe_dump(renamed(permuted(renumbered(yaml.safe_load(text)))), sort_keys=False))
            results += run_file(copied)

    assert [] == [each for each in results if each.status != "passed" and each.case != "degrade_slot_survives_resume"]
    assert 80 < len(results)


def test_rewriting_changes_names_numbers_and_order(fixtures: list[Path]) -> None:
    """Every fixture has names; most have numbers and several declarations."""
    documents = [yaml.safe_load(path.read_text()) for path in fixtures]
    reordered = [repr(permuted(each)) != repr(each) for each in documents]

    assert all(renamed(each) != each for each in documents)
    assert 35 < sum(renumbered(each) != each for each in documents)
    assert 50 < sum(reordered)
