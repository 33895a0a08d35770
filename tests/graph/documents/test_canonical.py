"""The canonical text and the hash: what changes them, and what does not."""

import copy
import json
import random
import re
import struct
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import graphnb as gn
from graphnb.graph.documents.canonical import canonical_text, float_text, integer_text
from graphnb.state.storable.values import is_exact
from tests.graph.documents.strategies import documents, mappings, shuffled, spelled_out, values
from tests.graph.documents.written import wire

floats = st.floats(allow_nan=False, allow_infinity=False)
any_bits = st.binary(min_size=8, max_size=8).map(lambda bits: struct.unpack("d", bits)[0]).filter(
    lambda number: number - number == 0
)  # fmt: skip


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-100.0, "-100.0"),
        (1000.0, "1.0e3"),
        (1200.0, "1.2e3"),
        (12345.0, "12345.0"),
        (0.1, "0.1"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (0.00012, "1.2e-4"),
        (0.01234, "0.01234"),
        (123.456, "123.456"),
        (5e-324, "5.0e-324"),
        (1.7976931348623157e308, "1.7976931348623157e308"),
        (9007199254740991.0, "9007199254740991.0"),
        (9007199254740992.0, "9.007199254740992e15"),
        (-9007199254740993.0, "-9.007199254740992e15"),
        (1e15, "1.0e15"),
        (1e23, "1.0e23"),
        (2.5e-7, "2.5e-7"),
    ],
)
def test_float_is_spelled_with_the_fewest_characters(number, text):
    """Positional on a tie, scientific from 2**53 on, no plus sign and no leading zeros."""
    assert text == float_text(number)


@given(floats | any_bits)
@example(2.0**53)
@example(2.0**53 - 1)
def test_float_text_gives_the_float_back(number):
    """To the bit, zero's sign included, in one of the two forms."""
    text = float_text(number)

    assert struct.pack("d", number) == struct.pack("d", float(text))
    assert re.fullmatch(r"-?(0|[1-9]\d*)\.\d+|-?[1-9]\.\d+e-?[1-9]\d*|-?[1-9]\.\d+e0", text)


@given(floats | any_bits)
def test_float_text_has_the_fewest_digits(number):
    """As many as Python's own shortest form, and no form of the two that is allowed is shorter."""
    text = float_text(number)
    digits = re.sub(r"e.*|\D", "", text).strip("0")
    shortest = re.sub(r"e.*|\D", "", repr(number)).strip("0")

    assert shortest == digits
    assert Decimal(repr(number)) == Decimal(text)
    if abs(number) < 2**53 and "e" in text:
        positional = format(Decimal(text), "f")
        assert len(text) < len(positional if "." in positional else f"{positional}.0")


def test_text_escapes_only_what_it_must():
    """Quotes, backslashes and controls, these always with four digits."""
    assert '"\\u0000\\u0009\\u000a\\u001f\\"\\\\/\x7fé\u2028✓😀"' == canonical_text('\x00\t\n\x1f"\\/\x7fé\u2028✓😀')


def test_keys_are_sorted_by_code_point():
    """Not by locale, length or number."""
    keys = ["n9", "n10", "a", "Z", "_", "-", "é", "😀", "\uffff", ""]

    assert canonical_text(dict.fromkeys(sorted(keys), 0)) == canonical_text(dict.fromkeys(keys, 0))
    assert '{"":0,"-":0,"Z":0,"_":0,"a":0,"n10":0,"n9":0,"é":0,"\uffff":0,"😀":0}' == canonical_text(
        dict.fromkeys(keys, 0)
    )


@given(values)
def test_text_is_json(value):
    """Any reader of JSON gets the value back."""
    assert canonical_text(value) == canonical_text(json.loads(canonical_text(value)))


@given(documents, st.randoms(use_true_random=False))
def test_hash_ignores_key_order_and_spelled_out_empties(document, dice):
    """In any combination, as values and as JSON text."""
    told = shuffled(spelled_out(document), dice)

    assert gn.document_hash(document) == gn.document_hash(told) == gn.document_hash(json.dumps(told))


@given(mappings, mappings)
def test_hash_depends_on_open_content(one, other):
    """Exactly: 1, 1.0 and true are three values, and nobody needs to know what they mean."""
    hashes = {gn.document_hash(wire(metadata=each)) for each in (one, other)}

    assert is_exact(one, other) is (len(hashes) == 1)


ROOT = wire(
    name="n",
    inputs={"i": {"schema": {"type": "integer"}, "required": True}},
    fields={
        "f": {
            "label": "l",
            "schema": {"type": "list", "item": {"type": "float"}, "constraints": {"max_items": 3}},
            "reducer": {"type": "append", "opts": {"unique": True}},
            "default": [1],
        }
    },
    outputs={"o": {"source": "f"}},
    nodes={"a": {"config": {"k": 1}, "policies": {"timeout_ms": 5}}},
    edges={"e": {"from": ["a", "b"], "to": "$finish", "guard": {"op": "equals", "args": ["f", [1]]}}},
    policies={"max_supersteps": 4},
)
CHANGES = {
    "id": (("id",), "h"),
    "name": (("name",), "m"),
    "description": (("description",), "d"),
    "label": (("fields", "f", "label"), "L"),
    "label of a node": (("nodes", "a", "label"), "L"),
    "metadata of an edge": (("edges", "e", "metadata"), {"x": None}),
    "policy": (("policies", "max_supersteps"), 5),
    "unknown policy": (("nodes", "a", "policies", "colour"), "red"),
    "required": (("inputs", "i", "required"), False),
    "option": (("fields", "f", "reducer", "opts", "unique"), False),
    "unknown option": (("fields", "f", "reducer", "opts", "note"), None),
    "other reducer": (("fields", "f", "reducer", "type"), "union"),
    "no reducer": (("fields", "f", "reducer"), None),
    "explicit last_value": (("inputs", "i", "reducer"), {"type": "last_value"}),
    "float for integer": (("fields", "f", "default"), [1.0]),
    "true for one": (("fields", "f", "default"), [True]),
    "text for one": (("fields", "f", "default"), ["1"]),
    "zero for none": (("inputs", "i", "default"), 0),
    "null in a list": (("fields", "f", "default"), [1, None]),
    "null schema default": (("inputs", "i", "schema", "default"), None),
    "constraint": (("fields", "f", "schema", "constraints", "max_items"), 4),
    "unknown constraint": (("fields", "f", "schema", "constraints", "hint"), "x"),
    "type of items": (("fields", "f", "schema", "item", "type"), "integer"),
    "order of sources": (("edges", "e", "from"), ["b", "a"]),
    "one source": (("edges", "e", "from"), "a"),
    "a list of one source": (("edges", "e", "from"), ["a"]),
    "guard": (("edges", "e", "guard", "args"), ["f", [1.0]]),
    "config": (("nodes", "a", "config", "k"), 1.0),
    "handle": (("edges", "e", "source_handle"), "h"),
    "output": (("outputs", "o", "source"), "i"),
    "group of branches": (("nodes", "a", "branches"), {"b": {}}),
    "implementation": (("nodes", "a", "implementation"), {"type": "module", "implementation": "m"}),
    "empty implementation": (("nodes", "a", "implementation"), {}),
    "kind": (("fields", "f", "kind"), "input"),
}


def changed(name: str):
    """The document with one thing said otherwise."""
    path, value = CHANGES[name]
    document = copy.deepcopy(ROOT)
    part = document
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return document


@pytest.mark.parametrize("name", CHANGES)
def test_hash_depends_on_everything_that_is_said(name):
    """Also on what behaves alike, and on what nobody knows."""
    assert gn.document_hash(ROOT) != gn.document_hash(changed(name))


def test_all_changes_have_hashes_of_their_own():
    """No two of the changes above look alike."""
    assert len({gn.document_hash(changed(name)) for name in CHANGES}) == len(CHANGES)


def test_hash_is_that_of_the_utf8_text():
    """Written down once, so that it cannot drift."""
    document = wire(id="caf", name="Zürich ✓\n", metadata={"pi": 3.14, "big": 2**70, "e": 1e21})

    assert "c5d07837c96ef7ce23502b1db3b61b4953ad3a0f1fb10b556db0e8828cc32814" == gn.document_hash(document)


def test_hash_does_not_change_with_the_seed_of_shuffling():
    """The same document many times."""
    hashes = {gn.document_hash(shuffled(ROOT, random.Random(seed))) for seed in range(10)}

    assert 1 == len(hashes)


@pytest.mark.parametrize(
    "number",
    [0, -7, 2**1990, 10**599, 10**600 - 1, 10**600, 1 - 10**4300, 7**9000, -(3**20_000)],
    ids=lambda number: f"{number.bit_length()} bits",
)
def test_integers_of_any_size_are_written(number):
    """Whatever Python itself would write: its limit stays what it is, and is met nowhere."""
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        text = integer_text(number)
        assert text == canonical_text(number)
        sys.set_int_max_str_digits(0)
        assert str(number) == text
    finally:
        sys.set_int_max_str_digits(before)


def test_text_of_what_is_nested_without_end_is_made_as_any_other():
    """A list in a dict in a list, far deeper than the stack."""
    value: Any = []
    for _ in range(50_000):
        value = {"a": [value, {}]}

    assert '{"a":[' * 50_000 + "[]" + ",{}]}" * 50_000 == canonical_text(value)
