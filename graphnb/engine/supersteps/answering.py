"""Answers to interrupts: checked before anything changes, then folded into the field that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphnb.engine.position import Position, position_of
from graphnb.errors import AlreadyResolved, GraphError, InactiveRun, InterruptNotFound, InvalidInput
from graphnb.errors.text import choices, shown
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.plan import Plan
from graphnb.state.annotations.hints import type_text
from graphnb.state.checking.exact import ExactValidator
from graphnb.state.checking.reasons import first_of, reasons_of
from graphnb.state.checking.validators import Validator
from graphnb.state.folding.fold import fold
from graphnb.trace.log import Commit, Log, begun_like
from graphnb.trace.trace import Status


class Answered(NamedTuple):
    """A run that goes on with answers: its log, and where that ends."""

    log: Log
    position: Position


def fold_answers(plan: Plan, log: Log, *, status: Status, answers: Mapping[str, Any]) -> Answered:
    """A log that goes on from this one with a commit for each answer, in their order; this one stays as it is.

    Raises InactiveRun for a run that has ended, AlreadyResolved and InterruptNotFound for an id, InvalidInput for an
    answer that does not fit the interrupt's schema or that may not be written to its field.
    """
    if status not in ("running", "waiting"):
        raise InactiveRun(f"graph '{plan.name}'", f"the run is {status} and takes no answers")
    position = position_of(plan, log)
    own = begun_like(log)
    own.commits, own.routes, own.joined = log.commits[:], log.routes[:], log.joined
    for name, value in answers.items():
        commit = _commit_of(name, value, plan=plan, position=position)
        own.commits.append(commit)
        own.routes.append(())
        own.joined += 1
        position.take_in([commit], [()])
    return Answered(own, position)


def _commit_of(name: str, value: Any, *, plan: Plan, position: Position) -> Commit:
    where = f"graph '{plan.name}', interrupt {name!r}"
    if name not in position.open:
        if name in position.ids:
            raise AlreadyResolved(where, "was answered before", choices("Open", position.open, name))
        raise InterruptNotFound(where, "no interrupt of this run has this id", choices("Open", position.open, name))
    asked = position.open[name]
    try:
        given = value if asked.schema is None else _check_answer(asked, value, plan=plan)
        _, folds = fold(plan.schema, position.values, {asked.field: given}, where)
    except GraphError as error:
        refused = InvalidInput(where, f"the answer cannot be written: {error.what}", error.mend)
        refused.details = getattr(error, "details", {})
        raise refused from error
    except Exception as error:
        reasons = reasons_of(error, asked.field)
        wanted = shown(asked.schema) if isinstance(asked.schema, dict) else type_text(asked.schema)
        what = f"the answer does not fit what was asked for: {'; '.join(first_of(reasons))}"
        refused = InvalidInput(where, what, f"It asks for {wanted}, and stays open.")
        refused.details = reasons
        raise refused from error
    return Commit(asked.node, folds, interrupt=Answer(name))


def _check_answer(asked: Interrupt, value: Any, *, plan: Plan) -> Any:
    if isinstance(asked.schema, dict):  # as documents write it
        from graphnb.graph.documents.reading_parts import read_schema
        from graphnb.graph.documents.values import check_fits

        check_fits(read_schema(asked.schema, ("schema",)), value)
        return value
    kind = ExactValidator if plan.schema.fields[asked.field].is_stepwise else Validator
    return kind(asked.schema, None).check(value)
