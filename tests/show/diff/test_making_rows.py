"""The rows of super-steps in which several nodes ran, asked, failed or were dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.errors import GraphError
from graphnb.show.diff.making_rows import rows_of
from graphnb.show.diff.rows import Row
from graphnb.show.diff.table import diff_of
from graphnb.show.ending import ending_html, ending_text
from graphnb.trace.log import Commit, Log, Open
from graphnb.trace.trace import Trace
from tests.documents import gives, graph, written
from tests.show.pages import KEPT_ATTRIBUTES, KEPT_STYLES, KEPT_TAGS, checked, words
from tests.show.supersteps import (
    Desk,
    asking,
    broken,
    diamond,
    fails,
    logs,
    mixed,
    run_of,
    stalled,
    three_writers,
    twelve,
    two_asking,
)
from tests.traces import Made

Make = Callable[[], gn.Graph]


def answered() -> Trace:
    """A run that has asked, and went on with an answer."""
    return run_of(asking()).resume(["yes"]).trace


def cells(trace: Trace) -> list[tuple[int, str, str]]:
    """Number, node and field of each row."""
    return [(row.number, row.path, row.field) for row in rows_of(trace)]


def row_of(trace: Trace, path: str, field: str) -> Row:
    """The one row with this node and field."""
    (row,) = [each for each in rows_of(trace) if (each.path, each.field) == (path, field)]
    return row


def failed_at_once(*failing: str) -> Trace:
    """A run whose very first step has several nodes, of which these fail."""
    functions = {name: gives({"log": name}) for name in "abc"} | dict.fromkeys(failing, refuses)
    document = written("a", "b", "c", edges={name: {"from": "$start", "to": name} for name in "abc"})
    with pytest.raises(gn.RunError) as failed:
        graph(document, **functions).run()
    return failed.value.run.trace


def refuses(view: Any, context: Any) -> Any:
    """Fail always."""
    raise ValueError("no such page")


def test_nodes_of_a_first_step_that_failed_stand_together() -> None:
    """As those of any other: under one heading, and it is told whose fault it was."""
    trace = failed_at_once("b")
    page = words(diff_of(trace)._repr_html_())

    assert "0 a, c ⊘ dropped · b ✗ failed" in page
    assert 2 == page.count("finished, but what it wrote was dropped: 'b' failed")
    assert "in the same step: what 'a' and 'c' wrote was dropped" == words(ending_html(trace))
    assert ["in the same step: 'b' failed as well; what 'c' wrote was dropped"] == ending_text(failed_at_once("a", "b"))


def test_branch_that_was_overwritten_is_told_by_more_than_a_colour() -> None:
    """The same, and who has overwritten it."""
    lanes = gn.Graph(Desk, entry="both", name="lanes")
    lanes.branches("both", {"x": lambda s: {"verdict": "x"}, "y": lambda s: {"verdict": "y"}}, to=gn.END)
    diff = diff_of(run_of(lanes).trace)

    assert '<del style="border:1px dashed #8B8B8B">&#x27;x&#x27;</del>' in diff._repr_html_()
    assert "overwritten in this step by branch y" in words(diff._repr_html_())
    assert "⊗'x' overwritten" in repr(diff)


def beside(*, stopped: bool) -> Trace:
    """A run in whose second step one node has finished, and another has not."""
    made = Made(Desk).step("plan", {"log": ["plan"]}, "quick")
    quick, slow = (Log("g", made.schema, made.values, first=1) for _ in range(2))
    quick.commits.append(Commit("quick", ()))
    slow.open = Open(0, "slow", stopped=stopped)
    made.log.open = Open(1, "quick, slow", lanes=(quick, slow), stopped=stopped)
    return made.trace("cancelled" if stopped else "running")


def two(**updates: dict[str, Any]) -> gn.Graph:
    """A graph that forks into nodes which write these updates."""
    graph = gn.Graph(Desk, entry="plan", name="two")
    graph.node("plan", logs("plan"), to=tuple(updates))
    for name, update in updates.items():
        graph.node(name, lambda s, update=update: update, to=gn.END)
    return graph


@pytest.mark.parametrize("make", [diamond, three_writers, asking, two_asking, broken, mixed, twelve, stalled])
def test_table_is_as_stored(make: Make, golden: Callable[[str, str], None]) -> None:
    """As text and as HTML, to be read in review."""
    diff = diff_of(run_of(make()).trace)

    golden(f"super-{make.__name__}-diff.txt", f"{diff!r}\n")
    golden(f"super-{make.__name__}-diff.html", diff.html())


def test_table_of_an_answered_run_is_as_stored(golden: Callable[[str, str], None]) -> None:
    """The question, the answer and what the node wrote then."""
    golden("super-answered-diff.txt", f"{diff_of(answered())!r}\n")
    golden("super-answered-diff.html", diff_of(answered()).html())


@pytest.mark.parametrize("make", [diamond, three_writers, asking, broken, mixed, twelve])
def test_table_survives_front_ends_that_trust_nothing(make: Make) -> None:
    """Elements, attributes and styles are such as they keep."""
    page = checked(diff_of(run_of(make()).trace).html())
    names = {style.partition(":")[0] for style in page.styles if style}

    assert page.tags <= KEPT_TAGS
    assert page.attributes <= KEPT_ATTRIBUTES
    assert names <= set(KEPT_STYLES)


def test_field_that_several_nodes_wrote_is_one_row() -> None:
    """Its node column names all of them in the order of the fold; none of them has a row that says it wrote nothing."""
    trace = run_of(diamond()).trace

    assert [
        (0, "plan", "log"),
        (0, "plan", "facts"),
        (1, "ask, read", "log"),
        (1, "ask, read", "facts"),
        (1, "ask, read", "score"),
        (1, "ask, read", "cost"),
        (2, "write", "log"),
        (2, "write", "verdict"),
    ] == cells(trace)


def test_own_fields_come_before_shared_ones() -> None:
    """A node that wrote nothing at all still says so."""
    graph = two(ann={"log": ["ann"], "verdict": "good"}, bob={"log": ["bob"]}, cyd={})

    assert [(1, "ann", "verdict"), (1, "cyd", ""), (1, "ann, bob", "log")] == cells(run_of(graph).trace)[1:]


def test_rows_of_one_super_step_stand_under_one_number() -> None:
    """In text the number stands once, in HTML one heading names all nodes with where they led."""
    diff = diff_of(run_of(three_writers()).trace)
    lines = [line for line in repr(diff).splitlines() if line.startswith("1 ")]

    assert 1 == len(lines)
    assert "1 ann, bob, cyd → END" in words(diff.html()).replace("\xa0", "")


def test_what_ran_inside_comes_after_all_nodes_of_the_super_step() -> None:
    """So numbers never go back."""
    numbers = [number for number, *_ in cells(run_of(mixed()).trace)]

    assert numbers == sorted(numbers)
    assert [(1, "each, note", "notes"), (1, "note, sub", "log"), (2, "each[0]/look", "notes")] == cells(
        run_of(mixed()).trace
    )[1:4]
    assert (6, "sub/left, right", "log") in cells(run_of(mixed()).trace)


def test_what_ran_inside_of_a_node_that_failed_comes_after_its_step_too() -> None:
    """Also where it has the first entry of all."""
    inner = gn.Graph(Desk, entry="x", name="inner")
    inner.node("x", logs("x"), to="y")
    inner.node("y", fails, to=gn.END)
    graph = gn.Graph(Desk, entry="plan", name="deep")
    graph.node("plan", logs("plan"), to=("a_sub", "b_sub", "c"))
    graph.subgraph("a_sub", inner, to=gn.END)
    graph.subgraph("b_sub", diamond(), to=gn.END)
    graph.node("c", logs("c"), to=gn.END)
    found = cells(run_of(graph).trace)

    assert [(1, "a_sub", "(error)"), (1, "b_sub", "(dropped)"), (1, "c", "(dropped)")] == found[1:4]
    assert (2, "a_sub/x", "log") in found[4:]
    assert "b_sub/ask, read" in [path for _, path, _ in found[4:]]


def test_written_shows_each_contribution_with_its_writer() -> None:
    """As a tag before it, in the order of the fold, a line for each."""
    trace = run_of(diamond()).trace
    text, html = repr(diff_of(trace, field="log")), words(diff_of(trace, field="log").html())

    assert [["ask"], ["read"]] == row_of(trace, "ask, read", "log").written
    assert "ask: ['ask']" in text
    assert "read: ['read']" in text
    assert "ask: from node ask" in text
    assert "ask ['ask'] read ['read']" in html


def test_fold_tells_which_writer_gave_which_element() -> None:
    """Of lists that grow, of the keys of a dict, and of what was left out or overwritten."""
    html = words(diff_of(run_of(diamond()).trace, step=1).html())

    assert "['plan' ask 'ask' read 'read' ]" in html
    assert "ask 'ebb and flow' read 'the sea is salt', 'the moon pulls' already there ]" in html
    assert "ask 'ask': 5, 'deep': 4 overwritten read 'deep': 1, 'read': 2 }" in html
    assert "1 overwritten by another node" in html


def test_elements_of_no_known_writer_stand_on_a_line_of_their_own() -> None:
    """They must not read as if the writer before them had given them."""

    def sort(before: list[int], written: list[int]) -> list[int]:
        return sorted(before + written)

    class Sorted(gn.State):
        numbers: Annotated[list[int], sort] = [5]

    graph = gn.Graph(Sorted, entry="plan", name="sorted")
    graph.node("plan", lambda s: {}, to=("a", "b"))
    graph.node("a", lambda s: {"numbers": [7]}, to=gn.END)
    graph.node("b", lambda s: {"numbers": [3]}, to=gn.END)
    diff = graph.run().diff(step=1)

    assert ["b: ⊕3", "5", "a: ⊕7]"] == [
        next(part for part in line.split("  ") if part.strip() in ("b: ⊕3", "5", "a: ⊕7]")).strip()
        for line in repr(diff).splitlines()[3:6]
    ]


def test_sum_tells_what_each_writer_added() -> None:
    """Of many only how many there were; also a single one."""
    assert "added 4" == row_of(run_of(two(ann={"cost": 4}, bob={})).trace, "ann", "cost").change
    many = two(**{f"n{i}": {"cost": i} for i in range(5)})

    assert "added 4 + 3" == row_of(run_of(diamond()).trace, "ask, read", "cost").change
    assert "added 5 numbers" == row_of(run_of(many).trace, "n0, n1, n2, n3, n4", "cost").change


def test_losers_are_struck_out_and_told() -> None:
    """In the column of what was written, within a dashed border, and in words: never by a colour alone."""
    diff = diff_of(run_of(three_writers()).trace, field="verdict", step=1)

    assert "changed; 'ann' and 'bob' lost" == diff.rows[0].change
    assert "changed; 'ann' and 'bob' lost" in words(diff.html())
    assert "changed; 'ann' and" in repr(diff)
    assert '<del style="border:1px dashed #8B8B8B">&#x27;ann says yes&#x27;</del>' in diff.html()
    assert "ann: ⊗'ann says" in repr(diff)
    assert "⊗ written, not taken" in repr(diff)
    assert 2 == diff.html().count("&#x27;ann says yes&#x27;</del>") + diff.html().count(
        "&#x27;bob says yes&#x27;</del>"
    )


def test_replace_among_several_writes_is_told() -> None:
    """What came before it is lost."""
    diff = two(ann={"log": ["ann"]}, bob={"log": gn.Replace(["new"])}, cyd={"log": ["cyd"]}).run().diff(step=1)

    assert "bob: Replace(['new'])" in repr(diff)
    assert "'ann' lost" in diff.rows[0].change


def test_many_writers_are_bounded() -> None:
    """More than twelve are told by their number."""
    graph = two(**{f"n{i:02}": {"log": [f"n{i:02}"], "verdict": str(i)} for i in range(14)})
    html = words(graph.run().diff(step=1).html())

    assert "log 14 nodes" in html
    assert "… 2 more writes" in html
    assert "… of 2 more nodes (2 more)" in html
    assert "all but 'n13' lost" in html


def test_branches_beside_a_node_contribute_in_their_order() -> None:
    """Each branch of the node is a write of its own."""
    graph = gn.Graph(Desk, entry="plan", name="beside")
    graph.node("plan", logs("plan"), to=("both", "node"))
    graph.branches("both", {"left": logs("left"), "right": logs("right")}, to=gn.END)
    graph.node("node", logs("node"), to=gn.END)
    row = row_of(run_of(graph).trace, "both, node", "log")

    assert [["left"], ["right"], ["node"]] == row.written


def test_node_that_asks_has_a_row_with_field_and_question() -> None:
    """It says so while there is no answer."""
    waiting, done = run_of(asking()).trace, answered()

    assert "asks for answers: May it be printed? (no answer yet)" == row_of(waiting, "gate", "(asks)").change
    assert "asks for answers: May it be printed?" == row_of(done, "gate", "(asks)").change
    assert "1 gate ‖ asks &nbsp;·&nbsp;" not in diff_of(waiting).html()
    assert "‖ asks for answers" in repr(diff_of(waiting))
    assert "gate ‖ asks for answers: May it be printed? (no answer yet)" in words(diff_of(waiting).html())


def test_node_that_asks_alone_has_that_row_as_well() -> None:
    """A question without words is told by its field."""
    graph = gn.Graph(Desk, entry="gate", name="alone")
    graph.node("gate", lambda s: gn.interrupt("answers"), to=gn.END)

    assert [(0, "gate", "(asks)")] == cells(graph.run().trace)
    assert "asks for answers (no answer yet)" == graph.run().diff().rows[0].change


def test_answer_has_a_row_with_its_fold() -> None:
    """Under the number of the step that comes of it, apart from what the node writes then."""
    row = row_of(answered(), "gate (answer)", "answers")

    assert ("append", [], ["yes"], ["yes"]) == (row.reducer, list(row.before), list(row.written), list(row.after))
    assert (3, "gate", "log") in cells(answered())
    assert "3 gate (answer)" in words(diff_of(answered()).html()).replace("\xa0", "")
    assert 2 == len([line for line in repr(diff_of(answered(), node="gate")).splitlines() if line.startswith("3 ")])


def test_failed_super_step_has_a_row_for_each_node() -> None:
    """Its own error for each that failed; of others that their updates were dropped, and why."""
    trace = run_of(broken()).trace

    assert [
        (1, "ask", "(attempts)"),
        (1, "ask", "(error)"),
        (1, "read", "(dropped)"),
        (1, "view", "(error)"),
    ] == cells(trace)[1:]
    assert (
        "finished, but what it wrote was dropped: 'ask' and 'view' failed" == row_of(trace, "read", "(dropped)").change
    )
    html = words(diff_of(trace).html())
    assert "ask ✗ failed after 2 attempts" in html
    assert "read ⊘ dropped" in html
    assert "read ⊘ finished, but what it wrote was dropped" in html


def test_super_step_that_is_under_way_or_was_stopped() -> None:
    """Nodes that have finished are told from those that run, or ran."""
    running, stopped = (beside(stopped=each) for each in (False, True))

    assert "finished, the other nodes of the step go on" == row_of(running, "quick", "(finished)").change
    assert "finished, the other nodes of the step go on" in words(diff_of(running).html())
    change = "finished, but what it wrote was dropped: the run was stopped"
    assert change == row_of(stopped, "quick", "(dropped)").change
    assert "stopped: wrote nothing" == row_of(stopped, "slow", "(stopped)").change


def test_rows_are_found_by_each_of_their_writers() -> None:
    """And by all of them together, as the table has them."""
    trace = run_of(mixed()).trace

    assert ["notes"] == [row.field for row in diff_of(trace, node="each").rows if not row.is_inside]
    assert ["notes", "log"] == [row.field for row in diff_of(trace, node="note").rows]
    assert ["log"] == [row.field for row in diff_of(trace, node="sub/right").rows]
    assert 1 == len(diff_of(trace, node="sub/left, right").rows)
    assert ["gate", "gate (answer)", "gate"] == [row.path for row in diff_of(answered(), node="gate").rows]
    with pytest.raises(GraphError, match="no step of node 'nobody'"):
        diff_of(trace, node="nobody")


def test_data_has_one_row_for_a_shared_field() -> None:
    """Its node is all of them, `written` the list of what each wrote; the index is unique."""
    for trace in (run_of(diamond()).trace, answered(), run_of(broken()).trace, run_of(mixed()).trace):
        assert diff_of(trace).data.index.is_unique
    data = diff_of(run_of(diamond()).trace).data
    row = data.loc[(1, "ask, read", "log")]

    assert [["ask"], ["read"]] == row["written"]
    assert ["plan", "ask", "read"] == row["after"]


def test_limit_keeps_the_heading_of_the_whole_super_step() -> None:
    """However few of its rows are shown."""
    html = words(diff_of(run_of(diamond()).trace, limit=3).html())

    assert "1 ask, read → write" in html.replace("\xa0", "")


def test_source_of_a_join_says_that_it_came_to_it() -> None:
    """If the join was not taken in that step; else it led to the target as the last one did."""
    assert "2 check came to the join to print" in words(diff_of(run_of(asking()).trace).html()).replace("\xa0", "")
    assert "1 read came to the join to write" in words(diff_of(run_of(stalled()).trace).html()).replace("\xa0", "")
    assert "1 ask, read → write" in words(diff_of(run_of(diamond()).trace).html()).replace("\xa0", "")


def test_heading_of_many_nodes_is_bounded() -> None:
    """It tells how many there are more."""
    graph = two(**{f"n{i:02}": {"log": [str(i)]} for i in range(20)})

    assert "… 4 more" in words(graph.run().diff(step=1).html()).split("log")[0]
