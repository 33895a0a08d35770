"""The example notebooks are run, compared and stable; and the tool that says so finds what it should."""

import base64
import copy
import itertools
import json
import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from graphnb.state.reducers.annotated import FACTORIES, PLAIN
from tools import notebooks

NOTEBOOKS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))


def _outputs(path: Path) -> list[str]:
    """Return the text of every stored output."""
    cells = notebooks.read_notebook(path).cells
    return [notebooks.shown_text(output) for cell in cells for output in cell.get("outputs", [])]


def test_there_are_notebooks() -> None:
    """An empty folder would let every test below pass."""
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_has_no_problem(path: Path) -> None:
    """Every cell was run, from top to bottom, and its output is stored and will be compared."""
    assert [] == notebooks.problems(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
@pytest.mark.parametrize("kind", notebooks.UNSTABLE)
def test_notebook_shows_nothing_that_changes(path: Path, kind: str) -> None:
    """No stored output, pictures included, holds an address, a path of one machine, or a time."""
    found = [piece for text in _outputs(path) for name, piece in notebooks.unstable(text) if name == kind]

    assert [] == found


@pytest.mark.parametrize("name", ["02-reducers", "03-fan-out"])
def test_notebook_of_cases_is_short(name: str) -> None:
    """A learner reads it to the end: at most 14 code cells, and prose before each of them."""
    kinds = [cell.cell_type for cell in notebooks.read_notebook(notebooks.NOTEBOOKS / f"{name}.ipynb").cells]

    assert kinds.count("code") <= 14
    assert ("code", "code") not in itertools.pairwise(kinds)


@pytest.mark.parametrize("name", ["02-reducers", "03-fan-out"])
def test_conformance_cases_in_a_notebook_passed(name: str) -> None:
    """The stored verdicts prove what the prose says: there are many, and none of them is another than passed."""
    text = "\n".join(_outputs(notebooks.NOTEBOOKS / f"{name}.ipynb"))
    verdicts = re.findall(r"<summary>(\w+): <b>\w+</b> in [\w.-]+\.yaml</summary>", text)

    assert len(verdicts) == text.count(".yaml</summary>") > 15
    assert {"passed"} == set(verdicts)


@pytest.mark.parametrize("reducer", sorted([*PLAIN, *FACTORIES]))
def test_each_reducer_has_its_cell_in_the_notebook_of_reducers(reducer: str) -> None:
    """One cell calls it by hand and runs its cases; but for last_write_wins, which refuses nothing, with an error."""
    cells = notebooks.read_notebook(notebooks.NOTEBOOKS / "02-reducers.ipynb").cells
    (cell,) = [cell for cell in cells if re.match(rf"by_hand\(\s*gn\.{reducer}\b", cell.source)]
    text = "\n".join(map(notebooks.shown_text, cell.outputs))

    assert "by_case(" in cell.source
    assert ("✗ | TypeError" in text) is (reducer != "last_write_wins")


# --- the tool itself -------------------------------------------------------------------------------------------------


def _notebook(*cells: NotebookNode) -> NotebookNode:
    """Return a notebook with the metadata of ours."""
    return new_notebook(cells=list(cells), metadata=copy.deepcopy(notebooks.METADATA))


def _cell(source: str = "1", *, count: int | None = 1, tags: tuple[str, ...] = (), outputs: tuple = ()) -> NotebookNode:
    """Return a code cell that was run."""
    metadata = {"tags": list(tags)} if tags else {}
    return new_code_cell(source, execution_count=count, outputs=list(outputs), metadata=metadata)


def _problems(tmp_path: Path, notebook: NotebookNode) -> list[str]:
    """Return what the tool says of a notebook."""
    path = tmp_path / "example.ipynb"
    nbformat.write(notebook, path)
    return notebooks.problems(path)


def _result(text: str) -> NotebookNode:
    return new_output("execute_result", {"text/plain": text}, execution_count=1)


def test_problems_of_a_good_notebook_are_none(tmp_path: Path) -> None:
    """A notebook that was run from top to bottom has no problem."""
    error = new_output("error", ename="ValueError", evalue="no", traceback=["ValueError: no"])
    good = _notebook(
        _cell(outputs=(_result("1"),)), _cell("oops", count=2, tags=("raises-exception",), outputs=(error,))
    )

    assert [] == _problems(tmp_path, good)


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        (_cell(count=None), "cell 0: count None, not 1: not run, or not from top to bottom"),
        (_cell(count=3), "cell 0: count 3, not 1: not run, or not from top to bottom"),
        (_cell(tags=("nbval-skip",)), "cell 0: tagged nbval-skip: its output is not compared"),
        (_cell(tags=("nbval-ignore-output",)), "cell 0: tagged nbval-ignore-output: its output is not compared"),
        (
            _cell(outputs=(new_output("error", ename="ValueError", evalue="no", traceback=[]),)),
            "cell 0: ends in ValueError, without the tag raises-exception",
        ),
        (_cell(outputs=(new_output("stream", name="stderr", text="warning"),)), "cell 0: writes to stderr"),
    ],
)
def test_problems_name_the_cell_and_what_is_wrong(cell: NotebookNode, problem: str, tmp_path: Path) -> None:
    """Each fault that would let a notebook pass unchecked, or change by itself, is found."""
    assert [problem] == _problems(tmp_path, _notebook(cell))


@pytest.mark.parametrize(
    ("text", "kind", "piece"),
    [
        ("<Graph at 0x7f>", "memory address", "at 0x7f"),
        ("id 0x7f3c1c2d3e50", "memory address", "0x7f3c1c2d3e50"),
        ("wrote /tmp/report.html", "absolute path", "/tmp/r"),
        ("at 10:20:30", "clock time", "10:20:30"),
        ("on 2026-01-02 03:04", "clock time", "2026-01-02 03:04"),
        ("took 0.25 s", "duration", "0.25 s"),
        ("took 3 ms", "duration", "3 ms"),
    ],
)
def test_unstable_finds_what_changes(text: str, kind: str, piece: str) -> None:
    """Each kind of text that another run or another machine would not repeat is found."""
    assert [(kind, piece)] == list(notebooks.unstable(text))


@pytest.mark.parametrize(
    "text", ["0xdeadbeef", "xs[10:20]", "step 3 of 4", "the 1990s", "a/tmp/b", "https://x.org/home/a"]
)
def test_unstable_lets_other_text_pass(text: str) -> None:
    """Numbers, slices and addresses on the web stay as they are."""
    assert [] == list(notebooks.unstable(text))


def test_problems_look_into_embedded_pictures(tmp_path: Path) -> None:
    """An address within an SVG that is stored as a data URI is found."""
    picture = base64.b64encode(b"<svg><!-- at 0x7f00 --></svg>").decode()
    html = new_output("display_data", {"text/html": f'<img src="data:image/svg+xml;base64,{picture}">'})

    found = _problems(tmp_path, _notebook(_cell(outputs=(html,))))

    assert ["cell 0: its output will not stay the same, memory address: 'at 0x7f00'"] == found


def test_problems_find_stored_widget_state(tmp_path: Path) -> None:
    """Stored widget state is refused."""
    notebook = _notebook(_cell())
    notebook.metadata["widgets"] = {}

    assert ["widget state is stored: static views stay blank without a network"] == _problems(tmp_path, notebook)


def test_problems_find_a_notebook_without_code(tmp_path: Path) -> None:
    """A notebook in which nothing would be compared is refused."""
    assert ["no code cell: nothing would be checked"] == _problems(tmp_path, _notebook())


def test_problems_find_another_kernel(tmp_path: Path) -> None:
    """A kernel that others do not have is refused."""
    notebook = _notebook(_cell())
    notebook.metadata["kernelspec"]["name"] = "mine"

    assert ["the kernel is not named python3: others could not open it"] == _problems(tmp_path, notebook)


def test_cells_without_an_id_get_one_from_their_position(tmp_path: Path) -> None:
    """Reading a notebook twice gives the same ids, and the ids that are there are kept."""
    notebook = _notebook(_cell(), _cell(), _cell())
    notebook.cells[1]["id"] = "cell-0"
    for i in (0, 2):
        del notebook.cells[i]["id"]
    path = tmp_path / "example.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")

    assert ["cell-0-new", "cell-0", "cell-2"] == [cell["id"] for cell in notebooks.read_notebook(path).cells]


def test_regenerating_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """A second run changes nothing: no times, no random ids, no traceback of one machine, no split output."""
    sources = [
        "import ipywidgets",
        "for i in range(3):\n    print(i, flush=True)",
        "ipywidgets.IntSlider()",
        "1 / 0",
        "await __import__('asyncio').sleep(0, 'awaited')",
    ]
    cells = [_cell(source, count=None) for source in sources]
    cells[3].metadata["tags"] = ["raises-exception"]
    path = tmp_path / "example.ipynb"
    nbformat.write(_notebook(*cells), path)

    assert notebooks.regenerate(path)
    first = path.read_bytes()
    assert not notebooks.regenerate(path)
    assert first == path.read_bytes()
    assert [] == notebooks.problems(path)


def test_regenerating_keeps_what_a_reader_needs_of_an_error(tmp_path: Path) -> None:
    """The name and the message of an error are stored where a static view shows them."""
    path = tmp_path / "example.ipynb"
    nbformat.write(_notebook(_cell("1 / 0", count=None, tags=("raises-exception",))), path)

    notebooks.regenerate(path)

    (output,) = notebooks.read_notebook(path).cells[0].outputs
    assert ["ZeroDivisionError: division by zero"] == output.traceback
