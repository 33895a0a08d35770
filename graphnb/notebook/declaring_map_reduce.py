"""Turning the arguments of map-reduce into a record, for a node and for a call by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.graph.spec import FanOutNode, is_graph
from graphnb.notebook.declaring import check_field, fan_out_of
from graphnb.notebook.names import checked_name
from graphnb.notebook.parameters import check_takes_results


def map_reduce_node(
    place: str, name: object, *, mapper: object, reducer: object, options: Mapping[str, Any]
) -> FanOutNode:
    """A fan-out whose results the reducer makes one value of; `options` as `Graph.map_reduce` calls them."""
    own = checked_name(place, name)
    return map_reduce_of(f"{place}, node '{own}'", own, mapper=mapper, reducer=reducer, options=options)


def map_reduce_of(place: str, name: str, *, mapper: object, reducer: object, options: Mapping[str, Any]) -> FanOutNode:
    """The same for a name that was judged; `place` begins the messages."""
    options = dict(options)
    into, results_into = options.pop("into"), options.pop("results_into")
    check_field(place, "results_into", given=results_into)
    check_field(place, "into", given=into)
    if into is None:
        what = "does not say which field receives what the reducer makes"
        raise InvalidDeclaration(place, what, "Give into='field'.")
    if is_graph(mapper) and options["collect"] is None:
        what = "does not say which field of the mapper is its result"
        raise InvalidDeclaration(place, what, "Give collect='field'.")
    unused = {
        "count": None, "extra_outputs": None, "error_policy": "fail_fast", "errors_into": None, "count_into": None,
        "instance_middleware": (),
    }  # fmt: skip
    node = fan_out_of(place, name, worker=mapper, options={**unused, **options, "into": results_into})
    return node._replace(reduce=_checked_reducer(place, reducer), reduced_into=into)


def _checked_reducer(place: str, reducer: object) -> Callable[[list[Any]], Any]:
    """The function that makes one value of all results.

    A reducer of fields takes two values, what was there and what is written, and is bound to the first.
    """
    if not callable(reducer):
        what = f"reducer is a function of the list of results, not {kind_of(reducer)}: {shown(reducer)}"
        raise InvalidDeclaration(place, what, "Pass the function itself, such as sum.")
    check_takes_results(place, function=reducer)
    return reducer
