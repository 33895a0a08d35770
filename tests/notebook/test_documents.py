"""What a user asks of graph documents."""

import subprocess
import sys

import pytest

import graphnb as gn


def test_document_hash_takes_values_and_text():
    """Both give the same, 64 digits in lower case."""
    values = {"schema_version": 1, "id": "g", "metadata": {"pi": 3.0}}
    told = gn.document_hash(values)

    assert told == gn.document_hash('{"metadata": {"pi": 3.0}, "id": "g", "schema_version": 1}')
    assert told != gn.document_hash('{"metadata": {"pi": 3}, "id": "g", "schema_version": 1}')
    assert 64 == len(told)
    assert told == told.lower()


def test_document_that_cannot_be_read_is_refused():
    """With a category, a place and a way out."""
    with pytest.raises(gn.InvalidDocument) as caught:
        gn.document_hash({"schema_version": 1, "id": "g", "node": {}})

    assert "invalid_document" == caught.value.category
    assert "Did you mean 'nodes'?" in str(caught.value)


def test_importing_graphnb_loads_no_documents():
    """They cost time that only some need; the first hash loads them."""
    code = (
        "import sys, graphnb as gn\n"
        "loaded = lambda: any(name.startswith('graphnb.graph.documents') for name in sys.modules)\n"
        "before = loaded()\n"
        "gn.document_hash({'schema_version': 1, 'id': 'g'})\n"
        "print(before, loaded())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)

    assert "False True" == done.stdout.strip()


class Count(gn.State):
    n: int = 0


def add(s):
    """A node."""
    return {"n": s.n + 1}


def counting():
    """A graph of one node."""
    graph = gn.Graph(Count, entry="add")
    graph.node(add, to=gn.END)
    return graph


def test_document_of_a_graph_is_plain_values():
    """That of a compiled graph too, and with the names of a registry."""
    implementation = {"type": "module", "implementation": "add"}
    field = {"kind": "state", "schema": {"type": "integer", "required": True}, "default": 0}

    assert {
        "schema_version": 1,
        "id": "Count",
        "fields": {"n": field},
        "outputs": {"n": {"source": "n"}},
        "nodes": {"add": {"implementation": implementation}},
        "edges": {"start-add": {"from": "$start", "to": "add"}, "add-finish": {"from": "add", "to": "$finish"}},
    } == gn.document(counting())
    assert gn.document(counting()) == gn.document(counting().compile())
    assert "adder" == gn.document(counting(), {"adder": add})["nodes"]["add"]["implementation"]["implementation"]


def test_document_of_a_graph_runs():
    """With implementations for documents, and gives the same."""
    graph = gn.graph_of(gn.document(counting()), nodes={"add": lambda view, context: {"n": view["n"] + 1}})

    assert {"n": 1} == graph.run().state
    assert 1 == counting().run().state.n


def test_graph_that_was_read_gives_its_document_back():
    """As it was read, config not filled in, to the letter of the hash."""

    def step(view, context):
        return {}

    step.config_schema = {"type": "object", "fields": {"k": {"type": "integer", "default": 3}}}
    document = {
        "schema_version": 1,
        "id": "g",
        "name": "A name",
        "fields": {"n": {"schema": {"type": "integer"}, "reducer": {"type": "last_value"}, "metadata": {"x": 1.0}}},
        "nodes": {"a": {"implementation": {"type": "module", "implementation": "s"}, "label": "A"}},
        "edges": {"z": {"from": "$start", "to": "a"}, "b": {"from": ["a"], "to": "$finish"}},
    }
    graph = gn.graph_of(document, nodes={"s": step})
    given = gn.document(graph)

    assert gn.document_hash(document) == gn.document_hash(given)
    assert {**document, "fields": {"n": {"kind": "state", **document["fields"]["n"]}}} == given
    given["nodes"].clear()
    assert gn.document(graph)["nodes"]


@pytest.mark.parametrize(("arguments", "what"), [(("text",), "takes a graph"), ((None,), "takes a graph")])
def test_what_is_no_graph_is_refused(arguments, what):
    """By its type."""
    with pytest.raises(gn.InvalidDeclaration, match=what):
        gn.document(*arguments)


def test_nodes_that_are_no_mapping_are_refused():
    """With the form to write."""
    with pytest.raises(gn.InvalidDeclaration, match="nodes maps names to functions") as caught:
        gn.document(counting(), [add])

    assert "nodes={'name': function}" in caught.value.mend


@pytest.mark.parametrize("nodes", ["add", 3, [add], {3: add}])
@pytest.mark.parametrize("read", [gn.graph_of, gn.check_document])
def test_documents_are_read_with_a_mapping_of_names_only(read, nodes):
    """Anything else is refused as what it is, whatever the document says."""
    with pytest.raises(gn.InvalidDeclaration, match="nodes maps names to functions") as caught:
        read(gn.document(counting()), nodes=nodes)

    assert f"gn.{read.__name__}" == caught.value.where


@pytest.mark.parametrize("timeout", [0, -1, True, float("nan"), "30", [30]])
def test_timeout_that_is_no_number_of_seconds_is_refused(timeout):
    """Before anything runs."""
    with pytest.raises(gn.InvalidDeclaration, match="timeout is a number of seconds above 0"):
        gn.graph_of(gn.document(counting()), nodes={"add": add}, timeout=timeout)


ONE_NODE = {
    "schema_version": 1,
    "id": "g",
    "nodes": {"n": {"implementation": {"type": "module", "implementation": "f"}}},
    "edges": {"on": {"from": "$start", "to": "n"}, "off": {"from": "n", "to": "$finish"}},
}


@pytest.mark.parametrize(
    ("function", "what", "mend"),
    [
        (
            lambda view: {},
            "lambda is called with two arguments, view and context: too many",
            "Write lambda view, context: ...",
        ),
        (
            lambda view, context, other: {},
            "missing a required argument: 'other'",
            "functools.partial(function, other=...)",
        ),
        (
            dict,
            "dict is called with two arguments, view and context: it is a type",
            "Write def read(view, context): ...",
        ),
    ],
)
def test_implementation_that_cannot_be_called_is_refused_where_the_document_is_read(function, what, mend):
    """It failed in the run; what the document does not name is nobody's business."""
    with pytest.raises(gn.InvalidDeclaration) as caught:
        gn.graph_of(ONE_NODE, nodes={"f": function})

    assert str(caught.value).startswith("gn.graph_of, node 'n': implementation ")
    assert what in caught.value.what
    assert mend in caught.value.mend
    assert "done" == gn.graph_of(ONE_NODE, nodes={"f": lambda *given: {}, "other": function}).run().status
