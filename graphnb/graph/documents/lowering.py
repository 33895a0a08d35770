"""A checked document as a plan that the engine runs, with the functions that the caller's registry has.

Source: super-steps, running; design section 9 (4).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any, Final, Literal

from graphnb.errors import InvalidDocument
from graphnb.graph.checking.findings import Finding
from graphnb.graph.checking.spots import Spot
from graphnb.graph.documents.canonical import hash_of
from graphnb.graph.documents.effective import Registry, with_config_defaults
from graphnb.graph.documents.ids import FINISH_ID, START_ID
from graphnb.graph.documents.records import Document, EdgeRecord, NodeRecord
from graphnb.graph.documents.values import state_schema
from graphnb.graph.documents.verify.diagnostic import Diagnostic
from graphnb.graph.documents.verify.passes import diagnostics_of
from graphnb.graph.edges import Link, Links
from graphnb.graph.ends import END, Target
from graphnb.graph.making_topology import bare_topology_of
from graphnb.graph.marking import with_marks
from graphnb.graph.plan import DocumentRules, Plan, PlannedNode, Policy, is_async
from graphnb.graph.spec import FunctionNode, GraphSpec

_SIGNS: Final = {
    "dead_end_node": "leads to no end",
    "unbounded_cycle": "no limit of steps",
    "unguarded_cycle": "a round without guard",
    "unguarded_branch_edge": "no guard",
}
"""Warnings in the few words that a drawing has room for."""
_PARTS: Final[Mapping[str, Literal["node", "field"]]] = {"nodes": "node", "inputs": "field", "fields": "field"}


def plan_of_document(document: Document, registry: Registry, *, timeout: float | None = None) -> tuple[GraphSpec, Plan]:
    """What a document declares, and its plan. `timeout` is how many seconds a node may take where it does not say.

    A run whose nodes ask for more is refused when it begins; more than a clock can hold is no limit. Raises
    InvalidDocument for diagnostics of the severity "error"; it lists all of them.
    """
    timeout = None if timeout is None or timeout > threading.TIMEOUT_MAX else timeout
    diagnostics = diagnostics_of(document, registry)
    errors = [each for each in diagnostics if each.severity == "error"]
    if errors:
        lines = [f"{each.code}: {each}" for each in errors]
        listed = "".join("\n  - " + line.replace("\n", "\n    ") for line in lines)
        raise InvalidDocument(f"graph '{document.id}'", f"cannot be run: {lines[0] if len(lines) == 1 else listed}")
    effective = with_config_defaults(document, registry)
    spec = _spec(effective, registry)
    nodes = {
        name: _planned(record, spec, registry=registry, timeout=timeout) for name, record in effective.nodes.items()
    }
    kinds = [node.is_async for node in nodes.values()]
    plan = Plan(
        name=effective.id,
        schema=spec.schema,
        entry="",
        nodes=nodes,
        topology=with_marks(bare_topology_of(spec), map(_finding, diagnostics)),
        has_async=any(kinds),
        has_plain=not all(kinds),
        is_linear=False,
        rules=_rules(effective, document, timeout=timeout),
    )
    return spec, plan


def seconds_of(milliseconds: int) -> float:
    """The seconds of a policy's milliseconds; infinity for more than a clock can hold.

    >>> seconds_of(1500), seconds_of(10**400)
    (1.5, inf)
    """
    return math.inf if milliseconds > threading.TIMEOUT_MAX * 1000 else milliseconds / 1000


def _finding(told: Diagnostic) -> Finding:
    """The diagnostic with where it is drawn: at its edges, else at its node or field."""
    part = _PARTS.get(str(told.path[0]) if told.path else "")
    spots = tuple(Spot("edge", name) for name in told.edges) or ((Spot(part, told.public_id),) if part else ())
    names = told.edges or ((told.public_id,) if part else ())
    place = f"{'edge' if told.edges else part} {', '.join(map(repr, names))}" if names else ""
    sign = _SIGNS.get(told.code, told.code.replace("_", " "))
    return Finding(told.severity, told.code, told.public_id, place, told.message, told.mend, sign, spots)


def _spec(document: Document, registry: Registry) -> GraphSpec:
    edges: dict[str, list[Link]] = {}
    for key in sorted(document.edges):
        edge = document.edges[key]
        link = _link(edge)
        for source in link.sources:
            edges.setdefault(source, []).append(link)
    return GraphSpec(
        name=document.id,
        schema=state_schema(document),
        entry=None,
        nodes={name: FunctionNode(name, registry[str(each.module)]) for name, each in document.nodes.items()},
        edges={source: Links(source, tuple(links)) for source, links in edges.items() if source != START_ID},
        starts=tuple(edges.get(START_ID, ())),
    )


def _link(edge: EdgeRecord) -> Link:
    target: Target = END if edge.target == FINISH_ID else str(edge.target)
    return Link(edge.id, edge.sources, target, edge.guard, is_join=isinstance(edge.source, tuple))


def _rules(document: Document, as_read: Document, *, timeout: float | None) -> DocumentRules:
    starts = [_link(document.edges[key]) for key in sorted(document.edges) if document.edges[key].source == START_ID]
    return DocumentRules(
        starts=tuple(starts),
        max_supersteps=document.policies.get("max_supersteps"),
        outputs={name: str(each.source) for name, each in document.outputs.items()},
        inputs=frozenset(document.inputs),
        hash=hash_of(document),
        timeout=timeout,
        document=as_read,
    )


def _planned(record: NodeRecord, spec: GraphSpec, *, registry: Registry, timeout: float | None) -> PlannedNode:
    function = registry[str(record.module)]
    return PlannedNode(
        name=record.id,
        place=f"graph '{spec.name}', node '{record.id}'",
        spec=spec.nodes[record.id],
        function=function,
        is_async=is_async(function),
        child=None,
        target=None,
        branch=None,
        is_async_router=False,
        links=_links_of(spec, record.id),
        has_async=is_async(function),
        has_plain=not is_async(function),
        policy=_policy(record.policies, record.config, timeout=timeout),
    )


def _links_of(spec: GraphSpec, name: str) -> Links:
    """A node without edges leads nowhere, and that is no fault in a document."""
    edge = spec.edges.get(name)
    return edge if isinstance(edge, Links) else Links(name, ())


def _policy(policies: Mapping[str, Any], config: Mapping[str, Any], *, timeout: float | None) -> Policy:
    retry, own = policies.get("retry") or {}, policies.get("timeout_ms")
    return Policy(
        max_attempts=retry.get("max_attempts") or 1,
        backoff_ms=retry.get("backoff_ms") or 0,
        timeout=timeout if own is None else seconds_of(own),
        config=config,
    )
