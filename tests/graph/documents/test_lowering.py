"""A checked document as a plan."""

import pytest

import graphnb as gn
from graphnb.graph.documents.canonical import hash_of
from graphnb.graph.documents.effective import with_config_defaults
from graphnb.graph.documents.lowering import plan_of_document
from graphnb.graph.documents.reading import read_document
from graphnb.graph.ends import END
from graphnb.graph.plan import Policy
from graphnb.graph.topology import Mark
from tests.documents import asynchronous, gives, graph, plan, tries, written
from tests.show.warned import read


def signs_of(marks: tuple[Mark, ...]) -> tuple[str, ...]:
    """The few words of marks."""
    return tuple(each.sign for each in marks)


def test_document_with_errors_is_refused_with_all_of_them() -> None:
    """One is told in a line, several in a list."""
    with pytest.raises(gn.InvalidDocument, match="graph 'tea': cannot be run: invalid_policy: policies"):
        graph(written("a", policies={"max_supersteps": 0}), a=gives({}))
    with pytest.raises(gn.InvalidDocument) as refused:
        graph(written("a", edges={}, policies={"max_supersteps": 0}), a=gives({}))
    assert "\n  - invalid_policy: " in str(refused.value)
    assert "\n  - no_entrypoint: " in str(refused.value)


def test_warnings_refuse_nothing() -> None:
    """A loop without a limit runs as long as the host allows."""
    edges = {"s": {"from": "$start", "to": "a"}, "again": {"from": "a", "to": "a"}}

    with pytest.raises(gn.MaxSuperstepsExceeded) as failed:
        graph(written("a", edges=edges), a=gives({"log": "x"})).run(max_steps=3)
    assert ["x"] * 3 == failed.value.run.state["log"]


def test_warnings_are_marked_where_they_belong() -> None:
    """At fields, nodes and edges, with few words for a drawing; else they are about the graph as a whole."""
    topology = read(ends=True)
    nodes = {each.name: signs_of(each.marks) for each in topology.nodes if each.marks}
    edges = {(str(each.source), str(each.target)): signs_of(each.marks) for each in topology.edges if each.marks}
    fields = {each.name: len(each.marks) for each in topology.fields}

    assert {"lost": ("leads to no end",)} == nodes
    assert {
        ("draft", "judge"): ("no guard",),
        ("draft", "lost"): ("no guard",),
        ("judge", "draft"): ("no limit of steps",),
        ("print", "print"): ("no limit of steps",),
    } == edges
    assert {"rows": 1, "spare": 1} == fields
    assert [0, 1] == [sum(not each.place for each in made.marks) for made in (topology, read())]


def test_edge_that_leaves_a_node_alone_is_drawn_as_no_fork() -> None:
    """Several are one, from the start as well; a guard or a join stays what it is."""
    edges = {
        "in": {"from": "$start", "to": "a"},
        "on": {"from": "a", "to": "b"},
        "too": {"from": "a", "to": "c"},
        "if": {"from": "b", "to": "c", "guard": {"op": "changed", "args": ["log"]}},
        "out": {"from": ["c"], "to": "$finish"},
    }
    topology = graph(written("a", "b", "c", edges=edges), **dict.fromkeys("abc", gives({}))).topology()

    assert ["edge", "fork", "fork", "guard", "join"] == [each.kind for each in topology.edges]


def test_policies_of_nodes_are_resolved() -> None:
    """Null counts as absent, the limit of the host serves where a node sets none."""
    nodes = {
        "a": tries(3, 20, timeout_ms=1500) | {"config": {"size": 4}},
        "b": {"policies": {"retry": {"max_attempts": None, "backoff_ms": None}, "timeout_ms": None}},
        "c": {"policies": {"retry": None}},
    }
    document = read_document(written("a", "b", "c", nodes=nodes))
    functions = dict.fromkeys("abc", gives({}))
    _, bare = plan_of_document(document, functions)
    _, bound = plan_of_document(document, functions, timeout=9)

    assert Policy(3, 20, 1.5, {"size": 4}) == bare.nodes["a"].policy
    assert Policy() == bare.nodes["b"].policy == bare.nodes["c"].policy
    assert [1.5, 9, 9] == [bound.nodes[name].policy.timeout for name in "abc"]  # type: ignore[union-attr]


def test_edges_become_links_sorted_by_id() -> None:
    """A list of sources, even of one, is a join, and stands at each of them."""
    edges = {
        "z": {"from": "$start", "to": "a"},
        "y": {"from": "a", "to": "b"},
        "x": {"from": ["a"], "to": "$finish"},
        "w": {"from": ["a", "b"], "to": "a"},
        "v": {"from": "$start", "to": "$finish"},
    }
    made = plan(written("a", "b", edges=edges, policies={"max_supersteps": 2}), a=gives({}), b=gives({}))

    assert [("w", True), ("x", True), ("y", False)] == [(each.id, each.is_join) for each in made.nodes["a"].links.links]  # type: ignore[union-attr]
    assert ["w"] == [each.id for each in made.nodes["b"].links.links]  # type: ignore[union-attr]
    assert [("v", END), ("z", "a")] == [(each.id, each.target) for each in made.rules.starts]  # type: ignore[union-attr]
    assert 2 == made.rules.max_supersteps  # type: ignore[union-attr]


def test_node_without_edges_leads_nowhere() -> None:
    """That is no fault in a document."""
    assert () == plan(written("a"), a=gives({})).nodes["a"].links.links  # type: ignore[union-attr]
    assert "done" == graph(written("a"), a=gives({})).run().status


def test_kinds_of_functions_are_told() -> None:
    """Also of no nodes at all."""
    mixed = plan(written("a", "b"), a=gives({}), b=asynchronous(gives({})))
    alone = plan(written("a"), a=asynchronous(gives({})))
    empty = plan(written(edges={"e": {"from": "$start", "to": "$finish"}}))

    assert (True, True) == (mixed.has_async, mixed.has_plain)
    assert (True, False) == (alone.has_async, alone.has_plain)
    assert (False, False) == (empty.has_async, empty.has_plain)
    assert [False, True] == [mixed.nodes[name].is_async for name in "ab"]


def test_config_defaults_belong_to_the_graph_that_a_run_pins() -> None:
    """The hash is that of the document with them filled in, and nodes see them."""

    def node(view: object, context: gn.NodeContext) -> object:
        return {"word": context.config["tone"]}

    node.config_schema = {"type": "object", "fields": {"tone": {"type": "string", "default": "dry"}}}  # type: ignore[attr-defined]
    document = read_document(written("a"))
    made = plan(written("a"), a=node)

    assert "dry" == graph(written("a"), a=node).run().state["word"]
    assert hash_of(document) != made.rules.hash == hash_of(with_config_defaults(document, {"a": node}))  # type: ignore[union-attr]


def test_graph_of_a_document_is_drawn() -> None:
    """As any other graph."""
    assert "tea" in graph(written("a", "b"), a=gives({}), b=gives({})).draw().dot
