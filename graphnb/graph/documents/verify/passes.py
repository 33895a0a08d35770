"""All passes over a document, so that one call reports everything. Source: graph document §4."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from graphnb.graph.documents.effective import Registry
from graphnb.graph.documents.records import Document
from graphnb.graph.documents.verify.branches import check_branches
from graphnb.graph.documents.verify.content import check_content
from graphnb.graph.documents.verify.cycles import check_cycles
from graphnb.graph.documents.verify.diagnostic import Diagnostic
from graphnb.graph.documents.verify.edges import check_edges
from graphnb.graph.documents.verify.fields import check_fields, check_orphans
from graphnb.graph.documents.verify.identity import check_identity, sound_part
from graphnb.graph.documents.verify.nodes import check_nodes
from graphnb.graph.documents.verify.outputs import check_outputs
from graphnb.graph.documents.verify.policies import check_policies
from graphnb.graph.documents.verify.topology import check_topology

_Pass = Callable[[Document], Iterator[Diagnostic]]
_BEFORE_NODES: Final[tuple[_Pass, ...]] = (check_fields, check_outputs)
_AFTER_NODES: Final[tuple[_Pass, ...]] = (
    check_policies,
    check_edges,
    check_branches,
    check_orphans,
    check_topology,
    check_cycles,
)


def diagnostics_of(document: Document, registry: Registry) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with the document, in the order of the passes; empty if nothing is.

    A document with no diagnostic of the severity "error" can be run. Content that cannot be stored is told alone,
    because nothing else can be said of it.

    >>> [(each.severity, each.code) for each in diagnostics_of(Document(id="g"), {})]
    [('error', 'no_entrypoint'), ('warning', 'no_terminal_edge')]
    """
    found = list(check_content(document)) or list(_others(document, registry))
    return tuple(each if each.public_id else replace(each, public_id=str(document.id)) for each in found)


def _others(document: Document, registry: Registry) -> Iterator[Diagnostic]:
    yield from check_identity(document)
    sound = sound_part(document)
    for check in _BEFORE_NODES:
        yield from check(sound)
    yield from check_nodes(sound, registry)
    for check in _AFTER_NODES:
        yield from check(sound)
