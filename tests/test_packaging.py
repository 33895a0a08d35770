"""The project is laid out, versioned and importable as it claims."""

import json
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

import graphnb as gn

TOP_LEVEL = [
    ".ci/run",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "binder",
    "conformance",
    "constraints.txt",
    "docs",
    "graphnb",
    "notebooks",
    "pyproject.toml",
    "tests",
]
DISPLAY_LIBRARIES = ["IPython", "graphviz", "ipywidgets", "pandas", "yaml"]
MOST_LINES = 400

# Two plain and one async node, a loop and two reducers: enough to need every layer below the display.
SMALL_RUN = """
from typing import Annotated
import graphnb as gn

class Count(gn.State):
    n: int = 0
    seen: Annotated[list[int], gn.append] = []

def double(s):
    return {"n": s.n * 2, "seen": [s.n]}

async def add_one(s):
    return {"n": s.n + 1, "seen": [s.n]}

graph = gn.Graph(Count, entry="double")
graph.node("double", double, to="add_one")
graph.node("add_one", add_one, to=gn.END)
run = graph.run(n=3)
assert (7, [3, 6]) == (run.state.n, list(run.state.seen)), run.state
"""

BLOCK = f"""
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {DISPLAY_LIBRARIES!r}:
            raise ModuleNotFoundError(f"{{name}} is blocked here", name=name)
        return None

sys.meta_path.insert(0, Refuse())
"""

_MACHINE_FOLDERS = r"(?:builds?|home|mnt|root|Users|work|workspace)"


def _python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False, timeout=120
    )


def _files_under_version_control(repository: Path) -> list[Path]:
    """Return the files that git keeps; skip where it cannot tell."""
    # The owner of a checkout in a container is often another than the user who runs the tests.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    try:
        listed = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout, or no git")
    if not listed:
        pytest.skip("git keeps no file here yet")
    return [repository / name for name in listed.split("\0") if name and (repository / name).is_file()]


@pytest.mark.parametrize("name", TOP_LEVEL)
def test_top_level_holds(name: str, repository: Path) -> None:
    """Every part of the layout is there."""
    assert (repository / name).exists()


def test_license_is_the_full_apache_text(repository: Path) -> None:
    """LICENSE and pyproject.toml agree."""
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (repository / "LICENSE").read_text(encoding="utf-8")

    assert "Apache-2.0" == project["license"]
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_version_is_the_same_in_code_and_metadata(repository: Path) -> None:
    """`graphnb.__version__` is the version in pyproject.toml."""
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["version"] == gn.__version__


def test_changelog_tells_of_this_version(repository: Path) -> None:
    """CHANGELOG.md has a heading for the current version."""
    text = (repository / "CHANGELOG.md").read_text(encoding="utf-8")

    assert re.search(rf"^## .*{re.escape(gn.__version__)}\b", text, re.MULTILINE)


def test_every_public_name_can_be_imported() -> None:
    """Each name of `graphnb.__all__` is there, once, and no private one is among them."""
    missing = [name for name in gn.__all__ if not hasattr(gn, name)]

    assert [] == missing
    assert len(set(gn.__all__)) == len(gn.__all__)
    assert [] == [name for name in gn.__all__ if name.startswith("_") and name != "__version__"]


def test_names_that_are_loaded_later_are_there_like_the_others() -> None:
    """The import leaves out what many a graph does without; `dir` and a star import have it, and nothing else."""
    code = """
        import sys
        import graphnb

        assert "graphnb.trace.events" not in sys.modules
        assert set(graphnb.__all__) <= set(dir(graphnb))
        from graphnb import *

        assert NodeEvent is graphnb.NodeEvent is sys.modules["graphnb.trace.events"].NodeEvent
    """
    done = _python(code)

    assert 0 == done.returncode, done.stderr
    with pytest.raises(AttributeError, match="module 'graphnb' has no attribute 'rerty'"):
        _ = gn.rerty


def test_every_public_class_and_function_has_a_docstring_of_its_own() -> None:
    """What a user can reach explains itself; a docstring inherited from a base class does not count."""
    public = {name: getattr(gn, name) for name in gn.__all__}
    docstrings = {
        name: vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
        for name, value in public.items()
        if callable(value)
    }

    assert [] == [name for name, docstring in docstrings.items() if not docstring]


def test_types_are_shipped(repository: Path) -> None:
    """Type checkers of users read the annotations only if py.typed is in the package."""
    assert (repository / "graphnb" / "py.typed").is_file()


def test_no_module_outgrows_its_idea(repository: Path) -> None:
    """No module of the package has more lines than a reader holds in mind."""
    lengths = {
        path.relative_to(repository).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted((repository / "graphnb").rglob("*.py"))
    }

    assert {} == {name: length for name, length in lengths.items() if length > MOST_LINES}


def test_import_loads_no_display_library() -> None:
    """`import graphnb` in a fresh interpreter leaves pandas, graphviz, ipywidgets, IPython and yaml unloaded."""
    done = _python(f"import sys, graphnb; print(sorted(set({DISPLAY_LIBRARIES!r}) & set(sys.modules)))")

    assert "[]" == done.stdout.strip(), done.stderr


def test_run_loads_no_display_library() -> None:
    """Building and running a graph in a script needs none of them either."""
    done = _python(SMALL_RUN + f"import sys; print(sorted(set({DISPLAY_LIBRARIES!r}) & set(sys.modules)))")

    assert "[]" == done.stdout.strip(), done.stderr


def test_engine_runs_with_display_libraries_blocked() -> None:
    """With all of them refused at import, a graph of plain and async nodes runs to its end."""
    done = _python(BLOCK + SMALL_RUN + "print('ran')")

    assert "ran" == done.stdout.strip(), done.stderr


def test_block_refuses_what_it_should() -> None:
    """The block that the test above relies on does block."""
    done = _python(BLOCK + "import yaml")

    assert "yaml is blocked here" in done.stderr
    assert 0 != done.returncode


def test_console_script_and_module_are_the_same_program() -> None:
    """`python -m graphnb --help` answers as `graphnb --help` does."""
    done = subprocess.run(
        [sys.executable, "-m", "graphnb", "--help"], capture_output=True, text=True, check=False, timeout=120
    )

    assert 0 == done.returncode, done.stderr
    assert "conformance" in done.stdout
    assert "demo" in done.stdout


def test_notebooks_ask_for_the_kernel_that_everyone_has(repository: Path) -> None:
    """Each notebook names the kernel python3."""
    kernels = {
        path.name: json.loads(path.read_text(encoding="utf-8"))["metadata"]["kernelspec"]["name"]
        for path in sorted((repository / "notebooks").glob("*.ipynb"))
    }

    assert kernels
    assert {"python3"} == set(kernels.values())


def test_no_file_names_a_folder_of_one_machine(repository: Path) -> None:
    """What is under version control holds neither this checkout's path nor anybody's home."""
    here = re.escape(str(repository)) if len(repository.parts) > 2 else r"(?!)"
    machine = re.compile(rf"(?<![\w.:~/-])(?:{here}\b|/{_MACHINE_FOLDERS}/[\w.])")
    found = {}
    for path in _files_under_version_control(repository):
        match = machine.search(path.read_bytes().decode("utf-8", "ignore"))
        if match:
            found[path.relative_to(repository).as_posix()] = match.group()

    assert {} == found
