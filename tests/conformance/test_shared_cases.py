"""The specification's fixtures, where they lie beside the checkout: some hold, others say what they need."""

from pathlib import Path

import pytest

from graphnb.conformance.run import Result, run_file

GRAPH_ENGINE = ("001", "002", "003", "007", "009", "011", "026", "027", "035", "037", "038")
FAN_OUT = ("017", "019", "022", "023")


@pytest.fixture(scope="module")
def fixtures(shared: Path) -> Path:
    """Return the folder of the specification's fixtures."""
    folder = shared / "openarmature"
    if not folder.is_dir():
        pytest.skip("no fixtures of the specification beside this checkout (../shared/cases/openarmature)")
    return folder


def _listed(fixtures: Path) -> list[Path]:
    folders = {"graph-engine": GRAPH_ENGINE, "pipeline-utilities": FAN_OUT}
    return [
        path
        for folder, numbers in folders.items()
        for path in sorted((fixtures / folder).glob("*.yaml"))
        if path.name[:3] in numbers
    ]


def test_listed_fixtures_pass(fixtures: Path) -> None:
    """Every case of the fixtures that concern state, reducers, routing, subgraphs and fan-out passes unchanged."""
    files = _listed(fixtures)
    results = [result for path in files for result in run_file(path)]

    assert len(GRAPH_ENGINE) + len(FAN_OUT) == len(files)
    assert [] == [result for result in results if result.status != "passed"]
    assert 34 == len(results)


def test_other_fixtures_fail_only_for_what_is_not_supported_yet(fixtures: Path) -> None:
    """A case of any other fixture passes, needs another system, or names every key that the runner lacks."""
    files = sorted(set(fixtures.rglob("*.yaml")) - set(_listed(fixtures)))
    results = [result for path in files for result in run_file(path)]
    otherwise = [result for result in results if result.status == "failed" and not _is_for_lack_of_keys(result)]

    assert [] == otherwise
    assert ["011-suspend-span-status.yaml", "012-suspend-with-sessions.yaml"] == [
        Path(result.file).name for result in results if result.status == "out_of_scope"
    ]


def _is_for_lack_of_keys(result: Result) -> bool:
    return all("not supported yet: " in reason.splitlines()[0] for reason in result.reasons)
