"""Whatever a node does to what it reads, what the run keeps stays as it is."""

from __future__ import annotations

import bisect
import collections
import contextlib
import copy
import dataclasses
import heapq
import itertools
import json
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

import graphnb as gn
from graphnb.errors import MutatedState
from graphnb.state.folding.fold import fold
from graphnb.state.schema import schema_of, start_values, state_of
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.same import is_same
from graphnb.state.views.guarding import FEW, GuardedDict, GuardedList, Place, check_copies, guarded, guarded_to
from graphnb.state.views.view import check_untouched


class Item(BaseModel):
    x: int = 0
    tags: list[str] = []
    more: Any = None


@dataclasses.dataclass
class Data:
    xs: list[Any]


@dataclasses.dataclass(slots=True)
class Slotted:
    xs: list[Any]
    more: Any = None


class Holder(BaseModel):
    one: Any = None
    items: list[Any] = []
    entries: dict[Any, Any] = {}


class S(gn.State):
    anything: Any = None
    items: Annotated[list[Any], gn.append] = []
    entries: Annotated[dict[str, Any], gn.merge] = {}
    rows: list[dict[str, list[int]]] = []
    models: list[Item] = []
    records: Annotated[list[Any], gn.append] = []
    by_name: Annotated[dict[str, Any], gn.merge] = {}
    typed: Annotated[list[Item], gn.append] = []


leaves = st.one_of(st.integers(0, 5), st.text("ab", max_size=2), st.none(), st.booleans())


def _within(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values that have a form which refuses to be changed."""
    return st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
        st.tuples(inner, inner),
        st.sets(st.integers(0, 3), max_size=2),
        st.builds(Item, tags=st.lists(st.text("ab", max_size=1), max_size=2), more=inner),
        st.builds(Data, st.lists(inner, max_size=2)),
        st.builds(Slotted, st.lists(inner, max_size=2), inner),
    )


guardable = st.recursive(leaves, _within, max_leaves=8)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        _within(inner),
        st.just(collections.deque([1])),
        st.builds(lambda items: np.array(items), st.lists(st.integers(0, 3), max_size=3)),
    ),
    max_leaves=12,
)


def _vandalise(value: Any) -> None:
    """Changes everything that can be reached, by the value's own methods and round them."""
    for child in list(_children(value)):
        _vandalise(child)
    for change in (
        lambda: value.append("X"),
        lambda: value.update(X=1),
        lambda: value.add("X"),
        lambda: setattr(value, "x", "X"),
        lambda: setattr(value, "xs", "X"),
        lambda: delattr(value, "more"),
        lambda: value.fill(99),
        lambda: list.append(value, "X"),
        lambda: list.__setitem__(value, 0, "X"),
        lambda: dict.__setitem__(value, "X", 1),
        lambda: dict.__setitem__(value, next(iter(value)), "X"),
        lambda: set.add(value, "X"),
        lambda: set.clear(value),
        lambda: vars(value).update(x="X", more="X", xs="X"),
        lambda: object.__getattribute__(value, "__dict__").update(x="X", more="X", xs="X"),
        *(lambda name=name: object.__setattr__(value, name, "X") for name in ("x", "more", "xs", "novel")),
        *(lambda name=name: getattr(type(value), name).__set__(value, "X") for name in ("xs", "more")),
        lambda: object.__delattr__(value, "xs"),
    ):
        with contextlib.suppress(Exception):
            change()


def _children(value: Any) -> Iterator[Any]:
    """What the value holds, read round the guard as well."""
    if isinstance(value, list):
        yield from [list.__getitem__(value, i) for i in range(len(value))]
    elif isinstance(value, dict):
        yield from list(dict.values(value))
    elif isinstance(value, (tuple, collections.deque)):
        yield from list(value)
    elif isinstance(value, Slotted):
        yield from (getattr(value, "xs", None), getattr(value, "more", None))
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield from list(vars(value).values())


WAYS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda value: value,
    "copy": copy.copy,
    "own copy": lambda value: value.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "list": list,
    "tuple": tuple,
    "sorted": lambda value: sorted(value, key=str),
    "reversed": lambda value: list(reversed(value)),
    "slice": lambda value: value[:],
    "step": lambda value: value[::-1],
    "plus": lambda value: [value + [1], [1] + value],  # noqa: RUF005  the operator is what is tried
    "times": lambda value: [value * 2, 2 * value],
    "unpacked": lambda value: [*value],
    "arguments": lambda value: (lambda *items: items)(*value),
    "chain": lambda value: list(itertools.chain(value, value)),
    "filter": lambda value: list(filter(None, value)),
    "max": lambda value: max(value, key=str),
    "deque": collections.deque,
    "values": lambda value: list(value.values()),
    "items": lambda value: list(value.items()),
    "get": lambda value: [value.get(key) for key in value],
    "dict": dict,
    "keywords": lambda value: (lambda **entries: entries)(**value),
    "double star": lambda value: {**value},
    "union": lambda value: [value | {"z": 1}, {"z": 1} | value],
    "table": lambda value: [pd.DataFrame(value).to_numpy().tolist(), pd.Series(value, dtype=object).to_list()],
    "array": lambda value: list(np.array(value, dtype=object)),
    "model": lambda value: Holder(one=value),
    "model of items": lambda value: Holder(items=value),
    "model of entries": lambda value: Holder(entries=value),
    "validated": TypeAdapter(list[dict[str, Any]]).validate_python,
    "asdict": lambda value: dataclasses.asdict(Data(value)),
    "heap": lambda value: heapq.heappush(value, "X"),
    "insort": lambda value: bisect.insort(value, "X", key=str),
    "iterator": lambda value: list(iter(value)),
}


@given(tree=trees, fine=guardable, way=st.sampled_from(sorted(WAYS)), many=st.sampled_from([1, FEW]))
def test_nothing_a_node_can_do_reaches_what_the_run_keeps(tree: Any, fine: Any, way: str, many: int) -> None:
    """By the ordinary API or round it, kept values stay as they are and the next node sees them unchanged."""
    schema = schema_of(S)
    values = start_values(schema, {}, "start")
    entries = {"a": tree, **{str(i): [tree] for i in range(many)}}
    records = [fine, Item(more=fine), Data([fine]), {1}, *([Slotted([fine])] * many)]
    update = {
        "anything": tree,
        "items": [tree, *([[tree]] * many)],
        "entries": entries,
        "models": [Item(more=tree)],
        "rows": [{"a": [1]}] * many,
        "records": records,
        "by_name": {str(i): each for i, each in enumerate(records)},
        "typed": [Item(more=fine)] * (many + 1),
    }
    values, _ = fold(schema, values, update, "node 'a'")
    before = pickle.loads(pickle.dumps(state_of(schema, values)))
    view = schema.view(values, "a")
    for name in schema.fields:
        value = getattr(view, name)
        with contextlib.suppress(Exception):
            _vandalise(WAYS[way](value))
        _vandalise(value)
    with contextlib.suppress(Exception):
        object.__setattr__(view, "anything", "X")
    later = schema.view(values, "b")

    assert is_same(before, state_of(schema, values))
    assert is_same(before, state_of(schema, {name: getattr(later, name) for name in schema.fields}))
    assert before.typed == TypeAdapter(list[Item]).validate_python(later.typed)  # C code finds the same models


@given(trees, guardable)
def test_reading_alone_is_no_change(tree: Any, fine: Any) -> None:
    """A node that only looks is never told that it has changed something."""
    schema = schema_of(S)
    update = {"anything": tree, "items": [tree], "records": [[fine]] * (FEW + 1)}
    values, _ = fold(schema, start_values(schema, {}, "start"), update, "node 'a'")
    view = schema.view(values, "a")
    seen = (repr(view), view.anything, [*view.items], view.model_dump(), view.model_copy(), repr(view.records))
    check_untouched(view)

    assert is_same(tree, seen[1])


@given(trees)
def test_guarded_value_equals_the_value(tree: Any) -> None:
    """Guarded lists and dicts are list and dict to everybody who reads, long ones too."""
    value = guarded(tree, Place("a", "field", ""))
    many = guarded(GrownList([tree] * (FEW + 1)), Place("a", "field", ""))

    assert is_same(tree, value)
    assert is_same([tree] * (FEW + 1), many)


@pytest.mark.parametrize("value", [{"a": [1, {"b": None}]}, [[1.5], {"x": "y"}]], ids=["dict", "list"])
def test_guarded_value_is_written_as_json(value: Any) -> None:
    """json takes it with and without its C code."""
    kept = guarded(value, Place("a", "field", ""))

    assert json.dumps(value) == json.dumps(kept)
    assert json.dumps(value, indent=1) == json.dumps(kept, indent=1)


def test_guarded_rows_make_the_same_table() -> None:
    """pandas sees a list of dicts."""
    rows = [{"a": 1, "b": [1]}, {"a": 2, "b": []}]

    assert pd.DataFrame(rows).equals(pd.DataFrame(guarded(rows, Place("a", "field", ""))))


@pytest.mark.parametrize(
    ("levels", "value"),
    [(1, [1]), (1, GrownList([1])), (1, GrownDict({"a": 1})), (2, [{"a": 1}]), (2, {"a": [1]}), (3, [[{"a": 1}]])],
)
def test_promised_levels_give_the_same_as_looking(levels: int, value: Any) -> None:
    """A type that says how deep atoms lie is guarded as one that does not say."""
    kept, looked = guarded_to(levels, value, Place("a", "f", "")), guarded(value, Place("a", "f", ""))

    assert looked == kept
    assert _kinds(looked) == _kinds(kept)


def _kinds(value: Any) -> Any:
    return (type(value), [_kinds(each) for each in _children(value)])


def test_flat_promises_atoms() -> None:
    """The promise is taken: items are not looked at."""
    inner: list[int] = []

    assert guarded([inner], Place("a", "f", ""), flat=True)[0] is inner


def test_guarded_value_is_guarded_once() -> None:
    """Guarding what is guarded gives it back."""
    value = guarded([[1], {"a": 1}], Place("a", "f", ""))

    assert guarded(value, Place("b", "f", "")) is value
    assert guarded((value,), Place("b", "f", ""))[0] is value


def test_list_that_holds_itself_is_guarded() -> None:
    """The guard has the same cycle, and refuses on every round."""
    ring: list[Any] = [1, {"tags": []}, {2}]
    ring.append(ring)
    place = Place("a", "field", "")
    value = guarded(ring, place)

    assert value[3] is value
    assert ([GuardedList, GuardedDict], 1) == ([type(value), type(value[1])], len(place.copies))
    with pytest.raises(MutatedState):
        value[3][3].append(2)


def test_changed_copy_is_found_and_told() -> None:
    """What cannot refuse is found out afterwards, with field and advice."""
    place = Place("a", "item", "Return the change instead: return {'item': the whole new value}")
    value = guarded([Item()], place)
    value[0].tags.append("x")

    with pytest.raises(MutatedState) as caught:
        check_copies(place.copies)

    assert str(caught.value) == (
        "node 'a': tried to change field 'item' in place (the value differs after the node has run)\n"
        "Return the change instead: return {'item': the whole new value}"
    )


def test_value_that_cannot_be_copied_is_handed_on_and_not_compared() -> None:
    """A generator is the same for every node."""
    place = Place("a", "field", "")
    items = (i for i in [1])

    assert guarded([items], place)[0] is items
    assert [] == place.copies


class Counted(Item):
    """Counts how often one is copied."""

    copies: ClassVar[list[int]] = []

    def __deepcopy__(self, memo: Any = None) -> Counted:
        self.copies.append(self.x)
        return type(self)(x=self.x)


class Log(BaseModel):
    """The same, without inheriting fields."""

    x: int = 0
    tags: list[str] = []
    copies: ClassVar[list[int]] = []

    def __deepcopy__(self, memo: Any = None) -> Log:
        self.copies.append(self.x)
        return type(self)(x=self.x)


@pytest.mark.parametrize(("kind", "expected"), [(Log, [4]), (Counted, [*range(FEW + 5)])], ids=["model", "derived"])
@pytest.mark.parametrize("made", [GrownList, lambda items: GrownDict(dict(enumerate(items)))], ids=["list", "dict"])
def test_reading_a_long_list_of_models_copies_what_is_touched(kind: Any, made: Any, expected: list[int]) -> None:
    """One model for one that is read; all of them for each reader where models have no form that refuses."""
    value = made([kind(x=i) for i in range(FEW + 5)])
    guarded(value, Place("a", "f", ""))
    kind.copies.clear()
    own = guarded(value, Place("b", "f", ""))

    assert (FEW + 5, True, 4, 4) == (len(own), bool(own), own[4].x, own[4].x)
    assert expected == kind.copies


def test_what_is_changed_and_written_is_written() -> None:
    """A node may change the copies it got and return them, short list or long, item by item or whole."""
    for size in (2, FEW + 2):
        graph = gn.Graph(S, entry="change")

        @graph.node(to=gn.END)
        def change(s: Any) -> Any:
            s.typed[1].x = 9
            s.typed[0].tags.append("new")
            return {"typed": gn.Replace(s.typed), "models": s.typed, "anything": s.typed[1]}

        run = graph.run(typed=[Item()] * size)

        expected = [Item(tags=["new"]), Item(x=9), *([Item()] * (size - 2))]
        assert (expected, expected, Item(x=9)) == (run.state.typed, run.state.models, run.state.anything)
        assert {Item} == {type(each) for each in (*run.state.typed, *run.state.models)}


def test_what_was_built_of_a_long_list_is_kept_plain() -> None:
    """Models, sets and dataclasses that pydantic has taken from the guarded list end up as themselves."""
    records = [Item(tags=["a"]), Data([1]), {1}, *([Slotted([2])] * FEW)]
    graph = gn.Graph(S, entry="build")

    @graph.node(to=gn.END)
    def build(s: Any) -> Any:
        return {"anything": Holder(one=s.records, items=s.records, entries={"a": s.records})}

    built = graph.run(records=records).state.anything

    for items in (built.one, built.items, built.entries["a"]):
        assert is_same(records, items)
        assert [Item, Data, set, Slotted] == [type(each) for each in items[:4]]
        assert [list, list] == [type(items[0].tags), type(items[1].xs)]


class Queues(gn.State):
    plain: list[int] = [3, 1, 2]
    grows: Annotated[list[int], gn.append] = [3, 1, 2]
    rows: Annotated[list[list[int]], gn.append] = [[3, 1, 2]]
    entries: Annotated[dict[str, list[int]], gn.merge] = {"a": [3, 1, 2]}


@pytest.mark.parametrize(
    "change",
    [
        lambda value: heapq.heappush(value, 0),
        lambda value: heapq.heappop(value),
        lambda value: heapq.heapify(value),
        lambda value: bisect.insort(value, 0),
        lambda value: list.sort(value),
        lambda value: list.append(value, 0),
        lambda value: list.clear(value),
        lambda value: random.shuffle(value),
    ],
    ids=["heappush", "heappop", "heapify", "insort", "list.sort", "list.append", "list.clear", "shuffle"],
)
@pytest.mark.parametrize("count", [1, FEW + 1], ids=["few", "many"])
def test_what_goes_round_the_methods_of_a_list_stays_with_the_node(change: Any, count: int) -> None:
    """Neither the log nor the next node sees it, also of lists within; what uses the methods is refused."""
    seen: list[Any] = []

    def read(s: Any) -> list[Any]:
        return [s.plain, s.grows, s.rows[0], s.entries["a"]]

    def node(s: Any) -> dict[str, Any]:
        for value in read(s):
            try:
                change(value)
            except gn.MutatedState as error:
                seen.append(error)
        return {}

    def later(s: Any) -> dict[str, Any]:
        seen.append([list(each) for each in read(s)])
        return {}

    start = [3, 1, 2] * count
    graph = gn.Graph(Queues, entry="node")
    graph.node(node, to="later")
    graph.node(later, to=gn.END)
    run = graph.run(
        plain=start, grows=start, rows=[start] * count, entries={str(i): start for i in range(count)} | {"a": start}
    )

    assert [start] * 4 == seen[-1]
    assert start == run.state.plain == run.state.grows == run.state.rows[0] == run.state.entries["a"]
    assert run.state == run.trace.start
    is_refused = change.__code__.co_names[0] in ("bisect", "random")  # these call methods
    assert (4 if is_refused else 0) == len(seen) - 1
