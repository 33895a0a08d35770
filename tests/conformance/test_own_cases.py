"""The project's own case files hold, through the command line."""

import json
from pathlib import Path

import pytest

from graphnb.cli import main

LEAST = 272  # cases; there may be more, and a lost file must not go unnoticed


def test_all_own_cases_pass(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`graphnb conformance conformance --json` reports every case as passed and exits with 0."""
    code = main(["conformance", str(repository / "conformance"), "--json"])
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [] == [result for result in results if result["status"] != "passed"]
    assert 0 == code
    assert LEAST <= len(results)


def test_every_own_case_file_has_its_text(repository: Path) -> None:
    """Each NNN-name.yaml stands beside NNN-name.md and the other way round."""
    folders = [folder for folder in (repository / "conformance").iterdir() if folder.is_dir()]
    cases = {path.with_suffix("") for folder in folders for path in folder.glob("*.yaml")}
    texts = {path.with_suffix("") for folder in folders for path in folder.glob("*.md")}

    assert cases
    assert cases == texts
