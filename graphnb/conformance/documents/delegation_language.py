"""What a case of the kind `delegate` may say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphnb.conformance.reading.parts import CaseFault, Part
from graphnb.conformance.reading.shapes import (
    Shape,
    anything,
    at_least,
    each,
    keyed,
    many,
    one_directive,
    text,
    true,
)
from graphnb.errors.text import choices

_FUNCTION: Final = one_directive(
    {
        "give": (anything, {}),
        "echo": (true, {}),
        "append": (anything, {}),
        "append_at": (keyed({"at": text, "value": anything}), {}),
        "put": (each(anything, some=True), {}),
        "raise": (text, {}),
    }
)
_INDEX: Final = at_least(0)
_FAILURE: Final = keyed(
    {"delegate": text, "index": _INDEX, "message": text, "results": many(anything), "failed": many(_INDEX, some=True)}
)
_ERROR: Final = keyed({"delegate": text, "index": _INDEX, "message": text})
_OUTCOMES: Final = ("results", "failure", "refused")

REQUIRED: Final[Mapping[str, Shape]] = {"functions": each(_FUNCTION), "delegates": many(text), "briefs": anything}
OPTIONAL: Final[Mapping[str, Shape]] = {
    "concurrency": anything,
    "on_error": text,
    "on_empty": text,
    "meet": at_least(2),
    "ends": many(_INDEX, some=True),
    "at_most": at_least(1),
    "asked": many(anything),
    "results": many(anything),
    "errors": many(_ERROR, some=True),
    "failure": _FAILURE,
    "refused": text,
}


def contradictions(part: Part) -> Iterator[CaseFault]:
    """A case names functions that there are, says what comes of it, and of everybody who is asked what he is asked."""
    told = part.value
    if not all(isinstance(told.get(key), kind) for key, kind in (("functions", dict), ("delegates", list))):
        return  # told before
    count = len(told["delegates"])
    for name in part.at("delegates").entries():
        if isinstance(name.value, str) and name.value not in told["functions"]:
            yield name.fault(f"{name.value!r} is no function", choices("Functions", told["functions"], name.value))
    for name in told["functions"]:
        if name not in told["delegates"]:
            yield part.at("functions").at(name).fault("is no delegate", "Put it into 'delegates', or leave it out.")
    outcomes = [key for key in _OUTCOMES if key in told]
    if len(outcomes) != 1:
        yield part.fault(f"says {outcomes or 'nothing'} of what comes of it", f"Give it one of {list(_OUTCOMES)}.")
    if ("asked" in told) == ("refused" in told):
        yield part.fault("needs 'asked' unless it is refused", "Give the brief that each delegate is asked, in order.")
    if "errors" in told and "results" not in told:
        yield part.at("errors").fault("stands beside no 'results'")
    if isinstance(told.get("asked"), list) and len(told["asked"]) != count:
        yield part.at("asked").fault(f"has {len(told['asked'])} briefs, and there are {count} delegates")
    if isinstance(told.get("meet"), int) and told["meet"] > count:
        yield part.at("meet").fault(f"is more than the {count} delegates that there are")
    if isinstance(told.get("ends"), list) and sorted(map(repr, told["ends"])) != sorted(map(repr, range(count))):
        yield part.at("ends").fault(
            f"must have each of {list(range(count))} once", "It is the order in which they end."
        )
