"""All passes run, in order, and each tells what it finds."""

from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.verify.diagnostic import Diagnostic
from graphnb.graph.documents.verify.passes import diagnostics_of
from tests.graph.documents.written import found, sound, step, wire


def test_sound_document_has_no_diagnostic():
    """The control of all tests here."""
    assert [] == found(sound())


def test_one_call_reports_what_every_pass_finds():
    """Errors of one pass keep none from running."""
    document = sound(
        fields={"n": {"schema": {"type": "list"}, "reducer": {"type": "append", "opts": {"unique": 1}}}, "spare": {}},
        outputs={"o": {"source": "nothing"}},
        nodes={"a": {}, "lost": {"policies": {"timeout_ms": 0}, "branches": {"b": {"edges": ["gone"]}}}},
        edges={
            "in": {"from": "$start", "to": "a"},
            "round": {"from": "a", "to": "a", "guard": {"op": "changed", "args": ["n", 1]}},
            "away": {"from": "a", "to": "ghost"},
        },
    )

    assert [
        ("error", "invalid_schema", "fields.n.schema"),
        ("error", "invalid_reducer", "fields.n.reducer"),
        ("error", "missing_field_schema", "fields.spare.schema"),
        ("error", "unknown_output_source", "outputs.o.source"),
        ("error", "missing_node_implementation", "nodes.a.implementation"),
        ("error", "missing_node_implementation", "nodes.lost.implementation"),
        ("error", "invalid_policy", "nodes.lost.policies.timeout_ms"),
        ("error", "unknown_edge_target", "edges.away.to"),
        ("error", "invalid_guard", "edges.round.guard"),
        ("error", "unknown_branch_edge", "nodes.lost.branches.b.edges.0"),
        ("warning", "orphaned_field", "fields.spare"),
        ("error", "unreachable_node", "nodes.lost"),
        ("warning", "no_terminal_edge", "edges"),
        ("warning", "unbounded_cycle", "policies.max_supersteps"),
    ] == found(document)


def test_diagnostics_name_the_record_or_the_graph():
    """The id tells a front end what to mark."""
    document = read_document(wire(fields={"f": {}}))

    assert [
        ("missing_field_schema", "f"),
        ("orphaned_field", "f"),
        ("no_entrypoint", "g"),
        ("no_terminal_edge", "g"),
    ] == [(each.code, each.public_id) for each in diagnostics_of(document, {})]


def test_diagnostic_reads_as_place_fault_and_mend():
    """In the form of an error."""
    (missing, *_) = diagnostics_of(read_document(sound(nodes={"a": {}})), {"step": step})

    assert (
        "nodes.a.implementation: there is no implementation\n"
        "Write {'type': 'module', 'implementation': a name in the registry}."
    ) == str(missing)
    assert "edges: is odd" == str(Diagnostic("warning", "odd", ("edges",), "g", "is odd"))


def test_order_of_records_changes_no_diagnostic():
    """They are looked at by id."""
    nodes = {name: {} for name in ("n9", "n10", "a", "Z")}
    places = [place for _, code, place in found(sound(nodes=nodes)) if code == "missing_node_implementation"]

    assert [f"nodes.{name}.implementation" for name in ("Z", "a", "n10", "n9")] == places
    assert found(sound(nodes=nodes)) == found(sound(nodes=dict(reversed(nodes.items()))))
