"""Claims about all events of a run: each holds where it should, and fails for any other value."""

from pathlib import Path
from textwrap import dedent

import pytest

from graphnb.conformance import verdict
from graphnb.conformance.expecting.event_claims import CLAIMS, CLAIMS_BY_SUFFIX
from graphnb.conformance.outcomes import WAYS
from tests.conformance.written import changed, reason_of

NESTED = dedent("""\
    subgraphs:
      beat:
        state: {fields: {egg: {type: int, default: 0}, foam: {type: int, default: 0}}}
        entry: stir
        nodes: {stir: {update_from_field: {foam: egg}}}
        edges: [{from: stir, to: END}]
      tray:
        state:
          fields:
            eggs: {type: list<int>, default: []}
            foams: {type: list<int>, reducer: append, default: []}
        entry: fry
        nodes:
          fry: {fan_out: {subgraph: beat, items_field: eggs, item_field: egg, collect_field: foam, target_field: foams}}
        edges: [{from: fry, to: END}]
    state:
      fields:
        trays: {type: list<list<int>>, default: [[1, 2], [3, 4]]}
        foams: {type: list<list<int>>, reducer: append, default: []}
    entry: lay
    nodes:
      lay: {update: {}}
      bake: {fan_out: {subgraph: tray, items_field: trays, item_field: eggs, collect_field: foams, target_field: foams}}
    edges: [{from: lay, to: bake}, {from: bake, to: END}]
    expected:
      observer_event_invariants:
        lay_node_events_count: 2
        lay_node_fan_out_index_absent: true
        bake_node_fan_out_index_absent: true
        bake_node_fan_out_index_chain_empty: true
        fry_node_events_count: 4
        fry_node_fan_out_index_chains_seen: [[1], [0]]
        fry_node_branch_name_chains_seen: [[null]]
        fry_node_scalar_fan_out_index_equals_innermost_chain_element: true
        fry_node_scalar_branch_name_absent: true
        stir_node_events_count: 8
        stir_fan_out_index_chains_seen: [[0, 0], [0, 1], [1, 0], [1, 1]]
        stir_branch_name_chains_seen: [[null, null]]
        stir_scalar_fan_out_index_equals_innermost_chain_element: true
        stir_scalar_branch_name_absent: true
        stir_event_identities_unique_by_chain: true
        stir_scalar_fan_out_index_not_unique_across_outer_instances: true
        stir_started_present: true
        lay_completed_present: true
        inner_event_count: 12
        inner_fan_out_indices_seen: [0, 1]
        fan_out_indices_seen: [1, 0]
        inner_attempt_indices_seen: [0]
        inner_events_attempt_indices_seen: [0]
        inner_events_have_fan_out_index: true
        inner_event_identities_unique: false
    """)
"""A fan-out within a fan-out."""

BRANCHED = dedent("""\
    subgraphs:
      beat:
        state: {fields: {egg: {type: int, default: 0}, foam: {type: int, default: 0}}}
        entry: stir
        nodes: {stir: {update_from_field: {foam: egg}}}
        edges: [{from: stir, to: END}]
      tray:
        state:
          fields:
            eggs: {type: list<int>, default: [1, 2]}
            foams: {type: list<int>, reducer: append, default: []}
        entry: fry
        nodes:
          fry: {fan_out: {subgraph: beat, items_field: eggs, item_field: egg, collect_field: foam, target_field: foams}}
        edges: [{from: fry, to: END}]
    state: {fields: {foams: {type: list<int>, reducer: append, default: []}, foam: {type: int, default: 0}}}
    entry: cook
    nodes:
      cook:
        parallel_branches:
          branches:
            trays: {subgraph: tray, outputs: {foams: foams}}
            pan: {subgraph: beat, outputs: {foam: foam}}
    edges: [{from: cook, to: END}]
    expected:
      observer_event_invariants:
        inner_event_count: 8
        inner_branch_names_seen: [pan, trays]
        inner_event_pair_count_per_instance: 2
        inner_event_identities_unique: true
        branch_started_event_order: [trays, pan]
        outermost_events_have_no_branch_name: {nodes: [cook]}
        inner_events_carry_correct_branch_name: {fry: trays}
        fan_out_inner_events_carry_both_branch_name_and_fan_out_index: true
        fan_out_inner_branch_name_seen: trays
        fan_out_inner_fan_out_indices_seen: [0, 1]
        plain_inner_events_carry_branch_name_but_no_fan_out_index: true
        plain_inner_branch_name_seen: pan
        pan_inner_events_carry_branch_name_but_no_fan_out_index: true
        pan_inner_branch_name_seen: pan
        pan_inner_attempt_indices_seen: [0]
        trays_inner_attempt_indices_seen: [0, 0, 0]
    """)
"""A fan-out within a branch, beside a branch without one."""


def _claims(text: str) -> list[tuple[str, str]]:
    lines = text.partition("observer_event_invariants:\n")[2].splitlines()
    return [(key, value) for key, _, value in (line.strip().partition(": ") for line in lines)]


def _otherwise(value: str) -> str:
    others = {"true": "false", "false": "true", "trays": "pan", "pan": "trays", "{nodes: [cook]}": "{nodes: [stir]}"}
    if value in others:
        return others[value]
    if value.isdigit():
        return str(int(value) + 1)
    return {"[pan, trays]": "[pan]", "[trays, pan]": "[pan, trays]", "{fry: trays}": "{fry: pan}"}.get(
        value, value.replace("0", "5", 1).replace("null", "pan", 1)
    )


@pytest.mark.parametrize("text", [NESTED, BRANCHED], ids=["nested", "branched"])
def test_claims_hold(tmp_path: Path, text: str) -> None:
    """All claims of the two cases hold together."""
    assert "" == reason_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [(text, *claim) for text in (NESTED, BRANCHED) for claim in _claims(text)],
    ids=[key for text in (NESTED, BRANCHED) for key, _ in _claims(text)],
)
def test_claim_with_another_value_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, key: str, value: str
) -> None:
    """Of every claim that the two cases make."""
    monkeypatch.setattr(verdict, "WAYS", WAYS[1:2])  # one way of running is enough to tell
    reason = reason_of(tmp_path, changed(text, f"    {key}: {value}\n", f"    {key}: {_otherwise(value)}\n"))

    assert reason.startswith(f"observer_event_invariants.{key}")
    assert "expected" in reason


def test_all_claims_are_made() -> None:
    """No claim that the language knows is missing in the two cases."""
    made = {key for text in (NESTED, BRANCHED) for key, _ in _claims(text)}
    suffixes = {suffix for suffix in CLAIMS_BY_SUFFIX for key in made - set(CLAIMS) if key.endswith(suffix)}

    assert set(CLAIMS) == made & set(CLAIMS)
    assert set(CLAIMS_BY_SUFFIX) == suffixes | {suffix for suffix in CLAIMS_BY_SUFFIX if suffix.startswith("_node_")}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("lay_node_fan_out_index_absent", "END_node_fan_out_index_absent", "'END' is neither a node nor a branch"),
        ("lay_node_fan_out_index_absent: true", "lay_fan_out_index_absent: 1", "must be true or false, not int: 1"),
        ("inner_event_count: 12", "inner_event_count: twelve", "must be a whole number, not str: 'twelve'"),
        ("inner_event_count: 12", "outer_event_count: 12", "not supported yet: outer_event_count"),
        ("inner_event_count: 12", "7: 12", "observer_event_invariants: not supported yet: 7"),
        ("inner_fan_out_indices_seen: [0, 1]", "inner_branch_names_seen: [a]", "expected ['a'] in any order, got []"),
        ("fry_node_events_count: 4", "plain_inner_branch_name_seen: a", "there is no such event"),
    ],
)
def test_claim_that_says_nothing_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """An unknown claim or name, a value of another kind, and a claim about events that did not come."""
    assert reason in reason_of(tmp_path, changed(NESTED, f"    {old}", f"    {new}"))
