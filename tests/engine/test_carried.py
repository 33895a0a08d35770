"""StopIteration of user code, which the generators and coroutines of the engine could not raise."""

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.carried import Carried, call_carrying, call_plainly, carry, raised_of
from tests.engine.driven import DRIVERS, drive, watch

YES: Any = lambda error, state: True  # noqa: E731  named, to be short in the table


class Diary(gn.State):
    log: Annotated[list[Any], gn.append] = []
    problems: list[dict[str, str]] = []


def stop(*given: Any) -> Any:
    """Any function that raises StopIteration, as `next` of an empty iterator does."""
    raise StopIteration("out")


def write(s: Any) -> dict[str, Any]:
    """A node that works."""
    return {"log": ["x"]}


def fail(s: Any) -> dict[str, Any]:
    """A node that fails in another way."""
    raise ValueError("no")


def passes(s: Any, following: Any) -> Any:
    """Plain middleware that does nothing."""
    return following(s)


async def passes_later(s: Any, following: Any) -> Any:
    """Asynchronous middleware that does nothing."""
    return await following(s)


def line(node: Any, *middleware: Any) -> gn.Graph:
    """A graph of one node."""
    graph = gn.Graph(Diary, entry="a", middleware=middleware)
    graph.node("a", node, to=gn.END)
    return graph


def routed(*middleware: Any) -> gn.Graph:
    """A graph whose router raises."""
    graph = gn.Graph(Diary, entry="a", middleware=middleware)
    graph.node("a", write)
    graph.branch("a", stop)
    return graph


def folded(*middleware: Any) -> gn.Graph:
    """A graph whose reducer raises."""

    class Count(gn.State):
        n: Annotated[int, stop] = 0

    graph = gn.Graph(Count, entry="a", middleware=middleware)
    graph.node("a", lambda s: {"n": 1}, to=gn.END)
    return graph


def fan(worker: Any, *middleware: Any, **options: Any) -> gn.Graph:
    """A graph of a fan-out."""
    graph = gn.Graph(Diary, entry="a")
    given = {"count": 2, "into": "log", "to": gn.END, "instance_middleware": middleware, **options}
    graph.fan_out("a", worker, **given)
    return graph


def parallel(branch: Any, *middleware: Any, **options: Any) -> gn.Graph:
    """A graph of parallel branches, of which one works."""
    graph = gn.Graph(Diary, entry="a")
    one = gn.ParallelBranch(branch, middleware=middleware, **options)
    graph.branches("a", {"left": one, "right": write}, to=gn.END)
    return graph


NODE = [gn.NodeException, StopIteration]
EDGE = [gn.EdgeException, StopIteration]
REDUCER = [gn.ReducerError, StopIteration]
INSTANCE = [gn.NodeException, gn.NodeException, StopIteration]
BRANCH = [gn.ParallelBranchesBranchFailed, gn.NodeException, StopIteration]
CASES: list[tuple[str, Any, list[type]]] = [
    ("node", lambda: line(stop), NODE),
    ("node in plain middleware", lambda: line(stop, passes), NODE),
    ("node in asynchronous middleware", lambda: line(stop, passes_later), NODE),
    ("node in a chain", lambda: line(stop, passes, passes_later, passes), NODE),
    ("node in retry", lambda: line(stop, gn.retry(2, classifier=YES, backoff=0)), NODE),
    ("node in timing", lambda: line(stop, gn.timing(id)), NODE),
    ("middleware", lambda: line(write, stop), NODE),
    ("inner middleware", lambda: line(write, passes_later, stop), NODE),
    ("classifier", lambda: line(fail, gn.retry(2, classifier=stop)), NODE),
    ("backoff", lambda: line(fail, gn.retry(2, classifier=YES, backoff=stop)), NODE),
    ("on_retry", lambda: line(fail, gn.retry(2, classifier=YES, backoff=0, on_retry=stop)), NODE),
    ("on_complete", lambda: line(write, gn.timing(stop)), NODE),
    ("clock", lambda: line(write, gn.timing(id, clock=stop)), NODE),
    ("degraded update", lambda: line(fail, gn.failure_isolation(stop, event_name="e")), NODE),
    ("predicate", lambda: line(fail, gn.failure_isolation({}, event_name="e", predicate=stop)), NODE),
    ("on_caught", lambda: line(fail, gn.failure_isolation({}, event_name="e", on_caught=stop)), NODE),
    ("router", routed, EDGE),
    ("router in middleware", lambda: routed(passes), EDGE),
    ("reducer", folded, REDUCER),
    ("reducer in middleware", lambda: folded(passes), REDUCER),
    ("instance", lambda: fan(stop), NODE),
    ("one instance at a time", lambda: fan(stop, concurrency=1), NODE),
    ("instance in plain middleware", lambda: fan(stop, passes), NODE),
    ("instance in asynchronous middleware", lambda: fan(stop, passes_later), NODE),
    ("middleware of an instance", lambda: fan(id, stop), NODE),
    ("graph of an instance", lambda: fan(line(stop), passes, collect="log"), INSTANCE),
    ("count", lambda: fan(id, count=stop), NODE),
    ("branch", lambda: parallel(stop), BRANCH),
    ("branch in middleware", lambda: parallel(stop, passes, passes_later), BRANCH),
    ("graph of a branch", lambda: parallel(line(stop), outputs={}), BRANCH),
    ("when", lambda: parallel(write, when=stop), NODE),
]


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize(("graph", "kinds"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_stop_iteration_of_user_code_is_the_cause_itself(how, graph, kinds):
    """Wherever it was raised: nothing is put in between, for the caller and for observers."""
    driven = watch(graph(), how)
    told: list[type] = []
    error = driven.error
    while error is not None:
        told.append(type(error))
        error = error.__cause__

    assert kinds == told
    assert "StopIteration: out" in str(driven.error)
    assert not [each for each in driven.of("completed") if "RuntimeError" in str(each.error)]


@pytest.mark.parametrize("how", DRIVERS)
def test_middleware_sees_what_was_raised(how):
    """Plain middleware, and callbacks, with the error itself; asynchronous code as Python has it."""
    seen: list[Any] = []

    def catches(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except StopIteration as error:
            seen.append(error)
            raise

    async def catches_later(s: Any, following: Any) -> Any:
        try:
            return await following(s)
        except RuntimeError as error:
            seen.append(error)
            raise

    def classify(error: Exception, state: Any) -> bool:
        seen.append(error)
        return True

    isolation = gn.failure_isolation(
        {"log": ["instead"]}, event_name="e", predicate=lambda error: not seen.append(error)
    )
    retry = gn.retry(2, classifier=classify, backoff=0, on_retry=lambda error, attempt: seen.append(error))
    graph = line(stop, isolation, retry, catches_later, catches)
    run = drive(graph, how)

    attempt = [StopIteration, RuntimeError, StopIteration]
    assert [*attempt, StopIteration, *attempt] == [
        RuntimeError if isinstance(each, Carried) else type(each) for each in seen
    ]
    assert ["instead"] == run.state.log
    assert [StopIteration, StopIteration] == [type(each) for each in run.steps[0].failures]


@pytest.mark.parametrize("how", DRIVERS)
def test_plain_middleware_beside_asynchronous_code_sees_what_was_raised(how):
    """What follows is asynchronous, and the error comes from plain middleware in it."""
    seen: list[Any] = []

    async def node(s: Any) -> dict[str, Any]:
        return {}

    def catches(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except StopIteration as error:
            seen.append(error)
            return {"log": ["instead"]}

    assert ["instead"] == drive(line(node, catches, stop), how).state.log
    assert 1 == len(seen)


def test_other_errors_are_carried_as_they_are():
    """Also those of generators that are the user's own."""
    own, mine = ValueError("no"), RuntimeError("generator raised StopIteration")

    assert (own, mine) == (carry(own), raised_of(carry(mine)))
    assert "x" == call_carrying(str, "x") == call_plainly(str, "x")
    with pytest.raises(StopIteration):
        call_plainly(call_carrying, stop)
