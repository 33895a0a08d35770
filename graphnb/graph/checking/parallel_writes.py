"""Fields that several nodes or branches of one super-step write, where one write alone survives.

Only declared writes are known: those of fan-outs, subgraphs, branches over graphs, and of functions that return a
TypedDict. What other functions write shows when they run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphnb.graph.checking.declared_writes import writes_of
from graphnb.graph.checking.unfit_writes import base_name
from graphnb.graph.edges import Links, names_in
from graphnb.graph.spec import BranchesNode, GraphSpec


class ParallelWrite(NamedTuple):
    """A field that several write at once; `node` is where they part, `writers` are nodes or branches in order."""

    node: str
    field: str
    writers: tuple[str, ...]
    what: str

    @property
    def mend(self) -> str:
        """What to do."""
        return (
            "Write fields of their own, or fold all of them: step.append, step.merge or step.sum; "
            "step.last_value says that one write is meant to survive."
        )


def parallel_writes_of(spec: GraphSpec) -> tuple[ParallelWrite, ...]:
    """Those within a node of branches, then those after a fork, in declared order."""
    return (*_in_branches(spec), *_after_forks(spec))


def _in_branches(spec: GraphSpec) -> Iterator[ParallelWrite]:
    for node in spec.nodes.values():
        if isinstance(node, BranchesNode):
            written = [(str(each.branch), each.field) for each in writes_of(node, spec)]
            for field, writers in _shared(written, spec):
                what = f"branches {_listed(writers)} write field '{field}', and the one declared last wins"
                yield ParallelWrite(node.name, field, writers, what)


def _after_forks(spec: GraphSpec) -> Iterator[ParallelWrite]:
    for source, edge in spec.edges.items():
        links = [link for link in edge.links if not link.is_join] if isinstance(edge, Links) else []
        targets = names_in(tuple(link.target for link in links))
        nodes = [spec.nodes[name] for name in sorted({*targets}) if name in spec.nodes]
        written = [(node.name, field) for node in nodes for field in {each.field: 0 for each in writes_of(node, spec)}]
        may = "may " if any(link.when is not None for link in links) else ""
        for field, writers in _shared(written, spec):
            what = f"nodes {_listed(writers, may)} write field '{field}' in one step, and the last one by name wins"
            yield ParallelWrite(source, field, writers, what)


def _shared(written: Iterable[tuple[str, str]], spec: GraphSpec) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The fields that several write and that keep one write alone, each with its writers."""
    writers: dict[str, list[str]] = {}
    for writer, field in written:
        writers.setdefault(field, []).append(writer)
    for field, names in writers.items():
        if len(names) > 1 and base_name(spec.schema.fields[field]) == "last_write_wins":
            yield field, tuple(names)


def _listed(names: Sequence[str], may: str = "") -> str:
    *first, last = map(repr, names)
    return f"{', '.join(first)} and {last} {may}{'both' if len(first) == 1 else 'all'}"
