"""What the reducers of the step family are made of: all of a step's writes are folded at once, by one call.

Source: step reducers, reducers and natural zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from graphnb.errors import ReducerConfigurationInvalid
from graphnb.errors.text import choices, kind_of, shown
from graphnb.state.checking.exact import Committed, ExactValidator
from graphnb.state.marks import UNSET
from graphnb.state.storable.values import exact_key
from graphnb.state.values.same import parts_of

Option = tuple[Callable[[Any], bool], str]
"""Whether an option's value is good, and what a good one is."""


class ReductionFailed(ArithmeticError):
    """A fold of valid writes has no result: a total beyond all floats."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StepReducer:
    """A reducer of the step family, bare or with options. `opts` are kept as they were given."""

    type: ClassVar[str]
    options: ClassVar[Mapping[str, Option]] = {}
    opts: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, *values: object, **options: object) -> Self:
        """The same reducer with these options. Raises ReducerConfigurationInvalid for bad ones, and for values."""
        if values:
            folded = f"{self}.fold({shown(values[0])}, [{', '.join(map(shown, values[1:])) or '...'}])"
            mend = f"To fold by hand write {folded}: the value before, then the list of a step's writes."
            raise ReducerConfigurationInvalid(f"{self}", "was called with values, and takes only options by name", mend)
        for name, value in options.items():
            self._check_option(name, value)
        return type(self)({**self.opts, **options}) if options else self

    def _check_option(self, name: str, value: object) -> None:
        if name not in self.options:
            mend = choices("Options", self.options, name) if self.options else f"Write step.{self.type} alone."
            raise ReducerConfigurationInvalid(f"step.{self.type}", f"has no option {shown(name)}", mend)
        is_good, want = self.options[name]
        if not is_good(value):
            what = f"{name} is {shown(value)}, it must be {want}"
            raise ReducerConfigurationInvalid(f"step.{self.type}", what, f"Try step.{self.type}({_EXAMPLES[name]}).")

    def fold(self, prior: Any, writes: Sequence[Any] | Mapping[str, Any]) -> Any:
        """The value after a step: `prior` is the one before, UNSET for none; at least one write, in writers' order.

        Writes by the name of their node are sorted by it, as a run does. Nothing that is given is changed.
        """
        ordered = [writes[name] for name in sorted(writes)] if isinstance(writes, Mapping) else writes
        if not isinstance(ordered, (list, tuple)) or not ordered:
            raise TypeError(
                f"{self}.fold takes the value before and a list of at least one write, not {kind_of(writes)}: "
                f"{shown(writes)}. For a single write: [{shown(writes)}]"
            )
        return self._folded(prior, ordered)

    def _folded(self, prior: Any, writes: Sequence[Any]) -> Any: ...

    @property
    def zero(self) -> Any:
        """The value of a field that declares no default, UNSET for none."""
        return UNSET

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and exact_key(self.opts) == exact_key(other.opts)

    def __hash__(self) -> int:
        return hash((type(self), exact_key(self.opts)))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={shown(value)}" for name, value in self.opts.items())
        return f"step.{self.type}({given})" if given else f"step.{self.type}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Values that a user gives to the field are checked with exact types, and stay as they are."""
        exact = ExactValidator(source, {"arbitrary_types_allowed": True})

        def check(value: Any, inner: Callable[[Any], Any]) -> Any:
            if value is UNSET or type(value) is Committed:
                return value if value is UNSET else value.value
            kept = exact.check(value)
            found = inner(kept)  # checks the constraints that stand before the reducer
            return kept if _is_equal(kept, found) else found

        return core_schema.no_info_wrap_validator_function(check, handler(source))


class LastValue(StepReducer):
    """The last write. The value before plays no part.

    | prior | writes | result |
    |-------|--------|--------|
    | 1     | 2, 3   | 3      |
    | 1     | None   | None   |

    >>> from graphnb import step
    >>> step.last_value.fold(1, [2, 3])
    3
    >>> step.last_value.fold(1, {"n9": "nine", "n10": "ten"})
    'nine'
    """

    __slots__ = ()
    type = "last_value"

    def _folded(self, prior: Any, writes: Sequence[Any]) -> Any:
        return writes[-1]


class FirstValue(StepReducer):
    """The value before if there is one, else the first write; a declared default counts, None as one does not.

    | prior | writes | result |
    |-------|--------|--------|
    | UNSET | 2, 3   | 2      |
    | 1     | 2      | 1      |
    | None  | 2      | None   |

    >>> from graphnb import UNSET, step
    >>> step.first_value.fold(UNSET, [2, 3])
    2
    >>> step.first_value.fold(1, [2])
    1
    >>> step.first_value.fold(None, [2])
    """

    __slots__ = ()
    type = "first_value"

    def _folded(self, prior: Any, writes: Sequence[Any]) -> Any:
        return writes[0] if prior is UNSET else prior


class Append(StepReducer):
    """The list before, then what the writes add: a list adds its items, anything else adds itself.

    Lists are opened one level only: wrap an item that is a list. With `unique=True` the first of equal items
    stays, also of those before, where 1, 1.0 and True are three items; then `max_length` keeps the last ones.

    | options               | prior     | writes      | result       |
    |-----------------------|-----------|-------------|--------------|
    |                       | [1]       | 2, [3, 4]   | [1, 2, 3, 4] |
    |                       | [1]       | [[2]], None | [1, [2], None] |
    |                       | UNSET     | 'ab'        | ['ab']       |
    | unique=True           | [1, 1, 2] | [], 1.0     | [1, 2, 1.0]  |
    | max_length=2          | [1, 2, 3] | []          | [2, 3]       |
    | both                  | [1, 2]    | 3, 1        | [2, 3]       |

    >>> from graphnb import UNSET, step
    >>> step.append.fold([1], [2, [3, 4]])
    [1, 2, 3, 4]
    >>> step.append.fold([1], [[[2]], None])
    [1, [2], None]
    >>> step.append.fold(UNSET, ["ab"])
    ['ab']
    >>> step.append(unique=True).fold([1, 1, 2], [[], 1.0])
    [1, 2, 1.0]
    >>> step.append(max_length=2).fold([1, 2, 3], [[]])
    [2, 3]
    >>> step.append(unique=True, max_length=2).fold([1, 2], [3, 1])
    [2, 3]
    >>> step.append([1], [2])
    Traceback (most recent call last):
    graphnb.errors.building.ReducerConfigurationInvalid: step.append: was called with values, ...
    """

    __slots__ = ()
    type = "append"
    options: ClassVar[Mapping[str, Option]] = {
        "unique": (lambda value: type(value) is bool, "True or False"),
        "max_length": (lambda value: type(value) is int and value > 0, "an int of at least 1"),
    }

    @property
    def zero(self) -> Any:
        """An empty list."""
        return []

    @property
    def is_unique(self) -> bool:
        """True if equal items are left out; behind the checks only a literal True says so."""
        return self.opts.get("unique") is True

    @property
    def window(self) -> int | None:
        """How many items are kept, None for all; behind the checks 0 keeps none, and what is no such number all."""
        bound = self.opts.get("max_length")
        return bound if type(bound) is int and bound >= 0 else None

    def _folded(self, prior: Any, writes: Sequence[Any]) -> list[Any]:
        items = [*_items_before(prior), *items_of_writes(writes)]
        if self.is_unique:
            items = first_of_equal(items, exact_key)
        window = self.window
        return items if window is None else items[max(len(items) - window, 0) :]


class Union(StepReducer):
    """The list before and what the writes add, as for `append`; of equal items the first one stays.

    With `by`, a key or a path of keys, items are equal if what lies there is; an item without it is compared as
    a whole. First wins: an item that is there is not renewed.

    | options   | prior            | writes           | result                     |
    |-----------|------------------|------------------|----------------------------|
    |           | [1, 1]           | 2, [1, True]     | [1, 2, True]               |
    | by='id'   | [{'id': 1}]      | {'id': 1, 'n': 2} | [{'id': 1}]               |
    | by='id'   | ['a']            | {'id': 'a'}      | ['a', {'id': 'a'}]         |

    >>> from graphnb import step
    >>> step.union.fold([1, 1], [2, [1, True]])
    [1, 2, True]
    >>> step.union(by="id").fold([{"id": 1}], [{"id": 1, "n": 2}])
    [{'id': 1}]
    >>> step.union(by="id").fold(["a"], [{"id": "a"}])
    ['a', {'id': 'a'}]
    """

    __slots__ = ()
    type = "union"
    options: ClassVar[Mapping[str, Option]] = {
        "by": (lambda value: type(value) is str or _is_path(value), "a key, or a list of at least one key"),
    }

    @property
    def zero(self) -> Any:
        """An empty list."""
        return []

    @property
    def key(self) -> Callable[[Any], Hashable]:
        """What two items are compared by."""
        by = self.opts.get("by")
        path = (by,) if isinstance(by, str) else tuple(by) if isinstance(by, (list, tuple)) else ()
        return _key_at(path) if path else exact_key

    def _folded(self, prior: Any, writes: Sequence[Any]) -> list[Any]:
        return first_of_equal([*_items_before(prior), *items_of_writes(writes)], self.key)


class Merge(StepReducer):
    """The entries before, over which the writes are laid one after the other. None is a value, nothing is removed.

    With `deep=True` a dict over a dict is merged in the same way; all else is replaced, lists too.

    | options     | prior             | writes              | result                    |
    |-------------|-------------------|---------------------|---------------------------|
    |             | {'a': 1}          | {'b': 2}, {'b': 3}  | {'a': 1, 'b': 3}          |
    |             | {'n': {'x': 1}}   | {'n': {}}           | {'n': {}}                 |
    | deep=True   | {'n': {'x': 1}}   | {'n': {'y': 2}}     | {'n': {'x': 1, 'y': 2}}   |

    >>> from graphnb import step
    >>> step.merge.fold({"a": 1}, [{"b": 2}, {"b": 3}])
    {'a': 1, 'b': 3}
    >>> step.merge.fold({"n": {"x": 1}}, [{"n": {}}])
    {'n': {}}
    >>> step.merge(deep=True).fold({"n": {"x": 1}}, [{"n": {"y": 2}}])
    {'n': {'x': 1, 'y': 2}}
    """

    __slots__ = ()
    type = "merge"
    options: ClassVar[Mapping[str, Option]] = {"deep": (lambda value: type(value) is bool, "True or False")}

    @property
    def zero(self) -> Any:
        """An empty dict."""
        return {}

    @property
    def is_deep(self) -> bool:
        """True if dicts within are merged too; behind the checks only a literal True says so."""
        return self.opts.get("deep") is True

    def _folded(self, prior: Any, writes: Sequence[Any]) -> dict[Any, Any]:
        before = dict(prior) if isinstance(prior, Mapping) else {}
        return {**before, **self.entries_over(before, writes)}

    def entries_over(self, before: Mapping[Any, Any], writes: Iterable[Any]) -> dict[Any, Any]:
        """The entries that the writes put over those before; a write that is no mapping is skipped."""
        entries: dict[Any, Any] = {}
        for write in writes:
            for key, value in write.items() if isinstance(write, Mapping) else ():
                old = entries.get(key, before.get(key)) if self.is_deep else None
                both = isinstance(old, Mapping) and isinstance(value, Mapping)
                entries[key] = _merged_deep(old, value) if both else value  # type: ignore[arg-type]  # both are
        return entries


class Sum(StepReducer):
    """The number before plus the total of the writes, which are added up first, from left to right.

    Ints stay ints of any size. Floats are added plainly: 1e16 plus 1.0 and 1.0 gives 1e16 + 2. A total beyond all
    floats is an error.

    | prior | writes   | result |
    |-------|----------|--------|
    | 10    | 1, 2     | 13     |
    | UNSET | 1.5, 2   | 3.5    |
    | 5     | -5       | 0      |
    | 1e308 | 1e308    | error  |

    >>> from graphnb import UNSET, step
    >>> step.sum.fold(10, [1, 2])
    13
    >>> step.sum.fold(UNSET, [1.5, 2])
    3.5
    >>> step.sum.fold(1e16, [1.0, 1.0]) == 1e16 + 2
    True
    >>> step.sum.fold(1e308, [1e308])
    Traceback (most recent call last):
    graphnb.state.reducers.stepwise.ReductionFailed: step.sum: 1e+308 + 1e+308 is beyond the range of floats
    """

    __slots__ = ()
    type = "sum"

    @property
    def zero(self) -> Any:
        """The integer 0, also for floats."""
        return 0

    def _folded(self, prior: Any, writes: Sequence[Any]) -> Any:
        base = prior if isinstance(prior, (int, float)) and not isinstance(prior, bool) else 0
        total: Any = 0
        try:
            for write in writes:
                total = total + write  # no sum(): it compensates rounding from Python 3.12 on
            result = base + total
            is_finite = type(result) is int or math.isfinite(result)
        except OverflowError as error:
            raise ReductionFailed(f"step.sum: {error}") from error
        if not is_finite:
            raise ReductionFailed(f"step.sum: {shown(base)} + {shown(total)} is beyond the range of floats")
        return result


def items_of_writes(writes: Iterable[Any]) -> list[Any]:
    """What the writes add to a list: a list its items, anything else itself."""
    return [item for write in writes for item in (write if isinstance(write, list) else (write,))]


def first_of_equal(items: Iterable[Any], key: Callable[[Any], Hashable]) -> list[Any]:
    """The items without those whose key came before."""
    seen: set[Hashable] = set()
    return [item for item in items if (found := key(item)) not in seen and not seen.add(found)]  # type: ignore[func-returns-value]  # that is the point


def _is_equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001  a value's own equality is user code
        return True


def _items_before(prior: Any) -> Iterable[Any]:
    return prior if isinstance(prior, list) else ()


def _key_at(path: tuple[Any, ...]) -> Callable[[Any], Hashable]:
    def key(item: Any) -> Hashable:
        part = item
        for name in path:
            inner = parts_of(part) if isinstance(part, BaseModel) or _is_dataclass(part) else part
            if not isinstance(inner, Mapping) or name not in inner:
                return None, exact_key(item)
            part = inner[name]
        return "at", exact_key(part)

    return key


def _is_dataclass(value: object) -> bool:
    return hasattr(type(value), "__dataclass_fields__")


def _is_path(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(type(each) is str for each in value)


def _merged_deep(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> dict[Any, Any]:
    """Both merged, all the way down; neither is changed, and nothing recurses."""
    merged = dict(old)
    rest: list[tuple[dict[Any, Any], Mapping[Any, Any]]] = [(merged, new)]
    while rest:
        target, source = rest.pop()
        for key, value in source.items():
            below = target.get(key)
            if isinstance(below, Mapping) and isinstance(value, Mapping):
                target[key] = own = dict(below)
                rest.append((own, value))
            else:
                target[key] = value
    return merged


_EXAMPLES: Mapping[str, str] = {
    "unique": "unique=True",
    "max_length": "max_length=10",
    "by": 'by="id"',
    "deep": "deep=True",
}
