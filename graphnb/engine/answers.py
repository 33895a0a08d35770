"""What a function says that was asked whether something holds."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

from graphnb.errors.text import kind_of
from graphnb.graph.interrupt import asks_instead


def is_yes(answer: Any) -> bool:
    """True if the answer is true, as Python has it. Raises TypeError for what would be true whatever it meant.

    >>> is_yes(["x"]), is_yes(0)
    (True, False)
    >>> is_yes(iter([]))
    Traceback (most recent call last):
    TypeError: it returned list_iterator, want True or False. It is true even if nothing is in it.
    """
    if mend := asks_instead(answer):
        raise TypeError(f"it returned an interrupt, want True or False. {mend}")
    mend = ""
    if hasattr(answer, "__await__"):
        getattr(answer, "close", list)()  # so that Python does not warn of it
        mend = "It was not awaited."
    elif isinstance(answer, (Iterator, AsyncIterator)):
        mend = "It is true even if nothing is in it."
    elif inspect.isroutine(answer):
        mend = "It was not called."
    if mend:
        raise TypeError(f"it returned {kind_of(answer)}, want True or False. {mend}")
    return bool(answer)
