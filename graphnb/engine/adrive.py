"""The asyncio driver: runs work in the running event loop; plain functions are called there as well."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from graphnb.engine.beside import spread_beside_loop
from graphnb.engine.drive import drive
from graphnb.engine.host import Host
from graphnb.engine.loop import drive_in_loop
from graphnb.engine.tasks import spread_over_tasks
from graphnb.engine.work import Outcomes, Spread, T, Work


def adrive(work: Work[T], host: Host) -> Coroutine[Any, Any, T | None]:
    """To be awaited for the result of the work, None where it pauses: call again to go on.

    Raises what the work raises; a cancellation is thrown into it first.
    """
    return drive_in_loop(work, host, _spread)


async def _spread(spread: Spread, host: Host) -> Outcomes:
    if spread.concurrency == 1 or not spread.has_plain:
        return await spread_over_tasks(spread, host, adrive)
    return await spread_beside_loop(spread, host, drive)
