"""Case files rewritten so that they say the same: other names, other numbers, another order of declarations."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from graphnb.conformance.expecting.event_claims import CLAIMS

WORDS = frozenset({"completed", "count", "fan_out", "flaky", "noop", "success"})
"""Names in the fixtures that are words of the language as well, so that renaming them would change what it says."""
NAMED = frozenset({"nodes", "fields", "subgraphs", "branches"})
"""Keys of mappings from names."""
DATA = frozenset(
    "default update update_pure initial_state final_state recoverable_state pre_state post_state parent_states "
    "success_update on_success success_compute partial_update degraded_update state_in partial_update_returned "
    "equals fail_when_idx".split()
)
"""Keys of values of a state."""
COUNTS = frozenset({"count_field", "increment_field"})
"""Keys of fields that count something, so that their numbers follow from the graph and not from other numbers."""
FACTOR = 7


def renamed(document: Any) -> Any:
    """The document with all nodes, fields, subgraphs, branches and observers under other names."""
    names = sorted(set(_names_in(document)) - _kept(document), key=len, reverse=True)
    # In another alphabetical order than before: nothing may depend on that.
    new = {name: f"n{len(names) - i:02}_{name}" for i, name in enumerate(sorted(names))}
    return _renamed(document, new)


def renumbered(document: Any) -> Any:
    """The document with all numbers of states multiplied; what is calculated from them is linear."""
    counts = set(_fields_under(document, COUNTS)) | set(_read_by_options(document))
    return _scaled(document, counts, is_data=False, scales_text="{{" in repr(document))


def permuted(document: Any) -> Any:
    """The document with independent declarations the other way round: nodes, edges, fields, subgraphs, cases."""
    if isinstance(document, list):
        return [permuted(each) for each in document]
    if not isinstance(document, dict):
        return document
    changed = {}
    for key, value in document.items():
        value = permuted(value)
        if key in ("nodes", "fields", "subgraphs", "per_node", "invariants") and isinstance(value, dict):
            value = dict(reversed(value.items()))
        elif key in ("edges", "cases"):
            value = value[::-1]
        changed[key] = value
    return changed


def _names_in(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _names_in(each)
    if not isinstance(value, dict):
        return
    if {"name", "state", "nodes"} <= value.keys() or "attach" in value:  # a subgraph of its own name, an observer
        yield value["name"]
    if key in NAMED:
        yield from value
    for inner, each in value.items():
        yield from _names_in(each, inner)


def _kept(document: Any) -> frozenset[str]:
    """Names that must stay: words of the language, the fields that middleware of the harness knows, cases."""
    text = repr(document)
    kept = set(WORDS) | {case["name"] for case in document.get("cases", ())}
    kept |= {document["name"]} if "name" in document else set()
    kept |= {"trace"} if "_marker" in text else set()
    kept |= {"max_retries_remaining"} if "state_aware_max_retries_remaining" in text else set()
    return frozenset(kept)


def _renamed(value: Any, new: dict[str, str], key: str = "") -> Any:
    if isinstance(value, list):
        return [_renamed(each, new, key) for each in value]
    if isinstance(value, str):
        return new[value] if value in new else re.sub(r"state\.(\w+)", lambda m: f"state.{new.get(m[1], m[1])}", value)
    if not isinstance(value, dict):
        return value
    if "attach" in value:  # an observer's keys are words
        return {inner: _renamed(each, new) for inner, each in value.items()}
    return {_key(inner, new): _renamed(each, new, inner) for inner, each in value.items()}


def _key(key: Any, new: dict[str, str]) -> Any:
    """A key under its new name; a claim about events begins with a name."""
    if key in new or not isinstance(key, str) or key in CLAIMS:
        return new.get(key, key)
    for name in sorted(new, key=len, reverse=True):
        if key.startswith(f"{name}_") and re.fullmatch(_CLAIM, key.removeprefix(name)):
            return new[name] + key.removeprefix(name)
    return key


_CLAIM = (
    r"(_node)?_(events_count|fan_out_index_\w+|branch_name_chains_seen|scalar_\w+|event_identities_unique_by_chain)"
    r"|_(started|completed)_present|_inner_attempt_indices_seen|_inner_branch_name_seen"
)


def _fields_under(value: Any, keys: Iterable[str]) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _fields_under(each, keys)
    elif isinstance(value, dict):
        yield from (each for key, each in value.items() if key in keys)
        for each in value.values():
            yield from _fields_under(each, keys)


def _read_by_options(value: Any) -> Iterator[str]:
    """Fields whose numbers say how many instances there are, or run at once."""
    if isinstance(value, list):
        for each in value:
            yield from _read_by_options(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key in ("count", "concurrency") and isinstance(each, dict) and "field" in each:
                yield each["field"]
            yield from _read_by_options(each)


def _scaled(value: Any, counts: set[str], *, is_data: bool, scales_text: bool) -> Any:
    def again(each: Any, *, as_data: bool) -> Any:
        return _scaled(each, counts, is_data=as_data, scales_text=scales_text)

    if isinstance(value, list):
        return [again(each, as_data=is_data) for each in value]
    if isinstance(value, dict):
        return {
            key: each if key in counts else again(each, as_data=is_data or key in DATA) for key, each in value.items()
        }
    if is_data and isinstance(value, int) and not isinstance(value, bool):
        return value * FACTOR
    if is_data and scales_text and isinstance(value, str) and "{{" not in value:
        return re.sub(r"\d+", lambda found: str(int(found[0]) * FACTOR), value)
    return value
