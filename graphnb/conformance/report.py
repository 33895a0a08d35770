"""Results as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterable

from graphnb.conformance.run import Result
from graphnb.errors.text import visible
from graphnb.show.writing.words import printable

_WORDS = {"passed": "passed", "failed": "FAILED", "out_of_scope": "out of scope"}


def to_text(result: Result) -> str:
    """One line, and under it the reasons, indented.

    >>> print(to_text(Result("a.yaml", "grows", "failed", ("final_state.n: expected 2, got 3",))))
    FAILED  a.yaml  grows
        final_state.n: expected 2, got 3
    """
    line = f"{_WORDS[result.status]}  {printable(result.file)}  {printable(result.case)}"
    return "\n".join((line, *(textwrap.indent(visible(reason), "    ") for reason in result.reasons)))


def to_json(result: Result) -> str:
    """One JSON object on one line.

    >>> to_json(Result("a.yaml", "grows", "passed"))
    '{"file": "a.yaml", "case": "grows", "status": "passed", "reason": ""}'
    """
    reason = "\n".join(result.reasons)
    return json.dumps({"file": result.file, "case": result.case, "status": result.status, "reason": reason})


def summary(results: Iterable[Result]) -> str:
    """The counts, as the last line says them.

    >>> summary([Result("a.yaml", "grows", "passed"), Result("a.yaml", "spans", "out_of_scope", ("needs",))])
    '1 passed, 0 failed, 1 out of scope'
    """
    counts = Counter(result.status for result in results)
    told = f"{counts['passed']} passed, {counts['failed']} failed"
    return f"{told}, {counts['out_of_scope']} out of scope" if counts["out_of_scope"] else told
