"""Own copies: equal, and sharing nothing that can change."""

import copy
import dataclasses
import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, PrivateAttr

from graphnb.state.values.atoms import is_atom
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.views.guarding import Place, guarded


class Box(BaseModel):
    model_config = ConfigDict(extra="allow")
    items: list[Any] = []
    _scratch: list[int] = PrivateAttr(default_factory=list)


class Bare(BaseModel):
    items: list[Any] = []


class Own(BaseModel):
    items: list[Any] = []

    def __deepcopy__(self, memo: Any = None) -> "Own":
        return Own(items=["my own way"])


@dataclasses.dataclass
class Loose:
    items: list[Any]


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | st.sets(st.integers(), max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.builds(lambda items: Bare.model_construct(items=items), st.lists(inner, max_size=2))
        | st.builds(Loose, st.lists(inner, max_size=2))
    ),
    max_leaves=8,
)


def _changeable(value: Any) -> list[Any]:
    """The value and all its parts that can change."""
    if isinstance(value, (list, tuple)):
        parts = list(value)
    elif isinstance(value, dict):
        parts = list(value.values())
    else:
        parts = list(getattr(value, "__dict__", {}).values())
    return [each for each in (value,) if not is_atom(each) and not isinstance(each, tuple)] + [
        each for part in parts for each in _changeable(part)
    ]


@given(VALUES)
def test_copy_is_equal_and_shares_nothing_changeable(value):
    """Of the parts of the copy that can change none is a part of the value."""
    before = copy.deepcopy(value)
    copied = detach(value)
    known = {id(each) for each in _changeable(value)}

    assert value == copied
    assert before == value
    assert type(value) is type(copied)
    assert not any(id(each) in known for each in _changeable(copied))


def test_atoms_are_shared():
    """What cannot change need not be copied, tuples and all."""
    value = frozenset({(1, "a")})

    assert value is detach(value)
    assert "a" == detach("a")


def test_kept_and_guarded_lists_and_dicts_become_plain_ones():
    """At every level, so that the caller may change them."""
    kept = GrownList([GrownDict({"a": GrownList([1])})])
    copied = detach([kept, guarded([{"a": [1]}], Place("n", "f", ""))])

    assert [[{"a": [1]}], [{"a": [1]}]] == copied
    for each in copied:
        assert [list, dict, list] == [type(each), type(each[0]), type(each[0]["a"])]
        each[0]["a"].append(2)
    assert [{"a": [1]}] == kept.to_list()


def test_model_is_copied_with_its_extra_and_private_parts():
    """Declared, additional and private attributes alike; which fields were given is kept."""
    box = Box(items=[[1]], more=[2], less=1)
    box._scratch.append(3)
    copied = detach(box)

    assert box == copied
    assert {"items", "more", "less"} == copied.model_fields_set
    copied.items[0].append(9)
    copied.more.append(9)
    copied._scratch.append(9)
    assert ([[1]], [2], [3]) == (box.items, box.more, box._scratch)


def test_model_with_a_way_of_its_own_is_copied_that_way():
    """Its `__deepcopy__` is asked."""
    assert ["my own way"] == detach(Own(items=[1])).items


def test_what_cannot_be_copied_is_handed_on():
    """A lock within a list: the list is new, the lock is the same."""
    value = [threading.Lock()]
    copied = detach(value)

    assert value[0] is copied[0]
    assert value is not copied


def test_list_that_holds_itself_is_copied_in_the_same_shape():
    """The copy holds itself, and its other parts are copied too; atoms are shared."""
    ring: list[Any] = [1, GrownDict({"a": [2]}), Loose([3])]
    ring.append(ring)
    copied = detach(ring)

    assert copied[3] is copied
    assert copied is not ring
    assert ({"a": [2]}, Loose([3])) == (copied[1], copied[2])
    assert dict is type(copied[1])
    assert copied[2].items is not ring[2].items


def test_very_deep_values_raise_nothing():
    """Deep lists are copied without recursion; a tuple that is too deep to be copied is handed on."""
    deep: Any = []
    tuples: Any = []
    for _ in range(5000):
        deep, tuples = [deep], (tuples,)

    assert detach(deep) is not deep
    assert detach(tuples) is tuples
