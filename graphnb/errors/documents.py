"""Errors of graph documents: raised while one is read, before anything it says is looked at by the engine."""

from __future__ import annotations

from typing import Final

from graphnb.errors.building import BuildError
from graphnb.errors.running import RunError
from graphnb.errors.text import visible

_MOST_TOLD: Final = 20


class DocumentError(BuildError):
    """A graph document cannot be read. `place` has the keys and indices that lead to the part at fault."""

    category = "document_error"
    place: tuple[str | int, ...] = ()


class InvalidDocument(DocumentError):
    """Its shape is wrong: a key, a type or a value that a document cannot have. Source: graph document §3.1."""

    category = "invalid_document"

    def __str__(self) -> str:
        if len(self.problems) < 2:
            return super().__str__()
        told = [f"  - {each.where}: {each.what}. {each.mend}".rstrip() for each in self.problems[:_MOST_TOLD]]
        more = len(self.problems) - len(told)
        told += [f"  - and {more} more, see `problems`"] if more else []
        return visible("\n".join([f"{len(self.problems)} parts have no name in a document:", *told]))


class UnsupportedSchemaVersion(DocumentError):
    """It was written for a later version of the form. Source: graph document §3.1."""

    category = "unsupported_schema_version"


class InvalidPublicId(DocumentError):
    """An id is no id: letters, digits, `_` and `-`, beginning with a letter or a digit. Source: §2."""

    category = "invalid_public_id"


class ReservedId(DocumentError):
    """An id is one of the two endpoints `$start` and `$finish`. Source: §2."""

    category = "reserved_id"


class UnknownImplementation(DocumentError):
    """A node names an implementation that the registry does not have. Source: §3.1."""

    category = "unknown_implementation"


class GuardError(RunError):
    """A guard cannot be evaluated, as a path that stands where a condition should. Source: §10."""

    category = "guard_evaluation_failed"
