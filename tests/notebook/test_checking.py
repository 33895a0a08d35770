"""Checking graphs and documents without raising."""

from typing import Any

import pytest

import graphnb as gn

STEP = {"type": "module", "implementation": "step"}
SOUND: dict[str, Any] = {
    "schema_version": 1,
    "id": "g",
    "fields": {"n": {"schema": {"type": "integer"}, "reducer": {"type": "sum"}}},
    "outputs": {"n": {"source": "n"}},
    "nodes": {"a": {"implementation": STEP}},
    "edges": {"in": {"from": "$start", "to": "a"}, "out": {"from": "a", "to": "$finish"}},
}


def step(view: Any, context: Any) -> dict[str, Any]:
    """An implementation."""
    return {}


def told(diagnostics: Any) -> list[tuple[str, str, str]]:
    """Severity, code and place."""
    return [(each.severity, each.code, each.where) for each in diagnostics]


def test_graph_is_checked_as_it_is_now() -> None:
    """Half built and whole; a compiled one as it was."""
    graph = gn.Graph(gn.State, name="g")
    before = graph.check()
    graph.node("a", lambda s: {}, to=gn.END)
    graph.entry = "a"
    compiled = graph.compile()
    graph.node("b", lambda s: {})

    assert [("error", "no_declared_entry", "graph 'g'")] == told(before)
    assert [("error", "unreachable_node", "graph 'g'")] == told(graph.check())
    assert [] == told(compiled.check())


def test_graph_that_was_read_from_a_document_is_checked_as_that() -> None:
    """With the implementations that it was given."""
    document = {**SOUND, "fields": {**SOUND["fields"], "m": {"schema": {"type": "string"}}}}
    graph = gn.graph_of(document, nodes={"step": step})

    assert [("warning", "orphaned_field", "fields.m")] == told(graph.check())
    assert [] == told(gn.graph_of(SOUND, nodes={"step": step}).check())


def test_document_is_checked_without_being_compiled() -> None:
    """All at once; whether implementations are there is asked only if some are passed."""
    broken = {**SOUND, "edges": {"in": {"from": "$start", "to": "b"}}}

    assert [] == told(gn.check_document(SOUND))
    assert [("error", "node_module_not_loaded", "nodes.a.implementation")] == told(gn.check_document(SOUND, nodes={}))
    assert [
        ("error", "unknown_edge_target", "edges.in.to"),
        ("error", "unreachable_node", "nodes.a"),
        ("warning", "no_terminal_edge", "edges"),
    ] == told(gn.check_document(broken, nodes={"step": step}))


@pytest.mark.parametrize(
    ("document", "code", "where"),
    [
        ("{", "invalid_document", "the document"),
        ([], "invalid_document", "the document"),
        ({"schema_version": 2, "id": "g"}, "unsupported_schema_version", "schema_version"),
        ({"schema_version": 1, "id": "a b"}, "invalid_public_id", "id"),
        ({"schema_version": 1, "id": "g", "nodes": {"$start": {}}}, "reserved_id", "nodes.$start"),
        ({"schema_version": 1, "id": "g", "metadata": {"a": {1}}}, "invalid_document", "metadata.a"),
    ],
)
def test_document_that_cannot_be_read_has_one_fault(document: Any, code: str, where: str) -> None:
    """That at which reading stopped."""
    assert [("error", code, where)] == told(gn.check_document(document))


def test_warnings_about_nodes_of_a_document_are_drawn() -> None:
    """At the node."""
    edges = {**SOUND["edges"], "on": {"from": "a", "to": "b"}}
    document = {**SOUND, "nodes": {**SOUND["nodes"], "b": {"implementation": STEP}}, "edges": edges}
    graph = gn.graph_of(document, nodes={"step": step})

    assert [("a", 0), ("b", 1)] == [(node.name, len(node.marks)) for node in graph.topology().nodes]
    assert "no way leads from 'b' to '$finish'" in graph.topology().nodes[1].marks[0].text


def test_document_that_cannot_be_run_is_refused_with_all_its_errors() -> None:
    """Those that checking tells."""
    broken = {**SOUND, "edges": {"in": {"from": "$start", "to": "b"}}}
    with pytest.raises(gn.InvalidDocument) as caught:
        gn.graph_of(broken, nodes={"step": step})

    told = " ".join(str(caught.value).split())
    assert all(" ".join(str(each).split()) in told for each in gn.check_document(broken).errors)
