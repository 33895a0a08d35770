"""How a run goes on: guards, functions and routers are asked about the state after the common fold."""

import asyncio
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb import step
from graphnb.graph.guards.guard import Guard
from tests.engine.driven import DRIVERS, drive, watch
from tests.engine.forks import Log, graph_of, later, rounds, says

END = gn.END


def guarded(when: Any, *, node: Any = None, **given: Any) -> bool:
    """Whether the edge from the first node is taken."""
    graph = gn.Graph(Log, entry="a", name="fork")
    graph.node("a", node or says("a"))
    graph.edge("a", "z", when=when)
    graph.node("z", says("z"), to=END)
    return "z" in rounds(graph.run(**given))


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        (gn.field("log").changed(), True),
        (gn.field("n").changed(), False),
        (gn.field("log").version >= 1, True),
        (gn.field("log").version >= 2, False),
        (gn.field("n").version >= 0, True),
        (gn.field("seen").exists(), True),  # the zero of a step reducer
        (gn.field("seen") == [], True),
        (gn.field("total") == 1, True),
        (gn.field("note").exists(), False),
        (gn.field("note") == "x", False),
        (gn.field("note") == None, False),  # noqa: E711  an absent side equals nothing
        (gn.field("note") == gn.field("note"), False),
        (~gn.field("note").exists(), True),
        (gn.field("box").exists(), True),
        (gn.field("box") == None, True),  # noqa: E711  makes a guard
        (gn.field("log").at(0) == "a", True),
        (gn.field("log").at(-1) == "a", True),
        (gn.field("log").at(1).exists(), False),
        (gn.field("log") == gn.field("seen"), False),
        ((gn.field("n") == 0.0) & gn.field("log").changed(), True),
        ((gn.field("n") == 1) | gn.field("note").exists(), False),
        (lambda s: s.log == ["a"], True),
        (lambda s: "note" in s, False),
        (lambda s: "", False),
        (later(lambda s: s.total == 1), True),
        (later(lambda s: 0), False),
    ],
    ids=lambda each: each.__name__ if callable(each) else repr(each),
)
def test_edge_is_taken_if_its_guard_holds(when, holds):
    """Guards and functions, plain and asynchronous, see the state after the fold, unset fields and zeros."""
    assert holds is guarded(when)


def test_field_counts_as_changed_in_the_very_step_that_wrote_it():
    """Whatever the value, by whichever node of the step; and not in the next one."""
    assert guarded(gn.field("log").changed(), node=lambda s: {"log": []})
    assert guarded(gn.field("n").changed(), node=lambda s: {"n": 0})
    assert guarded(gn.field("log").changed(), node=lambda s: {"log": gn.Replace([])})
    assert not guarded(gn.field("n").changed(), n=5)

    graph = gn.Graph(Log, entry="a")
    graph.node("a", lambda s: {"n": 1}, to=("b", "c"))
    graph.node("b", says("b"))
    graph.edge("b", "y", when=gn.field("note").changed() & ~gn.field("n").changed())
    graph.node("c", lambda s: {"note": "c"}, to=END)
    graph.node("y", says("y"), to=END)
    assert ["a", "b+c", "y"] == rounds(graph.run())


def test_version_counts_the_steps_that_wrote_the_field():
    """Not the nodes: two writers of one step make one version."""
    versions = {}
    graph = gn.Graph(Log, entry="a")
    graph.node("a", says("a"), to=("b", "c"))
    graph.node("b", says("b"))
    graph.node("c", says("c"))
    for least in (1, 2, 3):
        versions[least] = f"v{least}"
        graph.edge("c", f"v{least}", when=gn.field("log").version >= least)
        graph.node(f"v{least}", lambda s: {}, to=END)
    graph.edge("b", END)

    assert ["a", "b+c", "v1+v2"] == rounds(graph.run())


def test_every_edge_of_a_step_is_asked_about_the_same_state():
    """That after the common fold, also where the node itself wrote nothing."""
    seen = []

    def looks(s):
        seen.append((list(s.log), s.n))
        return False

    graph = graph_of({"a": ("b", "c", "d"), "d": END}, b=says("b"), c=lambda s: {"n": 5})
    graph.edge("b", "d", when=looks)
    graph.edge("c", "d", when=looks)
    graph.run()

    assert [(["a", "b", "d"], 5)] * 2 == seen


def test_edges_are_asked_in_the_order_of_the_names_of_their_nodes():
    """And within a node in declared order."""
    asked = []

    def asks(name):
        return lambda s: asked.append(name)

    graph = graph_of({"a": ("c", "b")}, b=says("b"), c=says("c"))
    graph.edge("c", "a", when=asks("c-a"))
    graph.edge("b", "c", when=asks("b-c"))
    graph.edge("b", "a", when=asks("b-a"))
    graph.run()

    assert ["b-c", "b-a", "c-a"] == asked


@pytest.mark.parametrize("how", DRIVERS)
def test_asynchronous_routers_and_guards_run_under_every_driver(how):
    """They may await."""

    async def router(s):
        await asyncio.sleep(0)
        return "b", "c"

    async def holds(s):
        await asyncio.sleep(0)
        return True

    graph = graph_of({"a": router, "b": END}, c=says("c"), z=says("z"))
    graph.edge("c", "z", when=holds)
    graph.edge("z", END)

    assert ["a", "b+c", "z"] == rounds(drive(graph, how))


@pytest.mark.parametrize(
    ("when", "what"),
    [
        (lambda s: 1 / 0, "its guard lambda() of the edge to 'z' raised ZeroDivisionError: division by zero"),
        (later(lambda s: 1 / 0), r"its guard node_later\(\) of the edge to 'z' raised ZeroDivisionError"),
        (lambda s: s.log.append("x"), "its guard lambda.* of the edge to 'z' .*log"),
        (lambda s: s.note, "its guard lambda.* of the edge to 'z' .*'note'"),
        (Guard("path", ("log", [0])), "its guard .* of the edge to 'z' raised GuardError"),
        (lambda s: gn.interrupt("note"), "returned an interrupt, want True or False. Only a node of the graph that is"),
        (
            lambda s: (each for each in s.log),
            "its guard .* raised TypeError: it returned generator, want True or False",
        ),
        (later(lambda s: rounds), "raised TypeError: it returned function, want True or False. It was not called."),
    ],
    ids=["raises", "raises later", "writes", "reads unset", "path alone", "asks", "yields", "is not called"],
)
def test_guard_that_fails_leaves_the_commit(when, what):
    """The step stays, no edge of it is taken, and the run ends."""
    graph = graph_of({"a": ("b", "c"), "c": "z", "z": END}, b=says("b"))
    graph.edge("b", "z", when=when)
    with pytest.raises(gn.EdgeException, match=what.replace("lambda()", r"lambda\(\)")) as caught:
        graph.run()

    error, run = caught.value, caught.value.run
    assert ("graph 'fork', node 'b', step 1", "b", ("b",)) == (error.where, error.node, error.path)
    assert ["a", "b+c"] == rounds(run)
    assert ["a", "b", "c"] == run.state.log == error.recoverable_state.log
    assert [(), ()] == [each.targets for each in run.steps[1:]]
    assert [(1, "b", True)] == [(each.number, each.path, each.at_edge) for each in run.trace.failures]
    assert ("a", "b", "c") == run.trace.execution_order


@pytest.mark.parametrize(
    ("returned", "what"),
    [
        (("b", "nope"), "returned 'nope' .*neither a node nor END"),
        (("b", ("c",)), "returned .*tuple.*neither a node nor END"),
        ((), r"returned \(\)"),
        (("b", "END"), "returned 'END'"),
        (("b", "dead"), "returned 'dead', which has no outgoing edge"),
        (gn.interrupt("note"), "neither a node nor END\nOnly a node of the graph that is run may ask: .* for 'note'"),
        (("b", gn.interrupt("note")), "Only a node of the graph that is run may ask"),
    ],
)
@pytest.mark.parametrize("is_forked", [False, True])
def test_router_that_chooses_several_wrongly_leaves_the_commit(returned, what, is_forked):
    """None of the targets is taken, and the error tells which is wrong and what was returned."""
    graph = gn.Graph(Log, entry="a", name="fork")
    if is_forked:
        graph.node("a", says("a"), to=("choose", "c"))
    else:
        graph.node("a", says("a"), to="choose")
    graph.node("choose", says("choose"))
    graph.branch("choose", lambda s: returned)
    for name in "bc":
        graph.node(name, says(name), to=END)
    graph.node("dead", says("dead"))
    with pytest.warns(gn.GraphWarning, match="dead"), pytest.raises(gn.RoutingError, match=what) as caught:
        graph.run()

    error = caught.value
    assert "graph 'fork', node 'choose', step 1" == error.where
    assert returned is error.returned
    assert ["a", "c+choose" if is_forked else "choose"][:1] == rounds(error.run)[:1]
    assert "choose" in error.run.state.log


def test_router_among_declared_targets_refuses_others_within_several():
    """The mend lists the targets."""
    graph = graph_of({"b": END, "c": END}, a=says("a"), entry="a")
    graph.branch("a", lambda s: ("b", "d"), to=("b", "c"))
    with pytest.raises(gn.RoutingError, match=r"returned 'd' .* not among its targets\nTargets: \['b', 'c'\]"):
        graph.run()


def test_observers_are_told_of_all_nodes_of_a_step_of_which_an_edge_failed():
    """The commit stays: that one completes with the error, its siblings with the state after the step."""
    graph = graph_of({"a": ("b", "c", "d"), "b": END, "d": END}, c=says("c"))
    graph.branch("c", lambda s: 1 / 0)
    ended = {e.node_name: (e.error and e.error.category, e.post_state and e.post_state.log)
             for e in watch(graph).of("completed")}  # fmt: skip

    after = ["a", "b", "c", "d"]
    assert {"a": (None, ["a"]), "b": (None, after), "c": ("edge_exception", None), "d": (None, after)} == ended


def test_guards_get_plain_values_of_their_own():
    """A guard over a value that a custom class holds; what it compares is a copy."""

    class Boxed(gn.State):
        box: Any = None
        rows: Annotated[list[dict[str, int]], step.union(by="id")]

    graph = gn.Graph(Boxed, entry="a")
    graph.node("a", lambda s: {"box": {"x": [1, 2.0]}, "rows": {"id": 1}})
    graph.edge("a", "b", when=(gn.field("box").at("x") == [1.0, 2]) & (gn.field("rows").at(0, "id") == 1))
    graph.node("b", lambda s: {}, to=END)

    assert ["a", "b"] == rounds(graph.run())


@pytest.mark.parametrize("name", ["e", "y"])
def test_source_that_comes_again_with_the_last_one_counts_once(name):
    """Whichever of the two names sorts first: the join is asked once in the step, and then begins anew."""
    graph = graph_of({"a": (name, "b"), "b": ("m", name)}, **{name: says(name), "m": says("m")})
    graph.edge((name, "m"), "z", when=lambda s: True)
    graph.edge("m", "m", when=lambda s: s.log.count("m") < 2)
    graph.node("z", says("z"), to=gn.END)
    run = graph.run()

    both = "+".join(sorted([name, "m"]))
    assert ["a", "+".join(sorted([name, "b"])), both, "m+z"] == rounds(run)
    assert [("z", ("m",), (name,))] == [each[:3] for each in run.stalled]
