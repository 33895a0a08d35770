"""The cell rule holds in a real kernel, with and without the cell id that front ends send."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

PRELUDE = """
from graphnb.graph.edges import Edge
from graphnb.graph.spec import FunctionNode
from graphnb.notebook.cells import current_cell
from graphnb.notebook.declarations import Declarations

def work(state): return {}
def node(name, to=None): graph.declare(FunctionNode(name, work), Edge(name, to) if to else None)
"""


class Kernel:
    """A kernel of this Python; `run` sends what a front end sends for one cell."""

    def __init__(self, directory: Path, repository: Path) -> None:
        # Without the user's kernel specifications: only then is it this very Python.
        manager = KernelSpecManager(kernel_dirs=[])
        self._manager = KernelManager(kernel_spec_manager=manager)
        environment = {**os.environ, "PYTHONPATH": str(repository), "IPYTHONDIR": str(directory)}
        self._manager.start_kernel(env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=60)

    def run(self, code: str, cell: str | None = None, *, store_history: bool = True, silent: bool = False) -> str:
        """What the cell printed, and the name of its error."""
        content = {"code": code, "silent": silent, "store_history": store_history, "allow_stdin": False}
        message = self._client.session.msg("execute_request", content)
        if cell is not None:
            message["metadata"]["cellId"] = cell
        self._client.shell_channel.send(message)
        return self._answer(message)

    def press(self, comm: str) -> str:
        """What the kernel printed while it answered a widget's message."""
        message = self._client.session.msg("comm_msg", {"comm_id": comm, "data": {}})
        self._client.shell_channel.send(message)
        return self._answer(message)

    def _answer(self, request: dict[str, object]) -> str:
        text = ""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            message = self._client.get_iopub_msg(timeout=60)
            kind, content = message["msg_type"], message["content"]
            if message["parent_header"].get("msg_id") != request["msg_id"]:
                continue
            if kind == "stream" and content["name"] == "stdout":
                text += content["text"]
            elif kind == "error":
                text += content["ename"]
            elif kind == "status" and content["execution_state"] == "idle":
                return text
        raise TimeoutError(request["content"])

    def stop(self) -> None:
        """End this kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Callable[[], Kernel]]:
    """`start()` gives a new kernel; all are stopped in the end."""
    kernels: list[Kernel] = []

    def start_kernel() -> Kernel:
        kernels.append(Kernel(tmp_path_factory.mktemp("ipython"), repository))
        return kernels[-1]

    yield start_kernel
    for kernel in kernels:
        kernel.stop()


@pytest.fixture(scope="module")
def shared_kernel(start: Callable[[], Kernel]) -> Kernel:
    """Return the kernel that most tests run in, one after the other."""
    kernel = start()
    kernel.run(PRELUDE, "prelude")
    return kernel


@pytest.fixture
def kernel(shared_kernel: Kernel) -> Kernel:
    """Return the kernel with a new graph in it."""
    shared_kernel.run("graph = Declarations('graph')", "graph")
    return shared_kernel


def nodes(kernel: Kernel) -> str:
    """Return the nodes' names in declared order, asked in a cell of its own."""
    return kernel.run("print(*graph.nodes)", "asking").strip()


@pytest.mark.parametrize("cell", ["a", None])
@pytest.mark.parametrize("store_history", [True, False])
def test_cell_of_the_very_first_use(start: Callable[[], Kernel], cell: str | None, store_history: bool) -> None:
    """The run that imports graphnb is one cell throughout, and its second run the same cell if it has an id."""
    kernel = start()
    source = (
        "from graphnb.notebook.cells import current_cell\n"
        "one, two = current_cell(), current_cell()\n"
        "print(one == two, one.key, one.run, one.label, sep='|')"
    )
    first, second = (kernel.run(source, cell, store_history=store_history).strip().split("|") for _ in range(2))

    assert first[0] == second[0] == "True"
    assert (first[1] == second[1]) == (cell is not None)
    assert int(first[2]) < int(second[2])
    assert [first[3], second[3]] == (["cell [1]", "cell [2]"] if store_history else ["cell [ ]"] * 2)


@pytest.mark.parametrize("store_history", [True, False])
def test_cell_run_again_edited_and_renamed(kernel: Kernel, store_history: bool) -> None:
    """Run again, edited or renamed, a cell with an id replaces its own declarations quietly."""
    kernel.run("node('last')", "b", store_history=store_history)
    first = kernel.run("node('plan', 'judge'); node('judge')", "a", store_history=store_history)
    again = kernel.run("node('plan', 'judge'); node('judge')", "a", store_history=store_history)
    edited = kernel.run("node('plan'); node('renamed')", "a", store_history=store_history)

    assert first + again + edited == ""
    assert nodes(kernel) == "last plan renamed"
    assert kernel.run("print(len(graph.edges))") == "0\n"


@pytest.mark.parametrize("cell", ["a", None])
@pytest.mark.parametrize("store_history", [True, False])
def test_repeated_name_in_one_run_raises(kernel: Kernel, cell: str | None, store_history: bool) -> None:
    """One request is one edit, counted or not, with an id or without."""
    assert kernel.run("for _ in range(2): node('plan')", cell, store_history=store_history) == "DuplicateName"
    assert kernel.run("for i in range(2): node(f'n{i}')", cell, store_history=store_history) == ""


def test_half_failed_cell_is_mended_by_running_it_again(kernel: Kernel) -> None:
    """What a cell declared before its failure stays until it runs again."""
    kernel.run("node('plan'); 1 / 0; node('judge')", "a")
    assert nodes(kernel) == "plan"

    assert kernel.run("node('first'); node('judge')", "a") == ""
    assert nodes(kernel) == "first judge"


@pytest.mark.parametrize("head", ["", "%%capture\n", "import asyncio; await asyncio.sleep(0)\n"])
@pytest.mark.parametrize("store_history", [True, False])
def test_cell_that_declares_nothing_any_more_leaves_nothing(kernel: Kernel, head: str, store_history: bool) -> None:
    """Its nodes are gone when it runs again, before its first line; another cell's stay, and places are kept."""
    kernel.run(f"{head}node('plan', 'judge')", "a", store_history=store_history)
    kernel.run("node('judge')", "b", store_history=store_history)

    assert kernel.run(f"{head}pass", "a", store_history=store_history) == ""
    assert nodes(kernel) == "judge"
    assert kernel.run("print(len(graph.edges)); node('plan')", "a", store_history=store_history) == "0\n"
    assert nodes(kernel) == "plan judge"


@pytest.mark.parametrize("source", ["1 / 0; node('plan')", "node('plan'"])
def test_cell_that_fails_before_declaring_leaves_nothing(kernel: Kernel, source: str) -> None:
    """A failure, or a line that does not compile, is a run like any other."""
    kernel.run("node('plan')", "a")

    assert kernel.run(source, "a") in ("ZeroDivisionError", "SyntaxError")
    assert nodes(kernel) == ""


def test_duplicated_cell_says_so_once_per_name(kernel: Kernel) -> None:
    """A copy of a cell has another id: it replaces, and says so with the number of the first."""
    number = kernel.run("node('plan', 'judge'); node('judge'); print(current_cell().label)", "a").strip()
    text = kernel.run("node('plan', 'judge'); node('judge')", "copy of a")

    assert text == "".join(
        f"graphnb: node {name!r} replaced (it was declared in {number})\n" for name in ("plan", "judge")
    )


def test_moved_cell_changes_nothing(kernel: Kernel) -> None:
    """Cells run in another order keep their places."""
    kernel.run("node('plan')", "a")
    kernel.run("node('judge')", "b")

    assert kernel.run("node('judge')", "b") + kernel.run("node('plan')", "a") == ""
    assert nodes(kernel) == "plan judge"


def test_without_cell_id_a_rerun_replaces_by_name(kernel: Kernel) -> None:
    """A front end that sends no id gets the quiet line, and an orphan after a renaming."""
    kernel.run("node('plan')")
    text = kernel.run("node('plan')")
    kernel.run("node('planning')")

    assert text.startswith("graphnb: node 'plan' replaced (it was declared in cell [")
    assert nodes(kernel) == "plan planning"


@pytest.mark.parametrize("head", ["", "%%capture\n", "import asyncio; await asyncio.sleep(0)\n"])
def test_cell_with_magic_or_await_is_one_edit(kernel: Kernel, head: str) -> None:
    """Code that is run by a cell magic or awaits has the cell's id: its second run replaces its first."""
    kernel.run(f"{head}node('plan')", "a")
    kernel.run(f"{head}node('planning')", "a")

    assert nodes(kernel) == "planning"


def test_thread_and_task_of_a_cell_never_fail(kernel: Kernel) -> None:
    """What a cell's thread and task declare, at once or while later cells run, is declared."""
    kernel.run(
        "import asyncio, threading\n"
        "go = threading.Event()\n"
        "def late(): go.wait(30); node('late')\n"
        "soon = threading.Thread(target=node, args=('soon',)); soon.start(); soon.join()\n"
        "later = threading.Thread(target=late); later.start()\n"
        "async def wait():\n    await asyncio.sleep(0); node('task')\n"
        "task = asyncio.create_task(wait())",
        "a",
    )
    kernel.run("await task; go.set(); later.join()", "b")

    assert sorted(nodes(kernel).split()) == ["late", "soon", "task"]


def test_stale_task_takes_nothing_back(kernel: Kernel) -> None:
    """A task of a cell's first run that declares after its second run adds to it."""
    kernel.run("import asyncio; go = asyncio.Event()\nasync def wait():\n    await go.wait(); node('late')", "define")
    kernel.run("task = asyncio.create_task(wait()); node('plan')", "a")
    kernel.run("node('plan'); node('judge')", "a")
    kernel.run("go.set(); await task", "b")

    assert sorted(nodes(kernel).split()) == ["judge", "late", "plan"]


def test_widget_callback_is_an_edit_of_its_own(kernel: Kernel) -> None:
    """A callback may declare one name at every press: each press replaces."""
    kernel.run(
        "from comm import get_comm_manager\nfrom comm.base_comm import BaseComm\n"
        "class Button(BaseComm):\n    def publish_msg(self, *args, **options): pass\n"
        "button = Button(target_name='t', comm_id='button')\n"
        "button.on_msg(lambda message: node('pressed'))\n"
        "get_comm_manager().register_comm(button)\n"
        "node('plan')",
        "a",
    )
    kernel.press("button")
    kernel.press("button")

    assert nodes(kernel) == "plan pressed"
    assert kernel.run("print(graph.version, graph.nodes['pressed'].function is work)") == "3 True\n"
    kernel.run("node('planning')", "a")
    assert nodes(kernel) == "pressed planning"


def test_silent_request_is_an_edit_of_its_own(kernel: Kernel) -> None:
    """What a front end runs behind the user's back joins no cell."""
    kernel.run("node('plan')", "a")
    kernel.run("node('plan')", silent=True)
    kernel.run("node('plan')", silent=True)

    assert kernel.run("print(graph.version)") == "3\n"
