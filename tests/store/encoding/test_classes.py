"""A tag names a class that the annotation names or a class beneath that, by its last definition."""

import types
from typing import Any

import pytest
from pydantic import BaseModel

from graphnb.errors import UnreadableValue
from graphnb.store.encoding.classes import class_named, name_of
from graphnb.store.encoding.values import decode, encode


class Animal(BaseModel):
    name: str = ""


def _cell(module: str = "__main__", base: Any = Animal) -> Any:
    """The class as a cell makes it that is run once more."""

    def body(namespace: dict[str, Any]) -> None:
        namespace.update({"__module__": module, "__qualname__": "Cat", "__annotations__": {"lives": int}, "lives": 9})

    return types.new_class("Cat", (base,), {}, body)


def test_class_that_was_made_again_is_the_last_one() -> None:
    """Cells are run more than once, and what was stored before is read with what there is now."""
    first, last = _cell(), _cell()
    data = encode(Animal, first(name="Tom"))

    assert "__main__.Cat" == data["$"] == name_of(last)
    assert type(decode(Animal, data)) is last


def test_declared_class_counts_before_one_beneath_it() -> None:
    """Even if a class of the same name inherits from it."""
    first = _cell()
    _cell(base=first)

    assert class_named("__main__.Cat", [first]) is first


def test_class_that_has_moved_is_found_by_its_name() -> None:
    """From a notebook to a module, for instance; if several would do nobody guesses."""

    class Plant(BaseModel):
        """Another root, since classes of other tests may still be there."""

    cat = _cell("zoo", Plant)

    assert class_named("__main__.Cat", [Plant]) is cat
    assert class_named("Dog", [Plant]) is None
    other = _cell("home", Plant)
    assert class_named("zoo.Cat", [Plant]) is cat
    with pytest.raises(UnreadableValue, match=r"may be any of home\.Cat, zoo\.Cat"):
        decode(Plant, {"$": "garden.Cat", "value": {}})
    assert other is not cat
