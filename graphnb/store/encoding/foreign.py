"""The form of classes that pydantic alone knows how to write: a URL, a class with a schema of its own."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

from pydantic import ImportString, TypeAdapter

from graphnb.errors.text import kind_of, shown
from graphnb.state.values.same import is_same
from graphnb.store.encoding.shape import Later, Refused, Work


class ForeignForm(NamedTuple):
    """What pydantic's JSON says of a value, if pydantic gives the same value for it again."""

    tag: str
    cls: Any
    other: Later
    kind: str = "string"

    def write(self, value: Any, work: Work) -> Any:
        """What pydantic writes."""
        try:
            adapter = _adapter(self.cls)
            written = adapter.dump_python(value, mode="json")
            again = adapter.validate_python(written)
        except RecursionError:  # which may want no more than a stack of its own
            raise
        except Exception as error:
            raise Refused(f"{kind_of(value)} cannot be written as JSON ({error}): {shown(value)}", _MEND) from error
        if not is_same(again, value):
            raise Refused(f"{kind_of(value)} would not come back the same: {shown(value)}", _MEND)
        return work.part(self.other.shape, written, "")

    def read(self, data: Any, work: Work) -> Any:
        """What pydantic makes of it."""
        given = work.part(self.other.shape, data, "")
        try:
            value = _adapter(self.cls).validate_python(given)
        except RecursionError:
            raise
        except Exception as error:
            raise Refused(f"is no {self.cls.__name__}: {shown(given)}") from error
        if type(value) is not self.cls:
            raise Refused(f"is {kind_of(value)} and no {self.cls.__name__}: {shown(given)}")
        return value


_IMPORTS: Final[Any] = ImportString  # reading one imports what the data name
_MEND: Final = "Pass encoders with one for it: Encoders().register_encoder(...)."


def is_foreign(cls: Any) -> bool:
    """True for a class that tells pydantic how its values are written."""
    return hasattr(cls, "__get_pydantic_core_schema__") and not issubclass(cls, _IMPORTS)


@functools.lru_cache(maxsize=64)
def _adapter(cls: Any) -> TypeAdapter[Any]:
    return TypeAdapter(cls)
