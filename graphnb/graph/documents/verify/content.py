"""Whether all content of a document can be stored; records that were read always pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from graphnb.errors import InvalidDocument
from graphnb.graph.documents.records import COLLECTIONS, Document
from graphnb.graph.documents.survey import find_fault
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error
from graphnb.graph.documents.writing import wire_content
from graphnb.state.storable.values import Path, find_unstorable

_CODE: Final = "non_durable_graph_value"
_MEND: Final = (
    "A document holds null, true and false, integers, finite floats, text, lists, and objects with text keys none of "
    "which begins with $."
)
_OPEN: Final = ("metadata", "policies", "config", "branches", "implementation", "default", "schema", "reducer")


def check_content(document: Document) -> Iterator[Diagnostic]:
    """One diagnostic for the first part that cannot be stored."""
    try:
        content = wire_content(document)
    except InvalidDocument as refused:
        yield error(_CODE, refused.place, refused.what, _MEND)
        return
    fault = find_fault(content) or next(_reserved(content), None)
    if fault is not None:
        yield error(_CODE, fault[0], fault[1], _MEND)


def _reserved(content: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Keys that begin with "$" in content where they mean nothing; ids are judged elsewhere."""
    for path, value in _open_parts(content):
        found = find_unstorable(value)
        if found is not None:
            yield (*path, *found[0]), found[1]


def _open_parts(content: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    yield from (((key,), content.get(key)) for key in ("policies", "metadata"))
    for name in COLLECTIONS:
        records = content.get(name)
        for key, record in records.items() if isinstance(records, dict) else ():
            if isinstance(record, dict):
                yield from (((name, key, part), record.get(part)) for part in _OPEN)
                yield from _literals(record.get("guard"), (name, key, "guard"))


def _literals(guard: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """What the guard compares with, at any depth; guards within stand bare or under their tag."""
    rest: list[tuple[Path, Any]] = [(path, guard)]
    while rest:
        here, each = rest.pop()
        args = each.get("args") if isinstance(each, dict) else None
        if not isinstance(args, list):
            yield here, each
            continue
        for i, argument in enumerate(args):
            is_tagged = isinstance(argument, dict) and [*argument] == ["$guard"]
            inner = argument["$guard"] if is_tagged else argument
            is_guard = is_tagged or (each.get("op") in ("all", "any", "not") and isinstance(argument, dict))
            if is_guard:
                rest.append(((*here, "args", i, *(["$guard"] if is_tagged else [])), inner))
            else:
                yield (*here, "args", i), argument
