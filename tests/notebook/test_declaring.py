"""The arguments of declarations: a message for every wrong one."""

import enum
import functools
from typing import Any, Literal

import pytest

import graphnb as gn
from graphnb.graph.ends import END, START
from graphnb.graph.spec import Branch, Edge
from graphnb.notebook.declaring import (
    branch_of,
    checked_name,
    checked_target,
    edge_of,
    fan_out_node,
    function_node,
    subgraph_node,
)

PLACE = "graph 'g'"


class Diary(gn.State):
    n: int = 0


class Name(enum.StrEnum):
    """Names as an enum of texts."""

    PLAN = "plan"


def plan(s: Any) -> dict[str, Any]:
    """A node."""
    return {}


OTHER = gn.Graph(Diary, name="other")


def test_node_is_named_after_its_function_or_as_told():
    """A name beside the function wins."""
    assert ("plan", plan) == (function_node(PLACE, None, plan).name, function_node(PLACE, None, plan).function)
    assert "first" == function_node(PLACE, "first", plan).name


@pytest.mark.parametrize(
    "function", [lambda s: {}, functools.partial(plan), type("Callable", (), {"__call__": plan})()]
)
def test_function_without_a_name_needs_one(function):
    """Lambdas, partials and objects: the message shows the call that gives one."""
    with pytest.raises(
        gn.InvalidDeclaration, match=r"has no name\nGive one: graph\.node\('name', function\)"
    ) as caught:
        function_node(PLACE, None, function)

    assert "0x" not in str(caught.value)
    assert "named" == function_node(PLACE, "named", function).name


@pytest.mark.parametrize("function", [5, "plan", None, {"n": 1}])
def test_node_that_is_no_function_is_refused(function):
    """The message tells what was given."""
    with pytest.raises(gn.InvalidDeclaration, match="graph 'g': a node is a function, not ") as caught:
        function_node(PLACE, "a", function)

    assert repr(function) in str(caught.value)


def test_graph_given_as_a_node_is_sent_to_subgraph():
    """With the call that was meant."""
    with pytest.raises(gn.InvalidDeclaration, match=r"not Graph: .*\nFor a graph use graph\.subgraph\(name, graph\)"):
        function_node(PLACE, "a", OTHER)


@pytest.mark.parametrize("name", ["", None, 3, b"plan", ("a",)])
def test_name_that_is_no_text_is_refused(name):
    """An empty one as well."""
    with pytest.raises(gn.InvalidDeclaration, match="graph 'g': a node's name is a text, not ") as caught:
        checked_name(PLACE, name)

    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("name", ["plan", "END", "START", "名", "a b", "x:y", "\\", "<b>"])
def test_any_text_is_a_name(name):
    """Names are data."""
    assert name == checked_name(PLACE, name)


def test_name_from_an_enum_is_a_bare_text():
    """So that it is shown and stored as any other."""
    assert str is type(checked_name(PLACE, Name.PLAN))
    assert "plan" == checked_name(PLACE, Name.PLAN)
    assert {Name.PLAN: "plan"} == branch_of(PLACE, "a", plan, (Name.PLAN,)).targets


def test_edges_are_optional():
    """`to=None` declares none."""
    assert edge_of(PLACE, "a", None) is None
    assert Edge("a", "b") == edge_of(PLACE, "a", "b")
    assert Edge("a", END) == edge_of(PLACE, "a", END)


def test_start_is_no_target():
    """The entry is declared elsewhere, and the message says where."""
    with pytest.raises(
        gn.InvalidDeclaration, match=r"START cannot be a target\nName the entry: gn\.Graph\(\.\.\., entry="
    ):
        checked_target(PLACE, START)


@pytest.mark.parametrize(
    "targets", [("a", "b"), ["a"], {"a", "b"}, {"x": "a"}, iter("ab")], ids=lambda t: type(t).__name__
)
def test_several_targets_of_one_edge_are_sent_to_branch(targets):
    """An edge leads to one node: the message shows how to choose."""
    with pytest.raises(
        gn.InvalidDeclaration, match=r"one edge leads to one node.*\n.*graph\.branch\(source, router, to="
    ):
        checked_target(PLACE, targets)


@pytest.mark.parametrize("target", [5, None, plan, True])
def test_target_that_is_no_name_is_refused(target):
    """A function is not its name."""
    with pytest.raises(gn.InvalidDeclaration, match="an edge leads to a node's name or END, not to"):
        checked_target(PLACE, target)


@pytest.mark.parametrize("router", ["plan", None, ("a", "b"), 5])
def test_router_that_is_no_function_is_refused(router):
    """The message tells what was given."""
    with pytest.raises(gn.InvalidDeclaration, match="graph 'g': a router is a function, not"):
        branch_of(PLACE, "a", router, None)


@pytest.mark.parametrize(
    ("to", "targets"),
    [
        (("a", END), {"a": "a", END: END}),
        (["b", "a", "b"], {"b": "b", "a": "a"}),
        ("a", {"a": "a"}),
        (END, {END: END}),
        (iter(("a", "b")), {"a": "a", "b": "b"}),
        ({True: "a", "no": END}, {True: "a", "no": END}),
        ({"c", "a", "b"}, {"a": "a", "b": "b", "c": "c"}),
        (None, None),
    ],
)
def test_targets_of_a_branch(to, targets):
    """Names, END, one alone, a mapping of answers, or nothing; a set is put in order."""
    branch = branch_of(PLACE, "source", plan, to)

    assert Branch("source", plan, targets) == branch
    assert list(targets or ()) == list(branch.targets or ())


@pytest.mark.parametrize("to", [(), {}, [], set()])
def test_branch_without_targets_is_refused(to):
    """To leave them open, `to` is left out."""
    with pytest.raises(gn.InvalidDeclaration, match=r"a branch needs at least one target\nWrite to=\('a', 'b'\)"):
        branch_of(PLACE, "a", plan, to)


@pytest.mark.parametrize("to", [5, (5,), {"x": None}, ("a", START), (("a",),)])
def test_branch_to_nonsense_is_refused(to):
    """Every target is checked like that of an edge."""
    with pytest.raises(gn.InvalidDeclaration):
        branch_of(PLACE, "a", plan, to)


def choosing(s: Any) -> Literal["a", "b"]:
    """A router whose type tells its targets."""
    return "a"


async def choosing_later(s: Any) -> Literal["a", "b"]:
    """The same, asynchronous."""
    return "a"


def choosing_in_quotes(s: "Any") -> "Literal['a', 'b']":
    """The same, with annotations as text."""
    return "a"


@pytest.mark.parametrize("router", [choosing, choosing_later, choosing_in_quotes])
def test_targets_are_read_from_a_literal_return_type(router):
    """Unless `to` tells others."""
    assert {"a": "a", "b": "b"} == branch_of(PLACE, "s", router, None).targets
    assert {"c": "c"} == branch_of(PLACE, "s", router, "c").targets


def annotated_str(s: Any) -> str:
    """A return type that tells nothing."""
    return "a"


def annotated_unknown(s: "Nowhere") -> "Literal['a']":  # noqa: F821  it cannot be evaluated: that is the subject
    """An annotation that cannot be evaluated."""
    return "a"


@pytest.mark.parametrize("router", [lambda s: "a", annotated_str, annotated_unknown, functools.partial(choosing)])
def test_targets_are_open_where_nothing_tells_them(router):
    """The drawing then shows an open end."""
    assert branch_of(PLACE, "s", router, None).targets is None


@pytest.mark.parametrize(
    ("graph", "mend"), [(plan, r"\nFor a function use graph\.node\(name, function\)"), (5, "$"), ("other", "$")]
)
def test_subgraph_that_is_no_graph_is_refused(graph, mend):
    """A function is sent to `node`."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"(?s)a subgraph is a graph, not .*{mend}"):
        subgraph_node(PLACE, "a", graph, None, None)


def test_subgraph_may_be_a_compiled_graph():
    """Whatever tells its specification."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", plan, to=gn.END)

    assert "sub" == subgraph_node(PLACE, "sub", graph.compile(), None, None).name


def test_projection_tells_absent_from_empty():
    """An empty mapping of outputs is a declaration."""
    bare = subgraph_node(PLACE, "a", OTHER, None, None).projection
    empty = subgraph_node(PLACE, "a", OTHER, {}, {}).projection

    assert (None, None) == (bare.inputs, bare.outputs)
    assert ({}, {}) == (empty.inputs, empty.outputs)


@pytest.mark.parametrize("given", ["n", ["n"], {"n": 1}, {1: "n"}, ("n", "n"), 5])
@pytest.mark.parametrize("option", ["inputs", "outputs"])
def test_mapping_of_a_wrong_shape_is_refused(option, given):
    """The message shows which side is whose."""
    sides = {"inputs": r"\{child field: parent field\}", "outputs": r"\{parent field: child field\}"}
    with pytest.raises(gn.InvalidDeclaration, match=rf"{option} maps field names, .*\nWrite {option}={sides[option]}"):
        subgraph_node(PLACE, "a", OTHER, **{"inputs": None, "outputs": None, option: given})


OPTIONS = {
    "over": "items", "count": None, "item": None, "collect": None, "into": "out", "inputs": None, "extra_outputs": None,
    "concurrency": 10, "error_policy": "fail_fast", "errors_into": None, "on_empty": "raise", "count_into": None,
}  # fmt: skip


def fan_out(worker: Any = plan, **options: Any) -> Any:
    """A fan-out with some options changed."""
    return fan_out_node(PLACE, "each", worker, {**OPTIONS, **options})


def test_fan_out_keeps_its_options():
    """Mappings that are not given are empty."""
    node = fan_out(inputs={"a": "b"}, concurrency=None)

    assert ("each", plan, "items", "out", {"a": "b"}, {}, None) == (
        *(node.name, node.worker, node.over, node.into, node.inputs, node.extra_outputs, node.concurrency),
    )


@pytest.mark.parametrize("worker", [5, "plan", None, [plan]])
def test_worker_that_is_neither_graph_nor_function_is_refused(worker):
    """The message tells what was given."""
    with pytest.raises(gn.InvalidDeclaration, match="a worker is a graph or a function, not"):
        fan_out(worker)


@pytest.mark.parametrize(
    ("option", "given", "mend"),
    [
        ("error_policy", "colect", r"It can be: \['fail_fast', 'collect'\]\. Did you mean 'collect'\?"),
        ("error_policy", None, r"It can be: \['fail_fast', 'collect'\]"),
        ("on_empty", "nop", r"It can be: \['raise', 'noop'\]\. Did you mean 'noop'\?"),
        ("on_empty", ["raise"], r"It can be: \['raise', 'noop'\]"),
    ],
)
def test_option_with_a_wrong_value_tells_the_right_ones(option, given, mend):
    """With the nearest one."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"{option} is .*\n{mend}"):
        fan_out(**{option: given})


def test_wrong_option_is_told_with_its_node():
    """A graph may have many fan-outs and subgraphs."""
    wrong = [
        lambda: fan_out(error_policy="colect"),
        lambda: fan_out(on_empty="nop"),
        lambda: fan_out(into=5),
        lambda: fan_out(inputs=5),
        lambda: fan_out(5),
        lambda: subgraph_node(PLACE, "each", OTHER, None, 5),
    ]
    for declare in wrong:
        with pytest.raises(gn.InvalidDeclaration) as caught:
            declare()

        assert "graph 'g', node 'each'" == caught.value.where


def test_worker_graph_of_which_nothing_is_collected_is_warned_of():
    """The specification lets it pass (pipeline-utilities §9.1), so that it is no error; the warning names the line."""
    graph = gn.Graph(Diary, name="g")
    told = r"^graph 'g', node 'each': into 'n' receives nothing\. Give collect='field of the worker'\.$"

    with pytest.warns(UserWarning, match=told) as caught:
        graph.fan_out("each", OTHER, over="n", item="n", into="n")

    assert [__file__] == [each.filename for each in caught]
    assert ("n", None) == (graph.spec().nodes["each"].into, graph.spec().nodes["each"].collect)


@pytest.mark.parametrize("options", [{"collect": "n"}, {"into": None}])
def test_worker_graph_that_is_collected_or_runs_for_its_effects_is_not_warned_of(options):
    """Warnings are errors here: none comes."""
    assert "each" == fan_out(OTHER, **options).name


def test_declaring_a_graph_does_not_read_its_version():
    """A version may be costly, or fail while the graph is unfinished."""

    class Costly:
        @property
        def version(self) -> object:
            raise ZeroDivisionError

        def spec(self) -> Any:
            return OTHER.spec()

    costly = Costly()

    assert costly is subgraph_node(PLACE, "a", costly, None, None).graph
    assert costly is fan_out(costly, collect="n").worker
    with pytest.raises(gn.InvalidDeclaration, match=r"For a graph use graph\.subgraph"):
        function_node(PLACE, "a", costly)


@pytest.mark.parametrize("option", ["over", "item", "collect", "into", "errors_into", "count_into"])
def test_option_that_names_a_field_takes_a_text(option):
    """Not a list of fields, not the value itself."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"{option} names a field, not list: \['n'\]"):
        fan_out(**{option: ["n"]})


@pytest.mark.parametrize("option", ["inputs", "extra_outputs"])
def test_option_that_maps_fields_takes_a_mapping(option):
    """As for subgraphs."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"{option} maps field names"):
        fan_out(**{option: ["n"]})
