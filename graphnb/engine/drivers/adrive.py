"""The asyncio driver: runs work in the running event loop; plain functions are called there as well."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from graphnb.engine.drivers.beside import spread_beside_loop
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.loop import drive_in_loop
from graphnb.engine.drivers.tasks import spread_over_tasks
from graphnb.engine.work import Outcomes, Spread, T, Work


def adrive(work: Work[T], host: Host) -> Coroutine[Any, Any, T | None]:
    """To be awaited for the result of the work, None where it pauses: call again to go on.

    Raises what the work raises; a cancellation is thrown into it first.
    """
    return drive_in_loop(work, host, spread=_spread, drive=drive)


async def _spread(spread: Spread, host: Host) -> Outcomes:
    if spread.concurrency == 1 or not spread.has_plain:
        return await spread_over_tasks(spread, host, drive=adrive)
    return await spread_beside_loop(spread, host, drive=drive)
