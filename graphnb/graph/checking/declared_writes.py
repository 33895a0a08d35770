"""What a node writes to which field, and of which type, as far as its declaration tells before anything runs.

A plain node does not declare what it writes, unless its return annotation is a TypedDict; a fan-out, a subgraph and
branches over graphs do.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_origin

import typing_extensions

from graphnb.graph.delegation import RESULT
from graphnb.graph.spec import (
    BranchesNode,
    DelegatesNode,
    FanOutNode,
    GraphSpec,
    NodeSpec,
    RaceNode,
    SubgraphNode,
    is_graph,
)
from graphnb.state.annotations.classes import is_typeddict, needs_key
from graphnb.state.annotations.hints import hint_of
from graphnb.state.schema import Schema


class DeclaredWrite(NamedTuple):
    """A write of values of the type `type` to a field; `option` says by what, `branch` by which branch.

    `each` is what one instance of a fan-out or one delegate, the `unit`, gives, of which `type` is the list. `is_sure`:
    no update lacks it.
    """

    field: str
    type: Any
    option: str
    each: Any = None
    branch: str | None = None
    is_sure: bool = True
    unit: str = "instance"


def writes_of(node: NodeSpec, spec: GraphSpec) -> tuple[DeclaredWrite, ...]:
    """The writes that are declared, those to fields of the state; none if middleware may change the update."""
    if not all(hasattr(layer, "around") for layer in (*spec.middleware, *node.middleware)):
        return ()
    return tuple(each for each in _written(node, spec.schema) if each.field in spec.schema.fields)


def _written(node: NodeSpec, parent: Schema) -> Iterator[DeclaredWrite]:
    if isinstance(node, SubgraphNode):
        child = node.graph.spec().schema
        yield from _given(node.projection.between(parent, child).outs, child, option="outputs")
    elif isinstance(node, FanOutNode):
        yield from _of_fan_out(node)
    elif isinstance(node, BranchesNode):
        for name, branch in node.branches.items():
            if not all(hasattr(layer, "around") for layer in branch.middleware):
                continue
            if is_graph(branch.worker):
                found = _given(branch.outputs or {}, branch.worker.spec().schema, option="outputs")
            else:
                found = _returned(branch.worker, parent)
            yield from (each._replace(branch=name) for each in found)
    elif isinstance(node, DelegatesNode):
        yield from _of_delegates(node)
    elif isinstance(node, RaceNode):
        yield from _of_race(node)
    else:
        yield from _returned(node.function, parent)


def _of_delegates(node: DelegatesNode) -> Iterator[DeclaredWrite]:
    """The list of what they give: of one type if all of them give that, and none of them leaves None."""
    gives = [_result_type(delegate) for delegate in node.delegates]
    each: Any = gives[0] if gives and all(given == gives[0] for given in gives) and node.on_error == "raise" else Any
    if node.into is not None:
        yield DeclaredWrite(node.into, list[each], "into", each, unit="delegate")
    if node.errors_into is not None and node.on_error == "keep":
        yield DeclaredWrite(node.errors_into, list[dict[str, Any]], "errors_into")


def _of_race(node: RaceNode) -> Iterator[DeclaredWrite]:
    """Who has won is a name, or None if nobody has; what was won is of the type of any candidate."""
    if node.winner_into is not None:
        yield DeclaredWrite(node.winner_into, str | None, "winner_into")
    if node.failures_into is not None:
        yield DeclaredWrite(node.failures_into, list[dict[str, Any]], "failures_into")


def _result_type(delegate: Any) -> Any:
    if not is_graph(delegate):
        return _return_type(delegate)
    schema = delegate.spec().schema
    return _types_of(schema).get(RESULT, schema.cls)


def _of_fan_out(node: FanOutNode) -> Iterator[DeclaredWrite]:
    collected = {node.into: node.collect, **node.extra_outputs} if node.into is not None else node.extra_outputs
    gives: Mapping[str, Any] = {}
    bare: Any = Any
    if not all(hasattr(layer, "around") for layer in node.instance_middleware):
        pass  # what an instance gives is what its middleware makes of it
    elif is_graph(node.worker):
        gives = _types_of(node.worker.spec().schema)
    else:
        bare = _return_type(node.worker)
        gives = _keys_of(bare)
    listed = "into" if node.reduce is None else "results_into"
    for field, name in collected.items():
        if name is None and (is_graph(node.worker) or node.extra_outputs):
            continue  # nothing is written, which is told elsewhere
        each = bare if name is None else gives.get(name, Any)
        option = listed if field == node.into else "extra_outputs"
        yield DeclaredWrite(str(field), list[each], option, each)  # type: ignore[valid-type]  # known at run time
    if node.errors_into is not None and node.error_policy == "collect":
        yield DeclaredWrite(node.errors_into, list[dict[str, str]], "errors_into")
    if node.count_into is not None:
        yield DeclaredWrite(node.count_into, int, "count_into")
    if node.reduced_into is not None:
        yield DeclaredWrite(node.reduced_into, _return_type(node.reduce), "reducer")


def _given(outs: Mapping[str, str], child: Schema, *, option: str) -> Iterator[DeclaredWrite]:
    """What a graph gives: `outs` maps fields of the parent to its own."""
    gives = _types_of(child)
    for field, name in outs.items():
        if name in gives:
            yield DeclaredWrite(field, gives[name], option)


def _types_of(schema: Schema) -> Mapping[str, Any]:
    """The types of the fields; `Any` where the class has validators of its own, which may make anything of a value."""
    return {name: Any if schema.whole else each.annotation for name, each in schema.fields.items()}


def _returned(function: Any, parent: Schema) -> Iterator[DeclaredWrite]:
    """What a function of the state gives; a whole state counts where it differs alone, which nobody knows."""
    returned = _return_type(function)
    update = hint_of(returned).bare
    if update is parent.cls or not is_typeddict(update):
        return
    for name, hint in _hints_of(update).items():
        yield DeclaredWrite(name, hint_of(hint).bare, "return type", is_sure=needs_key(update, name, hint=hint))


def _return_type(function: Any) -> Any:
    """The annotation of what is returned, `Any` for none."""
    while isinstance(function, functools.partial):
        function = function.func
    called = function if inspect.isroutine(function) or isinstance(function, type) else type(function).__call__
    found = _hints_of(called).get("return", Any)
    is_type = isinstance(found, (type, typing_extensions.TypeAliasType)) or get_origin(found) is not None
    return found if is_type else Any  # an annotation may be any object at all


def _hints_of(annotated: Any) -> Mapping[str, Any]:
    """The annotations; none if they cannot be evaluated, which tells nothing."""
    try:
        return typing_extensions.get_type_hints(annotated, include_extras=True)
    except Exception:  # noqa: BLE001  evaluating them is running user code
        return {}


def _keys_of(annotation: Any) -> Mapping[str, Any]:
    """The types by key of what is a TypedDict."""
    bare = hint_of(annotation).bare
    if not is_typeddict(bare):
        return {}
    return {name: hint_of(each).bare for name, each in _hints_of(bare).items()}
