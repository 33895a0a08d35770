"""The stop button: a keyboard interrupt in a process of its own, in every kind of node."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import asyncio, json, signal, sys, threading, time
from typing import Annotated, Any
import graphnb as gn

class Diary(gn.State):
    items: list[int] = []
    item: int = 0
    out: Annotated[list[Any], gn.append] = []

begun, cleaned = [], []

def nap(s):
    begun.append(1)
    time.sleep(30)
    return {}
def spin(s):
    begun.append(1)
    while True: pass
async def nap_later(s):
    begun.append(1)
    try: await asyncio.sleep(30)
    finally:
        await asyncio.sleep(0.01)
        cleaned.append(1)
def nap_item(item):
    begun.append(1)
    time.sleep(0.5)
async def nap_item_later(item):
    await nap_later(None)

def fail(s):
    begun.append(1)
    raise LookupError("lost")
def through(s, following):
    return following(s)
async def through_later(s, following):
    try: return await following(s)
    finally:
        await asyncio.sleep(0.01)
        cleaned.append(1)
async def nap_around(s, following):
    return await through_later(s, nap_later)

def line(node, *layers):
    graph = gn.Graph(Diary, entry="first")
    graph.node("first", lambda s: {"out": ["first"]}, to="second")
    graph.node("second", node, middleware=layers, to=gn.END)
    return graph

def both(*nodes):
    graph = gn.Graph(Diary, entry="first")
    graph.node("first", lambda s: {"out": ["first"]}, to="both")
    graph.branches("both", {f"branch {i}": node for i, node in enumerate(nodes)}, to=gn.END)
    return graph

def fork(*nodes, within=False):
    graph = gn.Graph(Diary, entry="first")
    names = [f"node {i}" for i in range(len(nodes))]
    graph.node("first", lambda s: {"out": [] if within else ["first"]}, to=tuple(names))
    for name, node in zip(names, nodes):
        graph.node(name, node, to=gn.END)
    if not within:
        return graph
    outer = gn.Graph(Diary, entry="first")
    outer.node("first", lambda s: {"out": ["first"]}, to="within")
    outer.subgraph("within", graph, to=gn.END)
    return outer

def quick(s):
    return {"out": ["quick"]}

def each(worker, **options):
    graph = gn.Graph(Diary, entry="first")
    graph.node("first", lambda s: {"out": ["first"], "items": list(range(40))}, to="each")
    graph.fan_out("each", worker, over="items", concurrency=10, **{"into": "out", **options}, to=gn.END)
    return graph

def nested():
    inner = gn.Graph(Diary, entry="inner")
    inner.fan_out("inner", nap_item, count=20, into="out", concurrency=2, to=gn.END)
    return each(inner, item="item", collect="out")

def worker(node):
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"out": [s.item]}, to="b")
    graph.node("b", node, to=gn.END)
    return each(graph, item="item", collect="out")

def stepped(graph):
    session = graph.session()
    session.step()
    session.step()

CASES = {
    "plain node": (line(nap), gn.Graph.run, 1),
    "busy node": (line(spin), gn.Graph.run, 1),
    "asynchronous node": (line(nap_later), gn.Graph.run, 1),
    "threads": (each(nap_item), gn.Graph.run, 10),
    "tasks": (each(nap_item_later), gn.Graph.run, 10),
    "nested threads": (nested(), gn.Graph.run, 20),
    "graphs with plain nodes": (worker(nap), gn.Graph.run, 10),
    "graphs with asynchronous nodes": (worker(nap_later), gn.Graph.run, 10),
    "session": (line(nap), stepped, 1),
    "pause of a retry": (line(fail, gn.retry(classifier=lambda error, s: True, backoff=30)), gn.Graph.run, 1),
    "plain middleware": (line(nap_later, through), gn.Graph.run, 1),
    "asynchronous middleware": (line(spin, through_later), gn.Graph.run, 1),
    "middleware that waits": (line(spin, nap_around), gn.Graph.run, 1),
    "branches": (both(nap_later, nap_later, spin), gn.Graph.run, 3),
    "asynchronous branches": (both(nap_later, nap_later), gn.Graph.run, 2),
    "fork": (fork(nap, quick, nap), gn.Graph.run, 2),
    "busy fork": (fork(spin, spin), gn.Graph.run, 2),
    "asynchronous fork": (fork(nap_later, nap_later), gn.Graph.run, 2),
    "mixed fork": (fork(nap_later, spin, nap_later), gn.Graph.run, 3),
    "fork in a session": (fork(nap, nap), stepped, 2),
    "fork within": (fork(nap_later, nap, within=True), gn.Graph.run, 2),
}

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process begun in the background ignores it
graph, call, parties = CASES[sys.argv[1]]
pressed = []
def press():
    while len(begun) < parties:
        time.sleep(0.01)
    # The last to begin is at its wait by then: Python does not look at a key that comes right before such a call.
    time.sleep(0.1)
    pressed.append(time.monotonic())
    # Into the main thread, as Python has no other way to wake it: sent to the process, a signal may come to any thread.
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
threading.Thread(target=press).start()
try:
    call(graph)
except KeyboardInterrupt as error:
    told = error.run
    took = time.monotonic() - pressed[0]
run = graph.last_run
steps = [step.path for step in run.steps]
time.sleep(0.8)  # what is left of plain instances ends now, and must begin nothing else
from graphnb.engine.drivers import loop_thread
tasks = asyncio.all_tasks(loop_thread._running[0]) if loop_thread._running else ()
stopped = [each.path for each in run.trace.open_steps if each.stopped]
print(json.dumps({"took": took, "kept": told is run, "status": run.status, "out": run.state.out, "steps": steps,
                  "still": steps == [step.path for step in run.steps], "stopped": stopped, "tasks": len(tasks),
                  "cleaned": len(cleaned), "begun": len(begun), "again": line(lambda s: {}).run().status}))
"""

FIRST = ["first"]
STARTED = [*FIRST, *(f"each[{i}]/a" for i in range(10))]
SECOND, EACH = ["second"], ["each"]
INSIDE = [f"each[{i}]/b" for i in range(10)]
CASES = {
    # which steps are there, in which nodes it was stopped, how many instances had begun, how many have cleaned up
    "plain node": (FIRST, SECOND, 1, 0),
    "busy node": (FIRST, SECOND, 1, 0),
    "asynchronous node": (FIRST, SECOND, 1, 1),
    "threads": (FIRST, EACH, 10, 0),
    "tasks": (FIRST, EACH, 10, 10),
    "nested threads": (FIRST, [*EACH, *(f"each[{i}]/inner" for i in range(10))], 20, 0),
    "graphs with plain nodes": (STARTED, [*EACH, *INSIDE], 10, 0),
    "graphs with asynchronous nodes": (STARTED, [*EACH, *INSIDE], 10, 10),
    "session": (FIRST, SECOND, 1, 0),
    "pause of a retry": (FIRST, SECOND, 1, 0),
    "plain middleware": (FIRST, SECOND, 1, 1),
    "asynchronous middleware": (FIRST, SECOND, 1, 1),
    "middleware that waits": (FIRST, SECOND, 1, 2),
    "branches": (FIRST, ["both"], 3, 2),
    "asynchronous branches": (FIRST, ["both"], 2, 2),
    "fork": (FIRST, ["node 0", "node 1", "node 2"], 2, 0),
    "busy fork": (FIRST, ["node 0", "node 1"], 2, 0),
    "asynchronous fork": (FIRST, ["node 0", "node 1"], 2, 2),
    "mixed fork": (FIRST, ["node 0", "node 1", "node 2"], 3, 2),
    "fork in a session": (FIRST, ["node 0", "node 1"], 2, 0),
    "fork within": ([*FIRST, "within/first"], ["within/node 0", "within/node 1", "within"], 2, 1),
}


@pytest.fixture(scope="module")
def processes():
    """One process for each case, all at once: they mostly wait."""
    started = {
        case: subprocess.Popen(
            [sys.executable, "-c", SCRIPT, case], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for case in CASES
    }
    yield started
    for process in started.values():
        process.kill()
        process.communicate()


@pytest.mark.parametrize("case", CASES)
def test_keyboard_interrupt_stops_the_run_and_keeps_it(case, processes):
    """KeyboardInterrupt comes back at once with the run so far; nothing is left running that can be stopped."""
    steps, stopped, begun, cleaned = CASES[case]
    out, err = processes[case].communicate(timeout=60)

    assert "" == err

    told = json.loads(out)

    assert told["took"] < 3
    assert told["kept"]
    assert ("cancelled", ["first"]) == (told["status"], told["out"])
    assert (steps, True) == (told["steps"], told["still"])
    assert stopped == told["stopped"]
    assert (begun, cleaned, 0) == (told["begun"], told["cleaned"], told["tasks"])
    assert "done" == told["again"]
