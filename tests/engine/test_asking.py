"""Nodes that ask instead of completing: what becomes of the run, its siblings, and of asking where nobody may."""

import asyncio
import re
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb import step
from tests.engine.driven import DRIVERS, drive, watch
from tests.engine.forks import Log, graph_of, later, rounds, says

END = gn.END


def asks(name: str, **options: Any) -> Any:
    """A node that asks until `seen` holds an answer to it."""

    def node(s):
        given = [each for each in s.seen if each.startswith(f"{name}:")]
        return {"log": [*given, name]} if given else gn.interrupt("seen", f"{name}?", **options)

    return node


def waiting(*names: str, **nodes: Any) -> gn.Graph:
    """A graph that forks to these nodes, each of which asks, and to those that are given; all are joined."""
    own = {name: asks(name) for name in names} | nodes
    return graph_of({"a": tuple(own), tuple(own): "z", "z": END}, **own)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("make", [lambda node: node, later], ids=["plain", "async"])
def test_node_of_a_linear_graph_asks_and_runs_again_with_the_answer(how, make):
    """The run waits with everything kept; the answer goes through the field's reducer; the node sees it folded."""
    graph = graph_of({"a": "g", "g": "z", "z": END}, g=make(asks("g")))
    run = drive(graph, how)

    assert ("waiting", ["a"], ["a", "g?"]) == (run.status, run.state.log, rounds(run))
    assert [("1:g", "g", "seen", "g?")] == [(each.id, each.node, each.field, each.ask) for each in run.pending]
    done = run.resume("g:yes")
    assert ("done", ["a", "g:yes", "g", "z"], ["g:yes"]) == (done.status, done.state.log, done.state.seen)
    assert ["a", "g?", "g!", "g", "z"] == rounds(done)
    assert [0, 1, 2, 2, 3] == [each.number for each in done.steps]
    assert [("g",), (), (), ("z",), (END,)] == [each.targets for each in done.steps]
    assert () == tuple(done.pending)
    assert ("a", "g", "g", "z") == done.trace.execution_order
    assert ("waiting", ["a", "g?"]) == (run.status, rounds(run))


def test_linear_and_forked_graphs_ask_alike():
    """The same nodes in a graph that declares a guarded edge as well: equal steps, waiting and answered."""
    linear = graph_of({"a": "g", "g": "z", "z": END}, g=asks("g"))
    forked = graph_of({"a": "g", "g": "z", "never": END}, g=asks("g"), z=says("z"))
    forked.edge("z", "never", when=lambda s: False)

    one, other = linear.run(), forked.run()
    assert one == other
    assert one.resume("g:1").steps[:-1] == other.resume("g:1").steps[:-1]
    assert one.resume("g:1").state == other.resume("g:1").state


def test_siblings_are_committed_and_other_branches_go_on():
    """What others of the step wrote is kept; the run waits once nothing else is left to do."""
    run = waiting("g", b=says("b"), c=says("c")).run()

    assert ("waiting", ["a", "b+c+g?"]) == (run.status, rounds(run))
    assert ["a", "b", "c"] == run.state.log
    assert [(), (), ()] == [each.targets for each in run.steps[1:]]

    graph = graph_of({"a": ("g", "b"), "b": "c", "c": "d", "d": END, "g": END}, g=asks("g"))
    assert ["a", "b+g?", "c", "d"] == rounds(graph.run())


@pytest.mark.parametrize("order", [("g", "h"), ("h", "g")])
def test_order_of_answers_decides_the_order_in_the_field(order):
    """Not the names of the nodes; answered together they run together, one by one in different steps."""
    run = waiting("g", "h").run()
    assert ["1:g", "1:h"] == [each.id for each in run.pending]

    together = run.resume({f"1:{name}": f"{name}:x" for name in order})
    assert ["a", "g?+h?", f"{order[0]}!", f"{order[1]}!", "g+h", "z"] == rounds(together)
    assert [f"{name}:x" for name in order] == together.state.seen
    assert ["a", "g:x", "g", "h:x", "h", "z"] == together.state.log

    one = run.resume({f"1:{order[0]}": f"{order[0]}:x"})
    assert ("waiting", [f"1:{order[1]}"]) == (one.status, [each.id for each in one.pending])
    done = one.resume(f"{order[1]}:x")
    assert ["a", "g?+h?", f"{order[0]}!", order[0], f"{order[1]}!", order[1], "z"] == rounds(done)
    assert [f"{name}:x" for name in order] == done.state.seen


def test_answered_node_runs_once_even_if_a_trigger_reached_it_meanwhile():
    """Triggers that reach a waiting node are dropped."""
    graph = graph_of({"a": ("g", "b"), "b": "c", "c": "g", "g": "z", "z": END}, g=asks("g"))
    run = graph.run()

    assert ["a", "b+g?", "c"] == rounds(run)
    assert ["a", "b+g?", "c", "g!", "g", "z"] == rounds(run.resume("g:x"))


def test_node_may_ask_again():
    """In a later step, under an id of that step; it then waits for that answer."""

    def node(s):
        return {"log": ["g"]} if len(s.seen) == 2 else gn.interrupt("seen", f"question {len(s.seen)}")

    graph = graph_of({"a": ("g", "b"), "b": END, "g": END}, g=node)
    run = graph.run()
    again = run.resume("one")

    assert ("waiting", ["2:g"], ["a", "b+g?", "g!", "g?"]) == (
        again.status, [each.id for each in again.pending], rounds(again)
    )  # fmt: skip
    assert ["question 1"] == [each.ask for each in again.pending]
    done = again.resume("two")
    assert ["a", "b+g?", "g!", "g?", "g!", "g"] == rounds(done)
    assert ["one", "two"] == done.state.seen


def test_answered_field_does_not_count_as_changed_when_the_node_completes():
    """The answer is a commit of its own; its version counts."""
    graph = graph_of({"a": "g", "z": END, "y": END}, g=asks("g"))
    graph.edge("g", "z", when=gn.field("seen").changed())
    graph.edge("g", "y", when=(gn.field("seen").version >= 1) & gn.field("log").changed())
    done = graph.run().resume("g:x")

    assert ["a", "g?", "g!", "g", "y"] == rounds(done)


def test_given_id_names_the_interrupt_and_serves_once():
    """A node that asks under the id of an answered interrupt fails, as does the later of two of a step."""
    node = lambda s: gn.interrupt("seen", id="gate")  # noqa: E731  asks for ever
    run = graph_of({"a": ("g", "b"), "b": END, "g": END}, g=node).run()
    assert ["gate"] == [each.id for each in run.pending]
    with pytest.raises(gn.InvalidUpdate, match="node 'g', step 2: asks under the id 'gate', which an interrupt of this"
                       ) as caught:  # fmt: skip
        run.resume("x")
    assert ["a", "b+g?", "g!"] == rounds(caught.value.run)
    assert "Give each its own id" in caught.value.mend

    graph = graph_of({"a": ("g", "h", "b"), "b": END, "g": END, "h": END}, g=node, h=node)
    with pytest.raises(gn.InvalidUpdate, match="node 'h', step 1: asks under the id 'gate'") as caught:
        graph.run()
    assert (["a"], ()) == (rounds(caught.value.run), tuple(caught.value.run.pending))
    assert ["b", "g"] == [each.node for each in caught.value.trace.open_steps]

    graph = graph_of({"a": "g", "g": END}, g=lambda s: gn.interrupt("seen", id="gate"))
    with pytest.raises(gn.InvalidUpdate, match="asks under the id 'gate'"):
        graph.run().resume("x")


def test_given_id_may_not_be_one_that_was_made():
    """Made ids are ids of the run as well."""
    graph = graph_of({"a": ("g", "h"), "g": END, "h": END}, g=asks("g"), h=lambda s: gn.interrupt("seen", id="1:g"))
    with pytest.raises(gn.InvalidUpdate, match="node 'h', step 1: asks under the id '1:g'"):
        graph.run()


@pytest.mark.parametrize("is_forked", [False, True])
def test_made_id_leaves_out_what_was_given_before(is_forked):
    """A node has taken the ids that would be made: the next free number follows, the same in every run."""

    def taking(s):
        free = [each for each in ("3:g", "3:g:2") if f"{each}!" not in s.seen]
        return gn.interrupt("seen", id=free[0]) if free else {"log": ["a"]}

    edges = {"a": ("g", "b"), "b": END, "g": END} if is_forked else {"a": "g", "g": END}
    graph = graph_of(edges, a=taking, g=asks("g"))
    runs = [graph.run().resume("3:g!").resume("3:g:2!") for _ in range(2)]

    assert [["3:g:3"], ["3:g:3"]] == [[each.id for each in run.pending] for run in runs]
    assert "done" == runs[0].resume("g:x").status


def test_made_id_leaves_out_what_a_sibling_has_given():
    """In the same super-step, if the sibling comes first by name."""
    graph = graph_of({"a": ("f", "g"), "f": END, "g": END}, f=lambda s: gn.interrupt("seen", id="1:g"), g=asks("g"))
    run = graph.run()

    assert [("f", "1:g"), ("g", "1:g:2")] == [(each.node, each.id) for each in run.pending]


def test_failing_sibling_undoes_the_interrupt():
    """It never was: nothing of the step is committed."""
    with pytest.raises(gn.NodeException, match="node 'b', step 1: raised ZeroDivisionError") as caught:
        waiting("g", b=lambda s: 1 / 0).run()

    run = caught.value.run
    assert ("failed", (), ["a"]) == (run.status, tuple(run.pending), rounds(run))
    assert [("g", "dropped")] == [(each.node, each.fate) for each in run.trace.open_steps]
    with pytest.raises(gn.InactiveRun, match="is failed and waits for no answer"):
        run.resume("x")


@pytest.mark.parametrize("kind", ["subgraph", "deep", "fan-out", "branch"])
@pytest.mark.parametrize("is_forked", [False, True])
def test_node_within_another_graph_may_not_ask(kind, is_forked):
    """The error says where, and who may ask."""
    inner = graph_of({"g": END}, entry="g", g=asks("g"), name="inner")
    if is_forked:
        inner = graph_of({"x": ("g", "y"), "g": END, "y": END}, entry="x", g=asks("g"), name="inner")
    graph = gn.Graph(Log, entry="a", name="outer")
    if kind == "subgraph":
        graph.subgraph("a", inner, to=END)
    elif kind == "deep":
        middle = gn.Graph(Log, entry="m", name="middle")
        middle.subgraph("m", inner, to=END)
        graph.subgraph("a", middle, to=END)
    elif kind == "fan-out":
        graph.fan_out("a", inner, count=2, collect="log", into="box", to=END)
    else:
        graph.branches("a", {"x": gn.ParallelBranch(inner, outputs={"log": "log"})}, to=END)
    with pytest.raises(gn.NodeException) as caught:
        graph.run()

    error: Any = caught.value
    while error is not None and not isinstance(error, gn.InvalidUpdate):
        error = error.__cause__
    assert "graph 'inner', node 'g'" in error.where
    assert "asks for 'seen', and its graph runs within a node of another one" == error.what
    assert (
        "Only a node of the graph that is run may ask: let one of them return the interrupt for 'seen'." == error.mend
    )
    assert "failed" == caught.value.run.status


def returned(kind: str) -> gn.Graph:
    """A graph in which something else than a node returns an interrupt."""
    question = gn.interrupt("seen", "Go on?")
    graph = gn.Graph(Log, entry="a", name="outer")
    if kind == "worker":
        graph.fan_out("a", lambda i: question, count=2, into="box", to=END)
    elif kind == "layered worker":
        graph.fan_out("a", lambda i: i, count=2, into="box", instance_middleware=[lambda s, n: question], to=END)
    elif kind == "worker of fields":
        graph.fan_out("a", lambda i: question, count=2, into="box", collect="x", to=END)
    elif kind == "branch":
        graph.branches("a", {"x": lambda s: question, "y": lambda s: {}}, to=END)
    elif kind == "count":
        graph.fan_out("a", lambda i: i, count=lambda s: question, into="box", to=END)
    elif kind == "concurrency":
        graph.fan_out("a", lambda i: i, count=1, concurrency=lambda s: question, into="box", to=END)
    elif kind == "when":
        graph.branches("a", {"x": gn.ParallelBranch(lambda s: {}, when=lambda s: question)}, to=END)
    elif kind == "router":
        graph.node("a", says("a"))
        graph.branch("a", lambda s: question)
    return graph


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("worker", "graph 'outer', node 'a', step 0, instance 0: returned an interrupt"),
        ("layered worker", "graph 'outer', node 'a', step 0, instance 0: returned an interrupt"),
        ("branch", "branch 'x'.*returned Interrupt"),
        ("count", "its function for count raised TypeError: it returned an interrupt"),
        ("concurrency", "its function for concurrency raised TypeError: it returned an interrupt"),
        ("when", "function for when.*it returned an interrupt"),
        ("router", "router 'lambda' returned Interrupt"),
    ],
)
def test_interrupt_of_what_is_no_node_is_refused_in_words(kind, where):
    """Workers, branches, options and routers: who may ask instead."""
    with pytest.raises(gn.RunError) as caught:
        returned(kind).run()

    text = f"{caught.value} {caught.value.__cause__ or ''}".replace("\n", " ")
    assert re.search(where, text), text
    assert "Only a node of the graph that is run may ask" in text


def test_worker_of_fields_that_returns_an_interrupt_is_refused():
    """As whatever else is no dict."""
    with pytest.raises(gn.NodeException, match="the worker returned Interrupt, want a dict"):
        returned("worker of fields").run()


def test_interrupt_within_an_update_or_of_a_reducer_does_not_fit_the_field():
    """A value like any other: its type is told."""

    class Strict(gn.State):
        words: list[str] = []
        word: Annotated[str, lambda prior, update: gn.interrupt("words")] = ""
        items: Annotated[list[str], step.append]

    question = gn.interrupt("words")
    for update, field in (({"words": question}, "words"), ({"word": "x"}, "word"), ({"items": question}, "items")):
        graph = gn.Graph(Strict, entry="a")
        graph.node("a", lambda s, update=update: update, to=END)
        with pytest.raises(gn.StateValidationError, match=f"{field}: .*not Interrupt"):
            graph.run()


def unpacks(s, following):
    """Middleware that takes whatever it is given for a dict."""
    return {**following(s), "done": True}


async def looks_in(s, following):
    """The same, asynchronous, in another way."""
    return {key: each for key, each in (await following(s)).items() if key}


def edits(s, following):
    """The same, in place."""
    update = following(s)
    update["done"] = True
    return update


@pytest.mark.parametrize("layer", [unpacks, looks_in, edits])
@pytest.mark.parametrize("edges", [{"a": "g", "g": END}, {"a": ("g", "b"), "b": END, "g": END}])
def test_middleware_that_takes_an_interrupt_for_an_update_is_told_to_hand_it_on(layer, edges):
    """By its name, whatever else is around the node, and whether the node or other middleware has asked."""
    outer = lambda s, following: following(s)  # noqa: E731  one of two layers
    for node, layers in (
        (asks("g"), [outer, gn.retry(2), layer, outer]),
        (says("g"), [outer, layer, lambda s, following: gn.interrupt("seen", "May I?")]),
    ):
        graph = gn.Graph(Log, entry="a")
        for name in {"a", *edges} - {"g"}:
            graph.node(name, says(name))
        graph.node("g", node, middleware=layers)
        for source, target in edges.items():
            graph.edge(source, target)
        with pytest.raises(gn.NodeException, match=r"raised (TypeError|AttributeError): 'Interrupt' object") as caught:
            graph.run()

        hand_on = "hand it on as it is, if isinstance(update, gn.Interrupt): return update."
        assert (
            f"Where a node asks, next gives an interrupt, which is no dict: let middleware '{layer.__name__}' {hand_on}"
            == (caught.value.mend)
        )
        assert caught.value.args == (caught.value.where, caught.value.what, caught.value.mend)


def test_other_errors_of_middleware_have_no_such_mend():
    """Of a node that asks too; and a class of the same name is another one where nothing has asked."""

    class Interrupt:
        pass

    def wrong(s, following):
        following(s)
        raise TypeError(1, "two")

    def other(s, following):
        following(s)
        return {**Interrupt()}

    for layer, node in ((wrong, asks("g")), (other, says("g"))):
        graph = gn.Graph(Log, entry="g")
        graph.node("g", node, middleware=[layer], to=END)
        with pytest.raises(gn.NodeException) as caught:
            graph.run()
        assert "" == caught.value.mend


@pytest.mark.parametrize(
    ("field", "update"),
    [
        ("any", lambda asked: asked),
        ("any", lambda asked: [1, asked]),
        ("any", lambda asked: {"k": asked}),
        ("any", lambda asked: gn.Replace(asked)),
        ("bare", lambda asked: asked),
        ("bare", lambda asked: [asked]),
        ("texts", lambda asked: [asked]),
        ("strict", lambda asked: asked),
        ("strict", lambda asked: [asked]),
        ("opened", lambda asked: [[asked]]),
        ("items", lambda asked: asked),
        ("items", lambda asked: ["x", asked]),
        ("entries", lambda asked: {"k": asked}),
        ("total", lambda asked: asked),
        ("made", lambda asked: 1),
    ],
)
@pytest.mark.parametrize("targets", [END, ("b", "c")], ids=["linear", "forked"])
def test_interrupt_within_an_update_says_to_return_it_by_itself(field, update, targets):
    """Whatever the field takes, also anything at all, and whatever its reducer; in a step of several too."""
    asked = gn.interrupt("any", "Go on?")

    class Loose(gn.State):
        any: Any = None
        bare: list = []
        texts: list[str] = []
        strict: Annotated[list[str], gn.append] = []
        opened: Annotated[list[Any], gn.concat_flatten] = []
        items: Annotated[list[Any], step.append]
        entries: Annotated[dict, step.merge]
        total: Annotated[int, step.sum]
        made: Annotated[Any, lambda prior, write: [asked]] = None

    graph = gn.Graph(Loose, entry="a")
    graph.node("a", lambda s: {field: update(asked)} if targets is END else {}, to=targets)
    if targets is not END:
        graph.node("b", lambda s: {field: update(asked)}, to=END)
        graph.node("c", lambda s: {}, to=END)
    with pytest.raises((gn.StateValidationError, gn.ReducerError)) as caught:
        graph.run()

    mend = "a node asks by returning it by itself, instead of an update: return gn.interrupt(...)."
    assert ("made" == field) != (mend in caught.value.mend)
    assert "Interrupt(field='any', ask='Go on?'" in str(caught.value)
    assert None is caught.value.run.state.any


def test_answer_that_is_an_interrupt_is_refused():
    """It is none, whatever the field takes."""

    class Loose(gn.State):
        any: Any = None

    graph = gn.Graph(Loose, entry="a")
    graph.node("a", lambda s: gn.interrupt("any") if s.any is None else {}, to=END)
    with pytest.raises(gn.InvalidInput, match="the answer cannot be written: any: Input should be a value, not Inter"):
        graph.run().resume(gn.interrupt("any"))


@pytest.mark.parametrize("how", DRIVERS)
def test_interrupt_that_is_raised_is_to_be_returned(how):
    """Python says that it is no exception; the error of the node says what to do."""

    def node(s):
        raise gn.interrupt("seen", "Go on?")

    with pytest.raises(gn.NodeException, match="raised TypeError: exceptions must derive from Base") as caught:
        drive(graph_of({"a": "g", "g": END}, g=node), how)
    assert "An interrupt is returned, not raised: return gn.interrupt(...)." == caught.value.mend


def test_wrong_interrupt_fails_its_node():
    """A field that there is not, with the nearest one."""
    for edges in ({"a": "g", "g": END}, {"a": ("g", "b"), "b": END, "g": END}):
        with pytest.raises(gn.InvalidUpdate, match="node 'g', step 1: asks for 'sen', which is no field") as caught:
            graph_of(edges, g=lambda s: gn.interrupt("sen")).run()
        assert "Did you mean 'seen'?" in caught.value.mend


def test_middleware_around_a_node_that_asks():
    """It is handed on by what looks at no update, and counts as no failure; middleware may ask as well."""
    told = []
    layers = [
        gn.retry(3),
        gn.timing(lambda record: told.append(record.outcome)),
        gn.failure_isolation({}, event_name="x"),
    ]
    for edges in ({"a": "g", "g": END}, {"a": ("g", "b"), "b": END, "g": END}):
        graph = gn.Graph(Log, entry="a")
        graph.node("a", says("a"))
        graph.node("b", says("b"))
        graph.node("g", asks("g"), middleware=layers)
        for source, target in edges.items():
            graph.edge(source, target)
        if "b" not in edges:
            graph.remove("b")
        run = graph.run()
        assert ("waiting", "g?") == (run.status, run.pending[0].ask)
        assert ["g:1", "g"] == run.resume("g:1").state.log[-2:]
    assert ["success"] * 4 == told

    graph = graph_of({"a": "g", "g": END}, a=says("a"))
    graph.middleware(
        lambda s, following: following(s) if s.seen or not s.log else gn.interrupt("seen", "May I?"), name="may"
    )
    run = graph.run()
    assert [("g", "May I?")] == [(each.node, each.ask) for each in run.pending]
    assert ["a", "g"] == run.resume("yes").state.log


def test_node_that_asks_for_a_field_of_each_reducer():
    """A set first value ignores the answer, sums add, merges merge, and a strict list takes a list."""

    class All(gn.State):
        items: Annotated[list[str], gn.append] = ["x"]
        total: Annotated[int, step.sum] = 3
        first: Annotated[str, step.first_value] = "set"
        entries: Annotated[dict[str, int], gn.merge] = {"a": 1}
        plain: int = 0
        done: bool = False

    cases = {
        "items": (["y"], ["x", "y"]), "total": (4, 7), "first": ("new", "set"), "entries": ({"b": 2}, {"a": 1, "b": 2}),
        "plain": (gn.Replace(5), 5),
    }  # fmt: skip
    for field, (answer, after) in cases.items():
        asked = []

        def node(s, field=field, asked=asked):
            asked.append(1)
            return {"done": True} if len(asked) > 1 else gn.interrupt(field)

        graph = gn.Graph(All, entry="a")
        graph.node("a", node, to=END)
        done = graph.run().resume(answer)
        assert (after, True) == (getattr(done.state, field), done.state.done)


@pytest.mark.parametrize("how", DRIVERS)
def test_observers_are_told_of_a_node_that_asks(how):
    """It completes with the state as it was; after the answer it runs again under the next number."""
    for graph in (waiting("g", b=says("b")), graph_of({"a": "g", "g": "z", "z": END}, g=asks("g"))):
        driven = watch(graph, how)
        told = [(e.step, e.post_state.log) for e in driven.of("completed") if e.node_name == "g"]
        assert [(1, ["a", "b"] if "b" in graph.spec().nodes else ["a"])] == told

        driven.events.clear()
        done = driven.run.resume("g:x")
        graph.drain()
        assert [("started", "g", 2), ("completed", "g", 2), ("started", "z", 3), ("completed", "z", 3)] == [
            (e.phase, e.node_name, e.step) for e in driven.events
        ]
        assert {e.invocation_id for e in driven.events} == {done.invocation_id} == {driven.run.invocation_id}


def test_all_ways_to_run_may_wait():
    """`start`, `session`, `arun`, and a thread; each can be answered."""
    graph = waiting("g", b=says("b"))
    expected = graph.run()
    session = graph.session()
    assert ["a", "b"] == [each.node for each in session]
    found = [graph.start().result(20), session.run, asyncio.run(graph.arun())]
    thread = threading.Thread(target=lambda: found.append(graph.run()))
    thread.start()
    thread.join(20)

    assert [expected] * 4 == found
    assert ["waiting"] * 4 == [each.status for each in found]
    assert None is session.step()
    assert [expected.resume("g:x")] * 4 == [each.resume("g:x") for each in found]


def test_interrupts_are_own_copies_on_their_way_in_and_out():
    """What a node or a reader does with the metadata, or with a written schema, changes no run."""
    metadata, schema = {"k": [1]}, {"type": "list", "item": {"type": "string"}}
    asked = gn.interrupt("seen", metadata=metadata, schema=schema)
    run = graph_of({"a": END}, a=lambda s: {} if s.seen else asked).run()
    metadata["k"].append(2)
    for each in (run.pending[0], run.steps[0].interrupt):
        each.metadata["k"].append(3)
        each.schema["item"]["type"] = "integer"

    assert {"k": [1]} == run.pending[0].metadata == run.steps[0].interrupt.metadata
    assert {"type": "list", "item": {"type": "string"}} == run.pending[0].schema
    assert 1 == len({run.pending[0], run.steps[0].interrupt})
