"""The step diff table as an object: its rows, its text, its DataFrame."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.errors import GraphError, RoutingError
from graphnb.show.diff.making_rows import rows_of
from graphnb.show.diff.marks import view_of
from graphnb.show.diff.table import diff_of
from graphnb.show.diff.text import diff_text, marks_text
from graphnb.show.writing.columns import width
from graphnb.state.marks import UNSET, Replace
from graphnb.state.model import State
from graphnb.state.reducers.keyed import bounded_append
from graphnb.state.reducers.strict import append, concat_flatten, merge
from graphnb.trace.instances import PENDING
from graphnb.trace.log import Failure, Open
from graphnb.trace.trace import Trace
from tests.show.pages import words
from tests.show.review import Reader, Review, review
from tests.show.together import failed as broken
from tests.show.together import style, together, trace_of
from tests.show.unfinished import failed, instances, stopped, stopped_in_instances
from tests.trace.spreadings import spreading
from tests.traces import Made, fan_out


class Count(State):
    n: int = 0
    log: Annotated[list[int], append] = []


def counted(steps: int) -> Trace:
    """Make a run whose every step appends its number."""
    made = Made(Count)
    for i in range(steps):
        made.step("a", {"log": [i]}, "a")
    return made.trace()


def told(made: Made) -> list[tuple[int, str, str, str]]:
    """The rows as (number, path, field, change)."""
    return [(row.number, row.path, row.field, row.change) for row in rows_of(made.trace())]


def test_rows_hold_one_written_field_each() -> None:
    """Rows come in the order of the update; a step without a write says so."""
    made = Made(Count).step("a", {"log": [1], "n": 2}, "b").step("b", {})

    assert [
        (0, "a", "log", "added 1"),
        (0, "a", "n", "changed"),
        (1, "b", "", "wrote nothing"),
    ] == told(made)


def test_a_failed_step_is_a_row() -> None:
    """It tells category and message."""
    made = Made(Count).step("a", {"n": 1}, "b").fail("b")

    assert (1, "b", "(error)", "node_exception: node 'b': raised ValueError: no luck") == told(made)[-1]


def test_a_failed_edge_is_a_row_beside_those_of_its_step() -> None:
    """Both bear the step's number, and the index stays unique."""
    made = Made(Count).step("a", {"n": 1}, None).fail("a", RoutingError("node 'a'", "went nowhere"), at_edge=True)

    assert [(0, "a", "n", "changed"), (0, "a", "(error)", "routing_error: node 'a': went nowhere")] == told(made)


def test_failed_instances_of_a_function_are_rows() -> None:
    """No log tells of them; where one does, the failure stands in it."""
    failed = fan_out(2, ["log"], errors={1: ValueError("no")})
    made = Made(Count).step("a", {"log": [1]}, instances=failed)
    inner = Made(Count).fail("x")
    logged = Made(Count).step(
        "a", {"log": [1]}, instances=fan_out(2, ["log"], logs=[None, inner], errors={1: ValueError("no")})
    )

    assert (0, "a[1]", "(error)", "ValueError: no") == told(made)[-1]
    assert (1, "a[1]/x", "(error)", "node_exception: node 'x': raised ValueError: no luck") == told(logged)[-1]


def test_failed_instances_of_a_fan_out_that_failed_are_rows() -> None:
    """Under fail_fast the fan-out's own row names the first failure; those under way may have failed as well."""
    failed = fan_out(3, ["log"], errors={0: ValueError("no"), 2: KeyError("gone")})
    made = Made(Count)
    made.log.failure = Failure("a", RoutingError("node 'a'", "instance 0 failed"), instances=failed)

    assert [("a", "(error)"), ("a", "(instances)"), ("a[0]", "(error)"), ("a[2]", "(error)")] == [
        each[1:3] for each in told(made)
    ]
    assert "KeyError: 'gone'" in diff_of(made.trace())._repr_html_().replace("&#x27;", "'")


def test_an_exception_that_cannot_say_what_it_is_shows_its_type() -> None:
    """A user's exception may raise when it is asked; long messages are cut."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    failed = fan_out(3, ["log"], errors={0: Mute(), 1: ValueError(), 2: ValueError("x" * 5000)})
    changes = [each[3] for each in told(Made(Count).step("a", {"log": []}, instances=failed))]

    assert ["Mute", "ValueError"] == changes[1:3]
    assert 600 == len(changes[3])


@pytest.mark.parametrize(
    ("update", "change"),
    [
        ({"findings": [["a", "b"], [], ["c"]]}, "opened 3 lists (1 empty): added 3, kept 1"),
        ({"findings": [["a"]]}, "opened 1 list: added 1, kept 1"),
        ({"findings": []}, "opened 0 lists: unchanged, kept 1"),
        ({"raw": [["a"], ["b"]]}, "added 2 lists as they are"),
        ({"raw": []}, "unchanged"),
        ({"log": ["a"]}, "added 1"),
        ({"scores": [{"a": 1}, {"a": 2}, {}]}, "laid 3 dicts over: added 'a', 1 overwritten within the write"),
        ({"recent": ["a", "b", "c", "d"]}, "added 3, 1 fell out at once"),
        ({"seen": ["a", "a", "b"]}, "added 2, left out 1 already there"),
        ({"people": [{"id": 2, "name": "bo"}]}, "unchanged, kept 2"),
        ({"people": [{"id": 2, "name": "cy"}, {"id": 3}]}, "replaced 1 in place, added 1, kept 1"),
        ({"people": Replace([])}, "replaced (2 items → 0 items)"),
        ({"settings": Replace({"a": 1})}, "replaced (2 entries → 1 entry)"),
        ({"verdict": Replace("x")}, "replaced"),
        ({"verdict": Replace("")}, "unchanged"),
        ({"settings": {"depth": 2, "new": 1}}, "replaced 'depth', added 'new', kept 1"),
        ({"settings": {"a": 1, "b": 1, "c": 1, "d": 1}}, "added 4, kept 2"),
        ({"files": ["a.py", "d.py"]}, "overwritten (3 items → 2 items)"),
        ({"files": ["a.py", "b.py", "c.py", "d.py"]}, "overwritten (3 items → 4 items)"),
        ({"files": ["a.py", "b.py", "c.py"]}, "unchanged, kept 3"),
        ({"files": []}, "overwritten (3 items → 0 items)"),
        ({"rounds": 0}, "unchanged"),
    ],
)
def test_change_tells_the_fold_in_words(update: dict[str, Any], change: str) -> None:
    """Each reducer says what it did, and `last_write_wins` what got lost."""
    given = {"files": ["a.py", "b.py", "c.py"], "findings": ["one"], "people": [{"id": 1}, {"id": 2, "name": "bo"}]}
    row = next(rows_of(Made(Review, given).step("x", update).trace()))

    assert change == row.change


def test_data_is_a_plain_frame_of_objects_with_a_unique_index() -> None:
    """A loop, a fan-out with a name that comes twice and failures: no two rows share an index entry."""
    pd = pytest.importorskip("pandas")
    data = diff_of(review(), limit=3).data

    assert type(data) is pd.DataFrame
    assert data.index.is_unique
    assert ["step", "node", "field"] == data.index.names
    assert ["reducer", "before", "written", "after", "change"] == list(data.columns)
    assert {"object"} == set(map(str, data.dtypes))
    assert ["style guide read", "unused import", "long line", "no test"] == data.loc[
        (1, "read_each", "findings"), "after"
    ]
    assert [["unused import", "long line"], [], ["no test"]] == data.loc[(1, "read_each", "raw"), "written"]
    assert 2 == data.loc[(8, "judge", "rounds"), "after"]


def test_data_keeps_every_kind_of_value_as_it_is() -> None:
    """None, NaN, lists, arrays and tables stand in their cells unchanged."""
    np = pytest.importorskip("numpy")
    pd = pytest.importorskip("pandas")

    class Anything(State):
        value: Any = None

    made = Made(Anything)
    for value in ([1, 2], None, 1, True, np.array([1, 2]), pd.DataFrame({"a": [1]})):
        made.step("a", {"value": value}, "a")
    after = list(diff_of(made.trace()).data["after"])

    assert [[1, 2], None, 1, True] == after[:4]
    assert True is after[3]
    assert ["ndarray", "DataFrame"] == [type(value).__name__ for value in after[4:]]


def test_data_holds_own_copies_and_is_made_once() -> None:
    """Changing a cell's list leaves the run alone."""
    pytest.importorskip("pandas")
    trace = counted(2)
    diff = diff_of(trace)
    diff.data.loc[(1, "a", "log"), "after"].append(9)

    assert [0, 1] == trace.state.log
    assert diff.data is diff.data


def test_data_of_a_long_run_does_not_copy_its_lists() -> None:
    """Two thousand steps of a growing list would hold four million elements as copies."""
    pytest.importorskip("pandas")
    data = diff_of(counted(2000)).data

    assert list(range(2000)) == data.loc[(1999, "a", "log"), "after"]
    assert not isinstance(data.loc[(1999, "a", "log"), "after"], list)


def test_data_of_a_run_without_steps_is_empty() -> None:
    """The columns are there all the same."""
    pytest.importorskip("pandas")
    diff = diff_of(Made(Count).trace())

    assert (0, 5) == diff.data.shape
    assert "no steps" == repr(diff)
    assert "no steps" in diff._repr_html_()
    assert 0 == len(diff)


def test_diff_of_one_step_node_or_field() -> None:
    """Each filter keeps what it names."""
    trace = review()

    assert {8} == {row.number for row in diff_of(trace, step=8).rows}
    assert {13} == {row.number for row in diff_of(trace, step=-1).rows}
    assert {"read_each", "read_each[1]"} == {row.path for row in diff_of(trace, node="read_each").rows}
    assert {"read_each[0]/open"} == {row.path for row in diff_of(trace, node="read_each[0]/open").rows}
    assert 4 == len(diff_of(trace, node="open"))
    assert {"findings"} == {row.field for row in diff_of(trace, field="findings").rows}
    assert 0 == len(diff_of(counted(1), field="n"))
    assert 1 == len(diff_of(trace, step=8, node="judge", field="log"))


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"step": 99}, "there is no step 99\nSteps: 0 to 13."),
        ({"step": -15}, "there is no step -15"),
        ({"node": "judg"}, "Did you mean 'judge'?"),
        ({"field": "finding"}, "Did you mean 'findings'?"),
        ({"limit": 0}, "limit is 0"),
    ],
)
def test_diff_of_what_is_not_there_raises(filters: dict[str, Any], words: str) -> None:
    """The error names the choices."""
    with pytest.raises(GraphError) as raised:
        diff_of(review(), **filters)
    assert words in str(raised.value)


def test_diff_of_a_step_of_an_empty_run_raises() -> None:
    """There is nothing to choose from."""
    with pytest.raises(GraphError, match="The run has no steps"):
        diff_of(Made(Count).trace(), step=0)


def test_text_tells_what_it_leaves_out() -> None:
    """The head tells the number of rows, and the gap stands where rows are missing."""
    text = repr(diff_of(counted(300)))

    assert text.startswith("showing 50 of 300 rows\n")
    assert "\n… 250 more steps (250 rows) not shown: run.diff(limit=None)\n" in text
    assert "\n299 " in text
    assert "showing" not in repr(diff_of(counted(300), limit=None))
    assert "\n2 more" not in repr(diff_of(counted(3), limit=1))


def test_text_is_never_wider_than_120_columns() -> None:
    """Wide values are abbreviated, wide characters counted twice."""

    class Wide(State):
        a_field_with_a_name_that_is_much_too_long_for_its_column: str = ""
        names: Annotated[list[str], append] = []

    made = Made(Wide).step(
        "a node with a very long name 日本語日本語日本語",
        {"a_field_with_a_name_that_is_much_too_long_for_its_column": "日本語" * 99, "names": ["日本語" * 9] * 99},
        "a",
    )
    made.fail("\x1b" * 50)
    for trace in (made.trace(), review(), counted(60)):
        assert all(width(line) <= 120 for line in repr(diff_of(trace)).splitlines())


def test_text_shows_the_fold(golden: Any) -> None:
    """The whole table of the review, as a terminal shows it."""
    golden("diff.txt", repr(diff_of(review(), limit=None)) + "\n")


def test_text_marks_what_happened_to_elements() -> None:
    """`⊕` added, `⊖` dropped, `⊗` left out, instances behind `#`: signs that no value has."""
    row = next(row for row in rows_of(review()) if (row.number, row.field) == (1, "seen"))

    assert "['a.py' #0: ⊗'a.py' already there #1: ⊕'b.py' #2: ⊕'c.py']" == marks_text(view_of(row).after)


def test_text_says_what_a_tag_means() -> None:
    """Once, by the first one; a table without any says nothing of them."""
    one = fan_out(1, ["log"])
    left, numbered = (
        Made(Count).step("a", {"log": [1]}, instances=one._replace(names=(name,), unit="branch")).trace()
        for name in ("left", "7")
    )

    assert repr(diff_of(review(), node="read_each")).endswith(" · #0: from instance 0")
    assert "#" not in repr(diff_of(review(), node="plan"))
    assert repr(diff_of(left)).endswith("#left: from branch left")
    assert repr(diff_of(numbered)).endswith("#7: from branch 7")


def test_text_signs_are_no_part_of_a_number() -> None:
    """Negative numbers, replaced ones and words of a text can be told from the signs, which the last line explains."""

    class Window(State):
        last: Annotated[list[int], bounded_append(3)] = [-1, 2]
        total: Annotated[int, operator.add] = 100
        title: str = "one two three"

    made = Made(Window).step("a", {"last": [-3, 4], "total": 20, "title": "one 2 three"})
    rows = list(rows_of(made.trace()))

    assert ["[⊖-1, 2, ⊕-3, ⊕4]", "100 → 120", "'one [-two-]{+2+} three'"] == [
        marks_text(view_of(r).after) for r in rows
    ]
    assert repr(diff_of(made.trace())).endswith("\n\n⊕ added · ⊖ dropped")
    assert "added" not in repr(diff_of(Made(Window).step("a", {"total": 1}).trace()))


def test_text_breaks_long_paths_at_slashes() -> None:
    """A name is broken only where it is too long by itself, and then behind an underscore."""
    inner = Made(Reader, {}, name="reader").step("next_letter", {}).step("measure_all_letters_twice", {})
    text = repr(diff_of(Made(Count).step("letters", {}, instances=fan_out(1, [], logs=[inner])).trace()))

    assert re.search(r"letters\[0\]/ +wrote nothing\n +next_letter\n", text)
    assert re.search(r"letters\[0\]/ +wrote nothing\n +measure_all_letters_\n +twice", text)


def test_mimebundle_holds_text_and_html() -> None:
    """Both are the same at every call."""
    diff = diff_of(review())

    assert {"text/plain": repr(diff), "text/html": diff._repr_html_()} == diff._repr_mimebundle_()
    assert diff_of(review())._repr_mimebundle_() == diff._repr_mimebundle_()


def test_inner_steps_give_way_to_outer_ones() -> None:
    """With little room the steps within instances are the first to go; then the first and last rows stay."""
    few = repr(diff_of(review(), limit=25))
    fewer = repr(diff_of(review(), limit=8))

    assert "read_each[0]/open" not in few or "inside the instances" in few
    assert "read_each[0]" not in fewer
    assert "✗ node_exception" in fewer
    assert "0     plan" in fewer


def test_unset_fields_say_so() -> None:
    """A first value is told as such."""

    class Late(State):
        answer: str = UNSET

    made = Made(Late).step("a", {"answer": "x"})
    (row,) = rows_of(made.trace())

    assert "first value" == row.change
    assert "not set" in repr(diff_of(made.trace()))


def test_a_running_fan_out_shows_what_is_there() -> None:
    """Steps of instances show before the fan-out has completed."""
    made = Made(Count).step("a", {"n": 1}, "each")
    inner = Made(Reader, {}, name="reader").step("open", {"lines": ["x"]})
    made.log.open = Open(1, "each", spread=spreading(PENDING, PENDING, begun=1, logs=[inner.log, None]))

    assert [(0, "a"), (1, "each"), (2, "each[0]/open")] == [row[:2] for row in told(made)]
    assert "0 of 2 instances finished, 1 running, 1 to come" == told(made)[1][3]


def test_a_failed_fan_out_shows_its_instances() -> None:
    """The failure comes first, then what had run inside it."""
    made = Made(Count)
    inner = Made(Reader, {}, name="reader").step("open", {"lines": ["x"]})
    made.fail("each")
    failure = made.log.failure
    assert failure is not None
    made.log.failure = Failure("each", failure.error, None, fan_out(1, [], logs=[inner]))

    assert [(0, "each", "(error)"), (0, "each", "(instances)"), (1, "each[0]/open", "lines")] == [
        row[:3] for row in told(made)
    ]
    assert "inside the instances" in diff_of(made.trace())._repr_html_()


def test_a_stopped_node_is_a_row() -> None:
    """It tells that it wrote nothing; at an edge, that none was chosen."""
    made = Made(Count).step("a", {"n": 1}, "b")
    made.log.open = Open(1, "b", stopped=True)
    router = Made(Count).step("a", {"n": 1}, to=None)
    router.log.open = Open(1, "a", at_edge=True, stopped=True)

    assert (1, "b", "(stopped)", "stopped: wrote nothing") == told(made)[-1]
    assert (0, "a", "(stopped)", "stopped at its edge: none was chosen") == told(router)[-1]
    assert "⊘ stopped: wrote nothing" in repr(diff_of(made.trace()))


def test_values_of_a_failed_fan_out_are_in_the_data() -> None:
    """By instance, as own copies; a value for each of several fields by name."""
    one = diff_of(failed(instances(["A"], ["B"])).trace()).data
    several = diff_of(failed(instances(("A", 1), into=("notes", "sizes"))).trace()).data
    one.loc[(1, "read_each", "(instances)"), "written"][0].append("mine")

    assert {0: ["A"], 1: ["B"]} == diff_of(failed(instances(["A"], ["B"])).trace()).data["written"].iloc[-1]
    assert {0: {"notes": "A", "sizes": 1}} == several.loc[(1, "read_each", "(instances)"), "written"]
    assert "2 of 6 instances finished, 2 stopped, 2 never started" == one["change"].iloc[-1]


def test_text_of_unfinished_fan_outs(golden: Callable[[str, str], None]) -> None:
    """Failed, stopped, and stopped inside the instances, to be read in review."""
    runs = [
        failed(instances("A", "B", errors={2: ValueError("no luck")}, begun=3)),
        stopped(instances("A", begun=3)),
        stopped_in_instances(),
    ]
    golden("unfinished.txt", "\n\n".join(repr(diff_of(made.trace())) for made in runs) + "\n")


def test_text_of_no_rows_is_a_sentence() -> None:
    """Nothing to show is told."""
    assert "no steps" == diff_text([], total=0)
    assert 1 == width("e\u0301")


def test_dicts_written_by_merge_show_their_entries() -> None:
    """Long dicts show what changed and how much was kept."""

    class Dicts(State):
        value: Annotated[dict[int, int], merge] = {}
        lists: Annotated[list[int], concat_flatten] = []

    made = Made(Dicts, {"value": {i: i for i in range(100)}}).step(
        "a", {"value": {5: 0, 100: 1}, "lists": [[1], [2, 3]]}
    )
    text = " ".join(repr(diff_of(made.trace())).split())

    assert "… 98 kept" in text
    assert {"value": "replaced 5, added 100, kept 99", "lists": "opened 2 lists: added 3"} == {
        row.field: row.change for row in rows_of(made.trace())
    }


@pytest.mark.parametrize("graph", [together, broken])
def test_text_of_branches_and_attempts(golden: Callable[[str, str], None], graph: Callable[[], gn.Graph]) -> None:
    """Who wrote what in a step of several, what was overwritten, which attempts failed before."""
    made = graph()

    golden(f"{made.name}-diff.txt", repr(diff_of(trace_of(made))) + "\n")


def test_data_of_branches_has_a_row_for_every_write() -> None:
    """The node names the branch, so that the index stays unique; each row has its own before and after."""
    data = diff_of(trace_of(together())).data
    verdicts = data.xs("verdict", level="field").loc[1]

    assert data.index.is_unique
    assert ["both[scan]", "both[style]", "both[spell]"] == list(verdicts.index)
    assert ["", "a.py: long line", "style: fine"] == list(verdicts["before"])
    assert ["a.py: long line", "style: fine", "spell: 2 faults"] == list(verdicts["after"])
    assert "overwritten in this step by branch style" == verdicts["change"].iloc[0]


def test_data_tells_attempts_in_rows_of_their_own() -> None:
    """The field is in brackets; nothing was folded there."""
    data = diff_of(trace_of(together())).data
    told = data.xs("(attempts)", level="field")

    assert [(0, "plan"), (10, "rate"), (11, "judge")] == list(told.index)
    assert ["", "", ""] == list(told["reducer"])


def many(**options: Any) -> gn.Graph:
    """A fan-out of which the second instance fails twice, the third always."""
    calls: list[int] = []

    def worker(i: int) -> int:
        calls.append(i)
        if i == 2 or (i == 1 and calls.count(1) < 3):
            raise OSError("busy" if i == 1 else "down")
        return i

    class Many(State):
        out: Annotated[list[int], append] = []
        problems: list[dict[str, str]] = []

    graph = gn.Graph(Many, entry="each")
    graph.fan_out("each", worker, count=3, into="out", to=gn.END, **options)
    return graph


AGAIN = gn.retry(3, classifier=lambda error, state: True, backoff=0)
INSTEAD = gn.failure_isolation(lambda item: -1, event_name="instead")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"instance_middleware": [AGAIN], "error_policy": "collect", "errors_into": "problems"},
            [
                ("each[1]", "(attempts)", "2 attempts failed: OSError: busy (2×)"),
                ("each[2]", "(attempts)", "2 attempts failed: OSError: down (2×)"),
                ("each[2]", "(error)", "OSError: down"),
            ],
        ),
        (
            {"instance_middleware": [INSTEAD, AGAIN]},
            [
                ("each[1]", "(attempts)", "2 attempts failed: OSError: busy (2×)"),
                (
                    "each[2]",
                    "(attempts)",
                    "3 attempts failed: OSError: down (3×); middleware put a result in place of the failure",
                ),
            ],
        ),
        (
            {"instance_middleware": [lambda item, following: 7 if item == 0 else following(item), INSTEAD, AGAIN]},
            [("each[0]", "(attempts)", "middleware answered, the instance was not asked")],
        ),
    ],
    ids=["collected", "isolated", "answered"],
)
def test_data_tells_attempts_at_instances(options: dict[str, Any], told: list[tuple[str, str, str]]) -> None:
    """In rows of the instance's own, after those of the fields."""
    data = diff_of(trace_of(many(**options))).data
    rows = [(node, field, change) for (_, node, field), change in data["change"].items() if "[" in node]

    assert data.index.is_unique
    assert told == rows[: len(told)]


def test_text_tells_attempts_at_instances() -> None:
    """As it tells those at nodes; before an error with the number of all."""
    options = {"instance_middleware": [AGAIN], "error_policy": "collect", "errors_into": "problems"}
    text = repr(diff_of(trace_of(many(**options))))
    html = diff_of(trace_of(many(**options))).html()

    assert "each[1]  ↻ 2 attempts failed: OSError: busy (2×)" in " ".join(text.split(" "))
    assert "✗ after 3 attempts: OSError: down" in text
    assert "#1</span> <b>↻</b> 2 attempts failed: OSError: busy (2×)" in html
    assert "#2</span> <b>✗</b> after 3 attempts: OSError: down" in html


def test_text_tells_attempts_at_branches() -> None:
    """As branches: what middleware puts in place is an update."""

    class Two(State):
        n: int = 0

    def broken(s: Any) -> dict[str, Any]:
        raise OSError("down")

    graph = gn.Graph(Two, entry="both")
    isolated = gn.ParallelBranch(broken, middleware=[gn.failure_isolation({"n": 1}, event_name="instead")])
    answered = gn.ParallelBranch(broken, middleware=[lambda s, following: {}])
    graph.branches("both", {"left": isolated, "right": answered}, to=gn.END)
    text = repr(diff_of(trace_of(graph)))

    assert "1 attempt failed: OSError: down; middleware put an update in place of the failure" in text
    assert "middleware answered, the branch was not asked" in text


def test_rows_of_one_branch_are_found_by_its_path() -> None:
    """As those of an instance."""
    assert ["log", "verdict", "score"] == [row.field for row in diff_of(trace_of(together()), node="both[style]").rows]


def test_data_of_failed_branches_maps_them_by_name() -> None:
    """What those gave that had finished before the node failed."""
    data = diff_of(trace_of(broken())).data
    made = data.xs("(instances)", level="field").iloc[0]

    assert {"style": style(None)} == made["written"]
    assert (0, "both[types]", "(error)") in data.index


def test_hidden_rows_within_branches_are_told_as_such() -> None:
    """Not as those of instances."""
    assert "… 6 more steps inside the branches (6 rows) not shown" in repr(diff_of(trace_of(together()), limit=16))


class Big(gn.State):
    items: list[int]
    added: Annotated[list[int], gn.append] = []
    opened: Annotated[list[int], gn.concat_flatten] = []
    laid: Annotated[dict[int, int], gn.merge_all] = {}


def big(into: str, worker: Callable[[int], Any], count: int, **options: Any) -> gn.Graph:
    """A graph of one fan-out over so many items."""
    graph = gn.Graph(Big, entry="each", name="big")
    graph.fan_out("each", worker, over="items", into=into, to=gn.END, **options)
    return graph


def odd_alone(i: int) -> int:
    """A worker that fails for even items."""
    if i % 2 == 0:
        raise ValueError(i)
    return i


@pytest.mark.parametrize(
    ("into", "worker", "hidden"),
    [
        ("added", lambda i: i, "… 4,994 more instances (4,994 more)"),
        ("added", odd_alone, "… 4,994 more instances (2,497 more)"),
        ("opened", lambda i: [], "… 4,994 more instances (0 more)"),
        ("opened", lambda i: [i] * (i % 3), "… 4,994 more instances (4,993 more)"),
        ("opened", lambda i: [i] * 10, "… 4,999 more instances (49,988 more)"),
        ("laid", lambda i: {i: i}, "… 4,994 more instances (4,994 more)"),
        ("laid", lambda i: {0: i}, "… 4,994 more instances (4,994 more)"),
    ],
)
def test_instances_that_are_not_shown_are_counted(into, worker, hidden):
    """Whatever they gave, nothing, or a failure; of what many of them gave only the first is made for the table."""
    graph = big(into, worker, 5000, error_policy="collect" if worker is odd_alone else "fail_fast")
    run = graph.run(items=list(range(5000)))

    assert hidden in view_of(next(row for row in rows_of(run.trace) if row.field == into)).after[-3].text


def test_table_of_a_large_fan_out_looks_at_no_more_than_it_shows():
    """Elements are told one by one only as long as there are few of them."""
    run = big("added", lambda i: i, 20_000).run(items=list(range(20_000)))
    (row,) = rows_of(run.trace)

    assert 2001 == len(row.changes)
    assert "added 20,000" == row.change


def test_data_shows_ints_that_python_does_not_write() -> None:
    """By their size, in lists and dicts too; they are still those ints. A list that holds itself is looked at once."""
    pytest.importorskip("pandas")
    ring: list[Any] = [10**5000]
    ring.append(ring)

    class Long(State):
        total: Annotated[int, gn.step.sum]
        any: Any = None

    graph = gn.Graph(Long, entry="a")
    graph.node("a", lambda s: {"total": 10**5000, "any": {"x": [10**5000, ring], 7**7000: 10**9}}, to=gn.END)
    data = diff_of(graph.run().trace).data

    assert "<int of 16,610 bits>" in repr(data["after"])
    assert "{'x': [<int of 16,610 bits>, [<int of 16,610 bits>, [" in data.to_string(max_colwidth=200)
    assert "<int of 19,652 bits>: 1000000000}" in data.to_string(max_colwidth=200)
    assert 10**5000 == data.loc[(0, "a", "total"), "after"] == data.loc[(0, "a", "any"), "after"]["x"][0]
    assert int is type(data.loc[(0, "a", "any"), "after"][7**7000])


def test_visits_under_one_number_are_told_apart() -> None:
    """A node that middleware answers for takes no number; each visit has a heading and an index of its own."""

    def once(state: Any, following: Any) -> Any:
        return {"log": [0]} if state.log else following(state)

    graph = gn.Graph(Count, entry="a")
    graph.node("a", lambda s: {"log": [1]}, middleware=[once])
    graph.branch("a", lambda s: "a" if len(s.log) < 3 else gn.END, to=("a", gn.END))
    run = graph.run()
    diff = run.diff()
    visits = [(0, "a", "log"), *((0, f"a ({i})", field) for i in (2, 3) for field in ("(attempts)", "log"))]

    assert visits == list(diff.data.index)
    assert 3 == words(diff.html()).count("chosen by")
    assert 5 == len(run.diff(node="a"))
