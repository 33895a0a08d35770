"""A product that is wrong does not get through: these break it on purpose."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import graphnb as gn
from tests.conformance.written import FAN_OUT, REFUSED, SOUND, changed, reason_of


def test_outcome_that_depends_on_the_way_of_running_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If awaiting a run starts it from another state, the case says in which ways it fails and that they differ."""
    arun = gn.Graph.arun

    async def other(self: gn.Graph, state: Any = None, /, **fields: Any) -> gn.Run:
        return await arun(self, state, **{**fields, "log": ["other"]})

    monkeypatch.setattr(gn.Graph, "arun", other)
    reason = reason_of(tmp_path, SOUND)

    assert "(only with graph.arun, async def nodes; graph.arun, def nodes)" in reason
    assert "run 2 (graph.arun, async def nodes) differs from the first (graph.run, def nodes).state.log" in reason


def test_order_that_the_run_makes_up_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reported order is held against the bodies that were entered."""
    monkeypatch.setattr(gn.Trace, "execution_order", property(lambda self: ("crack", "whisk", "whisk")))
    reason = reason_of(tmp_path, changed(SOUND, "[crack, whisk]", "[crack, whisk, whisk]"))

    assert "reports that it entered ['crack', 'whisk', 'whisk'], but the bodies were entered in the order" in reason


def test_product_that_breaks_down_fails_the_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that no contract knows is a failed case with its text, wherever it comes from."""

    def broken(self: object, *_: object, **__: object) -> None:
        raise ZeroDivisionError("the engine divided")

    with monkeypatch.context() as patched:
        patched.setattr(gn.Graph, "run", broken)
        assert "the run failed, which is not expected: ZeroDivisionError: the engine divided" in reason_of(
            tmp_path, SOUND
        )
    with monkeypatch.context() as patched:
        patched.setattr(gn.Graph, "compile", broken)
        assert "got ZeroDivisionError: the engine divided" in reason_of(tmp_path, REFUSED)
    with monkeypatch.context() as patched:
        patched.setattr(gn.Trace, "steps", property(broken))
        assert "an unexpected ZeroDivisionError: the engine divided" in reason_of(tmp_path, SOUND)


def test_error_that_is_raised_too_late_is_no_compile_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that compiles although it must be refused fails, even if running it would raise that category."""
    monkeypatch.setattr(gn.Graph, "compile", lambda self: None)

    assert "expected 'dangling_edge', but the graph compiled" in reason_of(tmp_path, REFUSED)


def test_fan_out_without_a_bound_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product that starts every instance at once is found out."""
    fan_out = gn.Graph.fan_out

    def unbounded(self: gn.Graph, name: str, worker: Any, /, **options: Any) -> None:
        fan_out(self, name, worker, **{**options, "concurrency": None})

    monkeypatch.setattr(gn.Graph, "fan_out", unbounded)

    assert "concurrency_invariant: expected at most 2 in flight, got 3" in reason_of(tmp_path, FAN_OUT)


def test_warning_that_is_not_expected_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`expected_compile_warning: []` is exhaustive."""
    compile_graph = gn.Graph.compile

    class Doubtful(UserWarning):
        category = "doubtful_reducer"

    def warning(self: gn.Graph) -> gn.CompiledGraph:
        warnings.warn("look out", Doubtful, stacklevel=1)
        return compile_graph(self)

    text = changed(SOUND, "expected:", "expected_compile_warning: []\nexpected:")
    assert "" == reason_of(tmp_path, text)
    monkeypatch.setattr(gn.Graph, "compile", warning)

    assert "expected_compile_warning: expected [], got ['doubtful_reducer']" == reason_of(tmp_path, text)


def test_warning_while_running_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python warns of a coroutine that nobody awaited: such a run is not in order."""
    run = gn.Graph.run

    def warning(self: gn.Graph, *state: Any, **fields: Any) -> gn.Run:
        warnings.warn("coroutine was never awaited", RuntimeWarning, stacklevel=1)
        return run(self, *state, **fields)

    monkeypatch.setattr(gn.Graph, "run", warning)

    assert "the run gave a warning of the category RuntimeWarning (only with graph.run" in reason_of(tmp_path, SOUND)
