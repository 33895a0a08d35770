"""What a node of a document is told beside the state."""

import hashlib
from typing import Any

import pytest

import graphnb as gn
from tests.documents import FIELDS, asynchronous, fails_below, graph, tries, written

CONTEXT = gn.NodeContext("run", "node", 3, 2, {"x": 1}, {"size": 4})


def test_keys_are_made_of_run_step_node_and_attempt() -> None:
    """So that the same attempt has the same key again."""
    assert "run:3:node" == CONTEXT.task_id
    assert "run:3:node:2" == CONTEXT.key


def test_context_compares_and_shows_what_it_tells() -> None:
    """The values behind the hash are no part of it."""
    assert CONTEXT == gn.NodeContext("run", "node", 3, 2, {"x": 1}, {"size": 4}, _values={"x": [1]})
    assert "values" not in repr(CONTEXT)


def test_context_hands_out_nothing_that_the_run_keeps() -> None:
    """Only by underscores: a list changed there would be the committed one."""
    public = {name for name in dir(CONTEXT) if not name.startswith("_")}

    assert {"run_id", "node", "step", "attempt", "versions", "config", "task_id", "key", "view_hash"} == public


def test_versions_and_config_are_told_to_each_attempt_anew() -> None:
    """A node may do with them what it likes."""
    seen: list[gn.NodeContext] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        seen.append(context)
        context.config["list"].append(context.attempt)  # type: ignore[index]
        context.versions["log"] = 99  # type: ignore[index]
        return fails_below(2, {"log": "x"})(view, context)

    inputs = {"topic": {"schema": {"type": "string"}}, "other": {"schema": {"type": "string"}, "default": "x"}}
    run = graph(written("a", inputs=inputs, nodes={"a": tries(2) | {"config": {"list": [0]}}}), a=node).run(topic="tea")

    assert [(1, [0, 1]), (2, [0, 2])] == [(each.attempt, each.config["list"]) for each in seen]
    assert {"topic": 1, "other": 0, "log": 99} == {name: seen[1].versions[name] for name in ("topic", "other", "log")}
    assert {*inputs, *FIELDS} == seen[0].versions.keys()
    assert f"{run.run_id}:0:a:2" == seen[1].key


def test_hash_of_the_view_tells_views_apart() -> None:
    """The same again for the same view, whoever reads it; 1 and 1.0 differ, and so do null and absence."""
    seen: list[str] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        seen.append(context.view_hash)
        return {}

    inputs = {"n": {"schema": {"type": "float"}}}
    for given in ({"n": 1}, {"n": 1.0}, {"n": None}, {}, {"n": 1}):
        graph(written("a", inputs=inputs), a=node).run(**given)
    graph(written("a", inputs=inputs), a=asynchronous(node)).run(n=1)

    assert 4 == len(set(seen))
    assert seen[0] == seen[4] == seen[5]
    assert 64 == len(seen[0])


def from_below(frames: int, call: Any) -> Any:
    """What the call gives when there are so many frames above it."""
    return from_below(frames - 1, call) if frames else call()


@pytest.mark.parametrize("frames", [0, 400])
def test_hash_of_the_view_is_made_of_whatever_can_be_stored(frames: int) -> None:
    """As deep as values may be, and of integers that Python does not write."""
    deep: Any = 10**5000
    for _ in range(198):
        deep = [deep]
    seen: list[str] = []

    def node(view: Any, context: gn.NodeContext) -> Any:
        seen.append(from_below(frames, lambda: context.view_hash))
        return {} if view["log"] else {"card": {"a": deep}, "total": 10**6000, "log": "x"}

    edges = {"s": {"from": "$start", "to": "a"}, "t": {"from": "a", "to": "b"}}
    run = graph(written("a", "b", edges=edges), a=node, b=node).run()
    text = f'{{"card":{{"a":{"[" * 198}1{"0" * 5000}{"]" * 198}}},"log":["x"],"rows":[],"total":1{"0" * 6000}}}'

    assert hashlib.sha256(text.encode()).hexdigest() == seen[1] != seen[0]
    assert 10**6000 == run.state["total"]
