"""What is wrong with a node that runs graphs or several functions, each fault under its category.

Source: graph-engine §2, pipeline-utilities §9 and §11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphnb.errors import (
    BuildError,
    ConflictingProjectionForms,
    FanOutCountModeAmbiguous,
    FanOutDegradedUpdateMissingCollectField,
    FanOutFieldNotList,
    InvalidDeclaration,
    MappingReferencesUndeclaredField,
    ParallelBranchesInvalidBranchSpec,
    ParallelBranchesNoBranches,
)
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.spec import BranchesNode, DelegatesNode, FanOutNode, ParallelBranch, RaceNode, SubgraphNode, is_graph
from graphnb.state.projection import Projection
from graphnb.state.schema import Schema


def subgraph_faults(node: SubgraphNode, place: str, *, parent: Schema) -> Iterator[BuildError]:
    """Faults of a projection: its form, and the names in it."""
    child, projection = node.graph.spec().schema, node.projection
    if projection.has_sets and projection.has_maps:
        what = "has maps (inputs, outputs) and sets (projects_in, projects_out)"
        yield ConflictingProjectionForms(place, what, "Use one of the two forms.")
    yield from _map_faults(projection, place, child=child, parent=parent)
    for option in ("projects_in", "projects_out"):
        for name in getattr(projection, option) or ():
            yield from _undeclared(place, option, name=name, schema=parent)
            yield from _undeclared(place, option, name=name, schema=child)


def fan_out_faults(node: FanOutNode, place: str, *, parent: Schema) -> Iterator[BuildError]:
    """Faults of a fan-out: what it goes over, and the names in its options."""
    if (node.over is None) == (node.count is None):
        given = "both" if node.over is not None else "neither"
        yield FanOutCountModeAmbiguous(place, f"has {given} of over and count", "Give one: over='field' or count=3.")
    for option in ("over", "into", "errors_into", "count_into", "reduced_into"):
        yield from _undeclared(place, _called(option, node), name=getattr(node, option), schema=parent)
    yield from _shared_targets(node, place)
    over = parent.fields.get(node.over or "")
    if over is not None and not over.is_list:
        yield FanOutFieldNotList(place, f"goes over field {node.over!r}, which is {over.type}", "It must be a list.")
    for parent_name in node.inputs.values():
        yield from _undeclared(place, "inputs", name=parent_name, schema=parent)
    for parent_name in node.extra_outputs:
        yield from _undeclared(place, "extra_outputs", name=parent_name, schema=parent)
    if is_graph(node.worker):
        yield from _worker_graph_faults(node, place, child=node.worker.spec().schema)
    yield from _lost_outputs(node, place)
    yield from _degraded_faults(node, place)


def branches_faults(node: BranchesNode, place: str, *, parent: Schema) -> Iterator[BuildError]:
    """Faults of parallel branches together: none at all, and where their errors go."""
    if not node.branches:
        yield ParallelBranchesNoBranches(place, "has no branches", "Give at least one: {'name': function or graph}.")
    yield from _undeclared(place, "errors_into", name=node.errors_into, schema=parent)
    if node.errors_into is not None and node.error_policy != "collect":
        yield _unwritten_errors(node, place)


def delegates_faults(node: DelegatesNode, place: str, *, parent: Schema) -> Iterator[BuildError]:
    """Faults of delegates: the names in their options."""
    yield from _undeclared(place, "briefs", name=node.briefs_from, schema=parent)
    for option in ("into", "errors_into"):
        yield from _undeclared(place, option, name=getattr(node, option), schema=parent)
    outputs = {"into": node.into, "errors_into": node.errors_into}
    yield from _filled_twice(place, [(name, option) for option, name in outputs.items() if name is not None])
    if node.errors_into is not None and node.on_error != "keep":
        what = f"errors_into {node.errors_into!r} receives nothing: on_error {node.on_error!r} raises"
        yield InvalidDeclaration(place, what, "Declare on_error='keep', or leave errors_into out.")


def race_faults(node: RaceNode, place: str, *, parent: Schema) -> Iterator[BuildError]:
    """Faults of a race: the names in its options."""
    yield from _undeclared(place, "brief", name=node.brief_from, schema=parent)
    outputs = {option: getattr(node, option) for option in ("into", "winner_into", "failures_into")}
    for option, name in outputs.items():
        yield from _undeclared(place, option, name=name, schema=parent)
    yield from _filled_twice(place, [(name, option) for option, name in outputs.items() if name is not None])


def branch_faults(branch: ParallelBranch, place: str, *, parent: Schema) -> Iterator[BuildError]:
    """Faults of one parallel branch: what it runs, and the names in its options."""
    if is_graph(branch.worker):
        yield from _map_faults(branch, place, child=branch.worker.spec().schema, parent=parent)
    elif not callable(branch.worker):
        what = f"is neither a graph nor a function: {kind_of(branch.worker)}"
        yield ParallelBranchesInvalidBranchSpec(place, what, "Give exactly one of them.")
    elif branch.inputs is not None or branch.outputs is not None:
        what = "is a function, which is given the parent's state and has no inputs or outputs"
        yield ParallelBranchesInvalidBranchSpec(place, what, "Leave them out, and return {'field': value}.")


def _shared_targets(node: FanOutNode, place: str) -> Iterator[BuildError]:
    """One update holds one value per field, so two outputs of a fan-out cannot fill the same one."""
    options = ("into", "errors_into", "count_into", "reduced_into")
    given = {option: getattr(node, option) for option in options}
    outputs = [(name, _called(option, node)) for option, name in given.items() if name is not None]
    outputs += [(name, "extra_outputs") for name in node.extra_outputs]
    yield from _filled_twice(place, outputs)


def _called(option: str, node: FanOutNode) -> str:
    """The option as the user calls it: `into` of map-reduce receives what was made of the results."""
    return option if node.reduce is None else {"into": "results_into", "reduced_into": "into"}.get(option, option)


def _filled_twice(place: str, outputs: Sequence[tuple[str, str]]) -> Iterator[BuildError]:
    """`outputs` are the fields that a node fills, each with the option that names it."""
    for name in dict.fromkeys(name for name, _ in outputs):
        options = [option for each, option in outputs if each == name]
        if len(options) > 1:
            what = f"fills field {name!r} twice: by {' and '.join(options)}"
            yield InvalidDeclaration(place, what, "Give each a field of its own.")


def _lost_outputs(node: FanOutNode, place: str) -> Iterator[BuildError]:
    """What the instances give, or how they fail, must not vanish because an option was forgotten."""
    keeps_errors = node.error_policy == "collect"
    if node.reduced_into is not None:
        return  # what they give goes there, too
    if node.into is None and node.collect is not None:
        what = f"collects {node.collect!r}, but no field receives it"
        yield InvalidDeclaration(place, what, "Name the field that receives the list: into='field'.")
    elif node.into is None and not (node.extra_outputs or node.count_into or (node.errors_into and keeps_errors)):
        mend = (
            "Name the field that receives the list: into='field'. For a worker with effects alone: count_into='field'."
        )
        yield InvalidDeclaration(place, "writes no field: what its instances give is lost", mend)
    elif node.into is not None and node.collect is None and node.extra_outputs and not is_graph(node.worker):
        what = f"into {node.into!r} receives nothing: with extra_outputs the worker gives a dict"
        yield InvalidDeclaration(place, what, "Name the entry of that dict: collect='key'.")
    if node.errors_into is not None and not keeps_errors:
        yield _unwritten_errors(node, place)


def _unwritten_errors(node: FanOutNode | BranchesNode, place: str) -> BuildError:
    what = f"errors_into {node.errors_into!r} receives nothing: error_policy {node.error_policy!r} raises"
    return InvalidDeclaration(place, what, "Declare error_policy='collect', or leave errors_into out.")


def _degraded_faults(node: FanOutNode, place: str) -> Iterator[BuildError]:
    """What stands in for a failed instance must have what is collected; a function of the state cannot be checked."""
    for layer in node.instance_middleware:
        degraded = getattr(layer, "degraded_update", None)
        if node.collect is not None and isinstance(degraded, Mapping) and node.collect not in degraded:
            what = f"{layer!r} replaces a failed instance by {shown(dict(degraded))}, which lacks {node.collect!r}"
            yield FanOutDegradedUpdateMissingCollectField(place, what, f"Add {node.collect!r} to its update.")


def _worker_graph_faults(node: FanOutNode, place: str, *, child: Schema) -> Iterator[BuildError]:
    # an `item` that the child lacks is tolerated and ignored: pipeline-utilities fixture 023
    if node.over is not None and node.item is None:
        yield InvalidDeclaration(place, "does not say which field of the worker gets the item", "Give item='field'.")
    if node.count is not None and node.item is not None:
        yield InvalidDeclaration(place, "has an item field, but count makes no items", "Leave item out.")
    yield from _undeclared(place, "collect", name=node.collect, schema=child)
    for child_name in node.inputs:
        yield from _undeclared(place, "inputs", name=child_name, schema=child)
    for child_name in node.extra_outputs.values():
        yield from _undeclared(place, "extra_outputs", name=child_name, schema=child)


def _map_faults(
    maps: Projection | ParallelBranch, place: str, *, child: Schema, parent: Schema
) -> Iterator[BuildError]:
    for child_name, parent_name in (maps.inputs or {}).items():
        yield from _undeclared(place, "inputs", name=child_name, schema=child)
        yield from _undeclared(place, "inputs", name=parent_name, schema=parent)
    for parent_name, child_name in (maps.outputs or {}).items():
        yield from _undeclared(place, "outputs", name=parent_name, schema=parent)
        yield from _undeclared(place, "outputs", name=child_name, schema=child)


def _undeclared(place: str, option: str, *, name: str | None, schema: Schema) -> Iterator[BuildError]:
    if name is not None and name not in schema.fields:
        what = f"{option} names {name!r}, which is no field of {schema.name}"
        yield MappingReferencesUndeclaredField(place, what, choices("Fields", schema.fields, name))
