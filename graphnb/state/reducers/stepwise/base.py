"""A reducer that folds all writes of a step by one call, bare or with options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from graphnb.errors import ReducerConfigurationInvalid
from graphnb.errors.text import choices, kind_of, shown
from graphnb.state.checking.exact import Committed, ExactValidator
from graphnb.state.marks import UNSET, NoValue, Replace
from graphnb.state.storable.values import exact_key

Option = tuple[Callable[[Any], bool], str]
"""Whether an option's value is good, and what a good one is."""


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

        Writes by the name of their node are sorted by it, as a run does. Nothing that is given is changed. Raises
        TypeError for what is no write whatever the field: UNSET, an interrupt, a `Replace`, and for `step.sum` all but
        numbers; what a run checks by the type of the field cannot be checked here.
        """
        ordered = [writes[name] for name in sorted(writes)] if isinstance(writes, Mapping) else writes
        if not isinstance(ordered, (list, tuple)) or not ordered:
            raise TypeError(
                f"{self}.fold takes the value before and a list of at least one write, not {kind_of(writes)}: "
                f"{shown(writes)}. For a single write: [{shown(writes)}]"
            )
        for write in ordered:
            if write is UNSET or isinstance(write, (NoValue, Replace)):
                raise TypeError(f"{self} takes values as writes, not {kind_of(write)}: {shown(write)}")
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


def _is_equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001  a value's own equality is user code
        return True


_EXAMPLES: Mapping[str, str] = {
    "unique": "unique=True",
    "max_length": "max_length=10",
    "by": 'by="id"',
    "deep": "deep=True",
}
