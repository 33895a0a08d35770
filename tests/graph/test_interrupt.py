"""What a node returns to stop the run: checked where it is made."""

import copy
import pickle

import pytest

import graphnb as gn


def test_interrupt_holds_what_it_was_given():
    """Question, schema and metadata; id and node are filled in when it is committed."""
    metadata = {"who": "ada"}
    asked = gn.interrupt("answers", "Go on?", schema=list[str], id="gate", metadata=metadata)
    metadata["who"] = "changed"

    assert ("answers", "Go on?", list[str], "gate", {"who": "ada"}, "") == (
        asked.field, asked.ask, asked.schema, asked.id, asked.metadata, asked.node
    )  # fmt: skip
    assert gn.Interrupt("answers") == gn.interrupt("answers")
    assert gn.interrupt("answers").metadata is not gn.interrupt("answers").metadata


@pytest.mark.parametrize("travel", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_interrupt_is_a_record_and_no_sequence(travel):
    """It can be copied and pickled, not changed, and is not taken for a tuple of values."""
    asked = gn.interrupt("answers", schema=list[str], metadata={"a": 1})

    assert asked == travel(asked)
    assert not isinstance(asked, tuple)
    with pytest.raises(AttributeError):
        asked.field = "other"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"field": 3}, r"gn.interrupt: field is 3 \(int\)"),
        ({"field": None}, "field is None"),
        ({"field": ""}, "field is ''"),
        ({"field": "a", "id": 3}, r"id is 3 \(int\)\nGive a text"),
        ({"field": "a", "id": ""}, "id is ''"),
        ({"field": "a", "ask": 3}, r"ask is 3 \(int\)\nGive the question as text"),
        ({"field": "a", "metadata": 3}, r"metadata is 3 \(int\)\nGive a dict"),
        ({"field": "a", "schema": 3}, r"schema is 3, which no value can be checked against\nGive a type, such as bool"),
        ({"field": "a", "schema": object()}, "schema is .*object"),
    ],
)
def test_interrupt_of_wrong_parts_is_refused(given, what):
    """Where it is made, and not when somebody answers."""
    with pytest.raises(gn.InvalidDeclaration, match=what):
        gn.interrupt(given.pop("field"), **given)
