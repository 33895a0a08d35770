"""Policies of the graph and of its nodes. Null counts as absent, and keys that are not known are free."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.documents.records import Document
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error
from graphnb.state.storable.values import Path

_CODE: Final = "invalid_policy"
_RETRY: Final = {"max_attempts": 1, "backoff_ms": 0}
"""By key, the least it may be."""


def check_policies(document: Document) -> Iterator[Diagnostic]:
    """One diagnostic per policy, and within `retry` per key, that cannot be honoured."""
    yield from _check_least(document.policies, "max_supersteps", least=1, path=("policies",))
    for key, node in document.nodes.items():
        path = ("nodes", key, "policies")
        yield from _check_least(node.policies, "timeout_ms", least=1, path=path)
        yield from _check_retry(node.policies.get("retry"), (*path, "retry"))
        if node.policies.get("on_error") is not None:
            mend = "Leave it out: write an expected failure to a field, and ask for it in a guard."
            yield error(_CODE, (*path, "on_error"), "is reserved and does nothing yet", mend)


def _check_least(policies: Any, name: str, *, least: int, path: Path) -> Iterator[Diagnostic]:
    what = _why_not(policies.get(name), least)
    if what:
        yield error(_CODE, (*path, name), what)


def _check_retry(retry: Any, path: Path) -> Iterator[Diagnostic]:
    if retry is None:
        return
    if not isinstance(retry, dict):
        yield error(_CODE, path, f"must be an object, not {kind_of(retry)} {shown(retry)}", f"Keys: {[*_RETRY]}.")
        return
    for key, value in retry.items():
        if key not in _RETRY:
            yield error(_CODE, path, f"has the unknown key {shown(key)}", choices("Keys", _RETRY, key))
            continue
        what = _why_not(value, _RETRY[key])
        if what:
            yield error(_CODE, path, f"{key} {what}")


def _why_not(value: object, least: int) -> str | None:
    if value is None or (type(value) is int and value >= least):
        return None
    return f"must be an integer of at least {least}, not {kind_of(value)} {shown(value)}"
