"""Draft: all that was declared of one graph so far, and the plan that it comes to as the cells are now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphnb.errors import InvalidDeclaration
from graphnb.graph.compiling import compile_graph
from graphnb.graph.plan import Plan
from graphnb.graph.spec import GraphSpec, HasSpec, Layer, graphs_in
from graphnb.notebook.cells import current_cell
from graphnb.notebook.declarations import Declarations
from graphnb.notebook.pinned import pinned
from graphnb.notebook.runs import Runs
from graphnb.notebook.state_class import newest_schema
from graphnb.notebook.warned import warn_user
from graphnb.state.schema import Schema, schema_of

Planned = tuple[object, GraphSpec, Plan]
"""A version, the specification pinned as it was then, and its plan."""


class Draft:
    """What a `Graph` holds: its state class, entry, middleware given at its making, and declarations."""

    def __init__(self, name: str, schema: Schema, *, entry: str | None, layers: tuple[Layer, ...]) -> None:
        self.name = name
        self.schema = schema
        self.place = f"graph '{name}'"
        self._entry = entry
        cell = current_cell()
        self._made_in = () if cell is None else (cell.label,)
        self.layers = layers
        self.declared = Declarations(self.place)
        self._planned: Planned | None = None
        self._inner: tuple[int, tuple[HasSpec, ...]] = (0, ())
        self.runs = Runs(self._runs_within)

    @property
    def entry(self) -> str | None:
        """The name of the first node: as a cell has set it, else as it was given at the making."""
        return self.declared.entry or self._entry

    @property
    def version(self) -> object:
        """Equal as long as this graph and the graphs within it were not declared anew."""
        drafts, others = self._within()
        own = [(each.declared.version, each.entry, each.schema.cls) for each in drafts]
        return (*own, *(each.version for each in others))

    def cells(self) -> tuple[str, ...]:
        """The labels of the cells that build the graph: the one that made it, then those that declared something."""
        return tuple(dict.fromkeys((*self._made_in, *self.declared.cells)))

    def spec(self) -> GraphSpec:
        """The graph as it is declared at this moment."""
        declared = self.declared
        return GraphSpec(
            name=self.name,
            schema=self.schema,
            entry=self.entry,
            nodes=declared.nodes,
            edges=declared.edges,
            middleware=(*self.layers, *declared.layers),
            observers=declared.observers,
        )

    def plan(self) -> Planned:
        """The plan as the cells are now, made anew only if something has changed. Raises BuildError."""
        for each in self._within()[0]:
            if each is not self:
                self._check_filled(each)
            each.schema = newest_schema(each.schema, each.place, cells=each.cells)
        version = self.version
        if self._planned is None or self._planned[0] != version:
            spec = self.spec()
            plan = compile_graph(spec)
            for warning in plan.warnings:
                warn_user(warning)
            self._planned = version, pinned(spec), plan
        return self._planned

    def _check_filled(self, inner: Draft) -> None:
        """Raises InvalidDeclaration for a graph that its cells left empty, most likely because they made a new one."""
        if inner.declared.is_emptied:
            what = "is empty: what cells declared on it was taken back when they ran again, or was removed"
            again = ", ".join(self.declared.cells) or "the cells that build it"
            mend = f"If they made a new graph, let {self.place} take that one; run again: {again}."
            raise InvalidDeclaration(f"{self.place}, {inner.place} within it", what, mend)

    def _within(self) -> tuple[list[Draft], list[HasSpec]]:
        """This draft and those of all graphs within it, each once; apart from them graphs that have none."""
        drafts: list[Draft] = [self]
        others: list[HasSpec] = []
        ahead = list(self._graphs())
        while ahead:
            graph = ahead.pop()
            draft = getattr(graph, "_draft", None)
            if not isinstance(draft, Draft):
                others.append(graph)
            elif not any(draft is each for each in drafts):
                drafts.append(draft)
                ahead += draft._graphs()
        return drafts, others

    def _runs_within(self) -> list[Runs]:
        """What the graphs within this one remember of their runs; those that are none of ours remember nothing."""
        drafts, others = self._within()
        compiled = (getattr(each, "_runs", None) for each in others)
        return [*(each.runs for each in drafts[1:]), *(each for each in compiled if isinstance(each, Runs))]

    def _graphs(self) -> tuple[HasSpec, ...]:
        """The graphs that this one's nodes run."""
        declared = self.declared.version
        if self._inner[0] != declared:
            nodes = self.declared.nodes.values()
            self._inner = declared, tuple(graph for node in nodes for graph in graphs_in(node))
        return self._inner[1]

    def __getstate__(self) -> dict[str, Any]:
        # A plan is made anew where the copy is run, and a schema, which cannot be pickled, from its class.
        return {**self.__dict__, "_planned": None, "runs": None, "schema": self.schema.cls}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, schema=schema_of(state["schema"]), runs=Runs(self._runs_within))
