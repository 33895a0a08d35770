"""One text for one value; a reader finds what was written, or the one named error."""

import sys

import pytest

from graphnb.store.encoding.json_text import json_of, json_text, with_room


def test_text_is_one_line_in_the_order_of_its_data() -> None:
    """Without spaces, and readable as it is."""
    assert '{"b":["é",-0.0,1e+16],"a":{"c":null}}' == json_text({"b": ["é", -0.0, 1e16], "a": {"c": None}})


def test_numbers_are_told_apart() -> None:
    """An int stays an int, a float a float."""
    assert [int, float, bool] == [type(each) for each in json_of(json_text([1, 1.0, True]))]


def test_number_that_json_has_no_word_for_is_never_written() -> None:
    """It would be read by nobody else."""
    with pytest.raises(ValueError):
        json_text(float("nan"))


def _deep(frames: int) -> int:
    return _deep(frames - 1) if frames else 7


def test_function_is_called_with_room_for_its_own_frames() -> None:
    """However deep the stack of the caller is; what it raises there comes out."""
    frames = sys.getrecursionlimit() - 200

    def below(left: int) -> int:
        return below(left - 1) if left else with_room(lambda: _deep(frames))

    assert 7 == below(300)
    with pytest.raises(RecursionError):
        with_room(lambda: _deep(10**6))
