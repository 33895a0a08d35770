"""The engine alone: without tables, drawings, widgets and IPython."""

import subprocess
import sys

SCRIPT = """
import sys

BLOCKED = ("pandas", "graphviz", "ipywidgets", "IPython", "numpy", "yaml")

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Refuse())

import asyncio
from typing import Annotated
import graphnb as gn

class Diary(gn.State):
    items: list[int] = [1, 2, 3]
    log: Annotated[list[int], gn.append] = []

async def later(s):
    await asyncio.sleep(0)
    return {"log": [0]}

async def double_later(item):
    return item * 2

inner = gn.Graph(Diary, entry="inner", name="inner")
inner.node("inner", lambda s: {"log": [7]}, to=gn.END)
graph = gn.Graph(Diary, entry="plain")
graph.node("plain", lambda s: {"log": [-1]}, to="later")
graph.node(later, to="each")
graph.fan_out("each", lambda item: item * 2, over="items", into="log", to="each_later")
graph.fan_out("each_later", double_later, over="items", into="log", to="sub")
graph.subgraph("sub", inner, to=gn.END)

run = graph.run()
assert run == asyncio.run(graph.arun()) == graph.start().result() == graph.session().finish()
print(run.state.log, repr(run), run.steps[-1])
assert not {"pandas", "graphviz", "ipywidgets", "IPython"} & set(sys.modules)
"""


def test_engine_runs_with_notebook_libraries_blocked():
    """Plain, asynchronous, fan-out and subgraph nodes run in every way where none of those can be imported."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=False)

    assert "" == done.stderr
    assert "[-1, 0, 2, 4, 6, 2, 4, 6, 7] <Run of 'Diary': done, 5 steps> Step(4, 'sub', writes ['items', 'log'])" == (
        done.stdout.strip()
    )


def test_import_loads_no_notebook_library():
    """`import graphnb` alone loads none of them although they are there."""
    script = (
        "import sys, graphnb; print([m for m in ('pandas', 'graphviz', 'ipywidgets', 'IPython') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)

    assert "[]" == done.stdout.strip()
