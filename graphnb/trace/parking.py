"""What is kept of a super-step while attempts of some of its nodes are to be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Parking(NamedTuple):
    """A step that was parked: nothing of it shows in the state yet. Source: super-steps, failure and retry.

    `step` is its number, `commits` how many commits there were then. `values` and `versions` are those that its nodes
    see, `given` what the nodes have given that have finished: an update or an interrupt. `attempts` has the number of
    the next attempt for each node that is to be repeated, `waits` how many milliseconds it is to wait before.
    `failures` tells how the attempts failed that were made last, by node; what is told of those before stands in the
    parkings of the step before this one.
    """

    step: int
    commits: int
    values: Mapping[str, Any]
    versions: Mapping[str, int]
    given: Mapping[str, Any]
    attempts: Mapping[str, int]
    waits: Mapping[str, int]
    failures: Mapping[str, str]
