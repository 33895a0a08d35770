"""State declarations of case files: their shape, and the real state class that they stand for."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import create_model

import graphnb as gn
from graphnb.conformance.building.types import annotation_of, type_shape
from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.conformance.reading.shapes import Shape, anything, keyed, nullable, text
from graphnb.errors.text import choices, kind_of, shown
from graphnb.state.reducers.annotated import Reducer

_PLAIN: Final[Mapping[str, Reducer]] = {
    "append": gn.append,
    "concat_flatten": gn.concat_flatten,
    "last_write_wins": gn.last_write_wins,
    "merge": gn.merge,
    "merge_all": gn.merge_all,
}
_MAKERS: Final[Mapping[str, Callable[..., Reducer]]] = {
    "bounded_append": gn.bounded_append,
    "dedupe_append": gn.dedupe_append,
    "merge_by_key": gn.merge_by_key,
}
# A wrong bound or a missing key is for the product to refuse, so it passes here.
_ARGUMENTS: Final[Mapping[str, Shape]] = {
    "bounded_append": keyed({"max_len": anything}),
    "dedupe_append": keyed({}, {"key": nullable(text)}),
    "merge_by_key": keyed({"key": nullable(text)}),
}


def state_class(fields: Part, given: Mapping[str, Any]) -> type[gn.State]:
    """The state class that a mapping of fields declares; `given` names without a declaration become `any`.

    Raises what the product raises for reducers that it refuses. Source: fixture language §2, contract D-15.
    """
    declared: dict[str, Any] = {name: _field(part) for name, part in fields.items()}
    for name in given:
        declared.setdefault(name, (Any, None))
    with warnings.catch_warnings():
        # A case may call a field "copy" or "json": that is no fault of it.
        warnings.filterwarnings("ignore", message="Field name .* shadows an attribute", category=UserWarning)
        return create_model("State", __base__=gn.State, **declared)


def fields_shape(part: Part) -> Iterator[CaseFault]:
    """The shape of a mapping of fields."""
    if not isinstance(part.value, dict):
        yield part.fault(f"must be a mapping, not {kind_of(part.value)}")
        return
    for name in part.value:
        if not isinstance(name, str) or not name or name.startswith("_"):
            yield part.fault(f"has a field {shown(name)}", "A field's name is a text that does not begin with '_'.")
        else:
            yield from _FIELD(part.at(name))


def _field(part: Part) -> tuple[Any, Any]:
    reducers = [_reducer(part.at(key)) for key in ("reducer", "alt_reducer") if key in part.value]
    annotation = annotation_of(part.value["type"])
    if reducers:
        annotation = Annotated[(annotation, *reducers)]
    return annotation, copy.deepcopy(part.value["default"]) if "default" in part.value else ...


def _reducer(part: Part) -> Reducer:
    if isinstance(part.value, str):
        return _PLAIN[part.value]
    ((name, arguments),) = part.value.items()
    if isinstance(arguments.get("key"), str):
        arguments = {"key": _entry_of(arguments["key"])}
    return _MAKERS[name](**arguments)


def _entry_of(key: str) -> Callable[[Any], Any]:
    """The accessor of one entry of a record, named after it for messages."""

    def entry(item: Any) -> Any:
        return item[key]

    entry.__name__ = key
    return entry


def _reducer_shape(part: Part) -> Iterator[CaseFault]:
    """A name, or a mapping from one name to arguments."""
    if isinstance(part.value, dict) and len(part.value) == 1:
        (name,) = part.value
        if name in _ARGUMENTS:
            yield from _ARGUMENTS[name](part.at(name))
            return
        mend = f"Write reducer: {name}." if name in _PLAIN else choices("Reducers with arguments", _MAKERS, name)
        yield part.fault(f"{shown(name)} is no reducer with arguments", mend, kind=NotSupported)
    elif isinstance(part.value, str):
        if part.value in _MAKERS:
            yield part.fault(f"{part.value} needs its arguments", f"Write reducer: {{{part.value}: {{...}}}}.")
        elif part.value not in _PLAIN:
            what = f"not supported yet: {part.value}"
            yield part.fault(what, choices("Reducers", (*_PLAIN, *_MAKERS), part.value), kind=NotSupported)
    else:
        yield part.fault(f"must be a name or a mapping with one name, not {shown(part.value)}")


_FIELD: Final = keyed(
    {"type": type_shape}, {"default": anything, "reducer": _reducer_shape, "alt_reducer": _reducer_shape}
)
STATE: Final = keyed({"fields": fields_shape})
"""The shape of `state`."""
