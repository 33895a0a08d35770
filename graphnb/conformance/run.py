"""Running case files: one result per case, never an exception for what a file says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graphnb.conformance import language, verdict
from graphnb.conformance.documents import language as document_language
from graphnb.conformance.documents import verdict as document_verdict
from graphnb.conformance.reading.cases import Case, cases_of
from graphnb.conformance.reading.parts import CaseFault

CaseStatus = Literal["passed", "failed", "out_of_scope"]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one case. `reasons` tell why it failed or is out of scope; empty if it passed."""

    file: str
    case: str
    status: CaseStatus
    reasons: tuple[str, ...] = ()


def run_case(case: Case) -> Result:
    """The result of one case: how it is written is judged before anything is built."""
    is_formatted = document_language.form_of(case) is not None
    system = "" if is_formatted else language.out_of_scope(case)
    if system:
        return Result(case.file, case.name, "out_of_scope", (system,))
    faults = (document_language if is_formatted else language).case_faults(case)
    reasons = tuple(str(fault) for fault in faults)
    if not reasons:
        try:
            reasons = (document_verdict if is_formatted else verdict).reasons_of(case)
        except CaseFault as fault:
            reasons = (str(fault),)
        except Exception as error:  # noqa: BLE001  the product may fail in a way that nothing here foresees
            reasons = (f"an unexpected {verdict.text_of(error)}",)
    return Result(case.file, case.name, "failed" if reasons else "passed", reasons)


def run_file(path: str | Path) -> Iterator[Result]:
    """The results of one file, in order; a file that cannot be read is one failed case, named after it."""
    try:
        cases = cases_of(path)
    except CaseFault as fault:
        yield Result(str(path), Path(path).stem, "failed", (str(fault),))
        return
    for case in cases:
        yield run_case(case)


def run_files(paths: Iterable[str | Path]) -> Iterator[Result]:
    """The results of several files, one after another."""
    for path in paths:
        yield from run_file(path)
