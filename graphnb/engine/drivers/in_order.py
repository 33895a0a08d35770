"""Work that threads share and that is begun in order: whatever comes before the first call of each was there before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from graphnb.engine.drivers.host import Host
from graphnb.engine.work import Tell, Work


class InOrder:
    """Numbered items, each with its work in a context: the next one is given once the one before has begun.

    What goes in is told to observers, and a start of its own is projected, before the first call: so these come in the
    order of the items, whichever thread is quicker. Source: pipeline-utilities §11, order.
    """

    def __init__(self, items: Iterator[Any], begin: Callable[[Any], Any]) -> None:
        self._items = enumerate(items)
        self._begin = begin
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        return self

    def __next__(self) -> tuple[int, Any]:
        with self._lock:
            i, item = next(self._items)
            return i, self._begin(item)


def begin_work(work: Work[Any], host: Host) -> Work[Any]:
    """The same work, which has come to its first call; what ends it before comes out when it is driven."""
    try:
        request = next(work)
        while type(request) is Tell:
            host.tell(request)
            request = work.send(None)
    except StopIteration as stop:
        return _end(stop.value, None)
    except Exception as error:  # noqa: BLE001  user code: validators
        return _end(None, error)
    return _go_on(work, request)


def _end(result: Any, error: Exception | None) -> Work[Any]:
    if error is not None:
        raise error
    return result
    yield


def _go_on(work: Work[Any], request: Any) -> Work[Any]:
    try:
        while True:
            try:
                answer = yield request
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # noqa: BLE001  the work decides what becomes of it
                request = work.throw(error)
            else:
                request = work.send(answer)
    except StopIteration as stop:
        return stop.value
