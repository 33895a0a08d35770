"""Implementations of nodes and their config."""

from typing import Any

import pytest

from tests.graph.documents.test_effective import CONFIG, with_schema
from tests.graph.documents.written import found, sound


def node(registry: dict[str, Any], implementation: Any = "own", **config: Any) -> list[tuple[str, str]]:
    """Codes and places of a sound document with another node."""
    told = {"type": "module", "implementation": implementation} if isinstance(implementation, str) else implementation
    document = sound(nodes={"a": {"implementation": told, "config": config}})
    return [(code, place) for _, code, place in found(document, **registry)]


@pytest.mark.parametrize(
    ("registry", "implementation", "code"),
    [
        ({}, None, "missing_node_implementation"),
        ({}, {}, "unsupported_node_implementation"),
        ({}, {"type": "prompt", "implementation": "step"}, "unsupported_node_implementation"),
        ({"other": print}, "own", "node_module_not_loaded"),
        ({}, "json", "node_module_not_loaded"),
        ({"own": "json"}, "own", "invalid_node_implementation"),
        ({"own": None}, "own", "invalid_node_implementation"),
        ({"own": with_schema({"type": "list"})}, "own", "invalid_node_config_schema"),
        ({"own": with_schema({"type": "string"})}, "own", "invalid_node_config_schema"),
        ({"own": with_schema(lambda: 1 / 0)}, "own", "invalid_node_config_schema"),
    ],
)
def test_node_that_cannot_be_executed_is_told(registry, implementation, code):
    """One code per reason."""
    assert [(code, "nodes.a.implementation")] == node(registry, implementation)


def test_node_without_config_schema_takes_any_config():
    """Nobody declared anything."""
    assert [] == node({"own": print}, anything=[1])


def test_every_problem_of_a_config_is_told():
    """After the defaults of the schema have filled in what is missing."""
    registry = {"own": with_schema(CONFIG)}

    assert [] == node(registry)
    assert [] == node(registry, topic="x", seed=3)
    assert [("invalid_node_config", "nodes.a.config")] * 3 == node(registry, topic=1, model=2, more=3)


def test_required_key_is_missing_only_if_it_has_no_default():
    """A default excuses its absence."""
    bare = {"type": "object", "fields": {"k": {"type": "string", "required": True}}}
    filled = {"type": "object", "fields": {"k": {"type": "string", "required": True, "default": "x"}}}

    assert [("invalid_node_config", "nodes.a.config")] == node({"own": with_schema(bare)})
    assert [] == node({"own": with_schema(filled)})
