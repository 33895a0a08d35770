"""The root of all errors: a category and the three things a reader needs."""

from __future__ import annotations

from typing import Any, ClassVar

from graphnb.errors.text import visible


class GraphError(Exception):
    """Something is wrong with a graph, a state or a run.

    Built as `(where, what, mend)`, three texts that the message joins. `category` names the kind of
    failure in the words of the OpenArmature specification where that has one.
    """

    category: ClassVar[str] = "graph_error"

    def __init__(self, where: str, what: str, mend: str = "") -> None:
        super().__init__(where, what, mend)
        self.where = where
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return visible("\n".join(part for part in (f"{self.where}: {self.what}", self.mend) if part))

    def __reduce__(self) -> tuple[Any, ...]:
        cause = {} if self.__cause__ is None else {"__cause__": self.__cause__}  # pickle itself would drop it
        return type(self), (self.where, self.what, self.mend), {**self.__dict__, **cause}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.where!r}, {self.what!r}, {self.mend!r})"
