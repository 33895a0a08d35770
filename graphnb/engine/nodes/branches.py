"""A node that runs branches at once and merges what they give in declared order. Source: pipeline-utilities §11."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphnb.engine.answers import is_yes
from graphnb.engine.failing import first_failure, recorded_category_of, text_of
from graphnb.engine.invocation import Within
from graphnb.engine.middleware.retry import is_transient_within
from graphnb.engine.nodes.branch import work_of_branch
from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.nodes.options import ask_option
from graphnb.engine.work import Outcomes, Spread, Work, begin_outcomes
from graphnb.errors import ParallelBranchesBranchFailed
from graphnb.graph.plan import PlannedBranch, PlannedNode, is_async
from graphnb.graph.spec import BranchesNode
from graphnb.state.folding.contributions import contributions_of
from graphnb.trace.events import ParallelBranchesConfig
from graphnb.trace.instances import Spreading
from graphnb.trace.log import Log, Open


def run_branches(attempt: Attempt) -> Work[Made]:
    """What the branches contribute, in declared order. Until it is committed the log has them open.

    Raises ParallelBranchesBranchFailed for a branch that failed under `fail_fast`; nothing is contributed then.
    """
    node, log, spec = attempt.node, attempt.graph.log, attempt.node.spec
    assert isinstance(spec, BranchesNode)
    chosen = yield from _choose(spec, attempt)
    names = tuple(branch.name for branch in chosen)
    outcomes, ahead = begin_outcomes(len(chosen)), iter(range(len(chosen)))
    logs: list[Log | None] = [None] * len(chosen)
    spreading = Spreading(outcomes.results, outcomes.errors, ahead, logs, None, (), None, {}, names, "branch")
    if chosen:
        log.open = Open(len(log.commits), node.name, None, spreading)
        works = [work_of_branch(branch, attempt) for branch in chosen]
        with Within():
            yield _spread_of(spec, chosen, items=ahead, outcomes=outcomes, one=lambda i: works[i](spreading, i))
    errors = outcomes.errors
    if errors and spec.error_policy == "fail_fast":
        raise _error_of_branch(node, names, errors=errors)
    given = [i for i in range(len(chosen)) if i not in errors]
    parts: list[tuple[str, Mapping[str, Any]]] = [(chosen[i].place, outcomes.results[i]) for i in given]
    if spec.errors_into is not None:
        parts.append((node.place, {spec.errors_into: [_record_of(names[i], errors[i]) for i in sorted(errors)]}))
    update = contributions_of(attempt.schema, attempt.values, parts, is_seen=bool(node.layers))
    return Made(update, None, spreading.collected(tuple(given)))


def _choose(spec: BranchesNode, attempt: Attempt) -> Work[list[PlannedBranch]]:
    """The branches that are to run; observers are told that the node starts, also if that cannot be found out."""
    node, values, visit = attempt.node, attempt.values, attempt.visit
    chosen = []
    try:
        for branch in node.branches:
            when, option = branch.spec.when, f"when of branch '{branch.name}'"
            if when is None or (yield from ask_option(when, option, attempt=attempt, says=is_yes)):
                chosen.append(branch)
    except Exception:
        if visit is not None:
            yield from visit.tell_started(values, attempt.attempt_index)
        raise
    if visit is not None:
        config = ParallelBranchesConfig(tuple(spec.branches), len(chosen), spec.error_policy, node.name)
        yield from visit.tell_started(values, attempt.attempt_index, config=config)
    return chosen


def _spread_of(
    spec: BranchesNode,
    chosen: Sequence[PlannedBranch],
    *,
    items: Iterator[int],
    outcomes: Outcomes,
    one: Callable[[int], Work[Any]],
) -> Spread:
    kinds = [kind for branch in chosen for kind in _kinds_of(branch)]
    return Spread(
        one=one,
        items=items,
        outcomes=outcomes,
        concurrency=None,
        fail_fast=spec.error_policy == "fail_fast",
        kind="work",
        has_plain=not all(kinds),
        has_async=any(kinds),
        is_apart=True,
    )


def _kinds_of(branch: PlannedBranch) -> list[bool]:
    """For each kind of function that the branch calls, whether it has to be awaited."""
    kinds = [is_async(layer) for layer in branch.spec.middleware if not hasattr(layer, "around")]
    if branch.child is None:
        return [*kinds, branch.is_async]
    return [*kinds, *[True] * branch.child.has_async, *[False] * branch.child.has_plain]


def _error_of_branch(
    node: PlannedNode, names: Sequence[str], *, errors: Mapping[int, Exception]
) -> ParallelBranchesBranchFailed:
    """The failure of the whole node, caused by the first of the failed branches."""
    first = first_failure(errors)
    error = errors[first]
    failed = ParallelBranchesBranchFailed(node.place, f"branch '{names[first]}' failed with {text_of(error)}")
    failed.__cause__ = error
    failed.branch_name = names[first]
    failed.transient = is_transient_within(error)
    return failed


def _record_of(name: str, error: Exception) -> dict[str, str]:
    return {"branch_name": name, "category": recorded_category_of(error)}
