"""The two sentinels that stand where no node is: START before the entry, END behind the last node."""

from __future__ import annotations

from typing import Final


class Endpoint:
    """The type of `START` and `END`. A node may bear one of their names: sentinels are told by identity."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __copy__(self) -> Endpoint:
        return self

    def __deepcopy__(self, memo: object) -> Endpoint:
        return self

    def __reduce__(self) -> str:
        return self._name


START: Final = Endpoint("START")
END: Final = Endpoint("END")
"""Where a run ends: `to=gn.END`."""

Target = str | Endpoint
