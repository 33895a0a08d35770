"""Policies of the graph and of nodes."""

import pytest

from tests.graph.documents.written import STEP, found, sound


@pytest.mark.parametrize("limit", [1, 10**20, None])
def test_sound_limit_passes(limit):
    """Null counts as absent."""
    assert [] == found(sound(policies={"max_supersteps": limit, "owner": {"any": "thing"}}))


@pytest.mark.parametrize("limit", [0, -1, True, 1.0, "3", [3]])
def test_limit_has_to_be_a_positive_integer(limit):
    """Of steps of the whole run."""
    assert [("error", "invalid_policy", "policies.max_supersteps")] == found(sound(policies={"max_supersteps": limit}))


@pytest.mark.parametrize(
    ("policies", "places"),
    [
        ({"timeout_ms": 1, "retry": {"max_attempts": 1, "backoff_ms": 0}, "custom": [1]}, []),
        ({"timeout_ms": None, "retry": None, "on_error": None}, []),
        ({"retry": {"max_attempts": None, "backoff_ms": None}}, []),
        ({"retry": {}}, []),
        ({"timeout_ms": 0}, ["timeout_ms"]),
        ({"timeout_ms": 1.5}, ["timeout_ms"]),
        ({"timeout_ms": True}, ["timeout_ms"]),
        ({"on_error": "continue"}, ["on_error"]),
        ({"on_error": False}, ["on_error"]),
        ({"retry": 3}, ["retry"]),
        ({"retry": {"max_attempts": 0, "backoff_ms": -1, "jitter": 1, "factor": None}}, ["retry"] * 4),
        ({"retry": {"max_attempts": True, "backoff_ms": 0.5}}, ["retry"] * 2),
    ],
)
def test_policies_of_a_node(policies, places):
    """Keys that are not known are free, except within `retry`."""
    document = sound(nodes={"a": {"implementation": STEP, "policies": policies}})

    assert [("error", "invalid_policy", f"nodes.a.policies.{place}") for place in places] == found(document)
