"""The nodes that do several things at once, as a graph declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphnb.graph.ends import Target
from graphnb.graph.spec import CONCURRENCY, HasSpec, OnEmpty, OnError
from graphnb.notebook.declaring import checked_reduce, fan_out_node
from graphnb.notebook.declaring_delegates import delegates_node, race_node
from graphnb.notebook.outgoing import edge_of

if TYPE_CHECKING:
    from graphnb.notebook.draft import Draft

To = Target | Sequence[Target] | None


class AtOnce:
    """What a graph can do that is declared here; it has a draft, in which all of it is kept."""

    _place: str
    _draft: Draft

    def delegates(
        self,
        name: str,
        delegates: Sequence[HasSpec | Callable[[Any], Any]],
        /,
        *,
        briefs: Any,
        into: str | None = None,
        concurrency: int | None = None,
        on_error: OnError = "raise",
        errors_into: str | None = None,
        on_empty: OnEmpty = "raise",
        middleware: Any = (),
        to: To = None,
    ) -> None:
        """Declares a node that asks all delegates at once and collects what they give, in their order and as it is.

        Each is given a copy of its brief and nothing else, see `gn.delegate`. `briefs` is a list or tuple with one for
        each, a single value for all, the name of a field that holds either, or a function of the state that gives
        either. The list is one update to `into`, so its reducer decides what becomes of it: `append` keeps it,
        `concat_flatten` and `merge_all` fold it. `on_error` "raise" waits for all and then fails, "keep" leaves None in
        the list and a record (index, delegate, category, error) in `errors_into`. Source: the fan-out pattern.
        """
        options = {
            "into": into, "concurrency": concurrency, "on_error": on_error, "errors_into": errors_into,
            "on_empty": on_empty, "middleware": middleware,
        }  # fmt: skip
        schema = self._draft.schema
        node = delegates_node(self._place, name, delegates=delegates, briefs=briefs, schema=schema, options=options)
        self._draft.declared.declare(node, *edge_of(self._place, node.name, to=to))

    def race(
        self,
        name: str,
        candidates: Sequence[HasSpec | Callable[[Any], Any]],
        /,
        *,
        brief: Any,
        accept: Callable[[Any], object] | None = None,
        into: str | None = None,
        winner_into: str | None = None,
        failures_into: str | None = None,
        concurrency: int | None = None,
        middleware: Any = (),
        to: To = None,
    ) -> None:
        """Declares a node that gives all candidates the same brief and takes the first result that is acceptable.

        `brief` is a value, the name of a field, or a function of the state; `accept` is asked about each result, and
        without it every result will do. `into` receives the result and `winner_into` the candidate's name, both None if
        nothing was acceptable, so declare them as `str | None` and the like; `failures_into` receives a record (index,
        candidate, category, error) of each that failed or was not accepted. For the rest see `gn.race`.
        """
        options = {
            "accept": accept, "into": into, "winner_into": winner_into, "failures_into": failures_into,
            "concurrency": concurrency, "middleware": middleware,
        }  # fmt: skip
        schema = self._draft.schema
        node = race_node(self._place, name, candidates=candidates, brief=brief, schema=schema, options=options)
        self._draft.declared.declare(node, *edge_of(self._place, node.name, to=to))

    def map_reduce(
        self,
        name: str,
        mapper: HasSpec | Callable[..., Any],
        reducer: Callable[[list[Any]], Any],
        /,
        *,
        over: str,
        into: str,
        results_into: str | None = None,
        item: str | None = None,
        collect: str | None = None,
        inputs: Mapping[str, str] | None = None,
        concurrency: int | Callable[[Any], int | None] | None = CONCURRENCY,
        on_empty: OnEmpty = "raise",
        middleware: Any = (),
        to: To = None,
    ) -> None:
        """Declares a fan-out over a list whose results the reducer makes one value of, which is written to `into`.

        `reducer` is called once, with the list of all results in item order; `results_into` receives that list as
        well. With `on_empty` "noop" it is called with an empty list. All other options are those of `fan_out`.
        """
        reduce = checked_reduce(self._place, name, reducer)
        options = {
            "over": over, "count": None, "item": item, "collect": collect, "into": results_into, "inputs": inputs,
            "extra_outputs": None, "concurrency": concurrency, "error_policy": "fail_fast", "errors_into": None,
            "on_empty": on_empty, "count_into": None, "instance_middleware": (), "middleware": middleware,
        }  # fmt: skip
        node = fan_out_node(self._place, name, worker=mapper, options=options)
        node = node._replace(reduce=reduce, reduced_into=into)
        self._draft.declared.declare(node, *edge_of(self._place, node.name, to=to))
