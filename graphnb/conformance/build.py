"""Building the graph of a case with the product's public calls alone; nothing of the engine is imitated."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.cases import Case
from graphnb.conformance.composites import COMPOSITES, Role
from graphnb.conformance.edges import declare_edge
from graphnb.conformance.mocks import MOCKS
from graphnb.conformance.nodes import PLAIN, Behaviour, Site, observed
from graphnb.conformance.parts import Part
from graphnb.conformance.probe import Probe
from graphnb.conformance.states import state_class
from graphnb.errors.text import choices

BEHAVIOURS: Final[Mapping[str, Behaviour]] = {**PLAIN, **MOCKS}
"""What plain nodes do, by directive."""
OUTERMOST: Final = ""
"""The name under which the probe knows the outermost graph; no subgraph can have it."""


@dataclass(frozen=True, slots=True)
class Built:
    """The graph of a case, the class of its state, and what the case gives the run to start from."""

    graph: gn.Graph
    state: type[gn.State]
    initial: Mapping[str, Any]


def build_case(case: Case, probe: Probe, *, has_async: bool = False, watch: bool = False) -> Built:
    """The case's graph, made anew with all its mocks and counters.

    With `has_async` bodies and routers are asynchronous functions; with `watch` the bodies within fan-outs are
    slowed a little and counted by the probe. Raises CaseFault, and what the product raises for a graph that it
    refuses.
    """
    initial: Mapping[str, Any] = copy.deepcopy(case.part.value.get("initial_state", {}))
    builder = _Builder(_scope(case), probe, has_async=has_async, watch=watch)
    state = state_class(case.body.at("state").at("fields"), initial)
    return Built(builder.build(case.body, case.name, state=state, role=Role()), state, initial)


def build_graph(case: Case) -> gn.Graph:
    """The case's graph, to be looked at or run by hand."""
    return build_case(case, Probe()).graph


def nodes_of(case: Case) -> frozenset[str]:
    """The names of all nodes that the case declares, those of its subgraphs included."""
    bodies = (case.body, *_scope(case).values())
    return frozenset(name for body in bodies for name in body.value["nodes"])


class _Builder:
    """The graphs of one case. Subgraphs are made when they are first referred to, whatever their order."""

    def __init__(self, scope: Mapping[str, Part], probe: Probe, *, has_async: bool, watch: bool) -> None:
        self._scope = scope
        self._probe = probe
        self._has_async = has_async
        self._watch = watch
        self._made: dict[tuple[str, Role], gn.Graph] = {}
        self._open: list[str] = []

    def build(self, body: Part, name: str, *, state: type[gn.State], role: Role) -> gn.Graph:
        """The graph of a body."""
        graph = gn.Graph(state, entry=body.value.get("entry"), name=name)
        is_watched = self._watch and role.in_fan_out
        fields = frozenset(state.model_fields)
        item_field = role.item_field if role.item_field in fields else None
        place = name if self._open else OUTERMOST
        site = Site(place, fields, item_field, is_watched, self._has_async, self._probe)
        for node_name, node in body.at("nodes").items():
            self._declare(graph, node_name, node=node, site=site, role=role)
        for edge in body.at("edges").entries():
            declare_edge(graph, edge, site=site)
        return graph

    def graph(self, name: Part, role: Role) -> gn.Graph:
        """The graph that the part names, for a role."""
        body = self._body(name)
        if name.value in self._open:
            circle = " -> ".join([*self._open, name.value])
            raise name.fault(f"subgraphs run each other in a circle: {circle}", "A graph cannot hold itself.")
        key = name.value, role
        if key not in self._made:
            self._open.append(name.value)
            state = state_class(body.at("state").at("fields"), {})
            self._made[key] = self.build(body, name.value, state=state, role=role)
            self._open.pop()
        return self._made[key]

    def needs_index(self, name: Part) -> bool:
        """True if a body of that graph asks which instance it runs in."""
        nodes = self._body(name).value["nodes"].values()
        return any(word in BEHAVIOURS and BEHAVIOURS[word].needs_index for node in nodes for word in node)

    def _declare(self, graph: gn.Graph, name: str, *, node: Part, site: Site, role: Role) -> None:
        for word in node.value:
            if word in COMPOSITES:
                COMPOSITES[word].declare(graph, name, node, site, self, role)
            elif word in BEHAVIOURS:
                body = BEHAVIOURS[word].make(node, name, site)
                graph.node(name, observed(body, name, site=site, sleep_ms=node.value.get("sleep_ms")))

    def _body(self, name: Part) -> Part:
        if name.value not in self._scope:
            raise name.fault(f"{name.value!r} is no subgraph", choices("Subgraphs", self._scope, name.value))
        return self._scope[name.value]


def _scope(case: Case) -> dict[str, Part]:
    """The subgraphs by name: the document's, then the case's own, which win, then those within its `graph`."""
    scope: dict[str, Part] = {}
    for place in (case.shared, case.part, case.part.find("graph")):
        if place is not None:
            scope.update(_declared(place))
    return scope


def _declared(place: Part) -> dict[str, Part]:
    declared: dict[str, Part] = {}
    for word in ("subgraph", "subgraph_with_idx"):
        if word in place.value:
            _add(declared, place.at(word).value["name"], body=place.at(word))
    if "subgraphs" in place.value:
        for name, body in place.at("subgraphs").items():
            _add(declared, name, body=body)
    return declared


def _add(declared: dict[str, Part], name: str, *, body: Part) -> None:
    if name in declared:
        raise body.fault(f"a second subgraph is named {name!r}, the first is in line {declared[name].line}")
    declared[name] = body
