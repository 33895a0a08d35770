"""Super-steps: which nodes come next, all at once, and on which state."""

import asyncio
import contextvars
import threading

import pytest

import graphnb as gn
from tests.engine.driven import DRIVERS, drive
from tests.engine.forks import Log, graph_of, later, rounds, says

END = gn.END


def test_all_targets_of_a_fork_run_in_the_next_step():
    """A tuple of targets: each of them once, in one super-step, sorted by name."""
    run = graph_of({"a": ("c", "b"), "b": END, "c": END}).run()

    assert ["a", "b+c"] == rounds(run)
    assert [0, 1, 1] == [each.number for each in run.steps]
    assert [("c", "b"), (END,), (END,)] == [each.targets for each in run.steps]
    assert "done" == run.status


def test_branches_of_a_fork_go_on_at_their_own_pace():
    """The run ends when nothing is left to do, whoever reached END before."""
    run = graph_of({"a": ("b", "c"), "b": END, "c": "d", "d": "e", "e": END}).run()

    assert ["a", "b+c", "d", "e"] == rounds(run)


def test_node_that_several_edges_lead_to_runs_once_a_step():
    """Several triggers count once; without a join each step's trigger counts by itself."""
    assert ["a", "b+c", "d"] == rounds(graph_of({"a": ("b", "c"), "b": "d", "c": "d", "d": END}).run())
    assert ["a", "b+c", "d+e", "d"] == rounds(graph_of({"a": ("b", "c"), "b": "d", "c": "e", "e": "d", "d": END}).run())


def test_fork_may_name_its_own_source_and_the_end():
    """END among the targets records that an end was reached, and ends nothing."""
    run = graph_of({"a": ("b", END), "b": END}).run()

    assert ["a", "b"] == rounds(run)
    assert ("b", END) == run.steps[0].targets

    graph = gn.Graph(Log, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.edge("a", ("a", "b"), when=lambda s: s.n < 3)
    graph.node("b", says("b"), to=END)
    assert ["a", "a+b", "a+b"] == rounds(graph.run())


def test_join_waits_for_all_of_its_sources_over_several_steps():
    """It fires in the step after the last of them has completed, however long others waited."""
    run = graph_of({"a": ("b", "c"), "c": "d", "d": "e", ("b", "e"): "z", "z": END}).run()

    assert ["a", "b+c", "d", "e", "z"] == rounds(run)
    assert [(), ("z",)] == [each.targets for each in run.steps if each.node in "be"]


def test_join_of_nodes_of_one_step_is_the_outgoing_edge_of_the_last():
    """The step that completes it names its target once."""
    run = graph_of({"a": ("b", "c", "d"), ("d", "c", "b"): "z", "z": END}).run()

    assert ["a", "b+c+d", "z"] == rounds(run)
    assert [(), (), ("z",)] == [each.targets for each in run.steps[1:4]]


def test_join_fires_once_for_each_full_round():
    """In a cycle the memory is cleared when it fires; a source that completes twice before counts once."""
    graph = graph_of({"a": ("b", "c"), ("b", "c"): "z", "z": lambda s: "a" if s.log.count("z") < 3 else END})
    assert ["a", "b+c", "z"] * 3 == rounds(graph.run())

    # b goes round three times while c takes its way: the join fires once
    graph = gn.Graph(Log, entry="a")
    graph.node("a", says("a"), to=("b", "c"))
    graph.node("b", lambda s: {"n": s.n + 1, "log": ["b"]})
    for name, target in {"c": "d", "d": "e", "e": None, "z": END}.items():
        graph.node(name, says(name), to=target)
    graph.node("hop", says("hop"))
    graph.branch("hop", lambda s: "b" if s.n < 3 else END, to=("b", END))
    graph.edge(("b", "e"), "z", when=lambda s: True)
    graph.edge("b", "hop", when=lambda s: True)
    run = graph.run()
    assert 1 == run.state.log.count("z")
    assert 3 == run.state.log.count("b")


def test_source_that_completes_again_after_the_join_has_fired_begins_a_new_round():
    """b, c: fires. b again alone: waits, and the run says for whom."""
    graph = graph_of({"a": ("b", "c"), ("b", "c"): "z", "z": lambda s: "b" if s.log.count("z") < 2 else END})
    run = graph.run()

    assert ["a", "b+c", "z", "b"] == rounds(run)
    assert "done" == run.status
    (stalled,) = run.stalled
    assert ("z", ("b",), ("c",), ()) == stalled
    assert "the join to 'z' still waited for 'c' ('b' had come)" == str(stalled)


def test_join_of_a_single_source_is_an_edge():
    """A list of one: it fires whenever that one completes."""
    run = graph_of({"a": "b", ("b",): "c", "c": lambda s: "b" if s.log.count("c") < 2 else END}).run()

    assert ["a", "b", "c", "b", "c"] == rounds(run)
    assert () == run.stalled


def test_join_may_lead_to_several_and_to_the_end():
    """All of them come next; to END alone it records that an end was reached."""
    assert ["a", "b+c", "y+z"] == rounds(graph_of({"a": ("b", "c"), ("b", "c"): ("y", "z"), "y": END, "z": END}).run())
    run = graph_of({"a": ("b", "c"), ("b", "c"): END}).run()
    assert ["a", "b+c"] == rounds(run)
    assert (END,) == run.steps[-1].targets


def test_two_guarded_joins_of_the_same_sources_fire_each_by_itself():
    """Every one whose guard holds is taken."""
    graph = graph_of({"a": ("b", "c")}, b=says("b"), c=says("c"), y=says("y"), z=says("z"))
    graph.edge(("b", "c"), "y", when=gn.field("n") == 0)
    graph.edge(("b", "c"), "z", when=gn.field("n") == 1)
    for name in "yz":
        graph.edge(name, END)

    assert ["a", "b+c", "y"] == rounds(graph.run())
    assert ["a", "b+c", "z"] == rounds(graph.run(n=1))


def test_joins_that_share_a_source_wait_each_for_its_own():
    """b completes for both; c is there first, d a step later."""
    graph = graph_of(
        {"a": ("b", "c", "d0"), "d0": "d"}, b=says("b"), c=says("c"), d=says("d"), y=says("y"), z=says("z")
    )
    graph.edge(("b", "c"), "y", when=lambda s: True)
    graph.edge(("b", "d"), "z", when=lambda s: True)
    graph.edge("y", END)
    graph.edge("z", END)

    assert ["a", "b+c+d0", "d+y", "z"] == rounds(graph.run())


def test_joins_whose_names_look_alike_are_told_apart():
    """Names may hold the characters that stand between names in an id."""
    edges = {"a": ("b", "c+d", "d"), ("b", "c+d"): "y", ("b+c", "d"): "y", "y": END}
    graph = gn.Graph(Log, entry="a")
    for name in ("a", "b", "b+c", "c+d", "d", "y"):
        graph.node(name, says(name))
    for source, target in edges.items():
        graph.edge(source, target)
    graph.node("start", says("start"), to=("a", "b+c"))
    graph.entry = "start"
    run = graph.run()

    assert ["start", "a+b+c", "b+c+d+d", "y"] == rounds(run)
    assert {"b": (), "c+d": ("y",), "d": ("y",)} == {each.node: each.targets for each in run.steps[3:6]}


def test_false_guard_of_a_join_spends_what_had_arrived():
    """The join is asked once a round, when its last source has completed."""
    asked = []

    def is_second(s):
        asked.append(s.n)
        return s.n == 2

    graph = gn.Graph(Log, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1, "log": ["a"]}, to=("b", "c"))
    graph.node("b", says("b"))
    graph.node("c", says("c"))
    graph.edge(("b", "c"), "z", when=is_second)
    graph.edge("c", "a", when=lambda s: s.n < 3)
    graph.node("z", says("z"), to=END)
    run = graph.run()

    assert [1, 2, 3] == asked
    assert ["a", "b+c", "a", "b+c", "a+z", "b+c"] == rounds(run)
    assert () == run.stalled


def test_every_guarded_edge_that_holds_is_taken():
    """None, one or all of them; where none holds the way ends."""
    graph = graph_of({}, a=lambda s: {}, b=says("b"), c=says("c"))
    graph.edge("a", "b", when=gn.field("n") == 1)
    graph.edge("a", "c", when=lambda s: s.n > 0)
    graph.edge("b", END)
    graph.edge("c", END)

    assert ["a"] == rounds(graph.run())
    assert ["a", "b+c"] == rounds(graph.run(n=1))
    assert ["a", "c"] == rounds(graph.run(n=2))
    assert [(), ("b", "c"), ("c",)] == [graph.run(n=n).steps[0].targets for n in range(3)]
    assert "done" == graph.run().status


def test_router_may_choose_several():
    """A tuple or a list of targets, each once, END among them; and the labels of a map."""

    def chosen(given, to):
        graph = gn.Graph(Log, entry="a")
        for name in "abc":
            graph.node(name, says(name), to=None if name == "a" else END)
        graph.branch("a", lambda s: given, to=to)
        return graph.run()

    for given in (("b", "c"), ["c", "b"], ("b", "c", "b")):
        assert ["a", "b+c"] == rounds(chosen(given, ("b", "c")))
        assert ["a", "b+c"] == rounds(chosen(given, None))
    assert ["a", "b"] == rounds(chosen(("b", END), ("b", "c", END)))
    assert ["a"] == rounds(chosen((END,), ("b", "c", END)))
    assert ["a", "b+c"] == rounds(chosen((1, 2), {1: "b", 2: "c"}))
    assert ["a", "c"] == rounds(chosen((1, 2), {(1, 2): "c", 1: "b"}))


def test_router_that_chose_several_may_choose_one_afterwards():
    """A graph without a declared fork goes on step by step, and its log is of one piece."""
    run = graph_of({"a": lambda s: ("b", "c"), "b": "z", "c": "z", "z": lambda s: "y", "y": END}).run()

    assert ["a", "b+c", "z", "y"] == rounds(run)
    assert ["a", "b", "c", "z", "y"] == run.state.log


def test_nodes_of_a_step_see_the_same_state():
    """None sees what another one of its step wrote, and each next one sees all of it."""
    saw = {}

    def looks(name):
        def node(s):
            saw[name] = (s.n, list(s.log))
            return {"n": s.n + 1, "log": [name]}

        return node

    edges = {"a": ("b", "c"), ("b", "c"): "d", "d": END}
    run = graph_of(edges, **{name: looks(name) for name in "abcd"}).run()

    assert {"a": (0, []), "b": (1, ["a"]), "c": (1, ["a"]), "d": (2, ["a", "b", "c"])} == saw
    assert (3, ["a", "b", "c", "d"]) == (run.state.n, run.state.log)
    assert [(0, 1), (1, 2), (1, 2), (2, 3)] == [(each.before.n, each.after.n) for each in run.steps]


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("kinds", ["plain", "async", "mixed"])
def test_every_driver_gives_the_same_log(how, kinds):
    """`run`, `run` within a running loop and `arun`; plain, asynchronous and mixed nodes."""
    asynchronous = {"plain": "", "async": "abcdez", "mixed": "ac"}[kinds]
    nodes = {name: later(says(name)) if name in asynchronous else says(name) for name in "abcdez"}
    edges = {"a": ("b", "c", "d"), "d": "e", ("b", "c", "e"): "z", "z": END}
    plain = graph_of(edges).run()
    run = drive(graph_of(edges, **nodes), how)

    assert ["a", "b+c+d", "e", "z"] == rounds(run)
    assert plain == run
    assert (6, list("abcdez")) == (run.state.total, run.state.log)


def test_run_in_a_thread_and_in_the_background_gives_the_same_log():
    """`start`, and `run` called on another thread."""
    graph = graph_of({"a": ("b", "c"), ("b", "c"): "z", "z": END})
    runs = [graph.start().result(20)]
    thread = threading.Thread(target=lambda: runs.append(graph.run()))
    thread.start()
    thread.join(20)

    async def waited():
        return await graph.start()

    runs.append(asyncio.run(waited()))
    assert [graph.run()] * 3 == runs


def test_session_makes_one_super_step_at_a_time():
    """The step of the first node by name; the state and the run so far after each of them."""
    graph = graph_of({"a": ("c", "b"), ("b", "c"): "z", "z": END})
    session = graph.session()

    assert ("a", ["a"], "running") == (session.step().node, session.state.log, session.run.status)
    assert ["a"] == rounds(session.run)
    first = session.step()
    assert (1, "b", ["a", "b", "c"]) == (first.number, first.node, session.state.log)
    assert ["a", "b+c"] == rounds(session.run)
    assert (2, "z") == (session.step().number, "z")
    assert None is session.step()
    assert session.is_finished
    assert graph.run() == session.run
    assert ["a", "b", "z"] == [each.node for each in graph.session()]


def test_session_counts_inner_steps_of_a_super_step():
    """Numbers go on behind what ran inside the nodes of a step."""
    inner = graph_of({"x": "y", "y": END}, entry="x", name="inner")
    graph = gn.Graph(Log, entry="a")
    graph.node("a", says("a"), to=("b", "c"))
    graph.subgraph("b", inner)
    graph.node("c", says("c"))
    graph.edge(("b", "c"), "z")
    graph.node("z", says("z"), to=END)

    assert [0, 1, 4] == [each.number for each in graph.session()]
    assert [(0, "a"), (1, "b"), (2, "b/x"), (3, "b/y"), (1, "c"), (4, "z")] == [
        (each.number, each.path) for each in graph.run().steps
    ]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_limit_counts_super_steps(limit):
    """Six nodes in four super-steps: four are enough, and a run that ends exactly there is done."""
    graph = graph_of({"a": ("b", "c", "d"), "d": "e", ("b", "c", "e"): "z", "z": END})
    if limit >= 4:
        assert "done" == graph.run(max_steps=limit).status
        return
    with pytest.raises(gn.MaxSuperstepsExceeded, match=rf"within {limit} super-step.*node '{'.bez'[limit]}' would"
                       ) as caught:  # fmt: skip
        graph.run(max_steps=limit)

    assert ["a", "b+c+d", "e"][:limit] == rounds(caught.value.run)
    assert caught.value.recoverable_state == caught.value.run.state


def test_each_node_has_context_variables_of_its_own():
    """It has those of the caller; what it sets is seen by no other node of its step."""
    variable = contextvars.ContextVar("variable", default="unset")
    seen = {}

    def sets(name):
        def node(s):
            seen[name] = variable.get()
            variable.set(name)

            return {}

        return node

    for make in (lambda node: node, later):
        seen.clear()
        nodes = {name: make(sets(name)) for name in "bcd"}
        variable.set("caller")
        graph_of({"a": ("b", "c", "d"), "b": END, "c": END, "d": END}, a=lambda s: {}, **nodes).run()

        assert {"b": "caller", "c": "caller", "d": "caller"} == seen
        assert "caller" == variable.get()


def test_node_of_a_step_knows_its_run():
    """`gn.invocation()` in each of several nodes."""
    seen = []
    graph = graph_of(
        {"a": ("b", "c"), "b": END, "c": END},
        b=lambda s: seen.append(gn.invocation().invocation_id) or {},
        c=later(lambda s: seen.append(gn.invocation().invocation_id) or {}),
    )
    graph.run(invocation_id="here")

    assert ["here", "here"] == seen


@pytest.mark.parametrize("how", DRIVERS)
def test_slow_nodes_of_a_step_overlap(how):
    """Each waits for the other: plain ones on threads, asynchronous ones as tasks, and both kinds beside each other."""
    barrier = threading.Barrier(2, timeout=20)
    events = {}

    def meets(s):
        barrier.wait()
        return {}

    async def sets(s):
        events.setdefault("loop", asyncio.Event()).set()
        return {}

    async def waits(s):
        await asyncio.wait_for(events.setdefault("loop", asyncio.Event()).wait(), 20)
        return {}

    drive(graph_of({"a": ("b", "c"), "b": END, "c": END}, b=meets, c=meets), how)
    drive(graph_of({"a": ("b", "c"), "b": END, "c": END}, b=waits, c=sets), how)
    reached = threading.Event()

    def waits_plainly(s):
        assert reached.wait(20)
        return {}

    async def reaches(s):
        reached.set()
        return {}

    drive(graph_of({"a": ("b", "c"), "b": END, "c": END}, b=waits_plainly, c=reaches), how)


def test_graph_with_forks_may_run_within_another_graph():
    """As a subgraph, in each instance of a fan-out and as a parallel branch."""

    class Outer(gn.State):
        items: list[int] = [1, 2]
        log: list[str] = []
        logs: list[list[str]] = []
        best: list[str] = []

    inner = graph_of({"a": ("b", "c"), ("b", "c"): "z", "z": END}, name="inner")
    graph = gn.Graph(Outer, entry="one")
    graph.subgraph("one", inner, outputs={"log": "log"}, to="each")
    graph.fan_out("each", inner, over="items", item="n", collect="log", into="logs", to="both")
    graph.branches("both", {"x": gn.ParallelBranch(inner, outputs={"best": "log"})}, to=END)
    run = graph.run()

    assert list("abcz") == run.state.log == run.state.best
    assert [list("abcz")] * 2 == run.state.logs
    assert [(0, "one/a"), (1, "one/b"), (1, "one/c"), (2, "one/z")] == [(e.number, e.path) for e in run.steps[:4]]


@pytest.mark.parametrize("is_watched", [False, True])
@pytest.mark.parametrize("is_session", [False, True])
def test_router_of_a_linear_graph_may_choose_several_under_observers_and_in_a_session(is_watched, is_session):
    """The step is told and paused after like every other."""
    events = []
    graph = graph_of({"a": "r", "r": lambda s: ("b", "c"), "b": END, "c": END})
    options = {"observers": [events.append]} if is_watched else {}
    if is_session:
        session = graph.session(**options)
        assert ["a", "r", "b"] == [each.node for each in session]
        run = session.run
    else:
        run = graph.run(**options)
    graph.drain()

    assert ["a", "r", "b+c"] == rounds(run)
    completed = [(each.step, each.node_name) for each in events if each.phase == "completed"]
    assert ([(0, "a"), (1, "r"), (2, "b"), (2, "c")] if is_watched else []) == completed
