"""Fields of types that no value can be checked against, told where they are declared and not where a run starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, get_origin

from pydantic import PydanticUserError, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import SchemaError

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import shown
from graphnb.state.annotations.hints import hint_of, metadata_within, type_text
from graphnb.state.checking.validators import Validator

_NO_TEXT: Final = (int, float, bool, list, dict, set, frozenset, tuple)


def check_type(place: str, annotation: Any, *, validator: Validator | None) -> None:
    """Raises InvalidDeclaration if no value can be checked against the field's type.

    Names that are not defined yet may be by the time a run starts: of them nothing is said here. Without a validator
    only patterns are looked at.
    """
    bare, metadata, _ = hint_of(annotation)
    check_patterns(place, bare, metadata=metadata)
    if validator is None:
        return
    try:
        validator.build()
    except Exception as error:  # a type may have code of its own; what that raises is told where a value is checked
        found = uncheckable(place, annotation, error=error)
        if found is not None:
            raise found from error


def check_patterns(place: str, annotation: Any, *, metadata: Sequence[Any]) -> None:
    """Raises InvalidDeclaration for patterns beside a type that nothing can be checked against."""
    for pattern in _patterns(metadata):
        if (get_origin(annotation) or annotation) in _NO_TEXT:
            what = f"has the pattern {shown(pattern)}, and {type_text(annotation)} is no text to look for it in"
            raise InvalidDeclaration(place, what, "Leave it out, or let the field be a str.")
    if any(_patterns((*metadata, *metadata_within(annotation)))):
        try:
            TypeAdapter(Annotated[(annotation, *metadata)] if metadata else annotation)
        except SchemaError as error:
            raise _misformed(place, error) from error


def uncheckable(place: str, annotation: Any, *, error: Exception) -> InvalidDeclaration | None:
    """The error for a type that pydantic has refused; None if the refusal is about something else."""
    if isinstance(error, PydanticSchemaGenerationError):
        return InvalidDeclaration(
            place,
            f"has a type that pydantic cannot check: {type_text(annotation)}",
            f"Write {place.rpartition(' ')[2][1:-1]}: Any, which takes, shows and compares every value, a table or an "
            "array too. Or let it be checked by its class alone: "
            "model_config = pydantic.ConfigDict(arbitrary_types_allowed=True).",
        )
    if isinstance(error, PydanticUserError) and error.code == "typed-dict-version":
        what = f"holds a TypedDict of `typing`, which pydantic cannot read before Python 3.12: {type_text(annotation)}"
        return InvalidDeclaration(place, what, "Write from typing_extensions import TypedDict instead.")
    return _misformed(place, error) if isinstance(error, SchemaError) else None


def _misformed(place: str, error: SchemaError) -> InvalidDeclaration:
    told = " ".join(str(error).split()).rpartition("SchemaError: ")[2]
    what = f"has a constraint that nothing can be checked against: {told}"
    return InvalidDeclaration(place, what, "Mend what stands beside its type.")


def _patterns(metadata: Sequence[Any]) -> Iterator[object]:
    """The patterns in what stands beside a type; pydantic's `Field` has some within."""
    for each in metadata:
        parts = getattr(each, "metadata", None)
        for part in parts if isinstance(parts, (list, tuple)) else (each,):
            if isinstance(pattern := getattr(part, "pattern", None), str):
                yield pattern
