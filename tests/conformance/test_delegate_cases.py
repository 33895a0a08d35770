"""Cases about delegates: a pass means something, and wrong products and wrong expectations fail."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphnb.conformance.documents import delegation, scripted_delegates
from graphnb.conformance.documents.delegation import WAYS, Way
from graphnb.conformance.reading.cases import Case, cases_of
from graphnb.conformance.run import run_case
from graphnb.engine.nodes import delegate, delegates
from graphnb.engine.work import Spread
from tests.conformance.mutants import otherwise, passes
from tests.conformance.written import changed, reason_of

SOUND = (
    "{name: n, kind: delegate, functions: {ada: {give: 1}, bo: {append: 2}}, delegates: [ada, bo], briefs: [[0], [3]], "
    "asked: [[0], [3]], results: [1, [3, 2]]}"
)
FAILING = (
    "{name: n, kind: delegate, functions: {ada: {give: 1}, bo: {raise: lost}}, delegates: [ada, bo], briefs: x, "
    "asked: [x, x], failure: {delegate: bo, index: 1, message: lost, results: [1, null], failed: [1]}}"
)
KEPT = (
    "{name: n, kind: delegate, functions: {ada: {give: 1}, bo: {raise: lost}}, delegates: [ada, bo], briefs: x, "
    "on_error: keep, asked: [x, x], results: [1, null], errors: [{delegate: bo, index: 1, message: lost}]}"
)
REFUSED = (
    "{name: n, kind: delegate, functions: {ada: {give: 1}}, delegates: [ada], briefs: [1, 2], "
    "refused: has 1 delegate and 2 briefs}"
)


def written(case: str) -> str:
    """A file with this case."""
    return f"format: graphnb-conformance/1\ncases:\n- {case}\n"


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask in one way only: what is expected does not depend on it."""
    monkeypatch.setattr(delegation, "WAYS", WAYS[:1])


@pytest.mark.parametrize("case", [SOUND, FAILING, KEPT, REFUSED])
def test_control_passes(tmp_path: Path, case: str) -> None:
    """The cases that are spoilt below do pass as they are."""
    assert "" == reason_of(tmp_path, written(case))


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize(
    ("case", "old", "new", "reason"),
    [
        (SOUND, "results: [1, [3, 2]]", "results: [[3, 2], 1]", "results[0]: expected [3, 2] (list), got 1 (int)"),
        (SOUND, "results: [1, [3, 2]]", "results: [1.0, [3, 2]]", "results[0]: expected 1.0 (float), got 1 (int)"),
        (SOUND, "results: [1, [3, 2]]", "results: [1]", "results: expected [1] (1"),
        (SOUND, "asked: [[0], [3]]", "asked: [[3], [0]]", "asked: 'ada' was asked [0], which it should not have been"),
        (SOUND, "asked: [[0], [3]]", "asked: [[0], [4]]", "asked: delegate 1 'bo' was not asked"),
        (SOUND, "asked: [[0], [3]]", "asked: [[0]]", "has 1 briefs, and there are 2 delegates"),
        (SOUND, "asked: [[0], [3]], ", "", "needs 'asked' unless it is refused"),
        (SOUND, ", results: [1, [3, 2]]", "", "says nothing of what comes of it"),
        (SOUND, "name: n", "name: n, merge: true", "not supported yet: merge"),
        (SOUND, "name: n", "name: n, reduce: append", "not supported yet: reduce"),
        (SOUND, "name: n", "name: n, expected: [1]", "not supported yet: expected"),
        (SOUND, "give: 1", "gives: 1", "not supported yet: gives"),
        (SOUND, "give: 1", "give: 1, echo: true", "does several things: give, echo"),
        (SOUND, "give: 1", "", "does nothing"),
        (SOUND, "delegates: [ada, bo]", "delegates: [ada, boo]", "'boo' is no function\nFunctions: ['ada', 'bo']."),
        (SOUND, "delegates: [ada, bo]", "delegates: [ada, ada]", "functions.bo: is no delegate"),
        (SOUND, "name: n", "name: n, meet: 3", "is more than the 2 delegates that there are"),
        (SOUND, "name: n", "name: n, meet: 1", "must be at least 2, not 1"),
        (SOUND, "name: n", "name: n, ends: [0]", "must have each of [0, 1] once"),
        (SOUND, "name: n", "name: n, ends: [0, 2]", "must have each of [0, 1] once"),
        (SOUND, "name: n", "name: n, errors: []", "errors: is empty"),
        (SOUND, "name: n", "name: n, errors: [{delegate: bo, index: 1, message: x}]", "errors: expected"),
        (SOUND, "name: n", "name: n, refused: no", "says ['results', 'refused'] of what comes of it"),
        (SOUND, "briefs: [[0], [3]]", "briefs: [[0], 3]", "asked: 'bo' was asked 3"),
        (SOUND, "briefs: [[0], [3]]", "briefs: [[0]]", "it failed, which is not expected: InvalidDeclaration"),
        (FAILING, "index: 1", "index: 0", "failure.index: expected 0, got 1"),
        (FAILING, "failed: [1]", "failed: [0, 1]", "failure.failed: expected [0, 1]"),
        (FAILING, "message: lost", "message: found", "failure.message: expected 'found' in "),
        (FAILING, "results: [1, null]", "results: [null, 1]", "failure.results[0]: expected None"),
        (FAILING, ", failed: [1]", "", "has no 'failed'"),
        (FAILING, "raise: lost", "give: 2", "failure: expected a delegate that failed, got None"),
        (KEPT, "index: 1", "index: 0", "errors[0][0]: expected 0, got 1"),
        (KEPT, "message: lost", "message: found", "errors: expected 'found' in 'lost'"),
        (KEPT, ", errors: [{delegate: bo, index: 1, message: lost}]", "", "errors: expected [] (0"),
        (KEPT, "on_error: keep, ", "", "it failed, which is not expected: DelegateFailed"),
        (KEPT, "results: [1, null], ", "failure: {}, ", "errors: stands beside no 'results'"),
        (REFUSED, "2 briefs}", "3 briefs}", "refused: expected 'has 1 delegate and 3 briefs' in "),
        (REFUSED, "briefs: [1, 2]", "briefs: [1]", "asked: 'ada' was asked 1, which"),
        (REFUSED, "name: n", "name: n, asked: [1]", "needs 'asked' unless it is refused"),
        (REFUSED, "delegates: [ada]", "delegates: ada", "must be a list, not str"),
    ],
)
def test_wrong_case_fails(tmp_path: Path, case: str, old: str, new: str, reason: str) -> None:
    """What is expected is checked, what contradicts itself is refused, and what is not known is no pass."""
    assert reason in reason_of(tmp_path, written(changed(case, old, new)))


def own_cases(repository: Path) -> Iterator[Case]:
    """The project's own cases about delegation of the kind `delegate`."""
    for path in sorted((repository / "conformance" / "delegation").glob("*.yaml")):
        yield from (case for case in cases_of(path) if case.part.value.get("kind") == "delegate")


@pytest.mark.usefixtures("once")
def test_every_own_expectation_written_otherwise_fails(repository: Path) -> None:
    """Each scalar, element, key, order and type; who stands twice is asked in any order."""
    mutants = [
        (case, {**case.part.value, key: other})
        for case in own_cases(repository)
        for key in ("asked", "results", "errors", "failure", "refused")
        if key in case.part.value
        for other in otherwise(case.part.value[key], is_ordered=key != "asked")
    ]

    assert 900 < len(mutants)
    assert [] == [(case.name, mutant) for case, mutant in mutants if passes(case, mutant)]


@pytest.fixture
def two_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask in two ways."""
    monkeypatch.setattr(delegation, "WAYS", [Way("gn.delegate", "plain"), Way("graph.arun", "mixed")])


@pytest.fixture
def hurried(two_ways: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask in two ways, and let nobody wait in vain for long, where somebody will."""
    monkeypatch.setattr(scripted_delegates, "_SECONDS", 0.1)


def failing_files(repository: Path, among: str = "") -> set[str]:
    """The files in which a case fails; `among` those whose number begins so."""
    cases = [case for case in own_cases(repository) if Path(case.file).name.startswith(among)]
    return {Path(case.file).stem[:3] for case in cases if run_case(case).status == "failed"}


@pytest.mark.usefixtures("two_ways")
def test_sound_product_passes(repository: Path) -> None:
    """The control of what follows."""
    assert set() == failing_files(repository)


def spoil(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """Puts one fault into the product."""
    asked = delegates.ask_delegate
    if fault == "one object for all":
        monkeypatch.setattr(delegate, "copy_of_brief", lambda brief, place: brief)
    elif fault == "order of completion":
        ended: list[Any] = []
        results = delegates._results_of

        def work(*given: Any, **more: Any) -> Any:
            result = yield from asked(*given, **more)
            ended.append(result)
            return result

        def as_they_came(outcomes: Any) -> list[Any]:
            came = ended[-(len(outcomes.results) - len(outcomes.errors)) :]
            return came if len(came) == len(outcomes.results) else results(outcomes)

        monkeypatch.setattr(delegates, "ask_delegate", work)
        monkeypatch.setattr(delegates, "_results_of", as_they_came)
    elif fault == "asked twice":

        def twice(*given: Any, **more: Any) -> Any:
            yield from asked(*given, **more)
            return (yield from asked(*given, **more))

        monkeypatch.setattr(delegates, "ask_delegate", twice)
    elif fault == "stops at the first failure":

        class FailFast(Spread):
            def __init__(self, *given: Any, **more: Any) -> None:
                super().__init__(*given, **{**more, "fail_fast": True})

        monkeypatch.setattr(delegates, "Spread", FailFast)
    elif fault == "flattens":
        results = delegates._results_of
        monkeypatch.setattr(delegates, "_results_of", lambda outcomes: _flat(results(outcomes)))
    elif fault == "zips":
        monkeypatch.setattr("graphnb.notebook.declaring_delegates.briefs_for", _zipped)
        monkeypatch.setattr("graphnb.notebook.delegation.briefs_for", _zipped)
        monkeypatch.setattr(delegates, "briefs_for", _zipped)
    elif fault == "first brief for all":
        monkeypatch.setattr(
            delegates, "briefs_for", lambda count, briefs, place: _zipped(count, briefs, place)[:1] * count
        )


def _flat(results: list[Any]) -> list[Any]:
    return [each for result in results for each in (result if isinstance(result, list) else [result])]


def _zipped(count: int, briefs: Any, place: str) -> tuple[Any, ...]:
    """What fits, and None beyond it."""
    if not isinstance(briefs, (list, tuple)):
        return (briefs,) * count
    return (*briefs, *[None] * count)[:count]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("fault", "files"),
    [
        ("one object for all", {"003"}),
        ("order of completion", {"007"}),
        ("asked twice", {"001", "002", "004", "012"}),
        ("stops at the first failure", {"008", "009"}),
        ("flattens", {"012"}),
        ("zips", {"010"}),
        ("first brief for all", {"001", "007"}),
    ],
)
def test_wrong_product_fails(repository: Path, monkeypatch: pytest.MonkeyPatch, fault: str, files: set[str]) -> None:
    """Each fault fails the cases that are about it, at least."""
    spoil(monkeypatch, fault)

    assert files <= failing_files(repository)


@pytest.mark.usefixtures("hurried")
def test_product_that_asks_one_after_the_other_fails(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it came by that."""
    monkeypatch.setattr(Spread, "workers", 1)

    assert {"005"} == failing_files(repository, "005")
