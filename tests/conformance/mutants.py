"""Cases in which something else is expected: they have to fail."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from graphnb.conformance.reading.cases import Case
from graphnb.conformance.run import run_case


def passes(case: Case, told: dict[str, Any]) -> bool:
    """True if the case passes with this content."""
    part = replace(case.part, value=copy.deepcopy(told))
    return run_case(replace(case, part=part)).status == "passed"


def otherwise(value: Any, *, is_ordered: bool) -> Iterator[Any]:
    """The value, wrong in one way each; lists the other way round only where their order matters."""
    if isinstance(value, bool):
        yield from (not value, int(value))
    elif isinstance(value, int):
        yield from (value + 1, float(value), str(value))
    elif isinstance(value, float):
        yield from (value * 2 + 1, str(value))
    elif isinstance(value, str):
        yield f"{value}_"
    elif value is None:
        yield from (0, False)
    elif isinstance(value, list):
        yield [*value, "more"]
        yield from [value[:-1]] if value else []
        yield from [value[::-1]] if is_ordered and value != value[::-1] else []
        for i, each in enumerate(value):
            yield from ([*value[:i], other, *value[i + 1 :]] for other in otherwise(each, is_ordered=is_ordered))
    else:
        yield {**value, "more": 1}
        for key, each in value.items():
            yield {name: other for name, other in value.items() if name != key}
            yield from ({**value, key: other} for other in otherwise(each, is_ordered=is_ordered))
