"""Random documents: whatever finished first, in whatever way they are run, and from whichever commit they go on."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import graphnb as gn
from graphnb.conformance.documents.replays import replay_reasons
from graphnb.conformance.documents.runs import plan_of
from graphnb.conformance.documents.scripted import scripted
from graphnb.conformance.documents.stored import FINAL, Stored, started
from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.writing import to_wire
from graphnb.trace.log import Log
from tests.documents import FIELDS, tries

NAMES = ("a", "b", "n10", "n9")
GRAPH_FIELDS = {name: FIELDS[name] for name in ("log", "total", "card", "rows", "first", "word")}
_updates = st.fixed_dictionaries(
    {},
    optional={
        "log": st.sampled_from(["x", ["y", "z"], []]),
        "total": st.sampled_from([1, 0.5, -2, 1e16]),
        "card": st.sampled_from([{"k": 1}, {"k": {"i": 2}}, {"k": {"j": [3]}}, {}]),
        "rows": st.sampled_from([{"id": 1, "v": "p"}, [{"id": 1, "v": "q"}, {"id": 1.0}], {"none": 1}]),
        "first": st.sampled_from([1, None, 0]),
        "word": st.sampled_from(["w", None]),
    },
)
_bad = st.sampled_from([{"return": 3}, {"write": {"log": 4}}, {"fail": "never"}])


@st.composite
def _rules(draw: st.DrawFn, name: str) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = []
    if draw(st.booleans()):
        rules.append({"when": {"attempt_below": draw(st.integers(2, 3))}, "fail": "not yet"})
    if draw(st.integers(0, 3)) == 3:
        rules.append({"when": {"absent": "word"}, "interrupt": {"id": f"q-{name}", "resume": "word"}})
    return [*rules, draw(_bad) if draw(st.integers(0, 19)) == 19 else {"write": draw(_updates)}]


_atoms = st.sampled_from(
    [
        {"op": "changed", "args": ["log"]},
        {"op": "exists", "args": ["word"]},
        {"op": "version_at_least", "args": ["total", 2]},
        {"op": "equals", "args": ["total", 1]},
        {"op": "equals", "args": [{"$guard": {"op": "path", "args": ["log", [-1]]}}, "x"]},
        {"op": "all", "args": []},
    ]
)
_guards = _atoms | _atoms.map(lambda guard: {"op": "not", "args": [guard]})


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, Any]:
    """A graph as cases write it: forks, joins, loops, guards, attempts, interrupts."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    nodes = {
        name: {"rules": draw(_rules(name)), **tries(draw(st.sampled_from([3, 3, 3, 1])), draw(st.integers(0, 2)))}
        for name in names
    }
    edges: dict[str, Any] = {f"s{i}": {"from": "$start", "to": name} for i, name in enumerate(names)}
    for i in range(draw(st.integers(0, 5))):
        one = draw(st.sampled_from(names))
        many = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        edges[f"e{i}"] = {
            "from": many if draw(st.booleans()) else one,
            "to": draw(st.sampled_from([*names, "$finish"])),
        }
        if draw(st.booleans()):
            edges[f"e{i}"]["guard"] = draw(_guards)
    outputs = {name: {"source": name} for name in GRAPH_FIELDS}
    return {
        "fields": GRAPH_FIELDS,
        "nodes": nodes,
        "edges": edges,
        "outputs": outputs,
        "policies": {"max_supersteps": 6},
    }


def _ended(graph: Mapping[str, Any]) -> Stored:
    """The run of such a graph to its end, every question answered as soon as nothing else is to be done."""
    run = started(plan_of(graph, []), {}, told=[], max_commits=None)
    while run.status == "waiting":
        run.resolve(min(run.position.open), "answer")
        run.drive(run.plan)
    return run


@settings(deadline=None)
@given(graphs())
def test_run_that_is_taken_up_from_any_commit_gives_every_later_one(graph: dict[str, Any]) -> None:
    """Up to the first question, which somebody else has to answer."""
    plan = plan_of(graph, [])
    run = started(plan, {}, told=[], max_commits=None)

    assert [] == [*replay_reasons(plan, run, first=1)]


@settings(deadline=None)
@given(graphs())
def test_versions_count_the_commits_that_wrote(graph: dict[str, Any]) -> None:
    """However many nodes wrote in each, and answers among them; values at the end are those of the last fold."""
    run = _ended(graph)
    log, position = run.log, run.position
    written: dict[str, int] = {}
    for first, commit in enumerate(log.commits[: len(log.routes)]):
        if not commit.is_joined:
            last = first + 1
            while last < len(log.commits) and log.commits[last].is_joined:
                last += 1
            fields = [fold.field for each in log.commits[first:last] for fold in each.folds]
            assert len(fields) == len(set(fields))
            for field in fields:
                written[field] = written.get(field, 0) + 1

    assert written == {name: version for name, version in position.versions.items() if version}
    assert run.status in FINAL


@settings(deadline=None, max_examples=40)
@given(graphs(), st.data())
def test_order_of_arrival_and_way_to_run_never_show(graph: dict[str, Any], data: st.DataObject) -> None:
    """Nodes that take their time, in any order, on threads and as coroutines: the same log, the same outcome."""
    document = _document(graph)
    waits = {name: data.draw(st.sampled_from([0, 0.0004, 0.003])) for name in graph["nodes"]}
    plain = {name: scripted(node["rules"], []) for name, node in graph["nodes"].items()}
    slow = {name: _late(function, waits[name]) for name, function in plain.items()}
    coroutines = {name: _awaited(function, waits[name]) for name, function in plain.items()}
    mixed = {name: (coroutines if i % 2 else slow)[name] for i, name in enumerate(plain)}
    first = _outcome(gn.graph_of(document, nodes=plain).run)

    assert _is_same(first, _outcome(gn.graph_of(document, nodes=slow).run))
    assert _is_same(first, _outcome(gn.graph_of(document, nodes=coroutines).run))
    assert _is_same(first, _outcome(gn.graph_of(document, nodes=mixed).run))
    assert _is_same(first, _outcome(lambda: asyncio.run(_in_loop(document, coroutines))))


@settings(deadline=None)
@given(graphs())
def test_document_that_went_through_json_runs_the_same(graph: dict[str, Any]) -> None:
    """Written, read, and in another order of keys."""
    document = _document(graph)
    again = json.dumps(to_wire(read_document(json.dumps(document))), sort_keys=True)
    turned = {key: dict(reversed(each.items())) if isinstance(each, dict) else each for key, each in document.items()}
    nodes = {name: scripted(node["rules"], []) for name, node in graph["nodes"].items()}
    runs = [_outcome(gn.graph_of(each, nodes=nodes).run) for each in (document, again, turned)]

    assert runs[0].status == runs[1].status == runs[2].status
    assert runs[0] == runs[1] == runs[2]
    assert runs[0].trace.log.pinned == runs[1].trace.log.pinned == runs[2].trace.log.pinned


def _document(graph: Mapping[str, Any]) -> dict[str, Any]:
    nodes = {
        name: {"implementation": {"type": "module", "implementation": name}, "policies": node["policies"]}
        for name, node in graph["nodes"].items()
    }
    return {"schema_version": 1, "id": "g", **graph, "nodes": nodes}


def _late(function: Any, seconds: float) -> Any:
    def implementation(view: Any, context: gn.NodeContext) -> Any:
        time.sleep(seconds)
        return function(view, context)

    return implementation


def _awaited(function: Any, seconds: float) -> Any:
    async def implementation(view: Any, context: gn.NodeContext) -> Any:
        await asyncio.sleep(seconds)
        return function(view, context)

    return implementation


async def _in_loop(document: Mapping[str, Any], nodes: Mapping[str, Any]) -> gn.Run:
    return await gn.graph_of(document, nodes=nodes).arun()


def _outcome(run: Any) -> gn.Run:
    """The run, of one that failed as well."""
    try:
        return run()  # type: ignore[no-any-return]
    except gn.GraphError as error:
        return error.run  # type: ignore[attr-defined, no-any-return]


def _is_same(one: gn.Run, other: gn.Run) -> bool:
    logs: list[Log] = [each.trace.log for each in (one, other)]
    return (
        one == other
        and one.fault == other.fault
        and one.outputs == other.outputs
        and logs[0].parkings == logs[1].parkings
        and [each.interrupt for each in logs[0].commits] == [each.interrupt for each in logs[1].commits]
    )
