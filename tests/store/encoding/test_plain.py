"""What was stored can be read without its types, whatever it is."""

from typing import Any

import pytest

from graphnb.store.encoding.plain import plain

CASES = [
    (1, 1),
    ([1, {"a": None}], [1, {"a": None}]),
    ({"$": "date", "value": "2024-05-01"}, {"type": "date", "value": "2024-05-01"}),
    ({"$": "UNSET"}, {"type": "UNSET"}),
    ({"$": "float", "value": "-inf"}, float("-inf")),
    ({"$": "int", "value": "0xff"}, 255),
    ({"$": "str", "value": ["a\\ud800\\\\"]}, "a\ud800\\"),
    ({"$": "str", "value": "a"}, "a"),
    ({"$": "list", "value": [{"$": "int", "value": "0x1"}]}, [1]),
    ({"$": "dict", "value": [[1, "a"], [{"$": "str", "value": "b"}, 2]]}, {1: "a", "b": 2}),
    ({"$": "dict", "value": {"a": 1}}, {"a": 1}),
    (
        {"$": "dict", "value": [[{"$": "tuple", "value": [1]}, 2]]},
        {"type": "dict", "value": [[{"type": "tuple", "value": [1]}, 2]]},
    ),
    ({"$": "zoo.Cat", "value": {"$unset": ["age"]}}, {"type": "zoo.Cat", "value": {"$unset": ["age"]}}),
    ({"$": 3, "value": 1}, {"$": 3, "value": 1}),
    ({"$": "int", "value": "ten"}, {"type": "int", "value": "ten"}),
    ({"$": "dict", "value": [1]}, {"type": "dict", "value": [1]}),
    ({"$": "str", "value": []}, {"type": "str", "value": []}),
    ({"$": "list", "value": [], "more": 1}, {"$": "list", "value": [], "more": 1}),
]


@pytest.mark.parametrize(("data", "read"), CASES)
def test_data_are_read_as_plain_values(data: Any, read: Any) -> None:
    """Tags that plain data need not have are gone, all others are names."""
    assert read == plain(data)
