"""The kind `delegate`: delegates are asked in every way there is, and each time the same must come of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import graphnb as gn
from graphnb.conformance.compare import differences
from graphnb.conformance.documents.scripted_delegates import KINDS, Count, delegates_of
from graphnb.conformance.invocations import awaited
from graphnb.errors.text import shown

_OPTIONS: Final = ("concurrency", "on_error", "on_empty")


class Way(NamedTuple):
    """One way to ask: by which call, and of which kind the delegates are."""

    call: str
    mix: str

    def __str__(self) -> str:
        return f"{self.call}, delegates {self.mix}"


WAYS: Final = tuple(
    Way(call, mix) for call in ("gn.delegate", "gn.adelegate", "graph.run", "graph.arun") for mix in (*KINDS, "mixed")
)
"""All of them: a case holds if it does in each. `graph.run` has the briefs in its code, `graph.arun` in a field."""


class Board(gn.State):
    """The state of a graph whose one node asks the delegates."""

    briefs: Any = None
    results: Any = None
    errors: list[dict[str, Any]] = []


class Given(NamedTuple):
    """What came of one asking: `errors` are (index, delegate, text) of failures that were kept; or what was raised."""

    results: Any = None
    errors: tuple[tuple[int, str, str], ...] = ()
    raised: Exception | None = None


def delegate_reasons(told: dict[str, Any]) -> Iterator[str]:
    """What is wrong, in whichever way of asking."""
    found: dict[str, list[Way]] = {}
    for way in WAYS:
        for reason in dict.fromkeys(_judge(told, way)):
            found.setdefault(reason, []).append(way)
    for reason, ways in found.items():
        yield reason if len(ways) == len(WAYS) else f"{reason} (only with {'; '.join(map(str, ways))})"


def _judge(told: dict[str, Any], way: Way) -> Iterator[str]:
    count, briefs = Count(told), copy.deepcopy(told["briefs"])
    given = _ask(told, way, briefs=briefs, count=count)
    yield from count.faults
    yield from differences(told["briefs"], briefs, place="briefs, afterwards")
    yield from count.unasked()
    if count.most > told.get("at_most", count.most):
        yield f"at_most: expected at most {told['at_most']} at once, got {count.most}"
    if "refused" in told:
        yield from _check_refusal(told["refused"], given)
    elif "failure" in told:
        yield from _check_failure(told["failure"], given.raised)
    elif given.raised is not None:
        yield f"it failed, which is not expected: {type(given.raised).__name__}: {given.raised}"
    else:
        yield from differences(told["results"], given.results, place="results")
        yield from _check_errors(told.get("errors", []), given.errors)


def _ask(told: dict[str, Any], way: Way, *, briefs: Any, count: Count) -> Given:
    """What comes of it; whatever it raises, for a failure may be what is asked for."""
    delegates = delegates_of(told, count, way.mix)
    options: dict[str, Any] = {key: told[key] for key in _OPTIONS if key in told}
    try:
        if way.call == "gn.delegate":
            return _of_call(gn.delegate(delegates, briefs, **options))
        if way.call == "gn.adelegate":
            return _of_call(awaited(gn.adelegate(delegates, briefs, **options)))
        return _of_run(_run(delegates, briefs, options=options, is_awaited=way.call == "graph.arun"))
    except Exception as raised:  # noqa: BLE001  the product may fail in a way that nothing here foresees
        return Given(raised=raised)


def _run(delegates: list[Any], briefs: Any, *, options: dict[str, Any], is_awaited: bool) -> gn.Run:
    graph = gn.Graph(Board, entry="ask", name="board")
    kept: dict[str, Any] = {"errors_into": "errors"} if options.get("on_error") == "keep" else {}
    is_declared = not is_awaited and not isinstance(briefs, str)  # a text would name a field
    source = briefs if is_declared else "briefs"
    graph.delegates("ask", delegates, briefs=source, into="results", **options, **kept, to=gn.END)
    given = {} if is_declared else {"briefs": briefs}
    return awaited(graph.arun(**given)) if is_awaited else graph.run(**given)


def _of_call(given: gn.Delegation) -> Given:
    if given.result is not given.results:
        return Given(raised=AssertionError("result and results are two lists"))
    return Given(given.results, tuple((each.index, each.delegate, str(each.error)) for each in given.errors))


def _of_run(run: gn.Run) -> Given:
    errors = tuple((each["index"], each["delegate"], each["error"]) for each in run.state.errors)
    return Given(run.state.results, errors)


def _check_refusal(text: str, given: Given) -> Iterator[str]:
    if not isinstance(given.raised, (gn.InvalidDeclaration, gn.DelegationError)):
        yield f"refused: expected it to be refused, got {shown(given.raised or given.results)}"
    elif text not in str(given.raised):
        yield f"refused: expected {text!r} in {str(given.raised)!r}"


def _check_failure(told: dict[str, Any], raised: Exception | None) -> Iterator[str]:
    if not isinstance(raised, gn.DelegateFailed):
        yield f"failure: expected a delegate that failed, got {shown(raised)}"
        return
    got = {
        "delegate": raised.delegate,
        "index": raised.index,
        "results": [*raised.results],
        "failed": [i for i, _ in raised.errors],
    }
    yield from differences({key: told[key] for key in got}, got, place="failure")
    if told["message"] not in str(raised):
        yield f"failure.message: expected {told['message']!r} in {str(raised)!r}"


def _check_errors(told: list[dict[str, Any]], got: tuple[tuple[int, str, str], ...]) -> Iterator[str]:
    expected = [[each["index"], each["delegate"]] for each in told]
    yield from differences(expected, [[index, delegate] for index, delegate, _ in got], place="errors")
    for each, (_, _, text) in zip(told, got, strict=False):
        if each["message"] not in text:
            yield f"errors: expected {each['message']!r} in {text!r}"
