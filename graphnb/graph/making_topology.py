"""From what was declared of a graph to what is drawn of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from graphnb.errors.text import shown
from graphnb.graph.checking.findings import findings_of
from graphnb.graph.edges import Edge, EdgeSpec, Link, Links, names_in, targets_of
from graphnb.graph.ends import START, Target
from graphnb.graph.marking import with_marks
from graphnb.graph.spec import (
    CONCURRENCY,
    BranchesNode,
    DelegatesNode,
    FanOutNode,
    FunctionNode,
    GraphSpec,
    HasSpec,
    NodeFunction,
    NodeSpec,
    ParallelBranch,
    RaceNode,
    SubgraphNode,
    guard_label,
    is_graph,
    name_of_layer,
    name_of_worker,
    names_of_delegates,
)
from graphnb.graph.topology import (
    EdgeKind,
    Topology,
    TopologyBranch,
    TopologyEdge,
    TopologyField,
    TopologyNode,
)


def topology_of(spec: GraphSpec) -> Topology:
    """The topology of a graph as declared so far, with marks; never raises for a graph that is merely unfinished."""
    findings = () if spec.starts else findings_of(spec)  # a document is checked as such
    return with_marks(bare_topology_of(spec), findings)


def bare_topology_of(spec: GraphSpec, _within: tuple[GraphSpec | HasSpec, ...] = ()) -> Topology:
    """The topology without marks."""
    nodes = [_node(spec, each, within=(*_within, spec)) for each in spec.nodes.values()]
    mentioned = [spec.entry] if spec.entry is not None else []
    for edge in spec.edges.values():
        mentioned += [edge.source, *names_in(targets_of(edge))]
    nodes += [TopologyNode(name, "missing") for name in dict.fromkeys(mentioned) if name not in spec.nodes]
    edges = [TopologyEdge(START, spec.entry, "edge")] if spec.entry is not None else []
    edges += _links(START, spec.starts)
    for source in dict.fromkeys((*spec.nodes, *spec.edges)):
        edges += _edges(spec.edges.get(source))
    fields = tuple(
        TopologyField(each.name, each.type, each.reducer if each.declared else None, each.default)
        for each in spec.schema.fields.values()
    )
    observers = tuple(each.name for each in spec.observers)
    return Topology(spec.name, spec.schema.name, tuple(nodes), tuple(edges), fields, observers)


def _node(spec: GraphSpec, node: NodeSpec, *, within: tuple[GraphSpec | HasSpec, ...]) -> TopologyNode:
    layers = tuple(map(name_of_layer, (*spec.middleware, *node.middleware)))
    return _bare_node(node, within)._replace(middleware=layers)


def _bare_node(node: NodeSpec, within: tuple[GraphSpec | HasSpec, ...]) -> TopologyNode:
    if isinstance(node, FunctionNode):
        return TopologyNode(node.name, "node")
    if isinstance(node, SubgraphNode):
        return TopologyNode(node.name, "subgraph", _projection_details(node), inner=_inner(node.graph, within))
    if isinstance(node, BranchesNode):
        branches = tuple(_parallel_branch(name, each, within=within) for name, each in node.branches.items())
        return TopologyNode(node.name, "branches", _branches_details(node), branches=branches)
    if isinstance(node, DelegatesNode):
        told = _delegates(node.delegates, within)
        return TopologyNode(node.name, "delegates", _delegates_details(node), branches=told)
    if isinstance(node, RaceNode):
        return TopologyNode(node.name, "race", _race_details(node), branches=_delegates(node.candidates, within))
    worker = node.worker
    inner = _inner(worker, within) if is_graph(worker) else None
    return TopologyNode(node.name, "fan_out", _fan_out_details(node), name_of_worker(worker), inner)


def _delegates(
    delegates: Sequence[HasSpec | NodeFunction], within: tuple[GraphSpec | HasSpec, ...]
) -> tuple[TopologyBranch, ...]:
    return tuple(
        TopologyBranch(name, name_of_worker(each), inner=_inner(each, within) if is_graph(each) else None)
        for name, each in zip(names_of_delegates(delegates), delegates, strict=True)
    )


def _parallel_branch(name: str, branch: ParallelBranch, *, within: tuple[GraphSpec | HasSpec, ...]) -> TopologyBranch:
    told = {
        "inputs": _arrows(branch.inputs),
        "outputs": _arrows(branch.outputs),
        "when": f"{name_of_worker(branch.when)}()" if branch.when is not None else None,
        "middleware": ", ".join(map(name_of_layer, branch.middleware)) or None,
    }
    inner = _inner(branch.worker, within) if is_graph(branch.worker) else None
    return TopologyBranch(name, name_of_worker(branch.worker), _told(told), inner)


def _inner(graph: HasSpec, within: tuple[GraphSpec | HasSpec, ...]) -> Topology | None:
    inner = graph.spec()
    is_loop = graph in within or inner in within  # a graph that holds itself ends here
    return None if is_loop else bare_topology_of(inner, (*within, graph))


def _edges(edge: EdgeSpec | None) -> list[TopologyEdge]:
    if edge is None:
        return []
    if isinstance(edge, Edge):
        return [TopologyEdge(edge.source, edge.target, "edge")]
    if isinstance(edge, Links):
        return _links(edge.source, edge.links)
    router = name_of_worker(edge.router)
    if edge.targets is None:
        return [TopologyEdge(edge.source, None, "open", router)]
    return [
        TopologyEdge(edge.source, target, "branch", router, None if label == target else _as_text(label))
        for label, target in edge.targets.items()
    ]


def _links(source: Target, links: tuple[Link, ...]) -> list[TopologyEdge]:
    """The routes that leave a node together; one that is always taken makes no fork by itself."""
    return [_link(source, link, is_alone=len(links) == 1) for link in links]


def _link(source: Target, link: Link, *, is_alone: bool) -> TopologyEdge:
    kind: EdgeKind = "edge" if is_alone else "fork"
    kind = "join" if link.is_join else kind if link.when is None else "guard"
    label = None if link.when is None else guard_label(link.when)
    return TopologyEdge(source, link.target, kind, label=label, join=link.id if link.is_join else None, id=link.id)


def _projection_details(node: SubgraphNode) -> tuple[tuple[str, str], ...]:
    projection = node.projection
    told = {"inputs": _arrows(projection.inputs), "outputs": _arrows(projection.outputs)}
    if projection.has_sets:
        told = {"in": ", ".join(projection.projects_in or ()), "out": ", ".join(projection.projects_out or ())}
    return _told(told)


def _fan_out_details(node: FanOutNode) -> tuple[tuple[str, str], ...]:
    count = node.count if not callable(node.count) else f"{name_of_worker(node.count)}()"
    concurrency = node.concurrency if not callable(node.concurrency) else f"{name_of_worker(node.concurrency)}()"
    told = {
        "over": node.over,
        "count": count,
        "item": node.item,
        "inputs": _arrows(node.inputs) or None,
        "collect": node.collect,
        "into": node.into,
        "extra": _arrows(node.extra_outputs) or None,
        "reduce": f"{node.reduced_into} ← {name_of_worker(node.reduce)}()" if node.reduce is not None else None,
        "errors": (node.errors_into or "dropped") if node.error_policy == "collect" else None,
        "at once": None if concurrency == CONCURRENCY else "all" if concurrency is None else concurrency,
        "each in": ", ".join(map(name_of_layer, node.instance_middleware)) or None,
    }
    return _told(told)


def _delegates_details(node: DelegatesNode) -> tuple[tuple[str, str], ...]:
    told = {
        "briefs": _brief(node.briefs, node.briefs_from),
        "into": node.into,
        "errors": (node.errors_into or "dropped") if node.on_error == "keep" else None,
        "at once": node.concurrency,
    }
    return _told(told)


def _race_details(node: RaceNode) -> tuple[tuple[str, str], ...]:
    told = {
        "brief": _brief(node.brief, node.brief_from),
        "accept": None if node.accept is None else f"{name_of_worker(node.accept)}()",
        "into": node.into,
        "winner": node.winner_into,
        "failures": node.failures_into,
        "at once": node.concurrency,
    }
    return _told(told)


def _brief(given: object, field: str | None) -> str:
    """The field that has it, the function that makes it, or the brief itself."""
    if field is not None:
        return field
    return f"{name_of_worker(given)}()" if callable(given) else shown(given)


def _branches_details(node: BranchesNode) -> tuple[tuple[str, str], ...]:
    return _told({"errors": (node.errors_into or "dropped") if node.error_policy == "collect" else None})


def _told(details: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((label, _as_text(text)) for label, text in details.items() if text is not None)


def _arrows(names: Mapping[str, str] | None) -> str | None:
    """Each pair as it flows: where it arrives, and where it comes from."""
    return None if names is None else ", ".join(f"{to} ← {source}" for to, source in names.items())


def _as_text(value: object) -> str:
    """A label or an option as it is drawn: a text or a member of an Enum by itself, all else as in messages."""
    return str(value) if isinstance(value, (str, Enum)) else shown(value)
