"""Cell runs are told apart in a real IPython shell, and there are none outside one."""

import gc
import importlib
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from graphnb.notebook.cells import Cell, current_cell, follow_cells


@pytest.fixture
def cell_in(shell: InteractiveShell) -> Callable[..., Cell | None]:
    """`cell_in(source)` runs a cell that appends to `seen`, and returns what it appended last."""
    seen: list[Any] = []
    shell.push({"seen": seen, "current_cell": current_cell, "threading": threading})

    def run(source: str = "seen.append(current_cell())", **options: Any) -> Cell | None:
        shell.run_cell(source, **options).raise_error()
        return seen[-1]

    run.seen = seen  # type: ignore[attr-defined]  # set by the fixture
    return run


def test_cell_outside_a_shell_is_none() -> None:
    """A test or a script runs in no cell."""
    assert current_cell() is None


def test_cell_in_a_script_imports_no_ipython() -> None:
    """Asking for the cell in a plain interpreter does not load IPython."""
    code = (
        "import sys; from graphnb.notebook.cells import current_cell; "
        "print(current_cell(), any(name.partition('.')[0] == 'IPython' for name in sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert answer.stdout == "None False\n"


def test_cell_in_a_script_run_by_ipython_is_none(tmp_path: Path) -> None:
    """`ipython script.py` has a shell but runs no cell."""
    script = tmp_path / "script.py"
    script.write_text("from graphnb.notebook.cells import current_cell\nprint(get_ipython() is None, current_cell())\n")
    command = [sys.executable, "-m", "IPython", "--quick", "--HistoryManager.enabled=False", str(script)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)

    assert answer.stdout.splitlines()[-1] == "False None"


def test_cell_of_an_idle_new_shell_is_none(shell: InteractiveShell) -> None:
    """A shell that has run nothing has no current cell."""
    assert current_cell() is None


@pytest.mark.parametrize("store_history", [True, False])
def test_runs_of_one_cell_id_share_the_key(cell_in: Callable[..., Cell], store_history: bool) -> None:
    """Two runs with one cell id have one key and two rising run numbers, the first use included."""
    first = cell_in(cell_id="abc", store_history=store_history)
    second = cell_in(cell_id="abc", store_history=store_history)
    other = cell_in(cell_id="def", store_history=store_history)

    assert "abc" == first.key == second.key != other.key
    assert first.run < second.run < other.run


@pytest.mark.parametrize("options", [{"store_history": True}, {}, {"cell_id": "a"}, {"cell_id": "a", "silent": True}])
def test_one_run_is_one_cell(cell_in: Callable[..., Cell], options: dict[str, Any]) -> None:
    """Asked twice within a run, at the first use and later, the answer is the same."""
    for _ in range(2):
        cell_in("seen.append(current_cell()); seen.append(current_cell())", **options)
        first, second = cell_in.seen[-2:]  # type: ignore[attr-defined]  # set by the fixture

        assert first is not None
        assert first == second


def test_execution_count_stands_in_for_the_cell_id(cell_in: Callable[..., Cell]) -> None:
    """Without cell id each counted run is a cell of its own, named after the count that the reader sees."""
    cells = [cell_in(store_history=True) for _ in range(3)]

    assert [cell.label for cell in cells] == ["cell [1]", "cell [2]", "cell [3]"]
    assert len({cell.key for cell in cells}) == len({cell.run for cell in cells}) == 3


def test_uncounted_runs_without_id_are_told_apart(cell_in: Callable[..., Cell]) -> None:
    """Without cell id and with store_history=False, where the count stands still, every run is its own."""
    cells = [cell_in(store_history=False) for _ in range(3)]

    assert len({cell.key for cell in cells}) == len({cell.run for cell in cells}) == 3
    assert {cell.label for cell in cells} == {"cell [ ]"}


def test_failed_run_does_not_join_the_next(shell: InteractiveShell, cell_in: Callable[..., Cell]) -> None:
    """A run that fails, or does not even compile, leaves the next run a run of its own."""
    first = cell_in(cell_id="a")
    shell.run_cell("1 / 0", cell_id="a")
    shell.run_cell("1 +", cell_id="a")
    second = cell_in(cell_id="a")

    assert first.key == second.key
    assert first.run < second.run


def test_code_run_by_a_cell_belongs_to_it(cell_in: Callable[..., Cell]) -> None:
    """What a cell runs through the shell, as %%capture does, is the same run, and so is what follows."""
    cell_in(cell_id="a")
    cell_in(
        "seen.append(current_cell())\n"
        "get_ipython().run_cell('seen.append(current_cell())')\n"
        "get_ipython().run_cell('seen.append(current_cell())')\n"
        "seen.append(current_cell())",
        cell_id="b",
    )
    cells = cell_in.seen[-4:]  # type: ignore[attr-defined]  # set by the fixture

    assert {cell.key for cell in cells} == {"b"}
    assert len({cell.run for cell in cells}) == 1


def test_awaiting_cell_is_a_cell(cell_in: Callable[..., Cell]) -> None:
    """A cell with a top-level await, and the task it starts, have their cell."""
    cell_in(cell_id="a")
    source = (
        "import asyncio\n"
        "async def ask():\n    await asyncio.sleep(0)\n    return current_cell()\n"
        "seen.append((current_cell(), await asyncio.create_task(ask())))"
    )
    inside, in_task = cell_in(source, cell_id="b")  # type: ignore[misc]

    assert inside == in_task
    assert inside.key == "b"


def test_thread_gets_the_cell_that_runs(cell_in: Callable[..., Cell]) -> None:
    """A thread that a cell started gets the shell's current cell, after that cell as well."""
    cell_in(
        "go = threading.Event()\n"
        "def ask():\n    go.wait(10); seen.append(current_cell())\n"
        "thread = threading.Thread(target=ask); thread.start(); seen.append(current_cell())",
        cell_id="a",
    )
    late = cell_in("go.set(); thread.join()", cell_id="b")

    assert late.key == "b"


def test_importing_a_module_is_in_no_cell(
    cell_in: Callable[..., Cell], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module's code is not run again with the cell that imports it, so it belongs to no cell; its functions do."""
    (tmp_path / "cells_probe.py").write_text(
        "from graphnb.notebook.cells import current_cell\nat_import = current_cell()\n"
        "def ask():\n    return current_cell()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "cells_probe", raising=False)
    at_import, when_called = cell_in(  # type: ignore[misc]
        "import cells_probe; seen.append((cells_probe.at_import, cells_probe.ask()))", cell_id="a"
    )

    assert at_import is None
    assert when_called.key == "a"


def test_shell_started_by_an_import_has_cells(
    shell: InteractiveShell, cell_in: Callable[..., Cell], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cells of a shell that an imported module runs are cells: the nearest of the two counts."""
    (tmp_path / "shell_probe.py").write_text(
        "from IPython import get_ipython\nget_ipython().run_cell('seen.append(current_cell())', cell_id='a')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("shell_probe")
    monkeypatch.delitem(sys.modules, "shell_probe")

    assert cell_in.seen[-1].key == "a"  # type: ignore[attr-defined]  # set by the fixture


def test_shell_is_watched_once(shell: InteractiveShell, cell_in: Callable[..., Cell]) -> None:
    """However often the cell is asked for, the shell gets one callback."""
    before = len(shell.events.callbacks["pre_run_cell"])
    for _ in range(3):
        cell_in("seen.append(current_cell()); seen.append(current_cell())")

    assert len(shell.events.callbacks["pre_run_cell"]) == before + 1


def test_shell_beside_the_singleton_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell that runs the code counts, even if IPython does not know it as the shell of the process."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    config = Config()
    config.HistoryManager.enabled = False
    seen: list[Cell] = []
    shell = InteractiveShell(config=config)
    shell.push({"seen": seen, "current_cell": current_cell})
    shell.run_cell("seen.append(current_cell())", cell_id="a").raise_error()
    shell.restore_sys_module_state()

    assert seen[0].key == "a"


class Watcher:
    """Notes the cells it is told of, and how many cells had run to their end by then."""

    def __init__(self, seen: list[Any]) -> None:
        self.told: list[Cell] = []
        self.counts: list[int] = []
        self._seen = seen

    def cell_begins(self, cell: Cell) -> None:
        """Note the cell."""
        self.told.append(cell)
        self.counts.append(len(self._seen))


def test_follower_is_told_of_every_run_before_its_code(shell: InteractiveShell, cell_in: Callable[..., Cell]) -> None:
    """From the next run on, in order, failing ones included; the cell is the one that its code then finds."""
    seen = cell_in.seen  # type: ignore[attr-defined]  # set by the fixture
    watcher = Watcher(seen)
    follow_cells(watcher)
    cells = [cell_in(cell_id="a"), cell_in(cell_id="b"), cell_in(cell_id="a")]
    shell.run_cell("1 / 0", cell_id="c")
    shell.run_cell("1 +", cell_id="d")

    assert watcher.told[:3] == cells
    assert [cell.key for cell in watcher.told] == ["a", "b", "a", "c", "d"]
    assert watcher.counts == [0, 1, 2, 3, 3]


def test_follower_that_begins_within_a_run_is_told_from_the_next_on(
    shell: InteractiveShell, cell_in: Callable[..., Cell]
) -> None:
    """Also if that run is the first use of all."""
    watcher = Watcher([])
    shell.push({"follow_cells": follow_cells, "watcher": watcher})
    cell_in("follow_cells(watcher); seen.append(None)", cell_id="a")
    second = cell_in(cell_id="a")

    assert watcher.told == [second]


def test_follower_is_told_once_per_run(shell: InteractiveShell, cell_in: Callable[..., Cell]) -> None:
    """However often it asked; what a cell runs through the shell, and what runs silently, is no run of a cell."""
    watcher = Watcher([])
    for _ in range(3):
        follow_cells(watcher)
    cell_in("get_ipython().run_cell('pass', cell_id='a')\nseen.append(current_cell())", cell_id="a")
    cell_in("%%capture\nseen.append(current_cell())", cell_id="b")
    shell.run_cell("pass", silent=True)

    assert [cell.key for cell in watcher.told] == ["a", "b"]


def test_follower_is_not_kept_alive(shell: InteractiveShell, cell_in: Callable[..., Cell]) -> None:
    """One that is gone is told nothing, and the others are."""
    first, second = Watcher([]), Watcher([])
    follow_cells(first)
    follow_cells(second)
    told = first.told
    del first
    gc.collect()
    cell_in(cell_id="a")

    assert (len(told), len(second.told)) == (0, 1)


def test_follower_is_told_of_its_own_shell_alone(
    shell: InteractiveShell, cell_in: Callable[..., Cell], tmp_path: Path
) -> None:
    """A shell within a cell, as IPython.embed starts, counts from 1 again: its cells are others."""
    watcher = Watcher([])
    follow_cells(watcher)
    config = Config()
    config.HistoryManager.enabled = False
    inner = InteractiveShell(config=config)
    inner.push({"current_cell": current_cell})
    inner.run_cell("current_cell()", cell_id="a").raise_error()
    inner.restore_sys_module_state()

    assert watcher.told == []


def test_following_outside_a_shell_does_nothing() -> None:
    """A script has no cells to be told of."""
    follow_cells(Watcher([]))

    assert current_cell() is None


def test_shell_asked_by_several_threads_at_once_is_watched_once(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them follow the same watch."""
    before = len(shell.events.callbacks["pre_run_cell"])
    watchers = [Watcher([]) for _ in range(8)]
    barrier = threading.Barrier(len(watchers), timeout=10)

    def follow(watcher: Watcher) -> None:
        barrier.wait()
        follow_cells(watcher)

    threads = [threading.Thread(target=follow, args=(watcher,)) for watcher in watchers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shell.run_cell("pass", cell_id="a").raise_error()

    assert len(shell.events.callbacks["pre_run_cell"]) == before + 1
    assert [len(watcher.told) for watcher in watchers] == [1] * len(watchers)


def _answering(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`answer(**header)` lets the shell say what a kernel's shell says while it answers that message."""
    message: dict[str, Any] = {}
    monkeypatch.setattr(type(shell), "get_parent", lambda self: message, raising=False)

    def answer(kind: str, msg_id: str, *, cell_id: str = "", **content: Any) -> None:
        message.update(header={"msg_type": kind, "msg_id": msg_id}, content=content, metadata={"cellId": cell_id})

    return answer


@pytest.mark.parametrize(
    ("kind", "content"), [("comm_msg", {}), ("comm_open", {}), ("execute_request", {"silent": True})]
)
def test_each_message_aside_is_its_own_run(
    shell: InteractiveShell,
    cell_in: Callable[..., Cell],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    content: dict[str, Any],
) -> None:
    """A widget callback or a silent request is one edit of its own, and never a second run of another cell."""
    cell = cell_in(cell_id="a")
    answer = _answering(shell, monkeypatch)
    answer(kind, "m1", **content)
    first, again = current_cell(), current_cell()
    answer(kind, "m2", **content)
    second = current_cell()

    assert first is not None
    assert second is not None
    assert first == again
    assert len({cell.key, first.key, second.key}) == len({cell.run, first.run, second.run}) == 3


def test_other_messages_leave_the_cell_alone(
    shell: InteractiveShell, cell_in: Callable[..., Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the kernel answers a request for completions, a cell's thread still gets the cell."""
    cell = cell_in(cell_id="a")
    _answering(shell, monkeypatch)("complete_request", "m1")

    assert current_cell() == cell


def test_cell_id_of_the_message_serves(
    shell: InteractiveShell, cell_in: Callable[..., Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where IPython does not pass the cell id on to its callbacks, the kernel's message has it."""
    answer = _answering(shell, monkeypatch)
    for run in range(3):
        answer("execute_request", f"m{run}", cell_id="abc")

        assert cell_in().key == "abc"


@pytest.mark.parametrize("message", [None, {}, {"header": None, "metadata": None, "content": None}])
def test_odd_messages_are_borne(
    shell: InteractiveShell, cell_in: Callable[..., Cell], monkeypatch: pytest.MonkeyPatch, message: object
) -> None:
    """A shell that tells nothing of its message is asked in vain, without an error."""
    monkeypatch.setattr(type(shell), "get_parent", lambda self: message, raising=False)

    assert cell_in(cell_id="a").key == "a"


def test_stand_in_for_ipython_is_borne(monkeypatch: pytest.MonkeyPatch) -> None:
    """A half loaded IPython, or a shell that is none, is no reason to fail."""
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))

    assert current_cell() is None
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", object, raising=False)
    assert current_cell() is None
