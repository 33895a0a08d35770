"""What the records of a declared graph tell of themselves."""

import functools

import pytest

import graphnb as gn
from graphnb.graph.edges import Branch, Edge, is_open, names_in, targets_of
from graphnb.graph.ends import END, START
from graphnb.graph.spec import (
    BranchesNode,
    FanOutNode,
    FunctionNode,
    ParallelBranch,
    SubgraphNode,
    graphs_in,
    is_graph,
    name_of_worker,
)
from graphnb.state.projection import Projection


class Note(gn.State):
    text: str = ""


class Costly:
    """A graph whose version must not be read."""

    @property
    def version(self):
        raise AssertionError("the version was read")

    def spec(self):
        raise AssertionError("the graph was asked for its specification")


class Shout:
    """An object that is called like a function."""

    def __call__(self, s):
        return {}


class Named(Shout):
    __name__ = "whisper"


def route(s):
    """A router."""


def test_graph_is_told_without_reading_its_version():
    """Reading a version walks through all inner graphs; the question alone does not."""
    assert is_graph(Costly())


@pytest.mark.parametrize("candidate", [route, Shout(), None, "spec", gn.Graph.spec, Note()])
def test_what_lacks_spec_or_version_is_no_graph(candidate):
    """Functions, callable objects and states are none."""
    assert not is_graph(candidate)


@pytest.mark.parametrize("missing", ["spec", "version"])
def test_half_of_a_graph_is_no_graph(missing):
    """Both `spec` and `version` are needed."""
    half = type("Half", (), {name: None if name == missing else 1 for name in ("spec", "version")})()

    assert not is_graph(half)


def test_notebook_graph_serves_as_graph():
    """`gn.Graph` fulfils the protocol by which lower layers know graphs."""
    graph = gn.Graph(Note)

    assert is_graph(graph)


@pytest.mark.parametrize(
    ("edge", "targets"),
    [
        (None, ()),
        (Edge("a", "b"), ("b",)),
        (Edge("a", END), (END,)),
        (Branch("a", route), ()),
        (Branch("a", route, {"yes": "b", "no": END, "maybe": "b"}), ("b", END)),
        (Branch("a", route, {"z": "z", "b": "b"}), ("z", "b")),
    ],
    ids=["no edge", "edge", "edge to END", "open branch", "two labels for one target", "declared order"],
)
def test_targets_are_listed_once_in_declared_order(edge, targets):
    """Two answers that lead to one node give one target; an open branch declares none."""
    assert targets == targets_of(edge)


@pytest.mark.parametrize(
    ("edge", "expected"),
    [(None, False), (Edge("a", "b"), False), (Branch("a", route), True), (Branch("a", route, {}), False)],
)
def test_only_branch_without_declared_targets_is_open(edge, expected):
    """An empty mapping is a declaration, None is not."""
    assert expected is is_open(edge)


def test_names_among_targets_leave_endpoints_out_but_keep_their_namesakes():
    """A node called "END" is a node."""
    assert ("b", "END") == names_in(("b", END, "END", START))


@pytest.mark.parametrize(
    ("worker", "name"),
    [
        (route, "route"),
        (lambda item: item, "lambda"),
        (functools.partial(route, 1), "route"),
        (functools.partial(lambda item: item, 1), "lambda"),
        (functools.partial(Shout(), 1), "Shout"),
        (Shout(), "Shout"),
        (Named(), "whisper"),
        (Shout, "Shout"),
        ("text".upper, "upper"),
        (gn.Graph(Note, name="review"), "review"),
    ],
)
def test_worker_is_named_as_its_author_would(worker, name):
    """A graph by its name, a function by its own, an object by its class; never by an address."""
    assert name == name_of_worker(worker)


def test_fan_out_defaults_are_those_of_the_specification():
    """Ten at once, fail fast, an empty input is an error, nothing else is set. Source: pipeline-utilities §9.1."""
    node = FanOutNode("each", route)

    assert (10, "fail_fast", "raise") == (node.concurrency, node.error_policy, node.on_empty)
    assert ({}, {}) == (node.inputs, node.extra_outputs)
    assert {None} == {node.over, node.count, node.item, node.collect, node.into, node.errors_into, node.count_into}


def test_subgraph_default_projection_declares_no_map():
    """None, not an empty mapping: that would project nothing."""
    assert Projection(None, None) == SubgraphNode("inner", gn.Graph(Note)).projection


def test_graphs_of_a_node_are_listed_in_declared_order():
    """Of every kind of node; functions are none."""
    one, other = gn.Graph(Note, name="one"), gn.Graph(Note, name="other")
    branches = {"a": ParallelBranch(other), "b": ParallelBranch(len), "c": ParallelBranch(one)}

    assert (
        (), (one,), (one,), (), (other, one),
    ) == tuple(map(graphs_in, (
        FunctionNode("n", len), SubgraphNode("n", one), FanOutNode("n", one), FanOutNode("n", len),
        BranchesNode("n", branches),
    )))  # fmt: skip
