"""Ids of graphs, inputs, fields, outputs, nodes and edges. Source: graph document §2."""

from __future__ import annotations

import re
from typing import Final

from graphnb.errors import DocumentError, InvalidPublicId, ReservedId
from graphnb.errors.text import kind_of, shown

START_ID: Final = "$start"
FINISH_ID: Final = "$finish"
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def id_fault(candidate: object) -> tuple[type[DocumentError], str, str] | None:
    """The class of error, what is wrong and how to mend it; None for what is an id.

    >>> id_fault("a-1")
    >>> id_fault("$start")[0].category, id_fault("a\\n")[0].category
    ('reserved_id', 'invalid_public_id')
    """
    if candidate in (START_ID, FINISH_ID):
        return ReservedId, f"{candidate!r} is an endpoint of every graph and cannot be an id", "Choose another id."
    if isinstance(candidate, str) and _ID.fullmatch(candidate):
        return None
    told = shown(candidate) if isinstance(candidate, str) else f"{kind_of(candidate)} {shown(candidate)}"
    mend = "An id has ASCII letters, digits, '_' and '-', and begins with a letter or a digit."
    return InvalidPublicId, f"{told} is no id", mend
