"""What nodes of documents may give: updates are tested with the values, interrupts here."""

from typing import Any

import pytest

import graphnb as gn
from tests.documents import FIELDS, gives, graph, tries, written

INPUTS = {"topic": {"schema": {"type": "string"}}}


class Ask(gn.Interrupt):
    """A class of the user's own."""


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (gn.interrupt("wrod"), "asks for 'wrod', which is no field\nFields: .*Did you mean 'word'?"),
        (gn.interrupt("topic"), "asks for 'topic', which is an input"),
        (gn.Interrupt(3), r"field is 3 \(int\)"),  # type: ignore[arg-type]
        (gn.Interrupt("word", ask=None), r"ask is None \(None\)"),  # type: ignore[arg-type]
        (gn.Interrupt("word", id=b"x"), r"id is b'x' \(bytes\)"),  # type: ignore[arg-type]
        (gn.Interrupt("word", schema={"type": "wrod"}), "asks with a schema that is none: .*unknown type"),
        (gn.Interrupt("word", schema={"type": "list"}), "asks with a schema that is malformed: a list needs"),
        (gn.Interrupt("word", schema={"type": {1}}), "asks with a schema that is none: .*set cannot be stored"),
        (gn.interrupt("word", schema=int), "asks with a schema that is none: type cannot be stored"),
        (gn.interrupt("word", metadata={"a": {1}}), r"asks with metadata that cannot be stored: \['a'\]: set"),
        (gn.Interrupt("word", metadata=[1]), r"asks with metadata that are \[1\]"),  # type: ignore[arg-type]
        (Ask("word"), "returned Ask, want a dict of fields"),
    ],
)
def test_interrupt_that_is_unsound_fails_for_good(given: Any, what: str) -> None:
    """It says where and what, and is not asked for again."""
    with pytest.raises(gn.InvalidUpdate, match=f"(?s)graph 'tea', node 'a', step 0: {what}") as failed:
        graph(written("a", inputs=INPUTS, nodes={"a": tries(3)}), a=gives(given)).run()

    assert ("node_failed", "a") == failed.value.run.fault[:2]
    assert [] == failed.value.run.trace.log.parkings


def test_interrupt_keeps_what_it_was_given_as_its_own() -> None:
    """Schema and metadata are copied; the id is made of the step and the node if there is none."""
    schema, metadata = {"type": "string"}, {"kind": ["x"]}

    def node(view: Any, context: gn.NodeContext) -> Any:
        return {"log": "again"} if "word" in view else gn.interrupt("word", "Why?", schema=schema, metadata=metadata)

    run = graph(written("a"), a=node).run()
    schema["type"] = "integer"
    metadata["kind"].append("y")
    (asked,) = run.pending

    assert ("0:a", "a", "word", "Why?") == (asked.id, asked.node, asked.field, asked.ask)
    assert ({"type": "string"}, {"kind": ["x"]}) == (asked.schema, asked.metadata)
    assert "done" == run.resume("yes").status


def test_two_equal_ids_in_one_step_fail_the_later_node() -> None:
    """None of the two is open then."""
    same = gives(gn.interrupt("word", id="q"))
    with pytest.raises(gn.InvalidUpdate, match="node 'b', step 0: asks under the id 'q'") as failed:
        graph(written("a", "b"), a=same, b=same).run()

    assert ("node_failed", "b") == failed.value.run.fault[:2]
    assert () == tuple(failed.value.run.pending)


def test_answer_is_refused_with_all_that_is_wrong() -> None:
    """By the question's schema and by the field's reducer; nothing has changed then."""
    schema = {"type": "list", "item": {"type": "string", "constraints": {"max_length": 2}}}
    run = graph(written("a"), a=gives(gn.interrupt("log", schema=schema))).run()

    with pytest.raises(gn.InvalidInput, match=r"log\[0\].*; log\[1\]: want text, not int: 3"):
        run.resume(["abc", 3])
    with pytest.raises(gn.InvalidInput, match="set cannot be stored"):
        run.resume({1})
    with pytest.raises(gn.InvalidInput, match=r"gn\.Replace"):
        graph(written("a"), a=gives(gn.interrupt("log"))).run().resume(gn.Replace([]))
    assert "waiting" == run.status
    assert [] == run.state["log"]


def test_answer_that_cannot_be_added_up_is_refused() -> None:
    """A total beyond all floats."""
    fields = FIELDS | {"total": FIELDS["total"] | {"default": 1e308}}
    run = graph(written("a", fields=fields), a=gives(gn.interrupt("total"))).run()

    with pytest.raises(gn.InvalidInput, match="the answer cannot be written"):
        run.resume(1e308)
