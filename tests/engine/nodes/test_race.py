"""Races: the first acceptable result, and what becomes of all others."""

import asyncio
import contextlib
import threading
import time
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.nodes.race import run_race
from graphnb.engine.observers.scope import Scope
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.step import run_graph
from graphnb.state.schema import start_values
from graphnb.trace.instances import Fates, fates_of
from graphnb.trace.log import Log
from tests.engine.driven import DRIVERS, drive

SECONDS = 20  # until a test that hangs gives up
LONG = 3.0  # what nobody may wait for


class Contest(gn.State):
    question: str = "how far?"
    answer: Any = None
    who: str | None = None
    lost: list[dict[str, Any]] = []


class Runner(gn.State):
    brief: Any = None
    steps: int = 0
    result: Any = gn.UNSET


def contest(*candidates: Any, **options: Any) -> gn.Graph:
    """A graph whose one node lets the candidates race for an answer."""
    graph = gn.Graph(Contest, entry="ask")
    filled = {"brief": "question", "into": "answer", "winner_into": "who", "failures_into": "lost"}
    graph.race("ask", candidates, **{**filled, **options}, to=gn.END)
    return graph


def quick(brief: Any) -> Any:
    """An answer that comes soon."""
    return f"quick: {brief}"


def broken(brief: Any) -> Any:
    """No answer."""
    raise LookupError("lost it")


async def soon(brief: Any) -> Any:
    """An answer that comes soon, to be awaited."""
    await asyncio.sleep(0.01)
    return f"soon: {brief}"


class Sleeper:
    """Candidates that take long, and whether they have cleaned up."""

    def __init__(self, cleaning: float = 0.01) -> None:
        self.begun = threading.Event()
        self.cleaning = cleaning
        self.cleaned = False

    def plainly(self, brief: Any) -> Any:
        """Cannot be woken."""
        self.begun.set()
        time.sleep(LONG)
        return "late"

    async def later(self, brief: Any) -> Any:
        """Cleans up when it is cancelled, which takes a moment."""
        self.begun.set()
        try:
            await asyncio.sleep(LONG)
        finally:
            await asyncio.sleep(self.cleaning)
            self.cleaned = True


@pytest.mark.parametrize("driver", DRIVERS)
def test_first_acceptable_result_wins(driver):
    """Its candidate is named, and a candidate that fails loses without a word but that."""
    run = drive(contest(broken, quick, soon, concurrency=1), driver)

    assert ("quick: how far?", "quick") == (run.state.answer, run.state.who)
    assert [{"index": 0, "candidate": "broken", "category": "node_exception", "error": "LookupError: lost it"}] == (
        run.state.lost
    )


@pytest.mark.parametrize("driver", DRIVERS)
def test_others_are_cancelled_and_clean_up(driver):
    """Before the run goes on; the log tells of them as stopped."""
    sleeper = Sleeper()
    run = drive(contest(sleeper.later, soon), driver)

    assert ("soon", True) == (run.state.who, sleeper.cleaned)
    (made,) = [step.instances for step in run.steps]
    assert Fates(finished=(1,), failed=(), stopped=(0,), unstarted=range(2, 2)) == fates_of(made)
    assert ("candidate", ("later", "soon")) == (made.unit, made.names)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("options", [{}, {"accept": lambda result: True}], ids=["asynchronous", "mixed"])
def test_slow_cleaning_up_is_waited_for(driver, options):
    """Also where something plain is asked beside it, so that candidates run on threads."""
    sleeper = Sleeper(cleaning=0.5)

    drive(contest(sleeper.later, soon, **options), driver)

    assert sleeper.cleaned


@pytest.mark.parametrize("driver", DRIVERS)
def test_plain_function_that_sleeps_is_left_behind(driver):
    """Nothing can wake it, and nobody waits for it; asynchronous ones beside it clean up all the same."""
    sleeper, other = Sleeper(), Sleeper()

    def after_both(brief: Any) -> str:
        assert sleeper.begun.wait(SECONDS)
        assert other.begun.wait(SECONDS)
        return "first"

    begun = time.monotonic()
    run = drive(contest(sleeper.plainly, other.later, after_both), driver)

    assert time.monotonic() - begun < LONG / 2
    assert ("first", True) == (run.state.answer, other.cleaned)


def test_accept_that_fails_after_the_race_is_won_changes_nothing():
    """Also while others still clean up."""
    asked, won = threading.Event(), threading.Event()
    sleeper = Sleeper(cleaning=0.3)

    def first(brief: Any) -> str:
        assert asked.wait(SECONDS)
        assert sleeper.begun.wait(SECONDS)
        return "first"

    def accept(result: Any) -> bool:
        if result == "first":
            won.set()
            return True
        asked.set()
        assert won.wait(SECONDS)
        time.sleep(0.1)
        raise LookupError("too late")

    run = contest(quick, first, sleeper.later, accept=accept).run()

    assert ("first", "first", True) == (run.state.answer, run.state.who, sleeper.cleaned)


def test_late_result_changes_nothing():
    """Neither the result nor what the run tells of the candidates."""
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def late(brief: Any) -> str:
        begun.set()
        go_on.wait(SECONDS)
        ended.set()
        return "late"

    def first(brief: Any) -> str:
        assert begun.wait(SECONDS)
        return "first"

    run = contest(late, first).run()
    before = repr(run.diff())
    go_on.set()
    assert ended.wait(SECONDS)
    time.sleep(0.05)

    assert (before, "first") == (repr(run.diff()), run.state.answer)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_results_that_come_at_once_the_one_named_first_counts(order):
    """Whichever was ready first by a hair: the work is driven by hand, both have won before anybody looks."""
    graph = contest(quick, broken, lambda brief: "third")
    plan = graph.compile().plan
    values = start_values(plan.schema, {}, "start")
    running = RunningGraph(plan, Log("contest", plan.schema, values), Scope(10), run_graph)
    work = run_race(Attempt(running, plan.nodes["ask"], values))
    spread = next(work)
    places = [(0, 2)[each] for each in order]
    for i in [1, *places]:
        try:
            contending = spread.one(i)
            function, brief, _ = next(contending)
            contending.send(function(brief))
        except LookupError as error:
            with contextlib.suppress(StopIteration):
                contending.throw(error)
        except Exception as won:
            spread.outcomes.errors[i] = won
    with pytest.raises(StopIteration) as ended:
        work.send(spread.outcomes)

    assert ("quick: how far?", "quick") == (ended.value.value.update["answer"], ended.value.value.update["who"])


@pytest.mark.parametrize("accept", [lambda result: result.startswith("soon"), None])
def test_accept_is_asked_about_each_result(accept):
    """Without it every result is acceptable."""
    run = contest(quick, soon, accept=accept, concurrency=1).run()

    assert ("soon" if accept else "quick") == run.state.who
    assert (["graphnb.NotAccepted"] if accept else []) == [
        f"graphnb.{each['error'].partition(':')[0]}" for each in run.state.lost
    ]


def test_accept_may_be_asynchronous():
    """It is awaited."""

    async def accept(result: str) -> bool:
        await asyncio.sleep(0)
        return result.startswith("soon")

    assert "soon" == contest(quick, soon, accept=accept).run().state.who


def test_nothing_acceptable_is_none():
    """All have been asked, and each tells why it lost."""
    run = contest(quick, broken, accept=lambda result: False).run()

    assert (None, None) == (run.state.answer, run.state.who)
    assert ["quick", "broken"] == [each["candidate"] for each in run.state.lost]


def test_result_that_is_none_can_win():
    """Who has won tells it from nothing."""
    run = contest(lambda brief: None).run()

    assert (None, "lambda", []) == (run.state.answer, run.state.who, run.state.lost)


def test_accept_that_raises_ends_the_run():
    """A mistake in it must not pass for a result that was not acceptable."""
    with pytest.raises(gn.NodeException, match="function for accept raised ZeroDivisionError") as caught:
        contest(quick, soon, accept=lambda result: 1 / 0).run()

    assert ("ask", ZeroDivisionError) == (caught.value.node, type(caught.value.__cause__))


def test_accept_that_says_nothing_clear_ends_the_run():
    """A generator is true whatever it yields."""
    with pytest.raises(gn.NodeException, match="want True or False"):
        contest(quick, accept=lambda result: iter([False])).run()


def test_each_candidate_has_a_brief_of_its_own():
    """What one changes, another does not see."""
    seen = []

    def greedy(brief: list[int]) -> int:
        seen.append(list(brief))
        brief.clear()
        return 0

    contest(greedy, greedy, greedy, brief=[1, 2], accept=lambda result: False, concurrency=1).run()

    assert [[1, 2]] * 3 == seen


def test_brief_may_be_a_function_of_the_state():
    """It is asked once."""
    assert "quick: HOW FAR?" == contest(quick, brief=lambda s: s.question.upper()).run().state.answer


def test_unset_brief_is_told():
    """By the field that has none."""

    class Late(gn.State):
        question: str = gn.UNSET
        answer: str | None = None

    graph = gn.Graph(Late, entry="ask")
    graph.race("ask", [quick], brief="question", into="answer", to=gn.END)

    with pytest.raises(gn.UnsetField, match="takes its brief from field 'question', which is unset"):
        graph.run()


def test_graph_stops_at_its_next_node():
    """The run tells how far it had come, and its log does not grow any more."""
    won = threading.Event()
    runner = gn.Graph(Runner, entry="first", name="runner")

    @runner.node(to="second")
    def first(s: Any) -> dict[str, Any]:
        assert won.wait(SECONDS)
        return {"steps": 1}

    @runner.node(to=gn.END)
    def second(s: Any) -> dict[str, Any]:
        raise AssertionError("it was stopped before")

    def winner(brief: Any) -> str:
        won.set()
        return "won"

    run = contest(runner, winner).run()

    assert "won" == run.state.answer
    assert "ask[runner]/second" not in [step.path for step in run.steps]
    (made,) = [step.instances for step in run.steps if step.node == "ask"]
    assert (1,) == fates_of(made).finished


def test_graph_may_win():
    """By what is in its field `result`; its steps are told under its name."""
    runner = gn.Graph(Runner, entry="run", name="runner")
    runner.node("run", lambda s: {"result": f"ran: {s.brief}"}, to=gn.END)
    run = contest(runner).run()

    assert ("ran: how far?", "runner") == (run.state.answer, run.state.who)
    assert ["ask", "ask[runner]/run"] == [step.path for step in run.steps]


def test_interrupt_is_no_result():
    """It cannot be asked from within a race; the candidate has lost."""
    run = contest(lambda brief: gn.interrupt("go on?"), quick, concurrency=1).run()

    assert ("quick", "InvalidUpdate") == (run.state.who, run.state.lost[0]["error"].partition(":")[0])


def test_fields_that_are_not_named_receive_nothing():
    """Each output is an option by itself."""
    run = contest(quick, into=None, winner_into=None).run()

    assert (None, None, []) == (run.state.answer, run.state.who, run.state.lost)


def test_observers_are_told_of_the_node_and_of_graphs_within():
    """A function has no events of its own."""
    events = []
    runner = gn.Graph(Runner, entry="run", name="runner")
    runner.node("run", lambda s: {"result": 1}, to=gn.END)
    graph = contest(runner, concurrency=1)
    graph.run(observers=[events.append])
    graph.drain()

    assert [("ask", "started"), ("ask/run", "started"), ("ask/run", "completed"), ("ask", "completed")] == [
        ("/".join(event.lineage.namespace), event.phase) for event in events
    ]


def test_middleware_is_around_the_race_as_a_whole():
    """It sees one update."""
    seen = []

    def look(s: Any, following: Any) -> Any:
        seen.append(update := following(s))
        return update

    contest(quick, middleware=look).run()

    assert [{"answer": "quick: how far?", "who": "quick", "lost": []}] == seen


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_is_given_after_somebody_has_won_does_not_count(driver):
    """Neither from a clean-up nor from a function that was slower, wherever its candidate is named."""

    async def drafts(brief: Any) -> str:
        try:
            await asyncio.sleep(SECONDS)
        except asyncio.CancelledError:
            return "draft"
        return "late"

    run = drive(contest(drafts, soon), driver)

    assert ("soon", []) == (run.state.who, run.state.lost)


@pytest.mark.parametrize("driver", DRIVERS)
def test_slower_plain_function_does_not_win_while_others_clean_up(driver):
    """However long the clean-up takes, which is waited for to its end."""
    cleaned = []
    finished = threading.Event()

    def slow(brief: Any) -> str:
        time.sleep(0.15)
        finished.set()
        return "slow"

    def first(brief: Any) -> str:
        time.sleep(0.05)
        return "first"

    async def cleans(brief: Any) -> None:
        try:
            await asyncio.sleep(SECONDS)
        finally:
            await asyncio.sleep(0.4)
            cleaned.append(1)

    run = drive(contest(slow, first, cleans), driver)

    assert ("first", [1]) == (run.state.answer, cleaned)
    assert finished.wait(SECONDS)
