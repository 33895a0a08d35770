"""Graph: built cell by cell, drawn at any time, run as the cells are now."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from graphnb.errors import InvalidDeclaration
from graphnb.graph.ends import Target
from graphnb.graph.guards.guard import Guard
from graphnb.graph.making_topology import topology_of
from graphnb.graph.observer import PHASES
from graphnb.graph.spec import GraphSpec, HasSpec
from graphnb.graph.topology import Topology
from graphnb.notebook.at_once import AtOnce, To
from graphnb.notebook.declaring import (
    branch_of,
    function_node,
    layers_of,
    named_layer,
    named_observer,
    subgraph_node,
)
from graphnb.notebook.draft import Draft
from graphnb.notebook.names import checked_name, checked_source
from graphnb.notebook.outgoing import edges_of
from graphnb.state.schema import schema_of

if TYPE_CHECKING:
    from graphnb.engine.observers.draining import DrainSummary
    from graphnb.notebook.compiled import CompiledGraph
    from graphnb.notebook.handle import RunHandle
    from graphnb.notebook.run import Run
    from graphnb.notebook.session import Session
    from graphnb.show.diagnostics import Diagnostics
    from graphnb.show.drawing.picture import Picture

F = TypeVar("F", bound=Callable[..., Any])
L = TypeVar("L")
When = Guard | Callable[[Any], object]


class Graph(AtOnce):
    """A typed state graph: `review = gn.Graph(Review, entry="plan")`, `@review.node(to=gn.END)`, `review.run()`.

    `state` is a `gn.State`, a pydantic model, a dataclass or a TypedDict; `entry` the name of the first node,
    also to be set later as `graph.entry = "plan"`; `middleware` is around every node, see `Graph.middleware`.
    Every decorator is a plain method as well. In a notebook one cell run is one edit: a later cell run replaces by
    name, and a cell that is run again first takes back what it declared before. A declaration that cannot stand raises
    InvalidDeclaration, DuplicateName or MultipleOutgoingEdges at once and changes nothing; what the whole graph alone
    shows is raised by `compile` and `run`. Shown in a notebook, a graph draws itself, half built or whole.
    """

    def __init__(self, state: type, *, entry: str | None = None, name: str | None = None, middleware: Any = ()) -> None:
        schema = schema_of(state)
        own_name = schema.name if name is None else checked_name("gn.Graph", name, of="graph")
        self._place = f"graph '{own_name}'"
        first = None if entry is None else checked_name(self._place, entry)
        self._draft = Draft(own_name, schema, entry=first, layers=layers_of(self._place, middleware))
        self._declared = self._draft.declared

    @property
    def name(self) -> str:
        """The graph's name: that of the state class unless another was given."""
        return self._draft.name

    @property
    def entry(self) -> str | None:
        """The name of the first node, None if it was not declared yet."""
        return self._draft.entry

    @entry.setter
    def entry(self, name: str) -> None:
        self._declared.declare_entry(checked_name(self._place, name))

    @property
    def last_run(self) -> Run | None:
        """The run that was begun last, finished or not: while it goes on, the run so far. None before the first.

        `graph.last_run = None` lets go of it and of all that it holds.
        """
        return None if self._draft.runs.last is None else self._draft.runs.last.run

    @last_run.setter
    def last_run(self, run: None) -> None:
        if run is not None:
            raise InvalidDeclaration(self._place, "last_run tells what happened", "It can only be forgotten: None.")
        self._draft.runs.last = None

    @overload
    def node(self, function: F, /, *, to: To = None, middleware: Any = ()) -> F: ...
    @overload
    def node(self, name: str, function: F, /, *, to: To = None, middleware: Any = ()) -> F: ...
    @overload
    def node(self, name: str | None = None, /, *, to: To = None, middleware: Any = ()) -> Callable[[F], F]: ...
    def node(self, name: Any = None, function: Any = None, /, *, to: To = None, middleware: Any = ()) -> Any:
        """Declares a node: a function of the state that returns a dict of the fields it changes.

        `@graph.node`, `@graph.node(to="next")`, `graph.node(function)` or `graph.node("name", function)`; the
        name is the function's unless given. Gives the function back unchanged. `def` and `async def` are equal.
        `middleware` is around this node alone, the first outermost: functions (state, next) -> update, or
        `gn.retry(...)`, `gn.timing(...)`, `gn.failure_isolation(...)`.
        """
        if function is None and (name is None or isinstance(name, str)):
            named: Any = self.node if name is None else functools.partial(self.node, name)
            return functools.partial(named, to=to, middleware=middleware)
        if function is None:
            name, function = None, name
        node = function_node(self._place, name, function=function, middleware=middleware)
        self._declare(node, to=to)
        return function

    def edge(self, source: str | Sequence[str], target: Target | Sequence[Target], *, when: When | None = None) -> None:
        """Declares the route from a node: to another node, or to `gn.END`.

        A tuple of targets is a fork: all of them run next, at once. A tuple of sources is a join: it waits until
        all of them have completed since it last led on. With `when`, a function of the state after the fold or a
        guard such as `gn.field("score") == 3`, the edge is taken only if that holds; a node may have several
        guarded edges or joins, and every one that holds is taken.
        """
        self._declared.declare(None, *edges_of(self._place, source, target=target, when=when))

    @overload
    def branch(self, source: str, /, *, to: Any = None) -> Callable[[F], F]: ...
    @overload
    def branch(self, source: str, router: F, /, *, to: Any = None) -> F: ...
    def branch(self, source: str, router: Any = None, /, *, to: Any = None) -> Any:
        """Declares the chosen route from a node: the router sees the state after the fold and returns a target.

        `to` lists the targets, or maps what the router returns to targets; without it they are read from a
        Literal return type, else any node may be chosen and the drawing shows an open end.
        """
        checked_source(self._place, source)
        if router is None:
            return lambda given: self.branch(source, given, to=to)
        self._declared.declare(None, branch_of(self._place, source, router=router, to=to))
        return router

    def subgraph(
        self,
        name: str,
        graph: HasSpec,
        /,
        *,
        inputs: Mapping[str, str] | None = None,
        outputs: Mapping[str, str] | None = None,
        projects_in: Iterable[str] | None = None,
        projects_out: Iterable[str] | None = None,
        middleware: Any = (),
        to: To = None,
    ) -> None:
        """Declares a node that runs another graph on that graph's own state.

        `inputs` maps child fields to parent fields: without it the child starts from its defaults. `outputs`
        maps parent fields to child fields: without it every child field is projected whose name the parent has.
        Instead of maps, `projects_in` and `projects_out` list fields that bear the same name on both sides;
        then nothing else crosses. `middleware` as for `node`. Source: graph-engine §2.
        """
        options = {
            "inputs": inputs, "outputs": outputs, "projects_in": projects_in, "projects_out": projects_out,
            "middleware": middleware,
        }  # fmt: skip
        node = subgraph_node(self._place, name, graph=graph, options=options)
        self._declare(node, to=to)

    @overload
    def middleware(self, layer: L, /, *, name: str | None = None) -> L: ...
    @overload
    def middleware(self, layer: None = None, /, *, name: str | None = None) -> Callable[[L], L]: ...
    def middleware(self, layer: Any = None, /, *, name: str | None = None) -> Any:
        """Declares middleware around every node, outside of the nodes' own; what is declared first is outermost.

        A function (state, next) -> update, plain or asynchronous, that calls (or awaits) `next(state)` for the node's
        update; or what `gn.retry`, `gn.timing` or `gn.failure_isolation` make. The name, by which a later cell
        replaces it, is the function's unless given. Gives it back unchanged.
        """
        if layer is None:
            return lambda decorated: self.middleware(decorated, name=name)
        self._declared.declare_layer(*named_layer(self._place, layer, name=name))
        return layer

    @overload
    def observer(self, function: F, /, *, phases: Any = PHASES, name: str | None = None) -> F: ...
    @overload
    def observer(
        self, function: None = None, /, *, phases: Any = PHASES, name: str | None = None
    ) -> Callable[[F], F]: ...
    def observer(self, function: Any = None, /, *, phases: Any = PHASES, name: str | None = None) -> Any:
        """Declares an observer: a function, plain or asynchronous, that is told of every run of this graph.

        It is called with events, one after the other, beside the run, also where this graph runs within another
        one. `phases` are those of which it is told: "started", "completed". See `drain`. Gives it back unchanged.
        """
        if function is None:
            return lambda decorated: self.observer(decorated, phases=phases, name=name)
        self._declared.declare_observer(named_observer(self._place, function, phases=phases, name=name))
        return function

    def remove(self, name: str) -> None:
        """Takes a node and its outgoing edge away. Edges that lead to it stay and are drawn dotted.

        Raises InvalidDeclaration, like the two below, for a name that nothing bears.
        """
        self._declared.remove(checked_name(self._place, name))

    def remove_middleware(self, name: str) -> None:
        """Takes away what `middleware` has declared under this name."""
        self._declared.remove_layer(checked_name(self._place, name, of="middleware"))

    def remove_observer(self, name: str) -> None:
        """Takes away what `observer` has declared under this name."""
        self._declared.remove_observer(checked_name(self._place, name, of="observer"))

    @property
    def version(self) -> object:
        """Equal as long as this graph and the graphs within it were not declared anew."""
        return self._draft.version

    def spec(self) -> GraphSpec:
        """The graph as it is declared at this moment."""
        return self._draft.spec()

    def topology(self) -> Topology:
        """What is drawn at this moment; never raises for a graph that is merely unfinished."""
        return topology_of(self.spec())

    def check(self) -> Diagnostics:
        """All that is wrong (errors, as `compile` raises them) or hardly meant (warnings), as a table; never raises.

        What a plain function writes is known only if its return annotation is a TypedDict.
        """
        from graphnb.notebook.checking import check_spec

        return check_spec(self.spec())

    def compile(self) -> CompiledGraph:
        """A snapshot that later cells do not change. Raises a BuildError; its `problems` lists the faults."""
        from graphnb.notebook.compiled import CompiledGraph  # what runs a graph is loaded when one is to be run

        version, spec, plan = self._draft.plan()
        return CompiledGraph(spec, plan, version=version, newest=lambda: self.version, runs=self._draft.runs)

    def run(
        self,
        state: object = None,
        /,
        *,
        max_steps: int | None = None,
        observers: Sequence[Callable[..., Any]] = (),
        invocation_id: str | None = None,
        correlation_id: str | None = None,
        **fields: Any,
    ) -> Run:
        """Runs to the end, from fields by name or from an instance of the state class; fields left out take defaults.

        Works in a script, a test, a cell and a running event loop. Plain nodes run in the calling thread, others
        on a private event loop. `max_steps` bounds the super-steps (10,000). `observers` are told of this run alone
        and given the ids. Raises BuildError at first, then RunError or an interruption, with `.run` and `.trace`.
        """
        given: dict[str, Any] = {"invocation_id": invocation_id, "correlation_id": correlation_id}
        return self.compile().run(state, max_steps=max_steps, observers=observers, **given, **fields)

    async def arun(self, state: object = None, /, **options: Any) -> Run:
        """Runs to the end in the running event loop: `run = await graph.arun(...)`. Otherwise like `run`."""
        return await self.compile().arun(state, **options)

    def start(self, state: object = None, /, **options: Any) -> RunHandle:
        """Like `run`, on a thread of its own; gives a handle at once: to be awaited, watched or cancelled."""
        return self.compile().start(state, **options)

    def session(self, state: object = None, /, **options: Any) -> Session:
        """A run that stops after every super-step: `session.step()` goes on. Takes what `run` takes."""
        return self.compile().session(state, **options)

    def drain(self, timeout: float | None = None) -> DrainSummary:
        """Waits until all runs of this graph that are active now have ended and observers were told of everything.

        Runs of graphs within which it runs are among them.
        For the end of a session that stands still nobody waits, for its events so far everybody does. At most
        `timeout` seconds; then what was not delivered is dropped. Raises ValueError, TypeError for a wrong
        timeout, GraphError where it would wait for itself: in a node or an observer of such a run, and in the event
        loop that delivers (there `await graph.adrain(...)`). In a thread that a node has started that is known only if
        the thread runs in the node's context: `threading.Thread(target=contextvars.copy_context().run, args=(...))`.
        """
        return self._draft.runs.drain(timeout)

    def drain_events_for(self, invocation_id: str, *, timeout: float | None = None) -> DrainSummary:
        """Waits until observers were told of everything that this invocation, if it is known, has emitted so far.

        Inside of a node too, see `gn.invocation`. After `timeout` seconds delivery goes on. Raises like `drain`.
        """
        return self._draft.runs.drain_events_for(invocation_id, timeout)

    async def adrain(self, timeout: float | None = None) -> DrainSummary:
        """Like `drain`, in the running event loop."""
        return await self._draft.runs.adrain(timeout)

    async def adrain_events_for(self, invocation_id: str, *, timeout: float | None = None) -> DrainSummary:
        """Like `drain_events_for`, in the running event loop."""
        return await self._draft.runs.adrain_events_for(invocation_id, timeout)

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
        from graphnb.show.drawing.picture import picture_of

        return picture_of(self.topology())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.draw()._repr_mimebundle_(include, exclude)

    def __str__(self) -> str:
        from graphnb.show.drawing.outline import outline_of

        return outline_of(self.topology())

    def __repr__(self) -> str:
        nodes = len(self._declared.nodes)
        return f"<Graph {self.name!r}: {nodes} node{'' if nodes == 1 else 's'}>"
