"""Everything that is wrong with a graph or a document, told without raising."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphnb.errors import DocumentError
from graphnb.graph.plan import DocumentRules
from graphnb.graph.spec import FunctionNode, GraphSpec
from graphnb.show.diagnostics import Diagnostics


def check_spec(spec: GraphSpec, rules: DocumentRules | None = None) -> Diagnostics:
    """What there is to say of a graph; `rules` are those of one that was read from a document."""
    if rules is None or rules.document is None:
        from graphnb.graph.checking.diagnosing import diagnostics_of_spec

        return Diagnostics(diagnostics_of_spec(spec))
    from graphnb.graph.documents.verify.passes import diagnostics_of

    functions = {name: node.function for name, node in spec.nodes.items() if isinstance(node, FunctionNode)}
    registry = {str(each.module): functions[name] for name, each in rules.document.nodes.items()}
    return Diagnostics(diagnostics_of(rules.document, registry))


def check_written(source: Any, nodes: Mapping[str, Callable[..., Any]] | None) -> Diagnostics:
    """What there is to say of a document; one that cannot be read has the one fault at which reading stopped."""
    from graphnb.graph.documents.reading import read_document
    from graphnb.graph.documents.verify.diagnostic import Diagnostic
    from graphnb.graph.documents.verify.passes import diagnostics_of

    try:
        document = read_document(source)
    except DocumentError as refused:
        told = Diagnostic("error", refused.category, refused.place, "", refused.what, refused.mend)
        return Diagnostics([told])
    registry = dict.fromkeys((str(each.module) for each in document.nodes.values()), _any) if nodes is None else nodes
    return Diagnostics(diagnostics_of(document, registry))


def _any(view: object, context: object) -> None:
    """Stands for implementations that nobody has passed."""
