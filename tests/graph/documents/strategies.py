"""Documents for property tests: canonical ones, as they are written, and ways to say the same otherwise."""

from typing import Any

from hypothesis import strategies as st

from graphnb.graph.documents.ids import id_fault
from graphnb.graph.documents.reading_parts import REDUCERS

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,3}", fullmatch=True).filter(lambda name: id_fault(name) is None)
keys = texts.filter(lambda key: not key.startswith("$"))
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=6
)
mappings = st.dictionaries(keys, values, min_size=1, max_size=3)


def records(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of the optional keys."""
    return st.fixed_dictionaries(required, optional=optional)


_TEXTS = {"label": texts, "description": texts, "metadata": mappings}
_types = st.sampled_from(["string", "integer", "float", "boolean", "map", "object", "enum", "list"])
_schema_parts = {
    "required": st.just(True),
    "default": values,
    "constraints": mappings,
    "metadata": mappings,
    "values": st.lists(values, min_size=1, max_size=3),
}
schemas = st.recursive(
    records({"type": _types}, _schema_parts),
    lambda inner: records(
        {"type": _types},
        {**_schema_parts, "item": inner, "fields": st.dictionaries(keys, inner, min_size=1, max_size=2)},
    ),
    max_leaves=3,
)
_literals = values.filter(lambda value: not isinstance(value, dict))
_paths = st.builds(
    lambda name, steps: {"op": "path", "args": [name, steps]}, ids, st.lists(texts | st.integers(), max_size=3)
)
_tagged = _paths.map(lambda path: {"$guard": path})
_atoms = (
    st.builds(lambda name: {"op": "changed", "args": [name]}, ids)
    | st.builds(lambda name, least: {"op": "version_at_least", "args": [name, least]}, ids, st.integers(0))
    | st.builds(lambda name: {"op": "exists", "args": [name]}, ids | _tagged)
    | st.builds(lambda name, value: {"op": "equals", "args": [name, value]}, ids | _tagged, values | _tagged)
    | _paths
)
guards = st.recursive(
    _atoms,
    lambda inner: st.builds(
        lambda op, args: {"op": op, "args": args}, st.sampled_from(["all", "any", "not"]), st.lists(inner, max_size=3)
    ),
    max_leaves=4,
)
reducers = records({"type": st.sampled_from(REDUCERS)}, {"opts": mappings})
_defaults = values.filter(lambda value: value is not None)


def _fields(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    parts = {**_TEXTS, "schema": schemas, "reducer": reducers, "required": st.just(True), "default": _defaults}
    return records({"kind": st.just(kind)}, parts)


_outputs = records({}, {**_TEXTS, "source": ids, "schema": schemas})
_nodes = records(
    {},
    {
        **_TEXTS,
        "implementation": st.builds(lambda name: {"type": "module", "implementation": name}, texts),
        "branches": mappings | st.lists(values, min_size=1, max_size=2),
        "config": mappings,
        "policies": mappings,
    },
)
_ends = ids | st.sampled_from(["$start", "$finish"])
_edges = records(
    {},
    {
        **_TEXTS,
        "from": _ends | st.lists(_ends, max_size=3),
        "to": _ends,
        "source_handle": texts,
        "target_handle": texts,
        "guard": guards,
    },
)


def _keyed(each: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(ids, each, min_size=1, max_size=2)


documents = records(
    {"schema_version": st.just(1), "id": ids},
    {
        "name": texts,
        "description": texts,
        "inputs": _keyed(_fields("input")),
        "fields": _keyed(_fields("state")),
        "outputs": _keyed(_outputs),
        "nodes": _keyed(_nodes),
        "edges": _keyed(_edges),
        "policies": mappings,
        "metadata": mappings,
    },
)
"""Documents in their written form."""


def shuffled(value: Any, random: Any) -> Any:
    """The same value with the keys of every mapping in another order."""
    if isinstance(value, list):
        return [shuffled(each, random) for each in value]
    if not isinstance(value, dict):
        return value
    entries = [(key, shuffled(each, random)) for key, each in value.items()]
    random.shuffle(entries)
    return dict(entries)


_EMPTY_RECORD = {"label": None, "description": None, "metadata": {}}
_EMPTY = {
    "inputs": {**_EMPTY_RECORD, "schema": None, "reducer": None, "required": False, "default": None},
    "outputs": {**_EMPTY_RECORD, "schema": None, "source": None},
    "nodes": {**_EMPTY_RECORD, "implementation": None, "branches": {}, "config": {}, "policies": {}},
    "edges": {**_EMPTY_RECORD, "from": None, "to": None, "source_handle": None, "target_handle": None, "guard": None},
}
_EMPTY["fields"] = _EMPTY["inputs"]
_EMPTY_SCHEMA = {"fields": {}, "item": None, "values": [], "required": False, "constraints": {}, "metadata": {}}


def spelled_out(document: dict[str, Any]) -> dict[str, Any]:
    """The same document with everything said that says nothing."""
    collections = {
        name: {key: _spelled_record(record, name) for key, record in document.get(name, {}).items()} for name in _EMPTY
    }
    return {"name": None, "description": None, "policies": {}, "metadata": {}, **document, **collections}


def _spelled_record(record: dict[str, Any], name: str) -> dict[str, Any]:
    told = {**_EMPTY[name], **record}
    if told.get("schema") is not None:
        told["schema"] = _spelled_schema(told["schema"])
    if told.get("reducer") is not None:
        told["reducer"] = {"opts": {}, **told["reducer"]}
    if name == "fields" and told["kind"] == "state":
        del told["kind"]
    return told


def _spelled_schema(schema: dict[str, Any]) -> dict[str, Any]:
    told = {**_EMPTY_SCHEMA, **schema}
    told["fields"] = {key: _spelled_schema(each) for key, each in told["fields"].items()}
    if told["item"] is not None:
        told["item"] = _spelled_schema(told["item"])
    return told
