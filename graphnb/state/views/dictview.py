"""The state that a node gets where the state class is a TypedDict: a dict that guards its fields when they are read."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from typing import Any, Final, NoReturn, SupportsIndex

from graphnb.errors.text import choices
from graphnb.state.fields import Field
from graphnb.state.marks import UNSET
from graphnb.state.values.detach import detach
from graphnb.state.values.guarded import state_changed, unset_field
from graphnb.state.views.guarding import Place, guarded_to


class _Unread:
    """Stands where a field was not read yet, for whoever reads round the guard."""

    def __repr__(self) -> str:
        return "<not read yet: pass dict(s), not s>"


_UNREAD: Final = _Unread()


def _refusal(verb: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *names: object, **more: object) -> NoReturn:
        named = [*names, *more, *(each for given in names if isinstance(given, Mapping) for each in given)]
        name = next((each for each in named if isinstance(each, str)), "everything")
        raise state_changed(self._graphnb_node, verb, name=name, fields=self._graphnb_fields)

    return refuse


class DictView(dict[str, Any]):
    """Made by `dict_view`; calling the class gives a plain dict."""

    __slots__ = ("_graphnb_copies", "_graphnb_fields", "_graphnb_node", "_graphnb_values")
    _graphnb_copies: list[tuple[Place, Any, Any]]
    _graphnb_fields: Mapping[str, Field]
    _graphnb_node: str
    _graphnb_values: Mapping[str, Any]

    def __new__(cls, *entries: Any, **more: Any) -> Any:  # noqa: D102  as its class says
        return dict(*entries, **more)

    def __getitem__(self, name: str) -> Any:
        value = dict.get(self, name, UNSET)
        if value is _UNREAD:
            field, copies = self._graphnb_fields[name], self._graphnb_copies
            place = Place(self._graphnb_node, name, field.mends, copies)
            value = guarded_to(field.levels, self._graphnb_values[name], place)
            dict.__setitem__(self, name, value)
        elif value is UNSET:
            if name in self._graphnb_fields:
                raise unset_field(self._graphnb_node, name)
            raise KeyError(f"{name!r}. {choices('Fields', self._graphnb_fields, name)}")
        return value

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name!r}: the state is a TypedDict, whose fields are read as s[{name!r}]")

    def get(self, name: str, default: Any = None) -> Any:
        """The field, guarded; `default` if nothing has written it."""
        return self[name] if name in self else default  # noqa: SIM401  this is that method

    def __iter__(self) -> Iterator[str]:  # also makes dict(self) and {**self} go through __getitem__
        return dict.__iter__(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]  # a view as of any mapping, not dict's own
        """The fields' values, guarded when they are read."""
        return ValuesView(self)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]  # likewise
        """Names and values, guarded when they are read."""
        return ItemsView(self)

    def __eq__(self, other: object) -> bool:
        return dict(self) == (dict(other) if isinstance(other, DictView) else other)

    def __ne__(self, other: object) -> bool:  # dict's own would compare what lies here unread
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        return repr(dict(self))

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def copy(self, *_: object) -> dict[str, Any]:
        """A plain dict that shares nothing with the run."""
        return {name: detach(self._graphnb_values[name]) for name in self}

    __copy__ = __deepcopy__ = copy

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    __setitem__ = setdefault = _refusal("set")
    __delitem__ = pop = popitem = clear = _refusal("delete")
    update = __ior__ = _refusal("set")


def dict_view(fields: Mapping[str, Field], values: Mapping[str, Any], node: str) -> Any:
    """The view of the values; the fields that nothing has written are not in it."""
    view = dict.__new__(DictView)
    dict.update(
        view, {name: value if fields[name].atomic else _UNREAD for name, value in values.items() if value is not UNSET}
    )
    view._graphnb_fields, view._graphnb_values, view._graphnb_node, view._graphnb_copies = fields, values, node, []
    return view
