"""The forms of dicts: an object where all keys are plain text, else a list of pairs."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from graphnb.errors.text import kind_of, shown
from graphnb.state.storable.values import is_whole_text
from graphnb.store.encoding.forms import wanted
from graphnb.store.encoding.shape import TAG, Later, Refused, Work, item


class EntriesForm(NamedTuple):
    """A dict. `named` has the shapes of the values whose keys a TypedDict declares."""

    tag: str
    make: Callable[[dict[Any, Any]], Any]
    keys: Later
    values: Later
    named: Mapping[str, Later]
    kind: str = "object"

    def write(self, value: Any, work: Work) -> Any:
        """An object, or a list of pairs, in the order of the dict."""
        entries = [(key, work.part(self._shape(key), each, item(key))) for key, each in value.items()]
        if all(map(_is_plain_key, value)) and (self.named or str in self.keys.shape.natives):
            return dict(entries)
        return [[work.part(self.keys.shape, key, item(key)), each] for key, each in entries]

    def read(self, data: Any, work: Work) -> Any:
        """The dict again."""
        if type(data) is dict:
            self._check_keys(data)
            return self.make({key: work.part(self._shape(key), each, item(key)) for key, each in data.items()})
        made: dict[Any, Any] = {}
        for i, pair in enumerate(wanted(data, list, "an object or pairs")):
            if type(pair) is not list or len(pair) != 2:
                raise Refused(f"want a pair of key and value, not {kind_of(pair)}: {shown(pair)}")
            key = work.part(self.keys.shape, pair[0], item(i))
            try:
                is_known = key in made
            except TypeError as error:
                raise Refused(f"{kind_of(key)} is no key: {shown(key)}") from error
            if is_known:
                raise Refused(f"has the key {shown(key)} twice")
            made[key] = work.part(self._shape(key), pair[1], item(key))
        return self.make(made)

    def _shape(self, key: Any) -> Any:
        named = self.named.get(key) if type(key) is str else None
        return (named or self.values).shape

    def _check_keys(self, data: Mapping[str, Any]) -> None:
        if data and not (self.named or str in self.keys.shape.natives):
            raise Refused(f"want pairs, since keys are of the type {self.keys.shape.text}, not an object")
        for key in data:
            if key.startswith(TAG):
                raise Refused(f"the key {shown(key)} begins with {TAG}, which is reserved")


class DefaultsForm(NamedTuple):
    """A dict that makes what it lacks: by one of Python's own types, or None."""

    entries: EntriesForm
    tag: str = "defaultdict"
    kind: str = "never"

    def write(self, value: Any, work: Work) -> Any:
        """The name of what it makes, and the entries."""
        name = None if value.default_factory is None else getattr(value.default_factory, "__name__", "")
        if value.default_factory is not FACTORIES.get(name):
            raise Refused(
                f"is a defaultdict of {shown(value.default_factory)}, which is a function",
                f"It can be one of {', '.join(each for each in FACTORIES if each)}, or a plain dict.",
            )
        return [name, self.entries.write(value, work)]

    def read(self, data: Any, work: Work) -> Any:
        """The dict again."""
        if type(data) is not list or len(data) != 2 or not (data[0] is None or type(data[0]) is str):
            raise Refused(f"want the name of a type and entries, not {kind_of(data)}: {shown(data)}")
        if data[0] not in FACTORIES:
            raise Refused(f"makes values of the unknown type {shown(data[0])}")
        return defaultdict(FACTORIES[data[0]], self.entries.read(data[1], work))


def _is_plain_key(key: object) -> bool:
    return type(key) is str and not key.startswith(TAG) and is_whole_text(key)


FACTORIES: Final[Mapping[Any, Any]] = {
    None: None,
    **{kind.__name__: kind for kind in (list, dict, set, frozenset, tuple, str, int, float, bool)},
}
DICTS: Final[Mapping[str, Callable[[dict[Any, Any]], Any]]] = {
    "dict": lambda entries: entries,
    "OrderedDict": OrderedDict,
    "Counter": Counter,
}
