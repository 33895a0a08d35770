"""Runs that are kept: pickled and read again, they show what they showed."""

import copy
import pickle
from typing import Annotated, Any

import pytest

import graphnb as gn


class Text(gn.State):
    words: list[str] = []
    letters: Annotated[list[str], gn.concat_flatten] = []
    counts: Annotated[dict[str, int], gn.merge_all] = {}
    log: Annotated[list[Any], gn.append] = ["start"]
    late: int = gn.UNSET


class Busy(Exception):
    category = "provider_unavailable"


class Coded(Exception):
    """Can be written by pickle, and not read."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def spell(word: str) -> dict[str, Any]:
    """A worker."""
    return {"letters": list(word), "counts": {word: len(word)}}


def fail(given: Any, error: Exception | None = None) -> Any:
    """A node or worker that fails."""
    raise error or Busy("no luck")


def spread(worker: Any = spell, **options: Any) -> gn.Graph:
    """A fan-out and a node."""
    graph = gn.Graph(Text, entry="each", name="text")
    graph.fan_out(
        "each", worker, over="words", collect="letters", into="letters", extra_outputs={"counts": "counts"},
        to="judge", **options,
    )  # fmt: skip
    graph.node("judge", lambda s: {"log": [{"n": len(s.letters)}], "counts": gn.Replace({})}, to=gn.END)
    return graph


def nested(*, error: Exception | None = None) -> gn.Graph:
    """A node that fails within a subgraph."""
    child = gn.Graph(Text, entry="x", name="child")
    child.node("x", lambda s: fail(s, error), to=gn.END)
    graph = gn.Graph(Text, entry="outer", name="parent")
    graph.subgraph("outer", child, inputs={"words": "words"}, to=gn.END)
    return graph


def degraded() -> gn.Graph:
    """A node that is tried again, and then replaced."""
    layers = [gn.failure_isolation({"log": ["lost"]}, event_name="lost"), gn.retry(2, backoff=0)]
    graph = gn.Graph(Text, entry="x", name="degraded")
    graph.node("x", fail, middleware=layers, to=gn.END)
    return graph


def growing() -> gn.Graph:
    """A node that reads a growing list of dicts from its end, again and again."""
    graph = gn.Graph(Text, entry="x", name="growing")
    graph.node("x", lambda s: {"log": [{"n": len(s.log), "last": s.log[-1]}]})
    graph.branch("x", lambda s: "x" if len(s.log) < 20 else gn.END, to=("x", gn.END))
    return graph


def ended(graph: gn.Graph) -> gn.Run:
    """The run, also if it has failed."""
    try:
        return graph.run(words=["see", "a"])
    except gn.RunError as error:
        return error.run


RUNS: dict[str, Any] = {
    "done": lambda: ended(spread()),
    "failed in an instance": lambda: ended(spread(fail)),
    "failed within": lambda: ended(nested()),
    "degraded": lambda: ended(degraded()),
    "growing": lambda: ended(growing()),
    "waiting": lambda: spread().session(words=["a"]).run,
}


@pytest.mark.parametrize("make", RUNS.values(), ids=RUNS)
def test_run_that_was_pickled_shows_what_it_showed(make):
    """Its steps, changes, state, drawing, ids and error, though the functions of its graph stay behind."""
    run = make()
    again = pickle.loads(pickle.dumps(run))

    assert run == again
    assert repr(run.diff()) == repr(again.diff())
    assert run._repr_mimebundle_() == again._repr_mimebundle_()
    assert (run.state, run.trace.start, run.run_id) == (again.state, again.trace.start, again.run_id)
    assert "late" not in again.state
    assert [repr(step) for step in run.steps] == [repr(step) for step in again.steps]
    assert repr(run.error) == repr(again.error)


def test_error_that_was_pickled_has_its_cause_and_its_run():
    """As before."""
    with pytest.raises(gn.NodeException) as caught:
        nested().run()
    again = pickle.loads(pickle.dumps(caught.value))

    assert "Busy('no luck')" == repr(again.__cause__)
    assert again is again.run.error
    assert "provider_unavailable" == gn.causes_of(again).category


def test_run_that_is_continued_after_pickling_its_state_needs_no_run():
    """The state is the user's own."""
    state = pickle.loads(pickle.dumps(ended(spread()).state))

    assert ["s", "e", "e", "a", "a"] == spread().run(state.model_copy(update={"words": ["a"]})).state.letters


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda error: nested(error=error), "outer/x"),
        (lambda error: spread(lambda word: fail(word, error)), "each"),
    ],
    ids=["node", "instance"],
)
def test_run_with_an_error_that_cannot_be_read_again_is_refused(make, path):
    """When it is written, and not when it is too late. A copy is no matter: nothing changes a run."""
    run = ended(make(Coded(7, "no luck")))
    with pytest.raises(TypeError) as caught:
        pickle.dumps(run)

    told = str(caught.value)
    assert run is copy.copy(run) is copy.deepcopy(run)
    assert f"run of {run.trace.topology.name!r}, node '{path}': its Coded cannot be pickled (TypeError: " in told
    assert told.endswith("\nGive its class a __reduce__, or keep what there is to see: run.to_html('run.html').")
