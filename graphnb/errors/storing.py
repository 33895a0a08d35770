"""Errors of storing: what cannot be written down, and what was written but cannot be read."""

from __future__ import annotations

from graphnb.errors.base import GraphError


class StoreError(GraphError):
    """A run, or a value of it, cannot be stored or read back.

    `path` leads from the value that was to be stored, or read, to the part at fault: `notes[3].author`.
    """

    category = "store_error"
    path: str = ""


class UnstorableValue(StoreError):
    """A value has no form in which it could be written and would come back the same."""

    category = "unstorable_value"


class UnreadableValue(StoreError):
    """What was stored is no value of the type that it is read as, or it is damaged."""

    category = "unreadable_value"
