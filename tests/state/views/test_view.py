"""The state that a node gets, whatever kind of class it is an instance of."""

from __future__ import annotations

import copy
import dataclasses
import functools
import pickle
import sys
import warnings
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, PrivateAttr

import graphnb as gn
from graphnb.errors import MutatedState, UnsetField
from graphnb.state.schema import schema_of, start_values, state_of
from graphnb.state.views.view import check_untouched
from tests.state.future_states import Base, Checked, Child, Data, Outer, Plain, PydanticData, Slotted


def view_of(cls: type, node: str = "plan", **given: Any) -> Any:
    """The view that a node gets of a state of the class."""
    schema = schema_of(cls)
    return schema.view(start_values(schema, given, "start"), node)


CLASSES: list[tuple[type, dict[str, Any]]] = [
    (Data, {"xs": ["a"], "anything": [1], "later": "x"}),
    (Slotted, {"rows": [{"a": 1}], "anything": [1], "later": "x"}),
    (Checked, {"a": 1, "xs": [1]}),
    (PydanticData, {"a": 1, "xs": [1]}),
    (Plain, {"xs": ["a"], "n": 2}),
    (Child, {"items": [1], "named": 2}),
    (Child[int], {"items": [1]}),
    (Outer.Inner, {"n": 3}),
]
each_class = pytest.mark.parametrize(("cls", "given"), CLASSES, ids=[cls.__name__ for cls, _ in CLASSES])


@each_class
def test_view_is_an_instance_that_looks_and_compares_like_the_state(cls: type, given: dict[str, Any]) -> None:
    """It is of the user's class, has its name and text, and equals the plain state from both sides."""
    schema = schema_of(cls)
    values = start_values(schema, given, "start")
    view, state = schema.view(values, "a"), state_of(schema, values)

    assert isinstance(view, cls)
    assert (cls.__name__, cls.__qualname__, cls.__module__) == (
        type(view).__name__,
        type(view).__qualname__,
        type(view).__module__,
    )
    assert (repr(state), str(state)) == (repr(view), str(view))
    assert view == state
    assert state == view
    assert view == schema.view(values, "b")
    assert view != 5


@each_class
def test_copies_of_a_view_are_plain_states_of_their_own(cls: type, given: dict[str, Any]) -> None:
    """copy, deepcopy and pickle give instances of the user's class that may be changed at will."""
    view = view_of(cls, **given)
    copies = [copy.copy(view), copy.deepcopy(view), pickle.loads(pickle.dumps(view))]

    assert [cls] * 3 == [type(each) for each in copies]
    assert all(each == view for each in copies)
    name = next(name for name, each in schema_of(cls).fields.items() if each.type.startswith("list") or name == "n")
    if isinstance(getattr(copies[0], name), list):
        getattr(copies[0], name).append(1)

        assert copies[0] != view


@each_class
def test_every_field_can_be_read_and_none_set_or_deleted(cls: type, given: dict[str, Any]) -> None:
    """Frozen or not, setting a field raises MutatedState and names node and field."""
    view = view_of(cls, **given)
    for name in schema_of(cls).fields:
        value = getattr(view, name)
        for act in (lambda name=name: setattr(view, name, 1), lambda name=name: delattr(view, name)):
            with pytest.raises(MutatedState, match=rf"node 'plan': tried to (set|delete) '{name}' on the state"):
                act()

        assert getattr(view, name) is value


@each_class
def test_vars_of_a_view_are_its_fields(cls: type, given: dict[str, Any]) -> None:
    """vars() gives a dict of the node's own."""
    view = view_of(cls, **given)
    found = vars(view)
    found["n"] = "changed"

    assert {name: getattr(view, name) for name in schema_of(cls).fields} == vars(view)


def test_message_of_a_set_field_offers_the_update() -> None:
    """The advice is a return statement that fits the field's reducer."""
    with pytest.raises(MutatedState) as caught:
        view_of(Data).xs = ["b"]

    assert str(caught.value) == (
        "node 'plan': tried to set 'xs' on the state it was given\n"
        "Return the change instead: return {'xs': [the new items]}"
    )
    assert "plan" == caught.value.node


def test_message_of_an_unknown_name_that_is_set_lists_the_fields() -> None:
    """A misspelt field is told as such."""
    with pytest.raises(MutatedState, match=r"Fields: \['xs', 'n'\]\. Did you mean 'xs'\?"):
        view_of(Plain).xss = 1


def test_unknown_attribute_is_told_with_the_nearest_field() -> None:
    """Reading a misspelt field raises AttributeError, so that hasattr works."""
    view = view_of(Plain)

    with pytest.raises(AttributeError, match=r"Plain has no field 'xz'\. Fields: \['xs', 'n'\]\. Did you mean 'xs'\?"):
        view.xz  # noqa: B018

    assert not hasattr(view, "xz")


def test_unset_field_is_told_when_it_is_read() -> None:
    """The error names node and field and the test to make."""
    with pytest.raises(UnsetField) as caught:
        view_of(Data).later  # noqa: B018

    assert str(caught.value) == (
        "node 'plan': read field 'later', which nothing has written yet\nTest with: if 'later' in s"
    )
    assert "plan" == caught.value.node


@pytest.mark.parametrize("cls", [Data, Slotted])
def test_in_tells_whether_a_field_is_set(cls: type) -> None:
    """Only fields that have a value are in the state."""
    assert ("later" in view_of(cls), "later" in view_of(cls, later="x"), "nope" in view_of(cls)) == (False, True, False)


def test_views_with_unset_fields_are_shown_and_compared() -> None:
    """Whatever is not written shows UNSET and is left out of vars."""
    view = view_of(Data)

    assert "Data(xs=[], anything=None, n=0, later=UNSET)" == repr(view)
    assert view == view_of(Data)
    assert "later" not in vars(view)


def test_class_of_the_user_keeps_its_own_contains() -> None:
    """`in` means what the class says if it says anything."""

    class Own(gn.State):
        words: list[str] = []

        def __contains__(self, word: object) -> bool:
            return word in self.words

    assert "a" in view_of(Own, words=["a"])
    assert "words" not in view_of(Own, words=["a"])


def test_methods_properties_and_computed_fields_work() -> None:
    """They read the guarded fields."""
    view = view_of(Plain, xs=["a", "bc"], n=2)

    assert (4, "a", 2) == (view.doubled(), view.first, view.length)


@pytest.mark.parametrize(("cls", "name"), [(Plain, "lengths"), (Data, "length")])
def test_cached_property_is_computed_once_per_view(cls: type, name: str) -> None:
    """The view keeps what it has computed, the state of the run does not."""
    view, other = view_of(cls, xs=["a"]), view_of(cls, xs=["a"])

    assert getattr(view, name) is getattr(view, name)
    assert getattr(view, name) is not getattr(other, name)
    assert name not in vars(view)


def test_property_that_fails_tells_its_own_error() -> None:
    """An AttributeError within a property is not taken for a missing field."""

    class Bad(gn.State):
        n: int = 0

        @property
        def wrong(self) -> Any:
            return self.n.nope  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="'int' object has no attribute 'nope'"):
        view_of(Bad).wrong  # noqa: B018


def test_getattr_of_the_class_is_asked_for_unknown_names() -> None:
    """A class may answer for names that are no fields."""

    class Open(gn.State):
        data: dict[str, int] = {}

        def __getattr__(self, name: str) -> Any:
            return self.data[name] if name in self.data else object.__getattribute__(self, name)

    assert 1 == view_of(Open, data={"x": 1}).x


def test_private_attributes_are_scratch_paper_of_one_view() -> None:
    """A node may use them; neither the run nor the next node sees what it left there."""
    view, other = view_of(Plain), view_of(Plain)
    view._scratch = 9
    view._node["x"] = 1

    assert (9, {"x": 1}, 7, {}) == (view._scratch, view._node, other._scratch, other._node)
    with pytest.raises(MutatedState):
        del view._scratch


def test_private_attributes_made_from_fields() -> None:
    """model_post_init runs when a private attribute is first read, on view and state."""

    class Indexed(BaseModel):
        rows: list[dict[str, int]] = []
        _index: dict[int, Any] = PrivateAttr(default_factory=dict)
        _made: int = PrivateAttr()

        def model_post_init(self, context: object) -> None:
            self._index = {row["id"]: row for row in self.rows}

    view = view_of(Indexed, rows=[{"id": 3}])

    assert {3: {"id": 3}} == view._index
    with pytest.raises(AttributeError):
        view._made  # noqa: B018
    assert {3: {"id": 3}} == copy.copy(view)._index


def test_private_attribute_called_like_a_name_of_ours() -> None:
    """What a view keeps for itself has names that no user would choose."""

    class Names(BaseModel):
        n: int = 0
        _values: int = PrivateAttr(default=1)
        _copies: int = PrivateAttr(default=2)
        _place: int = PrivateAttr(default=3)

    view = view_of(Names)

    assert (0, 1, 2, 3) == (view.n, view._values, view._copies, view._place)


def test_fields_called_like_methods_of_pydantic() -> None:
    """A field hides the method, also where it is read through the guard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        class Shadows(gn.State):
            copy: list[int] = []  # type: ignore[assignment]
            json: dict[str, int] = {}  # type: ignore[assignment]
            schema: Any = None
            model_name: list[str] = []

    view = view_of(Shadows, copy=[1], json={"a": 1}, schema=[2], model_name=["m"])

    assert ([1], {"a": 1}, [2], ["m"]) == (view.copy, view.json, view.schema, view.model_name)
    with pytest.raises(MutatedState, match="field 'json'"):
        view.json["b"] = 2


def test_fields_of_a_dataclass_called_like_names_of_ours() -> None:
    """A dataclass may have fields with leading underscores."""

    @dataclasses.dataclass
    class Names:
        _values: list[int] = dataclasses.field(default_factory=list)
        _node: str = ""
        _copies: Any = None

    view = view_of(Names, _values=[1], _node="n", _copies=[2])

    assert ([1], "n", [2]) == (view._values, view._node, view._copies)


def test_default_on_a_dataclass_does_not_hide_the_value() -> None:
    """A class attribute that holds the default is not read in place of what was written."""
    assert [1] == view_of(Data, anything=[1]).anything


def test_dump_and_changed_copy_of_a_model() -> None:
    """model_dump, json and model_copy work on a view as on the state."""
    view = view_of(Plain, xs=["a"], n=1)
    changed = view.model_copy(update={"n": 5})

    assert {"xs": ["a"], "n": 1, "length": 1} == view.model_dump() == dict(view) | {"length": 1}
    assert '{"xs":["a"],"n":1,"length":1}' == view.model_dump_json()
    assert {"xs", "n"} == view.model_fields_set == set(view.model_dump(exclude_unset=True)) - {"length"}
    assert (Plain, 5, 1) == (type(changed), changed.n, view.n)


def test_extra_of_a_model_that_allows_it() -> None:
    """A state has no extra fields, but a model that could have them is dumped all the same."""

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        n: int = 0

    assert ({"n": 0}, {}) == (view_of(Open).model_dump(), view_of(Open).model_extra)


@pytest.mark.parametrize(
    ("cls", "given"), [(Slotted, {"later": "x"}), (Data, {"later": "x"}), (Checked, {"a": 1}), (PydanticData, {"a": 1})]
)
def test_changed_copy_of_a_dataclass(cls: type, given: dict[str, Any]) -> None:
    """dataclasses.replace gives an instance of the user's class; asdict gives plain values."""
    view = view_of(cls, **given)
    field = "xs" if hasattr(view, "xs") else "rows"
    changed = (
        dataclasses.replace(view, **{field: []})
        if cls is not PydanticData
        else cls(A=2, xs=[])  # an alias hinders replace
    )

    assert cls is type(changed)
    assert type(dataclasses.asdict(view)) is dict


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace came with Python 3.13")
def test_copy_replace_of_a_view() -> None:
    """copy.replace gives an instance of the user's class."""
    made = [copy.replace(view_of(Plain), n=2), copy.replace(view_of(Checked, a=1), a=2)]  # type: ignore[attr-defined]

    assert [(Plain, 2), (Checked, 2)] == [(type(made[0]), made[0].n), (type(made[1]), made[1].a)]


def test_made_by_the_type_of_a_view() -> None:
    """type(s)(...) and type(s).model_validate(...) make states, not views."""
    view = view_of(Plain)
    made = [type(view)(n=1), type(view).model_validate({"n": 1})]

    assert [Plain, Plain] == [type(each) for each in made]


def test_frozen_view_without_lists_can_be_hashed() -> None:
    """A view is as hashable as the state it stands for."""
    assert hash(view_of(Outer.Inner)) == hash(Outer.Inner())
    with pytest.raises(TypeError):
        hash(view_of(Child))


def test_setting_round_the_guard_stays_in_the_view() -> None:
    """object.__setattr__ changes what this node sees and nothing else."""
    schema = schema_of(Plain)
    values = start_values(schema, {"n": 1}, "start")
    view = schema.view(values, "a")
    object.__setattr__(view, "n", 99)
    object.__setattr__(view, "xs", ["99"])

    assert (99, ["99"]) == (view.n, view.xs)
    assert (1, []) == (schema.view(values, "b").n, state_of(schema, values).xs)


def test_changed_record_is_found_after_the_node() -> None:
    """A nested model cannot refuse, so its copy is compared."""

    class Holder(gn.State):
        item: Plain = Plain()
        n: int = 0

    schema = schema_of(Holder)
    view: Any = schema.view(start_values(schema, {}, "start"), "a")
    view.item.xs.append("b")

    with pytest.raises(MutatedState, match="node 'a': tried to change field 'item' in place"):
        check_untouched(view)
    check_untouched(view, {"item": view.item})


def test_changed_copy_that_the_node_returns_is_fine() -> None:
    """Changing the copy and writing it is one way to compute a new value; another written field excuses nothing."""

    class Holder(gn.State):
        item: Plain = Plain()
        n: int = 0

    schema = schema_of(Holder)
    view: Any = schema.view(start_values(schema, {}, "start"), "a")
    view.item.n = 5
    check_untouched(view, {"item": view.item})

    with pytest.raises(MutatedState):
        check_untouched(view, {"n": 1})
    with pytest.raises(MutatedState):
        check_untouched(view, None)


def test_state_of_things_that_refuse_needs_no_check() -> None:
    """Where lists, dicts and atoms are all there is, nothing is compared."""
    schema = schema_of(Base)

    assert not schema.has_opaque
    check_untouched(schema.view(start_values(schema, {}, "start"), "a"))


def test_subclass_of_a_frozen_model_with_a_list_is_copied() -> None:
    """A field of a frozen type may hold a subclass that is not: the node gets a copy all the same."""

    class Event(BaseModel, frozen=True):
        kind: str = ""

    class ToolEvent(Event):
        args: list[int] = []

    class Holder(gn.State):
        last: Event = Event()
        events: list[Event] = []

    schema = schema_of(Holder)
    values = start_values(schema, {"last": ToolEvent(args=[1]), "events": [ToolEvent(args=[1])]}, "start")
    view: Any = schema.view(values, "a")
    view.last.args.append(2)
    view.events[0].args.append(2)

    assert ([1], [1]) == (values["last"].args, values["events"][0].args)


def test_text_that_a_validator_turned_into_a_list_is_guarded() -> None:
    """A type says what goes in; what a validator makes of it is guarded by what it is."""

    class Split(gn.State):
        words: Annotated[str, AfterValidator(str.split)] = ""

    with pytest.raises(MutatedState):
        view_of(Split, words="a b").words.append("c")


def test_cost_of_a_view_does_not_grow_with_the_state() -> None:
    """A field that is not read is not copied."""

    class Big(gn.State):
        rows: list[dict[str, int]] = []
        n: int = 0

    schema = schema_of(Big)
    values = start_values(schema, {"rows": [{"a": i} for i in range(1000)]}, "start")
    view: Any = schema.view(values, "a")
    read = {"n": view.n}

    assert {"n": 0} == read
    assert "rows" not in BaseModel.__dict__["__dict__"].__get__(view)
    assert functools.reduce(lambda total, row: total + row["a"], view.rows, 0) == sum(range(1000))


def test_field_read_on_the_class_is_no_attribute():
    """As on the user's own class: fields are attributes of instances."""

    class Box(gn.State):
        xs: list[int] = []

    with pytest.raises(AttributeError, match="xs"):
        type(view_of(Box)).xs  # noqa: B018  reading is the point
