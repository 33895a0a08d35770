"""The shared cases of the step reducers' contract."""

from pathlib import Path
from typing import Any

import pytest
import yaml

_CASES = Path(__file__).resolve().parents[2] / "shared" / "cases" / "docket" / "cases.yaml"


def cases(kind: str) -> list[Any]:
    """The cases of one kind as parameters; one that is skipped where there are none."""
    if not _CASES.is_file():
        return [pytest.param(None, marks=pytest.mark.skip("no cases beside this checkout (../shared/cases)"))]
    found = yaml.safe_load(_CASES.read_text(encoding="utf-8"))["cases"]
    return [pytest.param(each, id=each["name"]) for each in found if each["kind"] == kind]
