"""The project's own case files hold, through the command line."""

import json
from pathlib import Path

import pytest

from graphnb.cli import main
from graphnb.conformance.run import run_file

LEAST = 840  # cases; there may be more, and a lost file must not go unnoticed


def test_all_own_cases_pass(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`graphnb conformance conformance --json` reports every case as passed and exits with 0."""
    code = main(["conformance", str(repository / "conformance"), "--json"])
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [] == [result for result in results if result["status"] != "passed"]
    assert 0 == code
    assert LEAST <= len(results)


async def test_cases_run_beside_a_running_event_loop(repository: Path) -> None:
    """In a notebook a loop is running in every cell, and case files can be run there all the same."""
    results = list(run_file(repository / "conformance" / "graph-engine" / "001-straight-line.yaml"))

    assert ["passed"] * len(results) == [result.status for result in results]
    assert results


def test_every_own_case_file_has_its_text(repository: Path) -> None:
    """Each NNN-name.yaml stands beside NNN-name.md and the other way round."""
    folders = [folder for folder in (repository / "conformance").iterdir() if folder.is_dir()]
    cases = {path.with_suffix("") for folder in folders for path in folder.glob("*.yaml")}
    texts = {path.with_suffix("") for folder in folders for path in folder.glob("*.md")}

    assert cases
    assert cases == texts
