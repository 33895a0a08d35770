"""What a user holds after a graph has run."""

import sys
import uuid
from typing import Annotated, Any

import pytest

import graphnb as gn


class Diary(gn.State):
    n: int = 0
    items: list[Any] = []
    log: Annotated[list[Any], gn.append] = []

    @property
    def double(self) -> int:
        """A property of the user's own."""
        return self.n * 2


def diary(**nodes: Any) -> gn.Graph:
    """A graph of the nodes in a line."""
    names = list(nodes)
    graph = gn.Graph(Diary, entry=names[0], name="diary")
    for name, following in zip(names, [*names[1:], gn.END], strict=True):
        graph.node(name, nodes[name], to=following)
    return graph


def mark(s: Any) -> dict[str, Any]:
    """A node that counts and writes."""
    return {"n": s.n + 1, "log": [s.n]}


def test_state_is_an_instance_of_the_users_class():
    """With its methods and properties, in every step as well; its lists are plain ones."""
    run = diary(a=mark).run(n=2)

    assert (Diary, 6) == (type(run.state), run.state.double)
    assert (Diary, 4) == (type(run.steps[0].before), run.steps[0].before.double)
    assert list is type(run.state.log)


def test_run_tells_status_steps_and_error():
    """A run that has ended well."""
    run = diary(a=mark, b=mark).run()

    assert ("done", None) == (run.status, run.error)
    assert ["a", "b"] == [step.path for step in run.steps]
    assert run.trace.steps == run.steps


def test_state_that_was_handed_out_is_the_callers_own():
    """Changing it changes neither the run nor what was passed in."""
    mine = [[1], {"k": [2]}]
    run = diary(a=mark).run(items=mine)
    run.state.items[0].append("x")
    run.state.items[1]["k"].clear()
    run.state.log.append("x")

    assert ([[1], {"k": [2]}], [0]) == (run.state.items, run.state.log)
    assert [[1], {"k": [2]}] == mine == run.steps[0].before.items


def test_what_a_node_returned_may_be_changed_afterwards():
    """The record holds its own copy."""
    kept = [[1]]
    run = diary(a=lambda s: {"items": kept, "log": kept}).run()
    kept[0].append("x")
    kept.append("x")

    assert ([[1]], [[1]]) == (run.state.items, run.state.log)


def test_run_twice_gives_the_same():
    """Defaults are made anew, also under a reducer that changes its first argument."""

    def extending(prior: list[str], update: list[str]) -> list[str]:
        prior.extend(update)
        return prior

    class Own(gn.State):
        log: Annotated[list[str], extending] = ["default"]

    graph = gn.Graph(Own, entry="a")
    graph.node("a", lambda s: {"log": ["a"]}, to=gn.END)
    first, second = graph.run(), graph.run()

    assert ["default", "a"] == first.state.log == second.state.log
    assert ["default"] == Own().log == first.steps[0].before.log


def test_runs_are_equal_by_what_happened():
    """Ids do not count; start, writes and status do. Equal runs have equal hashes."""
    graph = diary(a=mark)
    one, same, other = graph.run(), graph.run(), graph.run(n=5)

    assert one == same != other
    assert hash(one) == hash(same)
    assert {one} == {one, same}
    assert one != "run"


def test_run_ids_are_random_uuids():
    """They name runs, and stand in no text."""
    one, other = diary(a=mark).run(), diary(a=mark).run()

    assert one.run_id != other.run_id
    assert 4 == uuid.UUID(one.run_id).version
    assert one.run_id not in repr(one) + str(one._repr_mimebundle_())


def test_steps_are_made_once_and_states_are_the_callers_own():
    """Going over the steps by number costs no walk through the log each time."""
    run = diary(a=mark, b=mark).run()

    assert run.steps is run.steps
    assert run.state is not run.state
    assert run.state == run.trace.state


def test_parts_of_a_run_cannot_be_set():
    """A run never changes."""
    run = diary(a=mark).run()
    for name in ("run_id", "trace", "state", "status", "error", "steps"):
        with pytest.raises(AttributeError):
            setattr(run, name, None)


def test_text_names_graph_status_and_length():
    """Short and without address, whatever the state holds."""
    assert "<Run of 'diary': done, 1 step>" == repr(diary(a=mark).run())
    assert "<Run of 'diary': done, 2 steps>" == repr(diary(a=mark, b=mark).run())
    with pytest.raises(gn.NodeException) as caught:
        diary(a=mark, b=lambda s: 1 / 0).run()

    assert "<Run of 'diary': failed, 1 step>" == repr(caught.value.run)


def test_texts_of_a_huge_state_are_bounded():
    """Run, steps, deltas and errors: a state of twenty megabytes does not flood the output."""
    huge = ["x" * 1_000_000] * 20 + list(range(100_000))
    run = diary(a=lambda s: {"items": huge, "log": huge}).run()
    with pytest.raises(gn.RunError) as caught:
        diary(a=lambda s: {"n": huge}).run()
    shown = [run, run.steps[0], run.steps[0].deltas[0], run.trace, caught.value, str(caught.value), caught.value.run]

    assert all(len(repr(each)) < 5000 for each in shown)
    assert all(len(text) < 100_000 for text in run._repr_mimebundle_().values())


def test_value_that_holds_itself_is_shown():
    """Nothing recurses for ever."""
    items: list[Any] = [1]
    items.append(items)
    run = diary(a=lambda s: {"log": [items]}).run()

    assert "<Run of 'diary': done, 1 step>" == repr(run)
    assert run._repr_mimebundle_()["text/plain"]


def test_table_drawing_and_page_come_from_the_trace(tmp_path):
    """`diff`, `draw` and `to_html` show what happened."""
    run = diary(a=mark, b=mark).run()
    page = run.to_html(tmp_path / "run.html")

    assert [0, 1] == sorted({row[0] for row in run.diff(field="n").data.index})
    assert "diary" in page.read_text(encoding="utf-8")
    assert tmp_path / "run.html" == page == run.to_html(str(page))
    assert "text/html" in run.draw()._repr_mimebundle_()


def test_display_is_the_same_every_time():
    """Two equal runs look the same, to the letter."""
    graph = diary(a=mark, b=mark)

    assert graph.run()._repr_mimebundle_() == graph.run()._repr_mimebundle_()


def test_run_of_many_steps_can_be_shown():
    """The recursion limit is no bound for the number of steps."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.branch("a", lambda s: "a" if s.n < 3 * sys.getrecursionlimit() else gn.END, to=("a", gn.END))
    run = graph.run()

    assert 3 * sys.getrecursionlimit() == len(run.steps)
    assert run._repr_mimebundle_()["text/plain"]
