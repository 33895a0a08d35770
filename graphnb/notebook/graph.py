"""Graph: built cell by cell, drawn at any time, run as the cells are now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from graphnb.errors import InvalidDeclaration
from graphnb.graph.ends import Target
from graphnb.graph.plan import Plan, compile_graph
from graphnb.graph.spec import Edge, ErrorPolicy, FanOutNode, GraphSpec, HasSpec, OnEmpty, SubgraphNode, is_graph
from graphnb.graph.topology import Topology, topology_of
from graphnb.notebook.compiled import CompiledGraph, pinned
from graphnb.notebook.declarations import Declarations
from graphnb.notebook.declaring import (
    branch_of,
    checked_name,
    checked_target,
    edge_of,
    fan_out_node,
    function_node,
    subgraph_node,
)
from graphnb.notebook.handle import RunHandle
from graphnb.notebook.progress import Progress
from graphnb.notebook.run import Run
from graphnb.notebook.session import Session
from graphnb.notebook.state_class import newest_schema
from graphnb.state.schema import schema_of

if TYPE_CHECKING:
    from graphnb.show.picture import Picture

F = TypeVar("F", bound=Callable[..., Any])


class Graph:
    """A typed state graph.

        review = gn.Graph(Review, entry="plan")

        @review.node(to=gn.END)
        def plan(s):
            return {"log": ["plan"]}

        run = review.run(files=["a.py"])

    `state` is a `gn.State`, a pydantic model, a dataclass or a TypedDict; `entry` the name of the first node,
    also to be set later as `graph.entry = "plan"`. Every decorator is a plain method as well. In a notebook one
    cell run is one edit: a later cell run replaces by name, and a cell that is run again first takes back what
    it declared before. Shown in a notebook, a graph draws itself, half built or whole.
    """

    def __init__(self, state: type, *, entry: str | None = None, name: str | None = None) -> None:
        self._schema = schema_of(state)
        self.name = self._schema.name if name is None else checked_name("gn.Graph", name, of="graph")
        self._place = f"graph '{self.name}'"
        self._entry = None if entry is None else checked_name(self._place, entry)
        self._declared = Declarations(self._place)
        self._planned: tuple[object, GraphSpec, Plan] | None = None
        self._inner: tuple[int, tuple[HasSpec, ...]] = (0, ())
        self._last: Progress | None = None

    @property
    def entry(self) -> str | None:
        """The name of the first node, None if it was not declared yet."""
        return self._entry

    @entry.setter
    def entry(self, name: str) -> None:
        self._entry = checked_name(self._place, name)

    @property
    def last_run(self) -> Run | None:
        """The run that was begun last, finished or not: while it goes on, the run so far. None before the first.

        `graph.last_run = None` lets go of it and of all that it holds.
        """
        return None if self._last is None else self._last.run

    @last_run.setter
    def last_run(self, run: None) -> None:
        if run is not None:
            raise InvalidDeclaration(self._place, "last_run tells what happened", "It can only be forgotten: None.")
        self._last = None

    @overload
    def node(self, function: F, /, *, to: Target | None = None) -> F: ...
    @overload
    def node(self, name: str, function: F, /, *, to: Target | None = None) -> F: ...
    @overload
    def node(self, name: str | None = None, /, *, to: Target | None = None) -> Callable[[F], F]: ...
    def node(self, name: Any = None, function: Any = None, /, *, to: Target | None = None) -> Any:
        """Declares a node: a function of the state that returns a dict of the fields it changes.

        `@graph.node`, `@graph.node(to="next")`, `graph.node(function)` or `graph.node("name", function)`; the
        name is the function's unless given. Gives the function back unchanged. `def` and `async def` are equal.
        """
        if function is None and (name is None or isinstance(name, str)):
            return lambda given: self.node(name, given, to=to) if name is not None else self.node(given, to=to)
        if function is None:
            name, function = None, name
        node = function_node(self._place, name, function)
        self._declared.declare(node, edge_of(self._place, node.name, to))
        return function

    def edge(self, source: str, target: Target) -> None:
        """Declares the fixed route from a node: to another node, or to `gn.END`."""
        self._declared.declare(edge=Edge(checked_name(self._place, source), checked_target(self._place, target)))

    @overload
    def branch(self, source: str, /, *, to: Any = None) -> Callable[[F], F]: ...
    @overload
    def branch(self, source: str, router: F, /, *, to: Any = None) -> F: ...
    def branch(self, source: str, router: Any = None, /, *, to: Any = None) -> Any:
        """Declares the chosen route from a node: the router sees the state after the fold and returns a target.

        `to` lists the targets, or maps what the router returns to targets; without it they are read from a
        Literal return type, else any node may be chosen and the drawing shows an open end.
        """
        checked_name(self._place, source)
        if router is None:
            return lambda given: self.branch(source, given, to=to)
        self._declared.declare(edge=branch_of(self._place, source, router, to))
        return router

    def subgraph(
        self,
        name: str,
        graph: HasSpec,
        /,
        *,
        inputs: Mapping[str, str] | None = None,
        outputs: Mapping[str, str] | None = None,
        to: Target | None = None,
    ) -> None:
        """Declares a node that runs another graph on that graph's own state.

        `inputs` maps child fields to parent fields: without it the child starts from its defaults. `outputs`
        maps parent fields to child fields: without it every child field is projected whose name the parent has.
        """
        node: SubgraphNode = subgraph_node(self._place, name, graph, inputs, outputs)
        self._declared.declare(node, edge_of(self._place, node.name, to))

    def fan_out(
        self,
        name: str,
        worker: HasSpec | Callable[..., Any],
        /,
        *,
        over: str | None = None,
        count: int | Callable[[Any], int] | None = None,
        item: str | None = None,
        collect: str | None = None,
        into: str | None = None,
        inputs: Mapping[str, str] | None = None,
        extra_outputs: Mapping[str, str] | None = None,
        concurrency: int | Callable[[Any], int | None] | None = 10,
        error_policy: ErrorPolicy = "fail_fast",
        errors_into: str | None = None,
        on_empty: OnEmpty = "raise",
        count_into: str | None = None,
        to: Target | None = None,
    ) -> None:
        """Declares a node that runs a worker once per item and collects what the instances give, in item order.

        `over` names a list field, or `count` says how many (then a function gets the number of its instance).
        A worker graph gets the item in its field `item` and gives its field `collect`; a worker function takes
        the item and gives the value, or with `collect` a dict that holds it. `into` receives the list of values
        as one update, so its reducer decides what becomes of it: `append`, `concat_flatten`, `merge_all`.
        `inputs` maps child fields (of a function: parameters) to parent fields, `extra_outputs` further parent
        fields to child fields. `concurrency` bounds how many run at once, None for all. `error_policy` "collect"
        goes on after failures, with a record of each in `errors_into`; `on_empty` "noop" allows no items;
        `count_into` receives the number of instances. Source: pipeline-utilities §9.
        """
        options = {
            "over": over, "count": count, "item": item, "collect": collect, "into": into, "inputs": inputs,
            "extra_outputs": extra_outputs, "concurrency": concurrency, "error_policy": error_policy,
            "errors_into": errors_into, "on_empty": on_empty, "count_into": count_into,
        }  # fmt: skip
        node: FanOutNode = fan_out_node(self._place, name, worker, options)
        self._declared.declare(node, edge_of(self._place, node.name, to))

    def remove(self, name: str) -> None:
        """Takes a node and its outgoing edge away. Edges that lead to it stay and are drawn dotted."""
        self._declared.remove(checked_name(self._place, name))

    @property
    def version(self) -> object:
        """Equal as long as this graph and the graphs within it were not declared anew."""
        graphs, others = self._within()
        own = [(each._declared.version, each._entry, each._schema.cls) for each in graphs]
        return (*own, *(each.version for each in others))

    def spec(self) -> GraphSpec:
        """The graph as it is declared at this moment."""
        return GraphSpec(self.name, self._schema, self._entry, self._declared.nodes, self._declared.edges)

    def topology(self) -> Topology:
        """What is drawn at this moment; never raises for a graph that is merely unfinished."""
        return topology_of(self.spec())

    def compile(self) -> CompiledGraph:
        """A snapshot that later cells do not change. Raises a BuildError whose `problems` lists every fault."""
        version, spec, plan = self._plan()
        return CompiledGraph(spec, plan, version, lambda: self.version, self._keep)

    def run(self, state: object = None, /, *, max_steps: int | None = None, **fields: Any) -> Run:
        """Runs to the end, from fields by name or from an instance of the state class; fields left out take defaults.

        Works in a script, a test, a cell and a running event loop. Plain nodes run in the calling thread,
        asynchronous ones on a private event loop. `max_steps` bounds the super-steps (10,000). Raises BuildError
        before anything runs, RunError with `.run` and `.trace` afterwards; an interruption is raised again with both.
        """
        return self.compile().run(state, max_steps=max_steps, **fields)

    async def arun(self, state: object = None, /, *, max_steps: int | None = None, **fields: Any) -> Run:
        """Runs to the end in the running event loop: `run = await graph.arun(...)`. Otherwise like `run`."""
        return await self.compile().arun(state, max_steps=max_steps, **fields)

    def start(self, state: object = None, /, *, max_steps: int | None = None, **fields: Any) -> RunHandle:
        """Starts a run on a thread of its own and gives a handle at once: to be awaited, watched or cancelled."""
        return self.compile().start(state, max_steps=max_steps, **fields)

    def session(self, state: object = None, /, *, max_steps: int | None = None, **fields: Any) -> Session:
        """A run that stops after every commit: `session.step()` goes on."""
        return self.compile().session(state, max_steps=max_steps, **fields)

    @property
    def dot(self) -> str:
        """The drawing's source in DOT."""
        return self.draw().dot

    @property
    def mermaid(self) -> str:
        """The drawing's source in Mermaid."""
        return self.draw().mermaid

    def draw(self) -> Picture:
        """The drawing at this moment."""
        from graphnb.show.picture import picture_of

        return picture_of(self.topology())

    def _plan(self) -> tuple[object, GraphSpec, Plan]:
        for each in self._within()[0]:
            if each is not self:
                self._check_filled(each)
            each._schema = newest_schema(each._schema, each._place, each._cells)
        version = self.version
        planned = self._planned
        if planned is None or planned[0] != version:
            plan = compile_graph(self.spec())
            planned = self._planned = version, pinned(self.spec()), plan
        return planned

    def _check_filled(self, inner: Graph) -> None:
        """Raises InvalidDeclaration for a graph that its cells left empty, most likely because they made a new one."""
        if inner._declared.is_emptied:
            what = "is empty: what cells declared on it was taken back when they ran again, or was removed"
            again = ", ".join(self._cells()) or "the cells that build it"
            mend = f"If they made a new graph, let {self._place} take that one; run again: {again}."
            raise InvalidDeclaration(f"{self._place}, {inner._place} within it", what, mend)

    def _within(self) -> tuple[list[Graph], list[HasSpec]]:
        """This graph and all graphs within it, each once; apart from them those that are no `Graph`."""
        graphs: list[Graph] = []
        others: list[HasSpec] = []
        ahead: list[HasSpec] = [self]
        while ahead:
            graph = ahead.pop()
            if not isinstance(graph, Graph):
                others.append(graph)
            elif not any(graph is each for each in graphs):
                graphs.append(graph)
                ahead += graph._graphs()
        return graphs, others

    def _graphs(self) -> tuple[HasSpec, ...]:
        """The graphs that this one's nodes run."""
        declared = self._declared.version
        if self._inner[0] != declared:
            nodes = self._declared.nodes.values()
            parts = [getattr(node, "graph", None) or getattr(node, "worker", None) for node in nodes]
            self._inner = declared, tuple(each for each in parts if is_graph(each))
        return self._inner[1]

    def _cells(self) -> tuple[str, ...]:
        return self._declared.cells

    def _keep(self, progress: Progress) -> None:
        self._last = progress

    def __getstate__(self) -> dict[str, Any]:
        # A plan is made anew where the copy is run; the copy itself has not run yet.
        return {**self.__dict__, "_planned": None, "_last": None}

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.draw()._repr_mimebundle_(include, exclude)

    def __str__(self) -> str:
        from graphnb.show.outline import outline_of

        return outline_of(self.topology())

    def __repr__(self) -> str:
        nodes = len(self._declared.nodes)
        return f"<Graph {self.name!r}: {nodes} node{'' if nodes == 1 else 's'}>"
