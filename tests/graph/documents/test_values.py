"""The state of a document: what a run starts from, what a node may write, how values grow."""

import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import graphnb as gn
from graphnb.graph.documents.canonical import canonical_text
from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.values import check_fits, checked_update, start_of, state_schema
from graphnb.state.checking.reasons import Misfit
from graphnb.state.marks import UNSET
from graphnb.state.storable.schemas import ValueSchema
from graphnb.state.storable.values import is_exact
from graphnb.state.values.grown import GrownDict, GrownList
from tests.documents import FIELDS, gives, graph, written

INPUTS = {
    "topic": {"schema": {"type": "string"}, "required": True},
    "many": {"schema": {"type": "integer"}, "default": 4, "required": True},
    "free": {"schema": {"type": "map"}},
    "list": {"schema": {"type": "list", "item": {"type": "string"}}, "reducer": {"type": "append"}, "required": True},
}
SCHEMA = state_schema(read_document(written("a", inputs=INPUTS)))


def test_run_starts_from_inputs_defaults_and_zeros() -> None:
    """Fields without either are unset; the other ones are kept so that they can grow."""
    values = start_of(SCHEMA, {"topic": "tea", "list": []}, "start")

    assert {"topic": "tea", "many": 4, "free": UNSET, "word": UNSET, "first": UNSET, "total": 0} == {
        name: values[name] for name in ("topic", "many", "free", "word", "first", "total")
    }
    assert [GrownList, GrownList, GrownDict] == [type(values[name]) for name in ("log", "rows", "card")]


@pytest.mark.parametrize(
    ("given", "reasons"),
    [
        ({}, ["topic: is required and was not given", "list: is required and was not given"]),
        ({"topic": 3, "list": []}, ["topic: want text, not int: 3"]),
        ({"topic": "x", "list": [1, "a", 2]}, ["list[0]: want text, not int: 1", "list[2]: want text, not int: 2"]),
        ({"topic": "x", "list": [], "log": []}, ["'log': is a state field, which only nodes write"]),
        ({"topic": "x", "list": [], "tpic": 1, 3: 4}, ["'tpic': is no input", "3: is no input"]),
        ({"topic": "x", "list": [], "free": {"$a": 1}}, ["free: the key '$a' begins with $, which is reserved"]),
        ({"topic": "x", "list": (), "free": {"a": math.nan}}, ["list: tuple", "free['a']: nan cannot be stored"]),
        ([("topic", "x")], ["starts from inputs by name, not from list"]),
        (None, ["not from None"]),
    ],
)
def test_inputs_that_do_not_fit_are_refused_with_all_reasons(given: Any, reasons: list[str]) -> None:
    """Unknown names, missing ones and wrong values are told at once."""
    with pytest.raises(gn.InvalidInput) as refused:
        start_of(SCHEMA, given, "graph 'tea', start")

    assert [] == [each for each in reasons if each not in str(refused.value)]
    assert "graph 'tea', start" == refused.value.where


def test_refused_input_has_all_reasons() -> None:
    """Where the message has the first ones."""
    with pytest.raises(gn.InvalidInput, match=r"list\[4\]: .*\n.*and 15 more, see `details`") as refused:
        start_of(SCHEMA, {"topic": "x", "list": [1] * 20, "no": 1}, "start")

    assert {"'no'": 1, "list": 20} == {name: len(each) for name, each in refused.value.details.items()}


def test_null_counts_as_present() -> None:
    """A required input may be given as null."""
    assert start_of(SCHEMA, {"topic": None, "list": None}, "start")["topic"] is None


def test_inputs_are_copied() -> None:
    """What the caller does with the value afterwards is his own."""
    given = {"topic": "x", "list": [], "free": {"a": [1]}}
    values = start_of(SCHEMA, given, "start")
    given["free"]["a"].append(2)  # type: ignore[index]

    assert {"a": [1]} == values["free"]


@pytest.mark.parametrize(
    ("update", "reasons"),
    [
        ({"log": [1, "a"]}, ["log[0]: want text, not int: 1"]),
        ({"word": 3, "nope": 1, "total": True}, ["word: want text", "'nope': is no field", "total: want a number"]),
        ({"topic": "x"}, ["topic: is an input, which no node may write"]),
        ({4: "x"}, ["4: is no field of the document. Fields: ['log',"]),
        ({"card": [1]}, ["card: "]),
        ({"card": {"a": {1}}}, ["card['a']: set cannot be stored"]),
        ({"total": math.inf}, ["total: inf cannot be stored"]),
        ({"word": gn.Replace("x")}, ["word: cannot be set with gn.Replace"]),
        ({"topic": gn.Replace("x")}, ["topic: cannot be set with gn.Replace"]),
    ],
)
def test_update_that_may_not_be_written_is_refused_with_all_reasons(update: Any, reasons: list[str]) -> None:
    """Inputs and unknown names among them."""
    with pytest.raises(gn.StateValidationError) as refused:
        checked_update(SCHEMA, update, "node 'a'")

    assert [] == [each for each in reasons if each not in str(refused.value)]
    assert "topic" not in str(refused.value).partition("Fields:")[2]


@pytest.mark.parametrize("update", [None, [], "log", 3, {"log"}, object()])
def test_update_that_is_no_mapping_is_refused(update: Any) -> None:
    """It is told what would be one."""
    with pytest.raises(gn.InvalidUpdate, match="want a dict of fields"):
        checked_update(SCHEMA, update, "node 'a'")


@pytest.mark.parametrize("write", [lambda asked: asked, lambda asked: ["x", asked]])
def test_interrupt_within_an_update_is_to_be_returned_by_itself(write: Any) -> None:
    """It cannot be stored, and the mend says how to ask."""
    with pytest.raises(gn.StateValidationError, match="Interrupt cannot be stored") as caught:
        checked_update(SCHEMA, {"log": write(gn.interrupt("log"))}, "node 'a'")
    assert caught.value.mend.endswith("instead of an update: return gn.interrupt(...).")


def test_checked_update_is_a_copy() -> None:
    """Deep down as well."""
    inner = {"b": [1]}
    update = checked_update(SCHEMA, {"card": inner, "log": "x"}, "node 'a'")
    inner["b"].append(2)

    assert {"card": {"b": [1]}, "log": "x"} == update


def from_below(frames: int, call: Callable[[], Any]) -> Any:
    """What the call gives when there are so many frames above it."""
    return from_below(frames - 1, call) if frames else call()


@pytest.mark.parametrize("frames", [0, 600])
def test_depth_of_values_has_a_limit_that_is_the_same_everywhere(frames: int) -> None:
    """Of what nodes write and of inputs: the stack of whoever calls makes no difference."""

    def deep(levels: int) -> Any:
        value: Any = 1
        for _ in range(levels):
            value = {"a": value}
        return value

    found = from_below(frames, lambda: checked_update(SCHEMA, {"card": deep(200), "rows": [deep(199)]}, "node"))
    begun = from_below(frames, lambda: start_of(SCHEMA, {"topic": "x", "list": [], "free": deep(200)}, "start"))
    text = from_below(frames, lambda: canonical_text([found, begun["free"]]))

    assert is_exact([deep(200), deep(200)], [found["card"], begun["free"]])
    assert text == canonical_text([found, begun["free"]])
    for levels in (201, 330, 100_000):
        with pytest.raises(gn.StateValidationError, match="card: is nested deeper than 200 levels"):
            from_below(frames, lambda levels=levels: checked_update(SCHEMA, {"card": deep(levels)}, "node"))
        with pytest.raises(gn.InvalidInput, match="free: is nested deeper than 200 levels"):
            from_below(frames, lambda levels=levels: start_of(SCHEMA, {"free": deep(levels)}, "start"))


def test_value_without_a_schema_may_be_anything_that_can_be_stored() -> None:
    """And with one all that is wrong is told."""
    check_fits(None, {"a": [1, None]})

    with pytest.raises(Misfit, match="set cannot be stored"):
        check_fits(None, {1})
    with pytest.raises(Misfit) as misfit:
        check_fits(ValueSchema(type="list", item=ValueSchema(type="integer")), ["a", 1, None, "b"])
    assert "[0]: want an integer, not str: 'a'; [3]: want an integer, not str: 'b'" == str(misfit.value)


def test_field_without_a_schema_takes_anything() -> None:
    """Such a document is no document that runs, and its state can be made all the same."""
    schema = state_schema(read_document({"schema_version": 1, "id": "g", "fields": {"x": {}}}))

    assert {"x": [1, "a"]} == checked_update(schema, {"x": [1, "a"]}, "node")


def test_schema_is_pickled_as_what_its_document_says() -> None:
    """Its class is made anew, so that runs can be kept."""
    schema = pickle.loads(pickle.dumps(SCHEMA))

    assert [*FIELDS] == [name for name in schema.fields if name in FIELDS]
    assert "tea" == schema.name
    assert [each.reducer for each in SCHEMA.fields.values()] == [each.reducer for each in schema.fields.values()]
    assert {"log": ["a"]} == checked_update(schema, {"log": ["a"]}, "node")


def test_step_of_a_long_loop_keeps_what_it_adds_alone() -> None:
    """Versions of a growing list share their items."""
    edges = {
        "s": {"from": "$start", "to": "a"},
        "again": {"from": "a", "to": "a", "guard": {"op": "not", "args": [{"op": "exists", "args": ["word"]}]}},
    }

    def node(view: Any, context: gn.NodeContext) -> Any:
        more = {"word": "end"} if context.step == 40 else {}
        return {"log": f"{context.step}", "rows": {"id": context.step}, "card": {f"k{context.step}": 1}, **more}

    run = graph(written("a", edges=edges, policies={"max_supersteps": 99}), a=node).run()
    last, before = run.trace.log.commits[-1].folds, run.trace.log.commits[-2].folds

    assert 41 == len(run.state["log"]) == len(run.state["rows"]) == len(run.state["card"])
    assert last[0].after._buffer is before[0].after._buffer
    assert last[1].after._buffer is before[1].after._buffer
    assert last[2].after._ledger is before[2].after._ledger


def test_node_that_changes_the_view_is_told_what_to_return() -> None:
    """In words that documents allow."""
    with pytest.raises(gn.MutatedState) as refused:
        graph(written("a"), a=lambda view, context: view["log"].append("x")).run()

    assert "return {'log': [the new items]}" in str(refused.value)
    assert "Replace" not in str(refused.value)


def test_part_of_the_view_may_be_returned() -> None:
    """Guarded values are copied."""

    def node(view: Any, context: gn.NodeContext) -> Any:
        return {"log": view["log"], "card": {"rows": view["rows"]}}

    fields = FIELDS | {
        "log": FIELDS["log"] | {"default": [f"{i}" for i in range(30)]},
        "rows": FIELDS["rows"] | {"default": [{"id": i, "deep": [i]} for i in range(30)]},
    }
    run = graph(written("a", fields=fields), a=node).run()

    assert 60 == len(run.state["log"])
    assert {"id": 29, "deep": [29]} == run.state["card"]["rows"][29]
    assert type(run.trace.log.commits[0].folds[1].after["rows"][3]["deep"]) is list


def test_view_itself_changes_nothing() -> None:
    """As a node of a class may return the state that it was given."""
    assert () == graph(written("a"), a=lambda view, context: view).run().steps[0].deltas
    assert {} == gives({})(None, None)
