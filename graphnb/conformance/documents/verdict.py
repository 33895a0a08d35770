"""Why a case about reducers, documents or delegates fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from graphnb.conformance.documents.delegation import delegate_reasons
from graphnb.conformance.documents.folds import reduce_reasons, write_reasons, zero_reasons
from graphnb.conformance.documents.graphs import compile_reasons, hash_reasons, load_reasons
from graphnb.conformance.documents.runs import run_reasons
from graphnb.conformance.reading.cases import Case
from graphnb.errors import DocumentError

_REASONS: Final[Mapping[str, Callable[[dict[str, Any]], Iterator[str]]]] = {
    "reduce": reduce_reasons,
    "zero": zero_reasons,
    "write": write_reasons,
    "compile": compile_reasons,
    "load": load_reasons,
    "hash": hash_reasons,
    "delegate": delegate_reasons,
    "run": run_reasons,
}


def reasons_of(case: Case) -> tuple[str, ...]:
    """The reasons, each once; empty if the case passes. How it is written was judged before."""
    try:
        return tuple(dict.fromkeys(_REASONS[case.part.value["kind"]](case.part.value)))
    except DocumentError as refused:
        return (f"cannot be read, category {refused.category}: {refused}",)
