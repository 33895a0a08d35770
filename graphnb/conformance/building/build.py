"""Building the graph of a case with the product's public calls alone; nothing of the engine is imitated."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.bodies import BEHAVIOURS, body_of
from graphnb.conformance.building.branches import COMPOSITES
from graphnb.conformance.building.composites import NodeDeclaration, Role
from graphnb.conformance.building.edges import declare_edge
from graphnb.conformance.building.middleware import layers_of
from graphnb.conformance.building.nodes import Site
from graphnb.conformance.building.observers import OUTER, Watcher, attach, watchers_of
from graphnb.conformance.building.probe import Probe
from graphnb.conformance.building.states import state_class
from graphnb.conformance.reading.cases import Case
from graphnb.conformance.reading.parts import Part
from graphnb.errors.text import choices
from graphnb.graph.observer import Observer

OUTERMOST: Final = ""
"""The name under which the probe knows the outermost graph; no subgraph can have it."""


@dataclass(frozen=True, slots=True)
class Built:
    """The graph of a case, the class of its state, its observers, and those of them that are given to each run."""

    graph: gn.Graph
    state: type[gn.State]
    watchers: tuple[Watcher, ...]
    observers: tuple[Observer, ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """How the harness writes what it builds.

    With `has_async` bodies, routers, middleware and observers are asynchronous functions; plain bodies `may_block`
    where no event loop waits for them; with `watch` the bodies within fan-outs are slowed a little and counted.
    """

    has_async: bool = False
    may_block: bool = True
    watch: bool = False


def build_case(case: Case, probe: Probe, *, manner: Manner) -> Built:
    """The case's graph, made anew with all its mocks, counters, middleware and observers.

    Raises CaseFault, and what the product raises for a graph that it refuses.
    """
    watchers = watchers_of(case.part)
    builder = _Builder(
        scope_of(case), probe=probe, manner=manner, observers=frozenset(watcher.name for watcher in watchers)
    )
    state = state_class(case.body.at("state").at("fields"), _given_anywhere(case.part))
    graph = probe.graph = builder.build(case.body, case.name, state=state, role=Role())
    graphs = {**builder.made(), OUTER: (graph,)}
    return Built(graph, state, watchers, attach(watchers, graphs, probe=probe, has_async=manner.has_async))


def build_graph(case: Case) -> gn.Graph:
    """The case's graph, to be looked at or run by hand."""
    return build_case(case, Probe(), manner=Manner()).graph


def bodies_in(case: Case) -> Iterator[Part]:
    """The outermost graph and every subgraph of the case, as they are written."""
    yield case.body
    yield from scope_of(case).values()


def scope_of(case: Case) -> dict[str, Part]:
    """The subgraphs by name: the document's, then the case's own, which win, then those within its `graph`."""
    scope: dict[str, Part] = {}
    for place in (case.shared, case.part, case.part.find("graph")):
        if place is not None:
            scope.update(_declared(place))
    return scope


def given_to(part: Part) -> dict[str, Any]:
    """What a case, or one of its invocations, gives a run to start from."""
    return copy.deepcopy(part.value.get("initial_state", {}))


class _Builder:
    """The graphs of one case. Subgraphs are made when they are first referred to, whatever their order."""

    def __init__(self, scope: Mapping[str, Part], *, probe: Probe, manner: Manner, observers: frozenset[str]) -> None:
        self._scope = scope
        self._probe = probe
        self._manner = manner
        self._observers = observers
        self._made: dict[tuple[str, Role], gn.Graph] = {}
        self._open: list[str] = []

    def build(self, body: Part, name: str, *, state: type[gn.State], role: Role) -> gn.Graph:
        """The graph of a body."""
        fields = frozenset(state.model_fields)
        site = Site(
            graph=name if self._open else OUTERMOST,
            fields=fields,
            item_field=role.item_field if role.item_field in fields else None,
            is_watched=self._manner.watch and role.in_fan_out,
            has_async=self._manner.has_async,
            may_block=self._manner.may_block,
            probe=self._probe,
        )
        layers = _layers(body)
        graph = gn.Graph(state, entry=body.value.get("entry"), name=name, middleware=layers_of(layers.pop(None), site))
        for node_name, node in body.at("nodes").items():
            around = layers_of(layers.get(node_name), site)
            self._declare(NodeDeclaration(graph, node_name, node, around, site, self, role))
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

    def fields(self, name: Part) -> frozenset[str]:
        """The fields of that graph's state."""
        return frozenset(self._body(name).value["state"]["fields"])

    def made(self) -> dict[str, tuple[gn.Graph, ...]]:
        """The graphs by name; several where one plays several roles."""
        return {name: tuple(graph for (each, _), graph in self._made.items() if each == name) for name, _ in self._made}

    def _declare(self, told: NodeDeclaration) -> None:
        drain = told.node.find("invoke_drain_events_for")
        if drain is not None and drain.value["snapshot_observer"] not in self._observers:
            named = drain.at("snapshot_observer")
            raise named.fault(f"{named.value!r} is no observer", choices("Observers", self._observers, named.value))
        for word in told.node.value:
            if word in COMPOSITES:
                COMPOSITES[word].declare(told)
            elif word in BEHAVIOURS:
                body = body_of(told.node, told.name, told.site)
                told.graph.node(told.name, body, middleware=told.middleware)

    def _body(self, name: Part) -> Part:
        if name.value not in self._scope:
            raise name.fault(f"{name.value!r} is no subgraph", choices("Subgraphs", self._scope, name.value))
        return self._scope[name.value]


def _layers(body: Part) -> dict[str | None, Part | None]:
    """The lists of middleware of a graph: under None what is around every node, else what is around that node."""
    block = body.find("middleware")
    layers: dict[str | None, Part | None] = {None: None if block is None else block.find("per_graph")}
    per_node = None if block is None else block.find("per_node")
    for name, part in () if per_node is None else per_node.items():
        if name not in body.value["nodes"]:
            raise part.fault(f"{name!r} is no node of the graph", choices("Nodes", body.value["nodes"], name))
        layers[name] = part
    for name, node in body.at("nodes").items():
        if "middleware" in node.value:
            if name in layers:
                raise node.at("middleware").fault("stands beside per_node for the same node", "Write it in one place.")
            layers[name] = node.at("middleware")
    return layers


def _given_anywhere(part: Part) -> dict[str, Any]:
    """All that any run of the case starts from: what is not declared becomes a field of any type. Decision D-15."""
    invocations = part.find("invocations")
    parts = [part, *(() if invocations is None else invocations.entries())]
    return {name: value for each in parts for name, value in given_to(each).items()}


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
