"""The arguments of declarations: a message for every wrong one."""

import collections
import enum
import functools
from typing import Any, Literal

import pytest

import graphnb as gn
from graphnb.graph.edges import Branch, Edge
from graphnb.graph.ends import END, START
from graphnb.notebook.declaring import (
    branch_of,
    branches_node,
    fan_out_node,
    function_node,
    layers_of,
    named_layer,
    named_observer,
    subgraph_node,
)
from graphnb.notebook.names import checked_name, checked_target
from graphnb.notebook.outgoing import edge_of

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
    assert ("plan", plan) == (
        function_node(PLACE, None, function=plan).name,
        function_node(PLACE, None, function=plan).function,
    )
    assert "first" == function_node(PLACE, "first", function=plan).name


@pytest.mark.parametrize(
    "function", [lambda s: {}, functools.partial(plan), type("Callable", (), {"__call__": lambda self, s: {}})()]
)
def test_function_without_a_name_needs_one(function):
    """Lambdas, partials and objects: the message shows the call that gives one."""
    with pytest.raises(
        gn.InvalidDeclaration, match=r"has no name\nGive one: graph\.node\('name', function\)"
    ) as caught:
        function_node(PLACE, None, function=function)

    assert "0x" not in str(caught.value)
    assert "named" == function_node(PLACE, "named", function=function).name


@pytest.mark.parametrize("function", [5, "plan", None, {"n": 1}])
def test_node_that_is_no_function_is_refused(function):
    """The message tells what was given."""
    with pytest.raises(gn.InvalidDeclaration, match="graph 'g': a node is a function, not ") as caught:
        function_node(PLACE, "a", function=function)

    assert repr(function) in str(caught.value)


def test_graph_given_as_a_node_is_sent_to_subgraph():
    """With the call that was meant."""
    with pytest.raises(gn.InvalidDeclaration, match=r"not Graph: .*\nFor a graph use graph\.subgraph\(name, graph\)"):
        function_node(PLACE, "a", function=OTHER)


@pytest.mark.parametrize("name", ["", None, 3, b"plan", ("a",)])
def test_name_that_is_no_text_is_refused(name):
    """An empty one as well."""
    with pytest.raises(gn.InvalidDeclaration, match="graph 'g': a node's name is a text, not ") as caught:
        checked_name(PLACE, name)

    assert repr(name) in str(caught.value)


@pytest.mark.parametrize(("of", "told"), [("branch", "a branch's name"), ("observer", "an observer's name")])
def test_wrong_name_is_told_with_what_bears_it(of, told):
    """Graphs, branches, middleware and observers have names as well."""
    with pytest.raises(
        gn.InvalidDeclaration, match=f"^graph 'g': {told} is a text, not int: 5\nWrite it in quotes\\.$"
    ):
        checked_name(PLACE, 5, of=of)


@pytest.mark.parametrize("name", ["plan", "END", "START", "名", "a b", "x:y", "\\", "<b>"])
def test_any_text_is_a_name(name):
    """Names are data."""
    assert name == checked_name(PLACE, name)


def test_name_from_an_enum_is_a_bare_text():
    """So that it is shown and stored as any other."""
    assert str is type(checked_name(PLACE, Name.PLAN))
    assert "plan" == checked_name(PLACE, Name.PLAN)
    assert {Name.PLAN: "plan"} == branch_of(PLACE, "a", router=plan, to=(Name.PLAN,)).targets


def test_edges_are_optional():
    """`to=None` declares none."""
    assert () == edge_of(PLACE, "a", to=None)
    assert (Edge("a", "b"),) == edge_of(PLACE, "a", to="b")
    assert (Edge("a", END),) == edge_of(PLACE, "a", to=END)


def test_start_is_no_target():
    """The entry is declared elsewhere, and the message says where."""
    with pytest.raises(
        gn.InvalidDeclaration, match=r"START cannot be a target\nName the entry: gn\.Graph\(\.\.\., entry="
    ):
        checked_target(PLACE, START)


@pytest.mark.parametrize(
    "targets", [("a", "b"), ["a"], {"a", "b"}, {"x": "a"}, iter("ab")], ids=lambda t: type(t).__name__
)
def test_several_targets_where_one_is_wanted_are_told_the_ways(targets):
    """A fork is a tuple of targets: the message says so, and what else there is."""
    with pytest.raises(gn.InvalidDeclaration, match=r"node's name or END, not to .*\nTo go to several at once give a"):
        checked_target(PLACE, targets)


@pytest.mark.parametrize("target", [5, None, plan, True])
def test_target_that_is_no_name_is_refused(target):
    """A function is not its name."""
    mend = "Write its name: 'plan'" if target is plan else "Name a node in quotes, or end there"
    with pytest.raises(gn.InvalidDeclaration, match=rf"an edge leads to a node's name or END, not to .*\n{mend}"):
        checked_target(PLACE, target)


@pytest.mark.parametrize(("source", "target"), [(None, "a"), ("a", None), (None, None)])
def test_edge_that_lacks_an_end_tells_what_to_write(source, target):
    """Both forms of it."""
    what = f"an edge leads from a node's name to another, not from {source!r} to {target!r}"
    mend = "Name both ends, graph.edge('source', 'target'), or end there: graph.edge('source', gn.END)."
    with pytest.raises(gn.InvalidDeclaration) as caught:
        gn.Graph(Diary, name="g").edge(source, target)

    assert f"graph 'g': {what}\n{mend}" == str(caught.value)


@pytest.mark.parametrize(
    ("source", "mend"),
    [
        (END, r"Nothing follows END\."),
        (START, r"Name the first node when the graph is made: gn\.Graph\(\.\.\., entry='name'\)\."),
        (OTHER, r"Write the name of the node that runs it: graph\.subgraph\('name', graph\) declares one\."),
        (lambda s: {}, r"Write it in quotes\."),
        (plan, r"Write its name: 'plan'\."),
    ],
    ids=["END", "START", "graph", "lambda", "function"],
)
def test_edge_from_what_is_no_name_tells_what_to_write(source, mend):
    """As for any other name of a node."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"^graph 'g': a node's name is a text, not .*\n{mend}$"):
        gn.Graph(Diary, name="g").edge(source, "a")


@pytest.mark.parametrize("router", ["plan", None, ("a", "b"), 5])
def test_router_that_is_no_function_is_refused(router):
    """The message tells what was given."""
    with pytest.raises(gn.InvalidDeclaration, match="graph 'g': a router is a function, not"):
        branch_of(PLACE, "a", router=router, to=None)


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
    branch = branch_of(PLACE, "source", router=plan, to=to)

    assert Branch("source", plan, targets) == branch
    assert list(targets or ()) == list(branch.targets or ())


@pytest.mark.parametrize("to", [(), {}, [], set()])
def test_branch_without_targets_is_refused(to):
    """To leave them open, `to` is left out."""
    with pytest.raises(gn.InvalidDeclaration, match=r"a branch needs at least one target\nWrite to=\('a', 'b'\)"):
        branch_of(PLACE, "a", router=plan, to=to)


@pytest.mark.parametrize("to", [5, (5,), {"x": None}, ("a", START), (("a",),)])
def test_branch_to_nonsense_is_refused(to):
    """Every target is checked like that of an edge."""
    with pytest.raises(gn.InvalidDeclaration):
        branch_of(PLACE, "a", router=plan, to=to)


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
    assert {"a": "a", "b": "b"} == branch_of(PLACE, "s", router=router, to=None).targets
    assert {"c": "c"} == branch_of(PLACE, "s", router=router, to="c").targets


def annotated_str(s: Any) -> str:
    """A return type that tells nothing."""
    return "a"


def annotated_unknown(s: "Nowhere") -> "Literal['a']":  # noqa: F821  it cannot be evaluated: that is the subject
    """An annotation that cannot be evaluated."""
    return "a"


@pytest.mark.parametrize("router", [lambda s: "a", annotated_str, annotated_unknown, functools.partial(choosing)])
def test_targets_are_open_where_nothing_tells_them(router):
    """The drawing then shows an open end."""
    assert branch_of(PLACE, "s", router=router, to=None).targets is None


PROJECTION = {"inputs": None, "outputs": None, "projects_in": None, "projects_out": None, "middleware": ()}


def subgraph(graph: Any = OTHER, **options: Any) -> Any:
    """A subgraph node with some options changed."""
    return subgraph_node(PLACE, "sub", graph=graph, options={**PROJECTION, **options})


@pytest.mark.parametrize(
    ("graph", "mend"), [(plan, r"\nFor a function use graph\.node\(name, function\)"), (5, "$"), ("other", "$")]
)
def test_subgraph_that_is_no_graph_is_refused(graph, mend):
    """A function is sent to `node`."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"(?s)a subgraph is a graph, not .*{mend}"):
        subgraph(graph)


def test_subgraph_may_be_a_compiled_graph():
    """Whatever tells its specification."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", plan, to=gn.END)

    assert "sub" == subgraph(graph.compile()).name


def test_projection_tells_absent_from_empty():
    """An empty mapping of outputs is a declaration."""
    bare = subgraph().projection
    empty_maps = subgraph(inputs={}, outputs={}).projection
    empty_sets = subgraph(projects_in=(), projects_out=[]).projection

    assert (None, None, None, None) == (bare.inputs, bare.outputs, bare.projects_in, bare.projects_out)
    assert ({}, {}) == (empty_maps.inputs, empty_maps.outputs)
    assert ((), ()) == (empty_sets.projects_in, empty_sets.projects_out)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (("b", "a"), ("b", "a")),
        (["a", "b", "a"], ("a", "b")),
        (collections.deque("ba"), ("b", "a")),
        ({"c", "a", "b"}, ("a", "b", "c")),
    ],
    ids=["tuple", "repeated", "deque", "set"],
)
@pytest.mark.parametrize("option", ["projects_in", "projects_out"])
def test_names_of_a_projection_are_kept_in_order_each_once(option, given, names):
    """Those of a set, which has no order of its own, are sorted."""
    assert names == getattr(subgraph(**{option: given}).projection, option)


@pytest.mark.parametrize(
    "given", ["n", {"n": 1}.values(), [1], 5, [None]], ids=["text", "values", "numbers", "int", "none"]
)
@pytest.mark.parametrize("option", ["projects_in", "projects_out"])
def test_names_of_a_wrong_shape_are_refused(option, given):
    """One text is not a list of names; the message shows how to write one."""
    told = rf"^graph 'g', node 'sub': {option} lists names of fields, .*\nWrite {option}=\('field', \.\.\.\)\.$"
    with pytest.raises(gn.InvalidDeclaration, match=told):
        subgraph(**{option: given})


@pytest.mark.parametrize("given", ["n", ["n"], {"n": 1}, {1: "n"}, ("n", "n"), 5])
@pytest.mark.parametrize("option", ["inputs", "outputs"])
def test_mapping_of_a_wrong_shape_is_refused(option, given):
    """The message shows which side is whose."""
    sides = {"inputs": r"\{child field: parent field\}", "outputs": r"\{parent field: child field\}"}
    with pytest.raises(gn.InvalidDeclaration, match=rf"{option} maps field names, .*\nWrite {option}={sides[option]}"):
        subgraph(**{option: given})


OPTIONS = {
    "over": "items", "count": None, "item": None, "collect": None, "into": "out", "inputs": None, "extra_outputs": None,
    "concurrency": 10, "error_policy": "fail_fast", "errors_into": None, "on_empty": "raise", "count_into": None,
    "instance_middleware": (), "middleware": (),
}  # fmt: skip


def fan_out(worker: Any = plan, **options: Any) -> Any:
    """A fan-out with some options changed."""
    return fan_out_node(PLACE, "each", worker=worker, options={**OPTIONS, **options})


def test_fan_out_keeps_its_options():
    """Mappings that are not given are empty."""
    node = fan_out(max, inputs={"key": "b"}, concurrency=None)

    assert ("each", max, "items", "out", {"key": "b"}, {}, None) == (
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
        lambda: fan_out(middleware=5),
        lambda: fan_out(instance_middleware=5),
    ]
    for declare in wrong:
        with pytest.raises(gn.InvalidDeclaration) as caught:
            declare()

        assert "graph 'g', node 'each'" == caught.value.where
    for option in ("inputs", "outputs", "projects_in", "projects_out", "middleware"):
        with pytest.raises(gn.InvalidDeclaration) as caught:
            subgraph(**{option: 5})

        assert "graph 'g', node 'sub'" == caught.value.where


def test_worker_graph_of_which_nothing_is_collected_is_warned_of():
    """The specification lets it pass (pipeline-utilities §9.1), so that it is no error; the warning names the line."""
    graph = gn.Graph(Diary, name="g")
    told = r"^graph 'g', node 'each': into 'n' receives nothing\. Give collect='field of the worker'\.$"

    with pytest.warns(gn.GraphWarning, match=told) as caught:
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

    assert costly is subgraph(costly).graph
    assert costly is fan_out(costly, collect="n").worker
    with pytest.raises(gn.InvalidDeclaration, match=r"For a graph use graph\.subgraph"):
        function_node(PLACE, "a", function=costly)


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


# --- parallel branches -----------------------------------------------------------------------------------------------


def branches(given: Any, name: Any = "both", **options: Any) -> Any:
    """A node of parallel branches with some options changed."""
    return branches_node(
        PLACE,
        name,
        branches=given,
        options={"error_policy": "fail_fast", "errors_into": None, "middleware": (), **options},
    )


@pytest.mark.filterwarnings("ignore:.*it has no outputs")
def test_branch_may_be_a_bare_function_or_graph():
    """It then has no options; what was made with options keeps them."""
    made = gn.ParallelBranch(OTHER, inputs={"n": "n"}, outputs={}, when=plan, middleware=plan)
    node = branches({"left": plan, "right": OTHER, "made": made})

    assert ["left", "right", "made"] == list(node.branches)
    assert gn.ParallelBranch(plan) == node.branches["left"]
    assert gn.ParallelBranch(OTHER) == node.branches["right"]
    assert gn.ParallelBranch(OTHER, {"n": "n"}, {}, plan, (plan,)) == node.branches["made"]


def test_branches_keep_their_options():
    """Middleware given alone is a sequence of one."""
    node = branches({"left": plan}, error_policy="collect", errors_into="log", middleware=plan)

    assert ("both", "collect", "log", (plan,)) == (node.name, node.error_policy, node.errors_into, node.middleware)


def test_branches_do_not_hold_on_to_the_mapping_they_were_given():
    """What becomes of it later does not reach the node."""
    given = {"left": gn.ParallelBranch(OTHER, inputs=(inputs := {"n": "n"}), outputs={})}
    node = branches(given)
    inputs.clear()
    given.clear()

    assert {"n": "n"} == node.branches["left"].inputs


@pytest.mark.parametrize("given", [[plan, plan], plan, OTHER, None, "left", {"left"}])
def test_branches_that_are_no_mapping_are_refused(given):
    """The message shows how to write them."""
    told = (
        r"^graph 'g', node 'both': branches map names to functions or graphs, they cannot be .*\n"
        r"Write \{'left': function, 'right': gn\.ParallelBranch\(graph, outputs=\.\.\.\)\}\.$"
    )
    with pytest.raises(gn.InvalidDeclaration, match=told):
        branches(given)


@pytest.mark.parametrize("name", ["", 5, None, ("a",)])
def test_branch_without_a_proper_name_is_refused(name):
    """Branches are told apart by their names."""
    with pytest.raises(gn.InvalidDeclaration, match=r"^graph 'g', node 'both': a branch's name is a text, not "):
        branches({name: plan})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"when": 5}, r"when is a function of the state, not int: 5\nGive one, or leave it out"),
        ({"inputs": ["n"]}, r"inputs maps field names, .*\nWrite inputs=\{child field: parent field\}\."),
        ({"outputs": "n"}, r"outputs maps field names, .*\nWrite outputs=\{parent field: child field\}\."),
        ({"middleware": 5}, r"middleware is a function \(state, next\), not int: 5\nOr made by gn\.retry"),
        ({"middleware": [plan, None]}, r"middleware is a function \(state, next\), not None: None"),
    ],
)
def test_wrong_option_of_a_branch_is_told_with_the_branch(options, told):
    """A node has several of them."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"^graph 'g', node 'both', branch 'left': {told}"):
        branches({"left": gn.ParallelBranch(OTHER, **{"outputs": {}, **options})})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"error_policy": "colect"}, r"error_policy is 'colect'\nIt can be: .*\. Did you mean 'collect'\?"),
        ({"errors_into": ["n"]}, r"errors_into names a field, not list: \['n'\]"),
        ({"middleware": "retry"}, r"middleware is a function \(state, next\), not str: 'retry'"),
    ],
)
def test_wrong_option_of_branches_is_told_with_the_node(options, told):
    """As for fan-outs."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"^graph 'g', node 'both': {told}"):
        branches({"left": plan}, **options)


# --- middleware and observers ----------------------------------------------------------------------------------------


def around(state: Any, following: Any) -> Any:
    """Middleware that does nothing."""
    return following(state)


MADE = [gn.retry(), gn.timing(print), gn.failure_isolation({}, event_name="e")]


@pytest.mark.parametrize(
    ("given", "layers"),
    [
        ((), ()),
        ([], ()),
        (around, (around,)),
        ([plan, around], (plan, around)),
        (MADE[0], (MADE[0],)),
        (MADE, (*MADE,)),
    ],
    ids=["none", "empty", "one", "two", "made", "several made"],
)
def test_middleware_is_one_or_several_in_order(given, layers):
    """Functions, and what the makers give."""
    assert layers == layers_of(PLACE, given)


@pytest.mark.parametrize("given", [None, 5, "retry", {"retry"}, OTHER, iter([around]), [around, None], [[around]]])
def test_middleware_that_is_none_is_refused(given):
    """The message tells what was given, and what it can be."""
    told = (
        r"^graph 'g': instance_middleware is a function \(state, next\), not .*\n"
        r"Or made by gn\.retry, gn\.timing, gn\.failure_isolation\.$"
    )
    with pytest.raises(gn.InvalidDeclaration, match=told) as caught:
        layers_of(PLACE, given, option="instance_middleware")

    assert "0x" not in str(caught.value)


@pytest.mark.parametrize("maker", [gn.retry, gn.timing, gn.failure_isolation])
def test_maker_of_middleware_that_was_not_called_is_refused(maker):
    """It is a function too, and would fail only when the node runs."""
    told = rf"^graph 'g': middleware is {maker.__name__} itself, .*\nCall it: gn\.{maker.__name__}\(\.\.\.\)\.$"
    with pytest.raises(gn.InvalidDeclaration, match=told):
        layers_of(PLACE, [around, maker])


@pytest.mark.parametrize(
    ("layer", "name"),
    [(around, "around"), *zip(MADE, ["retry", "timing", "failure_isolation"], strict=True)],
    ids=["function", "retry", "timing", "isolation"],
)
def test_middleware_is_named_after_what_made_it_or_as_told(layer, name):
    """By that name a later cell replaces it."""
    assert (name, layer) == named_layer(PLACE, layer, name=None)
    assert ("own", layer) == named_layer(PLACE, layer, name="own")


def test_observer_is_named_after_its_function_or_as_told():
    """With the phases of which it is told."""
    own = named_observer(PLACE, plan, phases=["started"], name=None)
    told = named_observer(PLACE, plan, phases="completed", name="own")

    assert ("plan", plan, {"started"}) == (own.name, own.function, own.phases)
    assert ("own", plan, {"completed"}) == (told.name, told.function, told.phases)


NAMED = {
    "middleware": lambda given, name=None: named_layer(PLACE, given, name=name),
    "observer": lambda given, name=None: named_observer(PLACE, given, phases=("started",), name=name),
}


@pytest.mark.parametrize("of", NAMED)
@pytest.mark.parametrize(
    "given", [lambda s, n: n(s), functools.partial(plan), type("Callable", (), {"__call__": plan})()]
)
def test_middleware_or_observer_without_a_name_needs_one(of, given):
    """Two lambdas would replace each other: the message shows where the name goes."""
    told = rf"^graph 'g': .* has no name\nGive one: graph\.{of}\(function, name='name'\)\.$"
    with pytest.raises(gn.InvalidDeclaration, match=told) as caught:
        NAMED[of](given)

    assert "0x" not in str(caught.value)
    assert NAMED[of](given, "own")


@pytest.mark.parametrize("of", NAMED)
def test_name_in_place_of_middleware_or_observer_is_refused(of):
    """As if it were written like `@graph.node("name")`; the message shows where a name goes."""
    told = rf"^graph 'g': {of} is a function, not str: 'own'\nTo name it write graph\.{of}\(function, name='own'\)\.$"
    with pytest.raises(gn.InvalidDeclaration, match=told):
        NAMED[of]("own")


@pytest.mark.parametrize("of", NAMED)
@pytest.mark.parametrize("name", ["", 5, b"own"])
def test_name_of_middleware_or_observer_is_a_text(of, name):
    """Like that of a node."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"^graph 'g': an? {of}'s name is a text, not "):
        NAMED[of](plan, name)


@pytest.mark.parametrize("given", [5, [plan], OTHER, MADE[0]], ids=["int", "list", "graph", "retry"])
def test_observer_that_is_no_function_is_refused(given):
    """The message tells what was given."""
    with pytest.raises(gn.InvalidDeclaration, match=r"^graph 'g': observer is .*\nGive a function\.$"):
        named_observer(PLACE, given, phases=("started",), name=None)


@pytest.mark.parametrize(
    ("phases", "told"),
    [
        ((), r"an observer of no phase would never be told\nPhases: \['started', 'completed'\]\."),
        ("start", r"'start' is no phase\nPhases: .*\. Did you mean 'started'\?"),
        (["started", "done"], r"'done' is no phase\nPhases: \['started', 'completed'\]\."),
        (None, r"None is no phase\nPhases: "),
        (5, r"5 is no phase\nPhases: "),
    ],
)
def test_observer_of_no_or_unknown_phases_is_refused(phases, told):
    """With the ones there are."""
    with pytest.raises(gn.InvalidDeclaration, match=rf"^graph 'g': {told}"):
        named_observer(PLACE, plan, phases=phases, name=None)


def test_item_that_the_worker_has_no_field_for_is_warned_of():
    """The specification lets it pass; a misspelt name would let every instance run on the default."""
    graph = gn.Graph(Diary, name="g")
    told = r"^graph 'g', node 'each': no instance gets its item: 'nn' is no field of the worker\. .*Did you mean 'n'"

    with pytest.warns(gn.GraphWarning, match=told) as caught:
        graph.fan_out("each", OTHER, over="n", item="nn", collect="n", into="n")

    assert [__file__] == [each.filename for each in caught]


def test_branch_graph_without_outputs_is_warned_of():
    """It would run and give nothing; an empty mapping says that this is meant."""
    graph = gn.Graph(Diary, name="g")
    told = r"^graph 'g', node 'both', branch 'left': what the graph gives is lost: it has no outputs\. Give outputs="

    with pytest.warns(gn.GraphWarning, match=told) as caught:
        graph.branches("both", {"left": OTHER, "right": gn.ParallelBranch(OTHER, outputs={})})

    assert [__file__] == [each.filename for each in caught]


def test_observer_of_one_run_chooses_its_phases():
    """gn.observer says for one run what graph.observer says for all of them."""
    graph = gn.Graph(Diary, name="g", entry="write")
    graph.node("write", lambda s: {}, to=gn.END)
    seen = []
    graph.run(n=1, observers=[gn.observer(lambda event: seen.append(event.phase), phases="started", name="first")])
    graph.drain(5)

    assert ["started"] == seen


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", r"^graph 'g': a node's name is a text, not str: ''\nAn empty text is no name\.$"),
        (plan, r"^graph 'g': a node's name is a text, not function: .*\nWrite its name: 'plan'\.$"),
    ],
    ids=["empty", "function"],
)
def test_wrong_name_is_told_with_what_to_write(name, told):
    """A function in place of its name is the likeliest mistake."""
    with pytest.raises(gn.InvalidDeclaration, match=told):
        gn.Graph(Diary, name="g").edge(name, gn.END)


WRONG = {
    "node": lambda graph: graph.node("a", 3),
    "router": lambda graph: graph.branch("a", 3),
    "subgraph": lambda graph: graph.subgraph("a", 3),
    "worker": lambda graph: graph.fan_out("a", 3, over="n"),
    "field": lambda graph: graph.fan_out("a", len, over=3),
    "branches": lambda graph: graph.branches("a", 3),
    "branch": lambda graph: graph.branches("a", {"b": gn.ParallelBranch(len, when=3)}),
    "policy": lambda graph: graph.branches("a", {"b": len}, error_policy="x"),
    "middleware": lambda graph: graph.node("a", len, middleware=3),
    "observer": lambda graph: graph.observer(3),
}


@pytest.mark.parametrize("declare", WRONG.values(), ids=WRONG)
def test_what_cannot_be_declared_is_told_with_what_to_write(declare):
    """Place, fault and mend, whatever stands in the place of something else; nothing is declared."""
    graph = gn.Graph(Diary, name="g")
    with pytest.raises(gn.InvalidDeclaration) as caught:
        declare(graph)

    assert caught.value.where.startswith("graph 'g'")
    assert caught.value.mend
    assert {} == dict(graph.spec().nodes)
