"""A run as it shows itself, and as a page of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from graphnb.show.diff.table import diff_of
from graphnb.show.report import report_html
from graphnb.show.run_view import path_line, run_mimebundle
from graphnb.state.model import State
from graphnb.state.reducers.strict import append
from tests.show.pages import KEPT_TAGS, checked, words
from tests.show.review import review, started
from tests.show.unfinished import failed, instances, stopped
from tests.traces import Made

PICTURE = {"text/html": '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="graph">', "text/plain": "graph"}


class Count(State):
    n: int = 0
    log: Annotated[list[int], append] = []


def _without_table(page: str) -> str:
    """The page without the step diff table, which `diff.html` holds."""
    table = diff_of(review(), limit=None)._repr_html_()
    assert 1 == page.count(table)
    return page.replace(table, "(the step diff table)")


def test_run_shows_status_path_drawing_state_and_steps(golden: Callable[[str, str], None]) -> None:
    """Text and HTML tell the same; the table of steps is folded."""
    bundle = run_mimebundle(review(), PICTURE)
    page = bundle["text/html"]

    assert checked(page.replace(PICTURE["text/html"], "")).tags <= KEPT_TAGS
    assert page.index("✗ run of review: failed, 13 steps") < page.index(PICTURE["text/html"]) < page.index(">findings<")
    assert page.index(">findings<") < page.index("<details><summary>")
    assert "plan → read_each → judge → plan → read_each → nested → idle → judge" in words(page)
    assert "node_exception: node 'judge', step 6: raised ValueError: no luck Look at the node." in words(page)
    golden("run.txt", bundle["text/plain"] + "\n")
    golden("run.html", _without_table(page) + "\n")


def test_run_that_is_done_shows_no_error() -> None:
    """There is nothing to mend."""
    bundle = run_mimebundle(started().trace("done"))

    assert bundle["text/plain"].startswith("✓ run of review: done, 8 steps\npath: plan → read_each\n")
    assert "#B83A00" not in bundle["text/html"].split("<table")[0]


def test_run_that_was_stopped_says_where() -> None:
    """In text and HTML, above the drawing."""
    bundle = run_mimebundle(stopped(instances("A", begun=3)).trace("cancelled"), PICTURE)
    head = "stopped at node 'read_each': 1 of 6 instances finished, 2 stopped, 3 never started"

    assert bundle["text/plain"].startswith(f"⊘ run of batch: cancelled, 1 step\npath: plan\n{head}\n  #0: 'A'\n")
    page = words(bundle["text/html"])
    assert page.index("path" if "path" in page else "plan") < page.index(head) < page.index("what each step wrote")


def test_run_that_failed_in_a_fan_out_says_what_its_instances_had_done() -> None:
    """Below the error."""
    bundle = run_mimebundle(failed(instances("A", errors={2: ValueError("no luck")}, begun=3)).trace())
    lines = bundle["text/plain"].splitlines()

    assert [
        "read_each: 1 of 6 instances finished, 1 failed, 1 stopped, 3 never started",
        "  #0: 'A'",
        "  #2: ✗ ValueError: no luck",
        "  stopped: #1",
        "  never started: #3 to #5",
    ] == lines[-5:]
    assert "#2 'c.py' ✗ ValueError: no luck" in words(bundle["text/html"])


def test_run_without_steps_is_shown() -> None:
    """A run that waits before its first step has a state all the same."""
    bundle = run_mimebundle(Made(Count).trace("waiting"), None)

    assert bundle["text/plain"].startswith("‖ run of graph: waiting, 0 steps\n\nfield")
    assert "no steps" in words(bundle["text/html"])


def test_an_error_without_a_mend_is_one_line() -> None:
    """No empty line follows."""
    made = Made(Count).fail("a")
    assert made.log.failure is not None
    made.log.failure.error.mend = ""
    bundle = run_mimebundle(made.trace())

    assert bundle["text/plain"].endswith("node_exception: node 'a': raised ValueError: no luck")
    assert "no luck</div>" in bundle["text/html"]


def test_long_runs_are_bounded() -> None:
    """Under 100 kB with five thousand steps."""
    made = Made(Count)
    for i in range(5000):
        made.step("ab"[i % 2], {"log": [i]}, "a")
    bundle = run_mimebundle(made.trace())

    assert len(bundle["text/html"].encode()) < 100_000
    assert len(bundle["text/plain"]) < 1_000
    assert "a → b → a → b → a → b → a → b → … 4,989 more … → b → a → b" in bundle["text/plain"]


def test_long_runs_with_a_picture_are_bounded() -> None:
    """The table of steps takes what the picture leaves of 100 kB."""
    made = Made(Count)
    for i in range(500):
        made.step("ab"[i % 2], {"log": [i]}, "a")
    page = run_mimebundle(made.trace(), {"text/html": f'<img src="{"x" * 60_000}">'})["text/html"]

    assert len(page.encode()) < 100_000
    assert "what each step wrote" in page


def test_text_holds_the_graph_in_words_up_to_thirty_lines() -> None:
    """What is left out is counted."""
    text = run_mimebundle(Made(Count).trace(), {"text/plain": "line\n" * 42})["text/plain"]

    assert 30 == text.count("\nline")
    assert "\n… 12 more lines\n" in text


def test_path_counts_repeats() -> None:
    """A node that came several times in a row is told once."""
    assert "a ×1,200 → \\x1b" == path_line(["a"] * 1200 + ["\x1b"])


def test_report_is_a_whole_page(golden: Callable[[str, str], None]) -> None:
    """It needs nothing but itself: no script, no link, no request."""
    page = report_html(review(), PICTURE["text/html"], title="Review of <a.py> & more")

    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "<title>Review of &lt;a.py&gt; &amp; more</title>" in page
    assert PICTURE["text/html"] in page
    assert "src=" not in page.replace(PICTURE["text/html"], "")
    assert not {"script", "link", "iframe"} & checked(page).tags
    golden("report.html", _without_table(page))


def test_report_can_be_written_whatever_the_values_are() -> None:
    """Lone surrogates in values and title do not keep the file from being written."""

    class Wild(State):
        text: str = ""

    trace = Made(Wild).step("\ud800", {"text": "\ud800"}).trace()

    report_html(trace, "", title="\ud800").encode()


def test_report_of_a_long_run_tells_what_it_leaves_out() -> None:
    """A thousand rows are shown."""
    made = Made(Count)
    for i in range(1500):
        made.step("a", {"log": [i]}, "a")
    page = report_html(made.trace(), "", title="long")

    assert "showing 1,000 of 1,500 rows" in page
    assert "The path taken" not in page


def test_run_gives_its_drawing_as_svg_by_itself() -> None:
    """A front end that prefers a picture has one; without a renderer there is none."""
    drawn, bare = run_mimebundle(review(), {**PICTURE, "image/svg+xml": "<svg/>"}), run_mimebundle(review(), PICTURE)

    assert "<svg/>" == drawn["image/svg+xml"]
    assert {"text/plain", "text/html"} == set(bare)
