"""Run the example notebooks, store their outputs so that a second run gives the same bytes, and list their problems."""

import argparse
import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET = "application/vnd.jupyter.widget-view+json"
# With one of these, nbval would compare nothing.
UNCHECKED_TAGS = {"nbval-ignore-output", "nbval-skip"}
ERROR_TAGS = {"nbval-raises-exception", "raises-exception"}
# What differs from one machine, or from one run, to the next.
UNSTABLE = {
    "memory address": re.compile(r"\bat 0x[0-9a-fA-F]+|\b0x[0-9a-fA-F]{9,16}\b"),
    "absolute path": re.compile(
        r"(?<![\w.:/])/(?:builds?|home|mnt|private|root|tmp|usr/lib|usr/local|Users|var/folders|work|workspace)/[\w.]"
        r"|\b[A-Z]:\\+Users\b"
    ),
    "clock time": re.compile(r"\b[0-2]\d:[0-5]\d:[0-5]\d\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d"),
    "duration": re.compile(r"\b\d+\.\d+\s?(?:s|sec|seconds)\b|\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms)\b"),
}
_DATA_URI = re.compile(r"data:([\w.+/-]+);base64,([A-Za-z0-9+/=]+)")


def read_notebook(path: Path) -> NotebookNode:
    """Return the notebook; a cell without an id is given one that tells its position."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    taken = {cell.get("id") for cell in notebook["cells"]}
    for i, cell in enumerate(notebook["cells"]):
        if "id" not in cell:
            # Ids drawn at random, as nbformat would draw them, would differ at every first run.
            name = f"cell-{i}"
            while name in taken:
                name += "-new"
            cell["id"] = name
            taken.add(name)
    notebook["nbformat"], notebook["nbformat_minor"] = 4, max(5, notebook.get("nbformat_minor", 5))
    return nbformat.reads(json.dumps(notebook), as_version=4)


def regenerate(path: Path, *, timeout_seconds: int = 120) -> bool:
    """Run the notebook in this Python, store what it shows, and return whether the file changed."""
    notebook = read_notebook(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=timeout_seconds,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    # Without folders to look in, the only kernel that is found is the one of this Python.
    client.create_kernel_manager().kernel_spec_manager = KernelSpecManager(kernel_dirs=[])
    # A kernel greets with a warning of its own on stderr; what cells write there comes as output.
    client.execute(stderr=subprocess.DEVNULL)
    _make_stable(notebook)
    text = nbformat.writes(notebook) + "\n"
    changed = path.read_text(encoding="utf-8") != text
    path.write_text(text, encoding="utf-8", newline="\n")
    return changed


def _make_stable(notebook: NotebookNode) -> None:
    """Take out of an executed notebook what no reader needs and no second run would repeat."""
    # The state of widgets goes with the rest of the metadata: it would blank static views that have no network.
    notebook.metadata = nbformat.from_dict(METADATA)
    numbers: dict[str, str] = {}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                # Static views show the traceback alone, so it keeps the one line that is the same everywhere.
                output.traceback = [f"{output.ename}: {output.evalue}"]
            view = output.get("data", {}).get(WIDGET)
            if view:
                view["model_id"] = numbers.setdefault(view["model_id"], f"{len(numbers):032x}")


def problems(path: Path) -> list[str]:
    """Return what would let a wrong notebook pass: nothing stored, nothing compared, or an output that changes."""
    notebook = read_notebook(path)
    found = []
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("the kernel is not named python3: others could not open it")
    if "widgets" in notebook.metadata:
        found.append("widget state is stored: static views stay blank without a network")
    expected = 0
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if not cell.source.strip():
            found.append(f"cell {i}: empty")
            continue
        expected += 1
        if cell.execution_count != expected:
            found.append(f"cell {i}: count {cell.execution_count}, not {expected}: not run, or not from top to bottom")
        found += [f"cell {i}: {problem}" for problem in _problems_of_cell(cell)]
    if expected == 0:
        found.append("no code cell: nothing would be checked")
    return found


def _problems_of_cell(cell: NotebookNode) -> Iterator[str]:
    tags = set(cell.metadata.get("tags", []))
    for tag in sorted(tags & UNCHECKED_TAGS):
        yield f"tagged {tag}: its output is not compared"
    for output in cell.outputs:
        if output.output_type == "error" and not tags & ERROR_TAGS:
            yield f"ends in {output.ename}, without the tag raises-exception"
        if output.output_type == "stream" and output.name == "stderr":
            yield "writes to stderr"
        for kind, text in unstable(shown_text(output)):
            yield f"its output will not stay the same, {kind}: {text!r}"


def shown_text(output: NotebookNode) -> str:
    """Return all text of one stored output, with embedded pictures decoded."""
    pieces = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    for value in output.get("data", {}).values():
        pieces.append(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
    return _DATA_URI.sub(_decoded, "\n".join(pieces))


def _decoded(match: re.Match[str]) -> str:
    kind, payload = match.groups()
    is_text = kind.startswith("text/") or kind.endswith(("xml", "json"))
    return base64.b64decode(payload).decode("utf-8", "replace") if is_text else ""


def unstable(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, piece) for every piece of `text` that another machine or another run would not repeat."""
    for kind, pattern in UNSTABLE.items():
        for match in pattern.finditer(text):
            yield kind, match.group()


def main(arguments: Iterable[str] | None = None) -> int:
    """Regenerate the notebooks named (all, if none is) and return 1 if any has a problem."""
    parser = argparse.ArgumentParser(prog="tools/notebooks.py", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all of notebooks/ if none is named")
    parser.add_argument("--check", action="store_true", help="list problems only, run nothing")
    options = parser.parse_args(None if arguments is None else list(arguments))
    paths = options.paths or sorted(NOTEBOOKS.glob("*.ipynb"))
    if not paths:
        print(f"no notebook in {NOTEBOOKS.name}/")
        return 1
    failed = False
    for path in paths:
        state = "checked" if options.check else "changed" if regenerate(path) else "unchanged"
        print(f"{path.name}: {state}")
        for problem in problems(path):
            failed = True
            print(f"  {problem}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
