"""CompiledGraph: a graph pinned as it was, which knows when the graph has moved on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from graphnb.engine.run import Execution
from graphnb.graph.plan import Plan
from graphnb.graph.spec import GraphSpec
from graphnb.graph.topology import Topology
from graphnb.notebook.run import Run
from graphnb.notebook.running import Driven
from graphnb.notebook.runs import Runs
from graphnb.notebook.starting import OPTIONS, begin_run

if TYPE_CHECKING:
    from graphnb.engine.observers.draining import DrainSummary
    from graphnb.notebook.handle import RunHandle
    from graphnb.notebook.session import Session
    from graphnb.show.diagnostics import Diagnostics
    from graphnb.show.drawing.picture import Picture


class CompiledGraph:
    """A checked graph that later cells no longer change; it runs and is drawn like the graph it was made of."""

    def __init__(
        self, spec: GraphSpec, plan: Plan, *, version: object, newest: Callable[[], object], runs: Runs
    ) -> None:
        self._spec = spec
        self._plan = plan
        self._version = version
        self._newest = newest
        self._runs = runs

    @property
    def name(self) -> str:
        """The graph's name."""
        return self._spec.name

    @property
    def is_stale(self) -> bool:
        """True if the graph, or a graph within it, was changed since."""
        return self._newest() != self._version

    @property
    def version(self) -> object:
        """What the graph's version was."""
        return self._version

    @property
    def plan(self) -> Plan:
        """What the engine runs."""
        return self._plan

    def spec(self) -> GraphSpec:
        """The graph as it was declared."""
        return self._spec

    def topology(self) -> Topology:
        """What is drawn."""
        return self._plan.topology

    def run(self, state: object = None, /, **options: Any) -> Run:
        """Runs to the end, see `Graph.run`."""
        return Driven(self._begin(state, options), self._runs).finish()

    async def arun(self, state: object = None, /, **options: Any) -> Run:
        """Runs to the end in the running event loop, see `Graph.arun`."""
        return await Driven(self._begin(state, options), self._runs).afinish()

    def start(self, state: object = None, /, **options: Any) -> RunHandle:
        """Starts a run in the background, see `Graph.start`."""
        from graphnb.notebook.handle import RunHandle

        return RunHandle(self._begin(state, options), self._runs)

    def session(self, state: object = None, /, **options: Any) -> Session:
        """A run in steps, see `Graph.session`."""
        from graphnb.notebook.session import Session

        return Session(self._begin(state, options, pauses=True), self._runs)

    def drain(self, timeout: float | None = None) -> DrainSummary:
        """Waits for observers, see `Graph.drain`."""
        return self._runs.drain(timeout)

    def drain_events_for(self, invocation_id: str, *, timeout: float | None = None) -> DrainSummary:
        """Waits for observers, see `Graph.drain_events_for`."""
        return self._runs.drain_events_for(invocation_id, timeout)

    async def adrain(self, timeout: float | None = None) -> DrainSummary:
        """Waits for observers, see `Graph.drain`."""
        return await self._runs.adrain(timeout)

    async def adrain_events_for(self, invocation_id: str, *, timeout: float | None = None) -> DrainSummary:
        """Waits for observers, see `Graph.drain_events_for`."""
        return await self._runs.adrain_events_for(invocation_id, timeout)

    def _begin(self, state: object, given: Mapping[str, Any], *, pauses: bool = False) -> Execution:
        """A run that is ready to be driven; what bears no option's name is a field."""
        options = {name: given[name] for name in OPTIONS if name in given}
        fields = {name: each for name, each in given.items() if name not in options}
        return begin_run(self._plan, state, fields=fields, options=options, pauses=pauses)

    def check(self) -> Diagnostics:
        """What there is to mend, see `Graph.check`; of a document everything that it was checked for."""
        from graphnb.notebook.checking import check_spec

        return check_spec(self._spec, self._plan.rules)

    @property
    def dot(self) -> str:
        """The drawing's source in DOT."""
        return self.draw().dot

    @property
    def mermaid(self) -> str:
        """The drawing's source in Mermaid."""
        return self.draw().mermaid

    def draw(self) -> Picture:
        """The drawing."""
        from graphnb.show.drawing.picture import picture_of

        return picture_of(self._plan.topology)

    def __deepcopy__(self, memo: object) -> CompiledGraph:
        return self  # nothing changes it

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.draw()._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        nodes = len(self._plan.nodes)
        stale = ", stale" if self.is_stale else ""
        return f"<CompiledGraph {self.name!r}: {nodes} node{'' if nodes == 1 else 's'}{stale}>"
