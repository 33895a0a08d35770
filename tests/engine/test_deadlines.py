"""A time to wait as users give it."""

import math
import time
from fractions import Fraction

import pytest

from graphnb.engine.deadlines import deadline_of


@pytest.mark.parametrize("timeout", [0, 1.5, 3600])
def test_deadline_is_so_many_seconds_from_now(timeout):
    """By the monotonic clock."""
    before = time.monotonic()
    deadline = deadline_of(timeout)

    assert before + timeout <= deadline <= time.monotonic() + timeout


@pytest.mark.parametrize("timeout", [None, math.inf, 1e300, 10**400])
def test_ages_and_none_never_end(timeout):
    """What no clock and no lock can count is no error: it was meant as for ever."""
    assert math.inf == deadline_of(timeout)


@pytest.mark.parametrize(
    ("timeout", "error", "message"),
    [
        (-(10**400), ValueError, "timeout is -10"),
        (math.nan, ValueError, "timeout is nan, want at least 0 seconds"),
        (False, TypeError, r"timeout is False \(bool\), want seconds or None"),
        (Fraction(1, 2), TypeError, r"timeout is Fraction\(1, 2\) \(Fraction\), want seconds or None"),
    ],
)
def test_what_is_no_time_to_wait_raises(timeout, error, message):
    """With what was given, and what is wanted."""
    with pytest.raises(error, match=message):
        deadline_of(timeout)
