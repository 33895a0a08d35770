"""Map-reduce: a mapper for every item, and one value that a reducer makes of all results."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from graphnb.engine.alone import arun_alone, run_alone
from graphnb.engine.nodes.made import Made
from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.graph.delegation import RESULT
from graphnb.graph.plan import Plan, is_async
from graphnb.graph.spec import CONCURRENCY, HasSpec, OnEmpty, is_graph, name_of_worker
from graphnb.notebook.declaring_delegates import check_limit
from graphnb.notebook.declaring_map_reduce import map_reduce_of
from graphnb.notebook.planned_alone import plan_alone
from graphnb.state.model import State

_NAME = "gn.map_reduce"


class MapReduced(NamedTuple):
    """`result` is what the reducer made of `results`, which the mapper gave, in the order of the items."""

    result: Any
    results: list[Any]


class _Mapped(State):
    items: list[Any] = []
    results: list[Any] = []
    result: Any = None


def map_reduce(
    items: Iterable[Any],
    mapper: HasSpec | Callable[[Any], Any],
    reducer: Callable[[list[Any]], Any],
    *,
    concurrency: int | None = CONCURRENCY,
    on_empty: OnEmpty = "raise",
) -> MapReduced:
    """Calls the mapper once per item, several at a time, and the reducer once with the list of all results.

    A mapper is a function of an item, plain or asynchronous, which gets a copy of it, or a graph with the fields `item`
    and `result`. The first failure ends all. With `on_empty` "noop" the reducer is called with an empty list.

    Raises InvalidDeclaration before anything runs, FanOutError for no items, NodeException for what a mapper or the
    reducer raises.

    >>> map_reduce(["a", "bcd"], len, sum)
    MapReduced(result=4, results=[1, 3])
    """
    listed = _listed(items)
    plan = _plan_of(mapper, reducer, concurrency=concurrency, on_empty=on_empty)
    return _told(run_alone(plan, {"items": listed}))


async def amap_reduce(
    items: Iterable[Any],
    mapper: HasSpec | Callable[[Any], Any],
    reducer: Callable[[list[Any]], Any],
    *,
    concurrency: int | None = CONCURRENCY,
    on_empty: OnEmpty = "raise",
) -> MapReduced:
    """Maps and reduces in the running event loop, `await gn.amap_reduce(...)`; otherwise like `map_reduce`."""
    listed = _listed(items)
    plan = _plan_of(mapper, reducer, concurrency=concurrency, on_empty=on_empty)
    return _told(await arun_alone(plan, {"items": listed}))


def _plan_of(mapper: object, reducer: object, *, concurrency: object, on_empty: object) -> Plan:
    check_limit(_NAME, concurrency)
    within = is_graph(mapper)
    options = {
        "over": "items", "into": "result", "results_into": "results", "item": "item" if within else None,
        "collect": RESULT if within else None, "inputs": None, "concurrency": concurrency, "on_empty": on_empty,
        "middleware": (),
    }  # fmt: skip
    node = map_reduce_of(_NAME, _NAME, mapper=mapper, reducer=reducer, options=options)
    worker = node.worker
    return plan_alone(node if is_graph(worker) else node._replace(worker=_with_own_item(worker)), _Mapped)


def _with_own_item(mapper: Any) -> Callable[[Any], Any]:
    """The mapper, called with a copy of the item: there is no state here that would have to be kept from it."""

    async def map_later(item: Any) -> Any:
        return await mapper(_copied(item))

    def map_one(item: Any) -> Any:
        return mapper(_copied(item))

    called = map_later if is_async(mapper) else map_one
    called.__name__ = name_of_worker(mapper)
    return called


def _copied(item: Any) -> Any:
    try:
        return copy.deepcopy(item)
    except Exception:  # noqa: BLE001  a lock, an open file: it is handed on as it is
        return item


def _listed(items: object) -> list[Any]:
    if isinstance(items, Iterable):
        return list(items)
    what = f"items are what the mapper is called with, one by one, not {kind_of(items)}: {shown(items)}"
    raise InvalidDeclaration(_NAME, what, "Give a list of them.")


def _told(made: Made) -> MapReduced:
    return MapReduced(made.update["result"], made.update["results"])
