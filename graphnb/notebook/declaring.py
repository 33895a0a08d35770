"""Turning the arguments of a declaration into records, with a message for every wrong one."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from typing import Any, Literal, get_args, get_origin

from graphnb.errors import GraphWarning, InvalidDeclaration
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.checking.doubtful_options import lost_in_branch, lost_in_fan_out
from graphnb.graph.edges import Branch
from graphnb.graph.ends import Target
from graphnb.graph.observer import Observer, observer_of
from graphnb.graph.spec import (
    BranchesNode,
    FanOutNode,
    FunctionNode,
    Layer,
    ParallelBranch,
    SubgraphNode,
    is_graph,
)
from graphnb.notebook.names import checked_name, checked_source, checked_target, own_name
from graphnb.notebook.parameters import check_says_yes_or_no, check_takes_item, check_takes_state
from graphnb.notebook.warned import warn_user
from graphnb.state.projection import Projection


def function_node(place: str, name: str | None, *, function: object, middleware: object = ()) -> FunctionNode:
    """A node that calls the function, named after it unless a name is given."""
    if not callable(function) or is_graph(function):
        mend = "Give one of the state, which returns a dict of fields."
        if is_graph(function):
            mend = "For a graph use graph.subgraph(name, graph)."
        raise InvalidDeclaration(place, f"a node is a function, not {kind_of(function)}: {shown(function)}", mend)
    own = own_name(place, function, name=name, mend="Give one: graph.node('name', function).")
    place = f"{place}, node '{own}'"
    check_takes_state(place, "its function", function=function)
    return FunctionNode(own, function, layers_of(place, middleware))


def branch_of(place: str, source: str, *, router: object, to: object) -> Branch:
    """The chosen route from a node. Targets come from `to`, else from a Literal return type, else are open."""
    if not callable(router):
        mend = "Write graph.branch('source', router, to=('a', 'b'))."
        raise InvalidDeclaration(place, f"a router is a function, not {kind_of(router)}: {shown(router)}", mend)
    own = checked_source(place, source)
    check_takes_state(f"{place}, node '{own}'", "its router", function=router)
    return Branch(own, router, _targets(place, router, to=to))


def _targets(place: str, router: Callable[..., Any], *, to: object) -> Mapping[Any, Target] | None:
    if to is None:
        to = _literal_return(router)
    if to is None:
        return None
    if isinstance(to, Mapping):
        targets = {label: checked_target(place, target) for label, target in to.items()}
    else:
        listed = to if isinstance(to, Iterable) and not isinstance(to, str) else (to,)
        if isinstance(listed, Set):  # the order of a set changes from one process to the next
            listed = sorted(listed, key=str)
        targets = {target: target for target in (checked_target(place, each) for each in listed)}
    if not targets:
        raise InvalidDeclaration(place, "a branch needs at least one target", "Write to=('a', 'b').")
    return targets


def _literal_return(router: Callable[..., Any]) -> tuple[Any, ...] | None:
    try:
        returned = typing.get_type_hints(router).get("return")
    except Exception:  # noqa: BLE001  an annotation that cannot be evaluated tells nothing
        return None
    return get_args(returned) if get_origin(returned) is Literal else None


def layers_of(place: str, given: object, *, option: str = "middleware") -> tuple[Layer, ...]:
    """Middleware as a tuple, the first outermost: one layer or several."""
    listed = given if isinstance(given, (list, tuple)) else (given,)
    for each in listed:
        if _is_maker(each):
            what = f"{option} is {each.__name__} itself, which makes middleware"
            raise InvalidDeclaration(place, what, f"Call it: gn.{each.__name__}(...).")
        if not callable(each) and not hasattr(each, "around"):
            what = f"{option} is a function (state, next), not {kind_of(each)}: {shown(each)}"
            raise InvalidDeclaration(place, what, "Or made by gn.retry, gn.timing, gn.failure_isolation.")
    return tuple(listed)


def _is_maker(layer: object) -> bool:
    """True for a function that makes middleware; these are loaded where there is some."""
    from graphnb.engine.middleware.isolation import failure_isolation
    from graphnb.engine.middleware.retry import retry
    from graphnb.engine.middleware.timing import timing

    return any(layer is maker for maker in (retry, timing, failure_isolation))


def named_layer(place: str, layer: object, *, name: str | None) -> tuple[str, Layer]:
    """Middleware around every node, and the name by which it is declared: `retry` for what `gn.retry` has made."""
    _check_is_no_name(place, layer, of="middleware")
    layers_of(place, (layer,))
    if name is None and hasattr(layer, "around"):
        name = re.sub(r"\B[A-Z]", r"_\g<0>", type(layer).__name__).lower()
    mend = "Give one: graph.middleware(function, name='name')."
    return own_name(place, layer, name=name, mend=mend, of="middleware"), layer


def named_observer(place: str, function: object, *, phases: Any, name: str | None) -> Observer:
    """An observer of every run, with the name by which it is declared."""
    _check_is_no_name(place, function, of="observer")
    observer = observer_of(function, place, phases=phases)
    if name is None and isinstance(function, Observer):
        name = function.name
    mend = "Give one: graph.observer(function, name='name')."
    return replace(observer, name=own_name(place, observer.function, name=name, mend=mend, of="observer"))


def _check_is_no_name(place: str, given: object, *, of: str) -> None:
    if isinstance(given, str):
        what = f"{of} is a function, not {kind_of(given)}: {shown(given)}"
        raise InvalidDeclaration(place, what, f"To name it write graph.{of}(function, name={shown(given)}).")


def subgraph_node(place: str, name: object, *, graph: object, options: Mapping[str, Any]) -> SubgraphNode:
    """A node that runs a graph; `options` are the fields of `Projection`, and `middleware`."""
    if not is_graph(graph):
        mend = "For a function use graph.node(name, function)." if callable(graph) else "Give a gn.Graph itself."
        raise InvalidDeclaration(place, f"a subgraph is a graph, not {kind_of(graph)}: {shown(graph)}", mend)
    own = checked_name(place, name)
    place = f"{place}, node '{own}'"
    projection = Projection(
        inputs=_mapping(place, "inputs", given=options["inputs"]),
        outputs=_mapping(place, "outputs", given=options["outputs"]),
        projects_in=_names(place, "projects_in", given=options["projects_in"]),
        projects_out=_names(place, "projects_out", given=options["projects_out"]),
    )
    return SubgraphNode(own, graph, projection, layers_of(place, options["middleware"]))


def branches_node(place: str, name: object, *, branches: object, options: Mapping[str, Any]) -> BranchesNode:
    """A node that runs branches at once; a branch that is a graph or a function by itself has no options."""
    own = checked_name(place, name)
    place = f"{place}, node '{own}'"
    if not isinstance(branches, Mapping):
        what = f"branches map names to functions or graphs, they cannot be {shown(branches)}"
        raise InvalidDeclaration(
            place, what, "Write {'left': function, 'right': gn.ParallelBranch(graph, outputs=...)}."
        )
    one_of(place, "error_policy", given=options["error_policy"], allowed=("fail_fast", "collect"))
    check_field(place, "errors_into", given=options["errors_into"])
    made = {
        checked_name(place, each, of="branch"): _parallel_branch(f"{place}, branch {each!r}", given)
        for each, given in branches.items()
    }
    middleware = layers_of(place, options["middleware"])
    return BranchesNode(own, made, options["error_policy"], options["errors_into"], middleware)


def _parallel_branch(place: str, given: object) -> ParallelBranch:
    branch = given if isinstance(given, ParallelBranch) else ParallelBranch(given)  # type: ignore[arg-type]  # checked later
    if callable(branch.worker):
        check_takes_state(place, "its function", function=branch.worker)
    if branch.when is not None and not callable(branch.when):
        what = f"when is a function of the state, not {kind_of(branch.when)}: {shown(branch.when)}"
        raise InvalidDeclaration(place, what, "Give one, or leave it out: then the branch always runs.")
    if branch.when is not None:
        check_says_yes_or_no(place, "when", function=branch.when, may_be_async=False)
    for doubt in lost_in_branch(branch):
        warn_user(GraphWarning(place, doubt.what, doubt.mend))
    return replace(
        branch,
        inputs=_mapping(place, "inputs", given=branch.inputs),
        outputs=_mapping(place, "outputs", given=branch.outputs),
        middleware=layers_of(place, branch.middleware),
    )


def _names(place: str, option: str, *, given: object) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, str) and isinstance(given, Iterable):
        listed = sorted(given, key=str) if isinstance(given, Set) else list(given)
        if all(isinstance(each, str) for each in listed):
            return tuple(dict.fromkeys(listed))
    what = f"{option} lists names of fields, it cannot be {shown(given)}"
    raise InvalidDeclaration(place, what, f"Write {option}=('field', ...).")


def check_field(place: str, option: str, *, given: object) -> None:
    """Raises InvalidDeclaration for what cannot be the name of a field."""
    if given is not None and not isinstance(given, str):
        what = f"{option} names a field, not {kind_of(given)}: {shown(given)}"
        raise InvalidDeclaration(place, what, f"Write {option}='field'.")


def _check_number(place: str, option: str, *, given: object) -> None:
    """Raises InvalidDeclaration for what is no number; which numbers there may be shows when it runs."""
    if given is not None and not callable(given) and (isinstance(given, bool) or not isinstance(given, int)):
        what = f"{option} is {shown(given)} ({kind_of(given)})"
        raise InvalidDeclaration(place, what, "It is an int, or a function of the state that gives one.")


def fan_out_node(place: str, name: object, *, worker: object, options: Mapping[str, Any]) -> FanOutNode:
    """A node that runs a worker once per item; `options` are the fields of `FanOutNode`."""
    own = checked_name(place, name)
    return fan_out_of(f"{place}, node '{own}'", own, worker=worker, options=options)


def fan_out_of(place: str, name: str, *, worker: object, options: Mapping[str, Any]) -> FanOutNode:
    """The same for a name that was judged; `place` begins the messages."""
    if not is_graph(worker) and not callable(worker):
        what = f"a worker is a graph or a function, not {kind_of(worker)}: {shown(worker)}"
        raise InvalidDeclaration(place, what, "Give a function of an item, or a graph.")
    one_of(place, "error_policy", given=options["error_policy"], allowed=("fail_fast", "collect"))
    one_of(place, "on_empty", given=options["on_empty"], allowed=("raise", "noop"))
    for option in ("over", "item", "collect", "into", "errors_into", "count_into"):
        check_field(place, option, given=options[option])
    for option in ("count", "concurrency"):
        _check_number(place, option, given=options[option])
    mappings = {option: _mapping(place, option, given=options[option]) or {} for option in ("inputs", "extra_outputs")}
    if callable(worker) and not is_graph(worker):
        check_takes_item(place, worker, inputs=mappings["inputs"], is_numbered=options["over"] is None)
    layers = {
        option: layers_of(place, options[option], option=option) for option in ("middleware", "instance_middleware")
    }
    node = FanOutNode(name, worker, **{**options, **mappings, **layers})
    for doubt in lost_in_fan_out(node):
        warn_user(GraphWarning(place, doubt.what, doubt.mend))
    return node


def _mapping(place: str, option: str, *, given: object) -> dict[str, str] | None:
    if given is None:
        return None
    if isinstance(given, Mapping) and all(isinstance(each, str) for pair in given.items() for each in pair):
        return dict(given)
    sides = "{parent field: child field}" if "outputs" in option else "{child field: parent field}"
    raise InvalidDeclaration(
        place, f"{option} maps field names, it cannot be {shown(given)}", f"Write {option}={sides}."
    )


def one_of(place: str, option: str, *, given: object, allowed: tuple[str, ...]) -> None:
    """Raises InvalidDeclaration for an option that is none of those allowed."""
    if given not in allowed:
        raise InvalidDeclaration(place, f"{option} is {shown(given)}", choices("It can be", allowed, given))
