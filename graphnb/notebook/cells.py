"""Which cell run is executing: the key of the cell, the number of the run, and a label for a message."""

from __future__ import annotations

import builtins
import itertools
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple, Protocol


class Cell(NamedTuple):
    """One run of one cell.

    `key` is equal for two runs of the same cell: the cell id if the front end sends one, else the execution
    count. `run` differs for every run and rises. `label` is for messages: `cell [3]`, or `cell [ ]` when the
    run is not counted.
    """

    key: str
    run: int
    label: str


class Follower(Protocol):
    """Who wants to know that a cell begins to run."""

    def cell_begins(self, cell: Cell) -> None:
        """Called before any code of the cell runs."""


def current_cell() -> Cell | None:
    """The cell run that is executing; None in a script, in a plain interpreter and while a module is imported.

    Threads and tasks that a cell started get the cell that the shell ran last. What a widget callback or a
    silent request does is a run of its own, with a key of its own.

    >>> current_cell() is None
    True
    """
    watch = None if _is_importing() else _watch()
    return None if watch is None else watch.current()


def follow_cells(follower: Follower) -> None:
    """Tells the follower of every cell that begins to run in this shell from now on, once for each run.

    What a cell itself runs through the shell is part of its run. The follower is not kept alive by this.
    """
    watch = _watch()
    if watch is not None:
        watch.follow(follower)


class _Watch:
    """Follows one shell: IPython calls `_before_run` ahead of every cell run from the first use on."""

    def __init__(self, shell: Any) -> None:
        self._shell = weakref.proxy(shell)
        self._aside: dict[str, Cell] = {}
        self._followers: weakref.WeakSet[Follower] = weakref.WeakSet()
        self._cell = self._under_way()
        shell.events.register("pre_run_cell", self._before_run)

    def current(self) -> Cell | None:
        """The run of a cell, or the run aside that the kernel's message stands for."""
        message = _message(self._shell)
        label = _label_aside(message)
        if not label:
            return self._cell
        identity = f"message {_part(message, 'header').get('msg_id')}"
        known = self._aside.get(identity)
        if known is None:
            # Several threads may come here for one message: setdefault makes them agree.
            known = self._aside.setdefault(identity, Cell(identity, next(_RUNS), label))
        return known

    def follow(self, follower: Follower) -> None:
        """Adds to those who are told; nothing happens if it is one already."""
        with _LOCK:
            self._followers.add(follower)

    def _before_run(self, info: Any) -> None:
        # A cell may run code through the shell (%%capture does): that belongs to the same run.
        if sum(_is_cell_frame(frame) for frame in _frames()) > 1:
            return
        cell_id = getattr(info, "cell_id", None) or _cell_id_of(_message(self._shell))
        self._cell = cell = self._started(cell_id, counted=info.store_history)
        with _LOCK:
            followers = list(self._followers)
        for follower in followers:
            follower.cell_begins(cell)

    def _under_way(self) -> Cell | None:
        """The run that began before this watch did; None if no cell is running, as in `ipython script.py`."""
        message = _message(self._shell)
        if _part(message, "header").get("msg_type") == "execute_request":
            content = _part(message, "content")
            counted = content.get("store_history", not content.get("silent", False))
            return self._started(_cell_id_of(message), counted=counted)
        result = getattr(self._shell.displayhook, "exec_result", None)
        if result is None:
            return None
        return self._started(getattr(result.info, "cell_id", None), counted=result.info.store_history)

    def _started(self, cell_id: str | None, *, counted: bool) -> Cell:
        run = next(_RUNS)
        # Not shell.execution_count: whether that is already the next one differs by the version of IPython.
        count = getattr(self._shell.displayhook, "prompt_count", self._shell.execution_count) if counted else " "
        key = cell_id or (f"[{count}]" if counted else f"run {run}")
        return Cell(key, run, f"cell [{count}]")


_RUNS = itertools.count(1)
_WATCHES: weakref.WeakKeyDictionary[Any, _Watch] = weakref.WeakKeyDictionary()
_LOCK = threading.RLock()  # threads of a cell ask and declare beside the shell


def _watch() -> _Watch | None:
    """The watch of the shell that is running code, made at the first use; None where there is no shell."""
    shell = _shell()
    watch = None if shell is None else _WATCHES.get(shell)
    if watch is not None or shell is None:
        return watch
    with _LOCK:
        watch = _WATCHES.get(shell)  # another thread may have been quicker
        if watch is None:
            watch = _WATCHES[shell] = _Watch(shell)
        return watch


def _shell() -> Any:
    """The IPython shell, if IPython is loaded and has one; the shell that is running code comes first."""
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return None
    find = getattr(builtins, "get_ipython", None) or getattr(ipython, "get_ipython", None)
    shell = find() if find is not None else None
    return shell if hasattr(shell, "events") else None


def _message(shell: Any) -> Mapping[str, Any]:
    """The message that the kernel is answering; empty in a shell without kernel."""
    for holder in (shell, getattr(shell, "kernel", None)):
        find = getattr(holder, "get_parent", None)
        if find is not None:
            message = find()
            return message if isinstance(message, Mapping) else {}
    return {}


def _part(message: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = message.get(name)
    return part if isinstance(part, Mapping) else {}


def _cell_id_of(message: Mapping[str, Any]) -> str | None:
    return _part(message, "metadata").get("cellId") or None


def _label_aside(message: Mapping[str, Any]) -> str:
    """What to call the message if it is no run of a cell, else an empty text.

    Other messages, such as a request for completions, start no code; what runs meanwhile is a cell's thread.
    """
    kind = _part(message, "header").get("msg_type", "")
    if kind in ("comm_open", "comm_msg", "comm_close"):
        return "a widget callback"
    if kind == "execute_request" and _part(message, "content").get("silent", False):
        return "a silent request"
    return ""


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_cell_frame(frame: FrameType) -> bool:
    return frame.f_code.co_name == "run_cell_async"


def _is_importing() -> bool:
    """True while the caller is run by an import: a module's code does not run again with the importing cell."""
    for frame in _frames():
        if _is_cell_frame(frame):
            return False
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
    return False
