"""A time to wait as users give it: seconds, or None for as long as it takes."""

from __future__ import annotations

import math
import threading
import time

from graphnb.errors.text import kind_of, shown


def deadline_of(timeout: object) -> float:
    """The end of the timeout by the monotonic clock: never, infinity, for None and for ages.

    Raises TypeError or ValueError for what is no number of at least 0.

    >>> deadline_of(None), deadline_of(10**400)
    (inf, inf)
    """
    if timeout is None:
        return math.inf
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout is {shown(timeout)} ({kind_of(timeout)}), want seconds or None")
    if not timeout >= 0:  # NaN as well
        raise ValueError(f"timeout is {shown(timeout)}, want at least 0 seconds")
    return math.inf if timeout > threading.TIMEOUT_MAX else time.monotonic() + timeout
