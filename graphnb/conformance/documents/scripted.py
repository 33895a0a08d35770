"""Nodes that do what a case says: the first rule whose condition holds is acted on."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import graphnb as gn
from graphnb.conformance.compare import differences
from graphnb.conformance.documents.stored import Call
from graphnb.engine.documents.context import NodeContext

Rules = Sequence[Mapping[str, Any]]


def scripted(rules: Rules, told: list[Call], *, is_async: bool = False) -> Callable[[Any, NodeContext], Any]:
    """An implementation that follows the rules, and tells of each of its executions."""

    def implementation(view: Any, context: NodeContext) -> Any:
        told.append((context.key, context.view_hash))
        seen = view.copy()
        rule = next((each for each in rules if _holds(each.get("when", {}), seen, context=context)), {})
        return _act(rule, seen)

    async def asynchronous(view: Any, context: NodeContext) -> Any:
        await asyncio.sleep(0)
        return implementation(view, context)

    return asynchronous if is_async else implementation


def _holds(when: Mapping[str, Any], seen: Mapping[str, Any], *, context: NodeContext) -> bool:
    checks: dict[str, Callable[[Any], bool]] = {
        "absent": lambda name: name not in seen,
        "present": lambda name: name in seen,
        "equals": lambda pair: pair[0] in seen and _is_same(pair[1], seen[pair[0]]),
        "not_equals": lambda pair: pair[0] not in seen or not _is_same(pair[1], seen[pair[0]]),
        "attempt_below": lambda number: context.attempt < number,
    }
    return all(checks[name](argument) for name, argument in when.items())


def _act(rule: Mapping[str, Any], seen: dict[str, Any]) -> Any:
    if "fail" in rule or "raise" in rule:
        raise RuntimeError(str(rule.get("fail", rule.get("raise"))))
    if "return" in rule:
        return rule["return"]
    if "interrupt" in rule:
        asked = rule["interrupt"]
        return gn.interrupt(asked["resume"], id=asked.get("id"), schema=asked.get("schema"))
    update = dict(rule.get("write", {}))
    update |= {to: seen.get(name, "<absent>") for to, name in rule.get("copy", {}).items()}
    update |= {to: seen.get(name, 0) + more for to, (name, more) in rule.get("add", {}).items()}
    if "snapshot_to" in rule:
        update[rule["snapshot_to"]] = copy.deepcopy(seen)
    return update


def _is_same(expected: Any, got: Any) -> bool:
    return not any(differences(expected, got, place="value"))
