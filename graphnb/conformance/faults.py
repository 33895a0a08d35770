"""What can be wrong with a case itself, as opposed to the product that it checks."""

from __future__ import annotations

from graphnb.errors import GraphError


class CaseFault(GraphError):
    """A case file, or a case in it, that cannot be read or understood; `where` has the line."""

    category = "case_fault"


class NotSupported(CaseFault):
    """A key or a name that the runner does not understand. It fails the case and is never passed over."""

    category = "case_not_supported"


def one_line(text: str) -> str:
    """The text on one line: line ends and tabs become visible escapes.

    >>> one_line("a\\nb")
    'a\\\\nb'
    """
    return text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
