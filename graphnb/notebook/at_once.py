"""The nodes that do several things at once, as a graph declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphnb.graph.ends import Target
from graphnb.graph.spec import CONCURRENCY, ErrorPolicy, HasSpec, NodeSpec, OnEmpty, OnError, ParallelBranch
from graphnb.notebook.declaring import branches_node, fan_out_node
from graphnb.notebook.declaring_delegates import delegates_node, race_node
from graphnb.notebook.declaring_map_reduce import map_reduce_node
from graphnb.notebook.outgoing import edge_of

if TYPE_CHECKING:
    from graphnb.notebook.draft import Draft

To = Target | Sequence[Target] | None


class AtOnce:
    """What a graph can do that is declared here; it has a draft, in which all of it is kept."""

    _place: str
    _draft: Draft

    def _declare(self, node: NodeSpec, *, to: To) -> None:
        self._draft.declared.declare(node, *edge_of(self._place, node.name, to=to))

    def fan_out(
        self,
        name: str,
        worker: HasSpec | Callable[..., Any],
        /,
        *,
        over: str | None = None,
        count: int | Callable[[Any], int] | None = None,
        item: str | None = None,
        collect: str | None = None,
        into: str | None = None,
        inputs: Mapping[str, str] | None = None,
        extra_outputs: Mapping[str, str] | None = None,
        concurrency: int | Callable[[Any], int | None] | None = CONCURRENCY,
        error_policy: ErrorPolicy = "fail_fast",
        errors_into: str | None = None,
        on_empty: OnEmpty = "raise",
        count_into: str | None = None,
        instance_middleware: Any = (),
        middleware: Any = (),
        to: To = None,
    ) -> None:
        """Declares a node that runs a worker once per item and collects what the instances give, in item order.

        `over` names a list field, or `count` says how many (then a function gets the number of its instance).
        A worker graph gets the item in its field `item` and gives its field `collect`; a worker function takes
        the item and gives the value, or with `collect` a dict that holds it. `into` receives the list of values
        as one update, so its reducer decides what becomes of it: `append`, `concat_flatten`, `merge_all`.
        `inputs` maps child fields (of a function: parameters) to parent fields, `extra_outputs` further parent
        fields to child fields. `concurrency` bounds how many run at once (10), None for all. `error_policy` "collect"
        goes on after failures, with a record of each in `errors_into`; `on_empty` "noop" allows no items;
        `count_into` receives the number of instances. `middleware` is around the node as a whole,
        `instance_middleware` around each instance by itself. Source: pipeline-utilities §9.
        """
        options = {
            "over": over, "count": count, "item": item, "collect": collect, "into": into, "inputs": inputs,
            "extra_outputs": extra_outputs, "concurrency": concurrency, "error_policy": error_policy,
            "errors_into": errors_into, "on_empty": on_empty, "count_into": count_into,
            "instance_middleware": instance_middleware, "middleware": middleware,
        }  # fmt: skip
        node = fan_out_node(self._place, name, worker=worker, options=options)
        self._declare(node, to=to)

    def branches(
        self,
        name: str,
        branches: Mapping[str, HasSpec | Callable[..., Any] | ParallelBranch],
        /,
        *,
        error_policy: ErrorPolicy = "fail_fast",
        errors_into: str | None = None,
        middleware: Any = (),
        to: To = None,
    ) -> None:
        """Declares a node that runs all its branches at once and merges what they give in declared order.

        A branch is a function of the state that returns a dict of fields, or `gn.ParallelBranch(graph,
        outputs={parent field: child field})`, which also takes `inputs`, `when` and `middleware`. Each branch
        is folded by itself, so with `last_write_wins` the one declared last wins. `error_policy` "collect" goes on
        after failures, with a record of each in `errors_into`. Source: pipeline-utilities §11.
        """
        options = {"error_policy": error_policy, "errors_into": errors_into, "middleware": middleware}
        node = branches_node(self._place, name, branches=branches, options=options)
        self._declare(node, to=to)

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
        self._declare(node, to=to)

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
        self._declare(node, to=to)

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
        well. With `on_empty` "noop" it is called with an empty list. A graph as mapper gets its item in its field
        `item` and gives its field `collect`. All other options are those of `fan_out`.
        """
        options = {
            "over": over, "into": into, "results_into": results_into, "item": item, "collect": collect,
            "inputs": inputs, "concurrency": concurrency, "on_empty": on_empty, "middleware": middleware,
        }  # fmt: skip
        node = map_reduce_node(self._place, name, mapper=mapper, reducer=reducer, options=options)
        self._declare(node, to=to)
