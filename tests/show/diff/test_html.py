"""The step diff table as HTML: what it says, and that it survives front ends that trust nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

import graphnb as gn
from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyBranch, TopologyEdge, TopologyNode
from graphnb.show.diff.headings import router_of
from graphnb.show.diff.making_rows import rows_of
from graphnb.show.diff.table import diff_of
from graphnb.show.writing.columns import width
from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import REPLACED
from graphnb.state.marks import UNSET
from graphnb.state.model import State
from graphnb.state.reducers.keyed import bounded_append
from graphnb.state.reducers.strict import append, concat_flatten, merge_all
from graphnb.trace.instances import Instances
from graphnb.trace.log import Commit, Open
from graphnb.trace.reading.steps import Step
from graphnb.trace.trace import Trace
from tests.show.pages import KEPT_ATTRIBUTES, KEPT_STYLES, KEPT_TAGS, checked, words
from tests.show.review import Reader, reader, review
from tests.show.together import failed as broken
from tests.show.together import together, trace_of
from tests.show.unfinished import failed, instances, stopped, stopped_in_instances
from tests.traces import Made, fan_out


class Wild(State):
    value: Any = None
    names: Annotated[list[str], append] = []


def last(before: Any, written: Any) -> Any:
    """Take the write, as a reducer of the user's own: what it did is told by comparing."""
    return written


class Custom(State):
    value: Annotated[Any, last] = None


def wild(value: object, node: str = "a") -> str:
    """The table of one step that wrote the value."""
    return diff_of(Made(Wild).step(node, {"value": value}, "b").trace())._repr_html_()


def test_html_of_the_review(golden: Callable[[str, str], None]) -> None:
    """The whole table, to be read in review."""
    golden("diff.html", diff_of(review(), limit=None)._repr_html_() + "\n")


def test_html_of_unfinished_fan_outs(golden: Callable[[str, str], None]) -> None:
    """Failed, stopped, and stopped inside the instances, to be read in review."""
    runs = [
        failed(instances("A", "B", errors={2: ValueError("no luck")}, begun=3)),
        stopped(instances("A", begun=3)),
        stopped_in_instances(),
    ]
    pages = [diff_of(made.trace())._repr_html_() for made in runs]

    for page in pages:
        checker = checked(page)
        assert checker.tags <= KEPT_TAGS
        assert all(re.fullmatch(KEPT_STYLES[each.partition(":")[0]], each.partition(":")[2]) for each in checker.styles)
    golden("unfinished.html", "\n".join(pages) + "\n")


def test_html_tells_a_stop_in_the_heading_of_its_step() -> None:
    """At a node, at an edge, and of a node that is still running."""
    stop, edge, running = Made(Wild), Made(Wild).step("a", {}, to=None), Made(Wild)
    stop.log.open = Open(0, "a", stopped=True)
    edge.log.open = Open(1, "a", at_edge=True, stopped=True)
    running.log.open = Open(0, "a", Made(Wild).log)
    pages = [words(diff_of(each.trace())._repr_html_()) for each in (stop, edge, running)]

    assert pages[0].endswith("0 a ⊘ stopped wrote nothing")
    assert pages[1].endswith("0 a ⊘ stopped at its edge none was chosen")
    assert pages[2].endswith("0 a … running nothing written yet")


def test_html_counts_stops_inside_the_instances() -> None:
    """In the line that opens their steps."""
    page = words(diff_of(stopped_in_instances().trace())._repr_html_())

    assert "inside the instances: 5 steps, 2 stopped" in page


@pytest.mark.parametrize("limit", [None, 5, 25])
def test_html_holds_only_what_an_untrusted_notebook_keeps(limit: int | None) -> None:
    """No ids, no scripts, no style sheets; every style is one that the sanitiser knows."""
    checker = checked(diff_of(review(), limit=limit)._repr_html_())

    assert checker.tags <= KEPT_TAGS
    assert checker.attributes <= KEPT_ATTRIBUTES
    for style in checker.styles:
        name, _, value = style.partition(":")
        assert re.fullmatch(KEPT_STYLES[name], value), style


def test_html_opts_out_of_mathematics() -> None:
    """Two dollar signs stay dollar signs."""
    text = wild("costs $5 to $6")

    assert '<table class="tex2jax_ignore mathjax_ignore"' in text
    assert "costs $5 to $6" in words(text)


def test_html_escapes_names_values_and_errors() -> None:
    """Nothing of the user's opens a tag, whatever place it stands in."""
    nasty = "<script>alert('&')</script>"
    made = Made(Wild).step(nasty, {"value": {nasty: nasty}, "names": [nasty]}, nasty)
    made.step(nasty, {"names": [nasty]}, instances=fan_out(2, ["names"], over="names", errors={1: ValueError(nasty)}))
    made.fail(nasty)
    text = diff_of(made.trace(router=nasty))._repr_html_()

    assert "<script" not in text
    assert checked(text).tags <= KEPT_TAGS
    assert nasty in words(text)


def test_html_cuts_names_that_are_very_long() -> None:
    """A name of 5,000 characters takes no more than 120 as a node, as what comes next and as a router."""
    name = "n" * 5000
    text = diff_of(Made(Wild).step(name, {"value": 1}, name).trace(router=name))._repr_html_()

    assert "n" * 119 + "…" in text
    assert "n" * 120 not in text


def test_html_shows_unprintable_text_as_escapes() -> None:
    """Lone surrogates and control characters cannot break the page, nor its encoding."""
    text = wild("\ud800\x1b[31m\u202e", node="n\ud800\x00")

    assert r"\ud800\x1b[31m\u202e" in text
    assert r"n\ud800\x00" in text
    text.encode()


def test_html_is_the_same_at_every_call_and_in_every_process() -> None:
    """No clock, address or hash seed shows."""
    imports = "from tests.show.review import review; from graphnb.show.diff.table import diff_of"
    code = f"{imports}; print(diff_of(review())._repr_html_())"

    def told(seed: str) -> str:
        run = [sys.executable, "-c", code]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))}
        return subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout

    assert told("1") == told("2") == diff_of(review())._repr_html_() + "\n"


def test_html_marks_by_more_than_colour() -> None:
    """Added parts are underlined in `<ins>`, dropped ones struck in `<del>`, replaced ones have an arrow.

    A sign before them would read as one of a number.
    """
    text = diff_of(review(), step=8)._repr_html_()

    assert re.search(r"<ins [^>]*>&#x27;judge&#x27;</ins>", text)
    assert re.search(r"<del [^>]*>&#x27;plan&#x27;</del>", text)
    assert re.search(r"&#x27;depth&#x27;: <del [^>]*>1</del> → <ins [^>]*>2</ins>", text)


def test_html_shows_what_each_instance_gave_and_what_was_opened() -> None:
    """`concat_flatten` strikes the brackets that it took away; `append` keeps them."""
    opened = diff_of(review(), step=1, field="findings")._repr_html_()
    kept = diff_of(review(), step=1, field="raw")._repr_html_()

    assert re.search(r"#0 &#x27;a.py&#x27;</span> <del [^>]*>\[</del><ins [^>]*>&#x27;unused import", opened)
    assert re.search(r"#1 &#x27;b.py&#x27;</span> <del [^>]*>\[</del><i [^>]*>empty</i><del", opened)
    assert "opened 3 lists (1 empty): added 3, kept 1" in words(opened)
    assert re.search(r"#1 &#x27;b.py&#x27;</span> <ins [^>]*>\[\]</ins>", kept)
    assert "added 3 lists as they are" in words(kept)


def test_html_groups_merged_dicts_by_instance() -> None:
    """Who overwrote whom is told where it happened."""
    text = words(diff_of(review(), step=1, field="scores")._repr_html_())

    assert "#0 'a.py' 'a': 2, 'total': 2 overwritten" in text
    assert "#1 'b.py' {empty}" in text
    assert "#2 'c.py' 'total': 1, 'c': 1" in text


def test_html_tells_of_instances_that_failed() -> None:
    """A failed instance has its line between the others, and a row with its error."""
    text = words(diff_of(review(), step=10)._repr_html_())

    assert "#0 'a.py' ['dead code'] #1 'd.py' ✗ failed ]" in text
    assert "#1 ✗ ValueError: d.py is <empty>" in text


def test_html_heading_tells_step_node_kind_and_route() -> None:
    """One glance: where, what kind, where to, who chose."""
    text = words(diff_of(review())._repr_html_())

    assert "1 read_each fan-out × 3 → judge chosen by after_judge" in text
    assert "11 nested / open → END" in text
    assert "11 nested subgraph → idle" in text
    assert "12 idle → judge chosen by after_judge wrote nothing" in text
    assert "13 judge ✗ failed ✗ node_exception: node 'judge', step 6: raised ValueError: no luck" in text


def test_html_of_a_failed_edge_tells_that_the_node_completed() -> None:
    """The step's own rows stay; the failure has its heading."""
    text = words(diff_of(Made(Wild).step("a", {"value": 1}, None).fail("a", at_edge=True).trace())._repr_html_())

    assert "0 a value None 1 last_write_wins None → 1" in text
    assert "0 a ✗ its edge failed" in text


def test_html_folds_the_steps_of_instances() -> None:
    """They stand below their fan-out and are closed at first."""
    text = diff_of(review())._repr_html_()

    assert 1 == text.count("<details>")
    assert "inside the instances: 6 steps" in text
    assert text.index("fan-out × 3") < text.index("<details>") < text.index("too many findings")


def test_html_tells_of_failures_inside_folded_instances() -> None:
    """Nobody has to open the fold to learn that something failed."""
    logs = [reader("a", []), Made(Reader, {}).fail("open")]
    failed = fan_out(2, ["names"], logs=logs, errors={1: ValueError()})
    text = words(diff_of(Made(Wild).step("a", {"names": ["x"]}, instances=failed).trace())._repr_html_())

    assert "inside the instances: 3 steps, 1 failed" in text


def _long(steps: int, instances: int = 0) -> Trace:
    made = Made(Long)
    for i in range(steps):
        if not instances:
            made.step("a", {"notes": [["x" * 100] * 50], "window": [i]}, "a")
            continue
        logs = [reader(str(k), ["note"]) for k in range(instances)]
        made.step(
            "a", {"notes": [["x" * 50, "y"]] * instances}, "a", instances=fan_out(instances, ["notes"], logs=logs)
        )
    return made.trace()


class Long(State):
    notes: Annotated[list[str], concat_flatten] = []
    window: Annotated[list[int], bounded_append(20)] = []


def test_html_of_a_long_run_is_bounded_and_tells_what_it_leaves_out() -> None:
    """Under 100 kB, however long the run is; the number of rows is told at the head and in the gap."""
    text = diff_of(_long(3000))._repr_html_()

    assert len(text.encode()) < 100_000
    assert re.search(r"showing \d\d of 6,000 rows", text)
    assert re.search(r"… [\d,]+ more steps \([\d,]+ rows\) not shown: run.diff\(limit=None\)", text)
    assert "2999" in text


def test_html_of_wide_fan_outs_is_bounded() -> None:
    """A few instances are shown, the others counted."""
    text = diff_of(_long(20, instances=60))._repr_html_()

    assert len(text.encode()) < 100_000
    assert "… 54 more instances (108 more)" in text
    assert "… 120 more steps inside the instances (120 rows) not shown" in text


def test_html_with_room_for_some_inner_steps_tells_how_many() -> None:
    """The summary tells how many of the inner steps are shown."""
    text = diff_of(_long(1, instances=60), limit=11)._repr_html_()

    assert "inside the instances: 120 steps, 10 shown" in words(text)


def test_html_without_limit_shows_every_row() -> None:
    """Who asks for all gets all."""
    text = diff_of(_long(100), limit=None)._repr_html_()

    assert "200 rows" in text
    assert "not shown" not in text


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (1, True, "1 → True type int → bool"),
        ("one two three", "one 2 three", "'one two2 three'"),
        ("abc", "xyz", "'abc' → 'xyz'"),
        ("x" * 2_000_000, "x" * 2_000_001, "(2,000,001 characters)"),
        ("x" * 500 + "a", "x" * 500 + "b", "'… 476 characters …" + "x" * 24 + "ab'"),
        ("a" + "x" * 500, "b" + "x" * 500, "'ab" + "x" * 24 + "… 476 characters …'"),
        (
            "p" * 160 + "a" * 300,
            "p" * 160 + "b" * 300,
            "'… 136 characters …" + "p" * 24 + "a" * 120 + "… 180 more characters" + "b" * 120,
        ),
        ("one alpha beta gamma end", "one ALPHA beta GAMMA end", "'one alphaALPHA beta gammaGAMMA end'"),
        ("one two three", "one two and three", "'one two and three'"),
        ([1, 2], [1, 3, 4], "[1, 2] → [1, 3, 4] overwritten (2 items → 3 items)"),
        ([1], [1.0], "[1] → [1.0] overwritten (1 item → 1 item)"),
        ([0] * 99 + [1], [0] * 99 + [2], "differs where this is cut short overwritten (100 items → 100 items)"),
        ([[0] * 99 + [1]], [[0] * 99 + [2]], "differs where this is cut short"),
        ((1, 2), (1,), "(1, 2) → (1,) overwritten (2 items → 1 item)"),
        ({1, 2}, {2, 3}, "{1, 2} → {2, 3} overwritten (2 members → 2 members)"),
        ({"a": 1, "b": 2}, {"a": 1}, "{'a': 1, 'b': 2} → {'a': 1} overwritten (2 entries → 1 entry)"),
        (list(range(20)), [1], "[0, 1, 2, 3, 4, 5, … 14 more] → [1] overwritten (20 items → 1 item)"),
        ([], list(range(5000)), "more] overwritten (0 items → 5,000 items)"),
        ([1], (1,), "[1] → (1,) type list → tuple"),
        ([1], [1], "[1] unchanged, kept 1"),
        (None, None, "None unchanged"),
        ([], [], "[] unchanged"),
    ],
)
def test_html_shows_the_difference_within_any_value(before: object, after: object, shown: str) -> None:
    """Texts word by word, lists item by item, dicts key by key."""
    text = words(diff_of(Made(Wild, {"value": before}).step("a", {"value": after}).trace())._repr_html_())

    assert shown in text


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ([1, 2], [1, 3, 4], "[1, 2 → 3, 4] replaced 1, added 1, kept 1"),
        ([1], [1.0], "[1 → 1.0 type int → float] replaced 1"),
        (["same start, end a"], ["same start, end b"], "['same start, end ab'] replaced 1"),
        ([[0] * 99 + [1]], [[0] * 99 + [2]], "differs where this is cut short"),
        ((1, 2), (1,), "(1, 2) dropped 1, kept 1"),
        ({1, 2}, {2, 3}, "{2, 3, 1} dropped 1, added 1, kept 1"),
        ({"a": 1, "b": 2}, {"a": 1}, "{'a': 1, 'b': 2} dropped 'b', kept 1"),
        (list(range(20)), [*range(20), 20], "[0, … 18 kept, 19, 20] added 1, kept 20"),
        (set(range(20)), set(range(21)), "{0, … 19 kept, 20} added 1, kept 20"),
        ({}, {i: i for i in range(20)}, "11: 11, … 8 more} added 20"),
        ([], list(range(5000)), "11, … 4,988 more] added 5,000"),
    ],
)
def test_html_shows_what_a_custom_reducer_did_element_by_element(before: object, after: object, shown: str) -> None:
    """Where nobody knows what a reducer does, the values are compared."""
    text = words(diff_of(Made(Custom, {"value": before}).step("a", {"value": after}).trace())._repr_html_())

    assert shown in text


def test_html_of_a_list_that_a_fan_out_overwrote_names_the_instances() -> None:
    """The old list is struck as a whole; the new one stands instance by instance, a few of them."""
    made = Made(Wild, {"value": [9]}).step("a", {"value": [1, 2]}, instances=fan_out(2, ["value"]))
    many = Made(Wild).step("a", {"value": list(range(9))}, instances=fan_out(9, ["value"]))

    assert "[9] → [ #0 1 #1 2 ] overwritten (1 item → 2 items)" in words(diff_of(made.trace())._repr_html_())
    assert "None → [ #0 0 #1 1 #2 2 #3 3 #4 4 #5 5 … 3 more instances ]" in words(diff_of(many.trace())._repr_html_())


def test_html_lists_entries_that_were_written_with_an_equal_value() -> None:
    """An instance whose entries changed nothing stands between the others."""

    class Merged(State):
        value: Annotated[dict[str, int], merge_all] = {"a": 1, "b": 1, "c": 1}

    made = Made(Merged).step("x", {"value": [{"a": 1}, {}, {"b": 2}]}, instances=fan_out(3, ["value"]))
    text = words(diff_of(made.trace())._repr_html_())

    assert "{'c': 1 #0 'a': 1 same value #1 {empty} #2 'b': 1 → 2 }" in text
    assert "laid 3 dicts over: replaced 'b', 1 same value, kept 1" in text


def test_html_legend_tells_of_opened_lists_where_there_are_some() -> None:
    """Struck brackets are explained; `merge_all` opens nothing that could be seen."""
    opened = diff_of(review(), step=1, field="findings")._repr_html_()
    merged = diff_of(review(), step=1, field="scores")._repr_html_()

    assert "1 row · kept · added · [list] opened" in words(opened)
    assert "opened" not in words(merged)
    assert 1 == len(re.findall(r"<i [^>]*>empty</i>", merged)) == merged.count("{<i")


def test_html_of_values_that_raise_is_shown() -> None:
    """Neither an equality nor a repr that raises keeps the table from being shown."""

    class Bad:
        def __eq__(self, other: object) -> bool:
            raise ValueError("no")

        def __repr__(self) -> str:
            raise ValueError("no")

        __hash__ = None  # type: ignore[assignment]

    text = diff_of(Made(Wild, {"value": Bad()}).step("a", {"value": Bad()}).trace())._repr_html_()

    assert "cannot compare" in text
    assert "&lt;Bad&gt;" in text


def test_html_of_reducers_that_bear_a_known_name_is_shown() -> None:
    """A user's own `concat_flatten` may write what it likes."""

    def mine(prior: Any, update: Any) -> Any:
        return [*prior, "new"] if isinstance(prior, list) else {**prior, "new": 1}

    for name, start in (("concat_flatten", []), ("merge_all", {})):
        mine.__qualname__ = name

        class Named(State):
            value: Annotated[Any, mine] = None

        for update in (1, [1, 2], ["ab"]):
            made = Made(Named, {"value": start}).step("a", {"value": update})
            text = words(diff_of(made.trace())._repr_html_())
            assert "added" in text
            assert "opened" not in text
            assert "laid" not in text


@pytest.mark.parametrize("count", [2, 3000])
def test_html_of_a_constrained_list_tells_what_was_opened(count: int) -> None:
    """A list that is validated as a whole is told like any other."""

    class Bound(State):
        value: Annotated[list[int], Field(max_length=9000), concat_flatten] = []

    text = words(diff_of(Made(Bound).step("a", {"value": [[], list(range(count))]}).trace())._repr_html_())

    assert f"opened 2 lists (1 empty): added {count:,}" in text
    assert "[[empty], [0, 1" in text


def test_html_of_many_replaced_entries_shows_a_kept_one_as_kept() -> None:
    """Entries beyond those told one by one are not taken for kept ones."""
    before = {i: i for i in range(4000)} | {"kept": 0}
    after = {i: -1 - i for i in range(4000)} | {"kept": 0}
    text = words(diff_of(Made(Custom, {"value": before}).step("a", {"value": after}).trace())._repr_html_())

    assert "{'kept': 0, 0: 0 → -1" in text
    assert "replaced 4,000, kept 1" in text


def test_html_of_a_fan_out_over_a_count_names_instances_by_number() -> None:
    """There is no item to tell; a target that became a set is shown as such."""

    class Counted(State):
        found: set[int] = set()
        each: list[int] = []

    made = Made(Counted).step("a", {"found": [1, 2], "each": [5, 6]}, instances=fan_out(2, ["found", "each"]))
    text = words(diff_of(made.trace())._repr_html_())

    assert "#0 5 #1 6" in text
    assert "{1, 2}" in text


def test_html_of_an_empty_fan_out_is_shown() -> None:
    """No instance gave anything."""
    made = Made(Wild).step("a", {"names": []}, instances=fan_out(0, ["names"]))

    assert "fan-out × 0" in words(diff_of(made.trace())._repr_html_())


def test_html_of_values_dropped_on_the_way_in_says_so() -> None:
    """An item that fell out of a window at once is struck out with a note."""
    text = words(diff_of(Made(Long).step("a", {"window": list(range(22))}).trace())._repr_html_())

    assert "[0 fell out at once, 1 fell out at once, 2" in text


def test_html_of_merged_dicts_without_instances_tells_of_empty_ones_nothing() -> None:
    """Grouping serves fan-outs; elsewhere entries stand in their order."""

    class Merged(State):
        value: Annotated[dict[str, int], merge_all] = {}

    text = words(diff_of(Made(Merged).step("a", {"value": [{"a": 1}, {}, {"b": 2}]}).trace())._repr_html_())

    assert "{'a': 1, 'b': 2}" in text


class _Hostile(list[Any]):
    """A list whose every question raises."""

    def __len__(self) -> int:
        raise ValueError("no")

    __iter__ = __getitem__ = __eq__ = __bool__ = __len__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


def _nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.integers(0, 3), inner, max_size=3)
            | st.tuples(inner, inner)
        ),
        max_leaves=8,
    )


tame = st.none() | st.integers(0, 3) | st.floats() | st.text(max_size=5) | st.just(UNSET) | st.sets(st.integers(0, 3))
hostile = st.builds(_Hostile) | st.builds(object) | st.builds(Reader)
names = st.sampled_from(
    "append merge merge_all concat_flatten bounded_append(max_len=2) dedupe_append() merge_by_key(key=f) "
    "last_write_wins Replace validator custom".split()
)


def _shown(before: Any, written: Any, after: Any, reducer: str, count: int | None) -> str:
    """Show a fold that a log might hold, in every form, and return its text."""
    instances = None if count is None else fan_out(count, ["value"], over="names", errors={count: ValueError("no")})
    fold = Fold("value", reducer, before, REPLACED if reducer == "Replace" else written, after)
    made = Made(Wild)
    made.log.commits.append(Commit("a", (fold,), None, instances))
    diff = diff_of(made.trace())
    page = diff._repr_html_()

    assert checked(page).tags <= KEPT_TAGS
    assert all(width(line) <= 120 for line in repr(diff).splitlines())
    return words(page) + diff.rows[0].change


folds = {"reducer": names, "count": st.sampled_from([None, 4])}


@given(before=_nested(tame), written=_nested(tame), after=_nested(tame), **folds)
def test_any_fold_of_plain_data_is_looked_into(**fold: Any) -> None:
    """Even what no reducer would give is told element by element."""
    text = _shown(**fold)

    assert "cannot be looked into" not in text
    assert "cannot compare" not in text


@given(before=_nested(tame | hostile), written=_nested(tame | hostile), after=_nested(tame | hostile), **folds)
def test_any_fold_is_shown(**fold: Any) -> None:
    """Lists that raise whatever they are asked do not keep the others from being shown."""
    assert _shown(**fold)


def test_a_list_that_raises_is_shown_as_its_type() -> None:
    """The row says that it cannot be looked into."""
    text = _shown(before={}, written=_Hostile(), after={}, reducer="concat_flatten", count=None)

    assert 2 == text.count("cannot be looked into")
    assert "<_Hostile>" in text


def test_router_of_a_step_inside_a_subgraph() -> None:
    """The inner graph's own edges are asked; a graph that is not drawn has none."""
    inner = Topology("inner", "S", (TopologyNode("open", "node"),), (TopologyEdge("open", END, "branch", "pick"),), ())
    outer = Topology(
        "outer", "S", (TopologyNode("sub", "subgraph", inner=inner),), (TopologyEdge(START, "sub", "edge"),), ()
    )
    made = Made(Wild).step("sub", {}, child=Made(Reader, {}).step("open", {}))
    first, last = (row.step for row in rows_of(made.trace()))

    assert "pick" == router_of(first, outer)
    assert router_of(last, outer) is None
    assert router_of(first, Topology("other", "S", (), (), ())) is None


def test_html_legend_lists_only_signs_that_occur() -> None:
    """As many as there are in the rows, and none without rows of fields."""
    grown = diff_of(Made(Wild).step("a", {"names": ["x"]}).trace())._repr_html_()
    changed = diff_of(Made(Wild, {"value": 1}).step("a", {"value": 2}).trace())._repr_html_()
    lost = diff_of(review(), step=1, field="seen")._repr_html_()

    assert words(grown).startswith("1 row · added field")
    assert words(changed).startswith("1 row · old → new field")
    assert "· written, not taken field" in words(lost)
    assert words(diff_of(Made(Wild).step("a", {}).trace())._repr_html_()).startswith("1 row field")


@pytest.mark.parametrize("graph", [together, broken])
def test_html_of_branches_and_attempts(golden: Callable[[str, str], None], graph: Callable[[], gn.Graph]) -> None:
    """The whole table, to be read in review."""
    made = graph()

    golden(f"{made.name}-diff.html", diff_of(trace_of(made))._repr_html_() + "\n")


def test_html_of_branches_names_them_at_the_node_and_at_their_writes() -> None:
    """Those that ran, those that were skipped, and who wrote each field."""
    text = words(diff_of(trace_of(together()), step=1)._repr_html_())

    assert "1 both branches: scan, style, types, spell skipped: deep → rate" in text
    assert "verdict #scan '' 'a.py: long line' last_write_wins 'a.py: long line' overwritten" in text


def test_html_of_branches_of_which_none_ran_says_so() -> None:
    """The topology need not be known."""
    made = Made(Wild).step("both", {}, instances=Instances(0, (), (), (), None, (), names=(), unit="branch"))

    assert "0 both branches: none" in words(diff_of(made.trace())._repr_html_())


def test_html_names_few_of_many_branches() -> None:
    """And tells how many more there are."""
    names = tuple(f"b{i}" for i in range(12))
    made = Made(Wild).step(
        "both", {}, instances=Instances(12, (None,) * 12, range(12), (), None, (), names=names, unit="branch")
    )

    assert "branches: b0, b1, b2, b3, b4, b5, b6, b7, … 4 more" in words(diff_of(made.trace())._repr_html_())


def test_router_within_a_branch_is_found() -> None:
    """In the graph of that branch, as one may be named like another node."""
    inner = Topology("g", "S", (TopologyNode("x", "node"),), (TopologyEdge("x", END, "branch", "choose"),), ())
    both = TopologyNode("both", "branches", branches=(TopologyBranch("left", "g", inner=inner),))
    left = Made(Wild).step("x", {})
    made = Made(Wild).step(
        "both", {}, instances=Instances(1, (left.log,), (0,), (), None, (), names=("left",), unit="branch")
    )
    step = [row.step for row in rows_of(made.trace())][-1]

    assert isinstance(step, Step)
    assert "choose" == router_of(step, Topology("o", "S", (both,), (), ()))
