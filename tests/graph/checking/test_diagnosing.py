"""Everything there is to say of a graph before it runs."""

import warnings
from typing import Annotated, Any

import graphnb as gn
from graphnb import step
from graphnb.graph.checking.diagnosing import diagnostics_of_spec


class Parent(gn.State):
    items: list[str] = []
    flat: Annotated[list[str], gn.append] = []
    last: str = ""
    rows: Annotated[list[list[str]], step.append]


class Child(gn.State):
    item: str = ""
    flat: list[str] = []
    last: str = ""
    odd: Annotated[str, gn.append] = ""


def letters(item: str) -> list[str]:
    """A worker that gives lists."""
    return list(item)


def child() -> gn.Graph:
    """A graph of which there is one thing to say."""
    graph = gn.Graph(Child, entry="a", name="child")
    graph.node("a", lambda s: {}, to=gn.END)
    return graph


def found(graph: gn.Graph) -> list[tuple[str, str, str]]:
    """Severity, code and place."""
    return [(each.severity, each.code, each.where) for each in diagnostics_of_spec(graph.spec())]


def test_graph_of_which_there_is_nothing_to_say() -> None:
    """Cycles without a limit are fine in Python."""
    graph = gn.Graph(gn.State, entry="a", name="g")
    graph.node("a", lambda s: {})
    graph.branch("a", lambda s: gn.END, to=("a", gn.END))

    assert [] == found(graph)


def test_faults_come_first_under_their_categories() -> None:
    """All of them, and the warnings too; nothing raises for what is unfinished."""
    graph = gn.Graph(Parent, name="g")
    graph.node("a", lambda s: {}, to="b")
    graph.fan_out("each", letters, over="nothing", into="flat", to=gn.END)

    assert [
        ("error", "no_declared_entry", "graph 'g'"),
        ("error", "dangling_edge", "graph 'g'"),
        ("error", "mapping_references_undeclared_field", "graph 'g', node 'each'"),
        ("warning", "unfit_write", "graph 'g', node 'each'"),
        ("warning", "ambiguous_list_write", "graph 'g', field 'rows'"),
    ] == found(graph)
    assert {"g", "each", "rows"} == {each.public_id for each in diagnostics_of_spec(graph.spec())}


def test_errors_are_what_compiling_raises() -> None:
    """In its order, with its texts."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.node("a", lambda s: {})
    try:
        graph.compile()
    except gn.BuildError as error:
        told = [(each.category, each.where, each.what, each.mend) for each in error.problems]
    errors = [each for each in diagnostics_of_spec(graph.spec()) if each.severity == "error"]

    assert told == [(each.code, each.where, each.message, each.mend) for each in errors]


def test_warnings_of_every_kind_and_of_graphs_within_are_told() -> None:
    """Node by node, then field by field; those of a graph within behind the node that runs it."""
    graph = gn.Graph(Parent, entry="each", name="g")
    graph.fan_out("each", letters, over="items", into="flat", to=("x", "y"))
    graph.subgraph("x", child(), inputs={"flat": "flat"}, outputs={"flat": "flat", "last": "last"}, to=gn.END)
    graph.branches("y", {"b": gn.ParallelBranch(child(), outputs={"last": "last"})}, to="open")
    graph.node("open", lambda s: {})
    graph.branch("open", lambda s: gn.END)
    graph.node("dead", lambda s: {})

    assert [
        ("warning", "unfit_write", "graph 'g', node 'each'"),
        ("warning", "parallel_write", "graph 'g', node 'each'"),
        ("warning", "projection_reducer_round_trip", "graph 'g', node 'x'"),
        ("warning", "reducer_schema_mismatch", "graph 'g', node 'x', graph 'child', field 'odd'"),
        ("warning", "reducer_schema_mismatch", "graph 'g', node 'y', graph 'child', field 'odd'"),
        ("warning", "missing_outgoing_edge", "graph 'g', node 'dead'"),
        ("warning", "ambiguous_list_write", "graph 'g', field 'rows'"),
    ] == found(graph)


def test_node_that_a_router_alone_may_choose_is_warned_of_though_something_is_wrong() -> None:
    """A fault elsewhere hides nothing; what is an error already is no warning as well."""
    graph = gn.Graph(Parent, entry="open", name="g")
    graph.node("open", lambda s: {})
    graph.branch("open", lambda s: gn.END)
    graph.node("dead", lambda s: {})
    graph.fan_out("each", letters, over="nothing", into="last", to="dead too")
    graph.node("dead two", lambda s: {})

    told = found(graph)
    assert ("warning", "missing_outgoing_edge", "graph 'g', node 'dead'") in told
    assert ("warning", "missing_outgoing_edge", "graph 'g', node 'dead two'") in told
    assert ["dangling_edge", "mapping_references_undeclared_field"] == [
        code for kind, code, _ in told if kind == "error"
    ]


def test_graph_within_itself_ends() -> None:
    """It is a fault, and nothing goes round."""
    graph = gn.Graph(Child, entry="a", name="g")
    graph.subgraph("a", graph, to=gn.END)
    told = found(graph)

    assert ("error", "invalid_declaration", "graph 'g', node 'a'") == told[0]
    assert 1 == sum(code == "reducer_schema_mismatch" for _, code, _ in told)


def test_what_is_certain_is_a_python_warning_as_well() -> None:
    """With the field and its reducer; what only may go wrong is told by checking alone."""
    graph = gn.Graph(Parent, entry="each", name="g")
    graph.fan_out("each", letters, over="items", into="flat", to=("x", "y"))
    for name in ("x", "y"):
        graph.subgraph(name, child(), outputs={"last": "last", "flat": "item"}, to=gn.END)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph.compile()
    (warning,) = [each.message for each in caught]
    told: Any = warning

    assert isinstance(warning, gn.UnfitWriteWarning)
    assert ("flat", "append", "unfit_write") == (told.field, told.reducer, told.category)
    assert str(warning).endswith("Declare flat: Annotated[list[str], gn.concat_flatten]. It opens exactly one level.")
    assert 3 == sum(code == "unfit_write" for _, code, _ in found(graph))


def test_diagnostics_about_nodes_are_drawn_at_them() -> None:
    """In the words in which they are told."""
    graph = gn.Graph(Parent, entry="each", name="g")
    graph.fan_out("each", letters, over="items", into="flat", to=("x", "y"))
    for name in ("x", "y"):
        graph.subgraph(name, child(), outputs={"last": "last"}, to=gn.END)
    each, *others = graph.topology().nodes
    told = [each for each in diagnostics_of_spec(graph.spec()) if each.where == "graph 'g', node 'each'"]

    assert tuple(f"{one.message}. {one.mend}" for one in told) == tuple(mark.text for mark in each.marks)
    assert 2 == len(each.marks)
    assert [{"field odd"}] * 2 == [{mark.sign for mark in node.marks} for node in others]


def test_warning_is_drawn_in_a_few_words() -> None:
    """The whole of it stands beside the drawing."""
    graph = gn.Graph(Parent, entry="each", name="g")
    graph.fan_out("each", letters, over="items", into="flat", to=gn.END)

    assert ">⚠ 1</B>" in graph.dot
    assert ">unfit for flat</B>" in graph.dot.replace("<B>", ">")
    assert "#9888; unfit for flat" in graph.mermaid
    assert "⚠ 1 into gives field 'flat'" in str(graph)


def test_graphs_nested_deeper_than_the_stack_are_told() -> None:
    """In one line; nothing raises."""
    graph = child()
    for i in range(1000):
        graph, inner = gn.Graph(Child, entry="sub", name=f"g{i}"), graph
        graph.subgraph("sub", inner, outputs={}, to=gn.END)
    ((_, code, where),) = found(graph)

    assert ("invalid_declaration", "graph 'g999'") == (code, where)
