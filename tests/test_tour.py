"""The tour's notebook, the demo and the README's picture tell of one and the same graph."""

import contextlib
import io
import shutil
import sysconfig
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import graphnb as gn
from graphnb import demo
from tools import notebooks, picture

TOUR = notebooks.NOTEBOOKS / "01-tour.ipynb"


def _has_pure_renderer() -> bool:
    scripts = Path(sysconfig.get_path("scripts"))
    return (scripts / "graphviz-pure").is_file() or shutil.which("graphviz-pure") is not None


needs_pure = pytest.mark.skipif(not _has_pure_renderer(), reason="graphviz-pure is missing: drawings would differ")


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that the notebook's cells leave behind, run from top to bottom as a script."""
    scope: dict[str, Any] = {"__name__": "tour"}
    cells = [cell.source for cell in notebooks.read_notebook(TOUR).cells if cell.cell_type == "code"]
    with contextlib.chdir(tmp_path_factory.mktemp("tour")), contextlib.redirect_stdout(io.StringIO()):
        for source in cells:
            exec(source, scope)
    return scope


def _facts(run: gn.Run) -> list[tuple[Any, ...]]:
    """Every step, and every field it wrote, apart from the classes of the states."""
    return [
        (step.number, step.path, step.targets, delta.field, delta.reducer, delta.before, delta.written, delta.after)
        for step in run.steps
        for delta in step.deltas
    ]


def test_notebook_and_demo_build_the_same_graph(tour: dict[str, Any]) -> None:
    """Nodes, edges and fields are the same, those of the worker graph included, as text and as DOT."""
    built = demo.tour_graph()

    assert str(built) == str(tour["tour"])
    assert built.dot == tour["tour"].dot
    assert built.topology() == tour["tour"].topology()


@pytest.mark.parametrize("start", [["for"], demo.STARTS], ids=["small", "big"])
def test_notebook_and_demo_run_alike(start: list[str], tour: dict[str, Any]) -> None:
    """From the same start both write the same in every step, and end in the same state."""
    expected = demo.tour_graph().run(ahead=start)
    found = tour["tour"].run(ahead=start)

    assert expected.state.model_dump() == found.state.model_dump()
    assert _facts(expected) == _facts(found)


def test_big_run_reads_every_topic(tour: dict[str, Any]) -> None:
    """From the topics that no other one mentions the run comes to all, each once, and ends."""
    state = tour["run"].state

    assert sorted(demo.TOPICS) == sorted(state.read)
    assert [] == state.ahead
    assert set(demo.STARTS).isdisjoint(state.mentions)


def test_demo_prints_topology_diff_and_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`graphnb demo` prints the graph as text, the first changes, and where the report is, which it has written."""
    report = tmp_path / "report.html"

    assert 0 == demo.main(["--html", str(report)])
    printed = capsys.readouterr().out
    assert str(demo.tour_graph()) in printed
    assert "showing 24 of 147 rows" in printed
    assert "concat_flatten" in printed
    assert f"Report: {report.resolve()}" in printed
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


# --- the README's picture --------------------------------------------------------------------------------------------


def test_picture_shows_the_run_of_the_tour() -> None:
    """The code in the picture builds the demo's graph: its run from the same topic is the same."""
    scope = {"gn": gn, "Tour": demo.Tour, "rank": demo.rank, "topic": demo.topic_graph()}
    exec(picture.BUILD, scope)

    assert demo.tour_graph().run(ahead=["for"]) == scope["run"]
    assert demo.tour_graph().dot == scope["tour"].dot


@needs_pure
def test_stored_picture_is_what_the_tool_makes() -> None:
    """Making the picture again gives the stored bytes."""
    assert picture.picture() == picture.PICTURE.read_text(encoding="utf-8")


def test_stored_picture_is_plain_svg() -> None:
    """The picture needs nothing but itself: no script, no foreign content, nothing from elsewhere, no ids to clash."""
    root = ElementTree.parse(picture.PICTURE).getroot()
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    attributes = {name.rpartition("}")[2] for element in root.iter() for name in element.attrib}

    assert tags <= {"circle", "ellipse", "g", "path", "polygon", "polyline", "rect", "svg", "text", "title"}
    assert attributes.isdisjoint({"href", "id", "onclick", "onload", "src", "style"})
    assert "url(" not in picture.PICTURE.read_text(encoding="utf-8")
    assert "1200" == root.get("width")
