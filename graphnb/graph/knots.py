"""Knots: nodes that go round, found in what follows each node, however long the chains are."""

from __future__ import annotations


def knots_of(following: dict[str, set[str]]) -> list[list[str]]:
    """The sets of nodes of which each can reach each other one or itself, in order; from what follows each node.

    >>> knots_of({"a": {"b"}, "b": {"a", "c"}, "c": {"c"}, "d": {"a"}})
    [['a', 'b'], ['c']]
    """
    preceding: dict[str, set[str]] = {key: set() for key in following}
    for source, targets in following.items():
        for target in targets:
            preceding[target].add(source)
    found: list[list[str]] = []
    placed: set[str] = set()
    for key in reversed(_finished(following)):
        knot = _spread(key, preceding, placed=placed)
        if len(knot) > 1 or (knot and key in following[key]):
            found.append(sorted(knot))
    return sorted(found)


def _finished(following: dict[str, set[str]]) -> list[str]:
    """The nodes in the order in which a walk in depth leaves them. Source: Kosaraju's algorithm."""
    order: list[str] = []
    seen: set[str] = set()
    for key in following:
        levels = [] if key in seen else [(key, iter(sorted(following[key])))]
        seen.add(key)
        while levels:
            node, targets = levels[-1]
            target = next((each for each in targets if each not in seen), None)
            if target is None:
                order.append(node)
                levels.pop()
            else:
                seen.add(target)
                levels.append((target, iter(sorted(following[target]))))
    return order


def _spread(key: str, preceding: dict[str, set[str]], *, placed: set[str]) -> list[str]:
    """What leads to the node and has no place yet, the node included; all of it has one afterwards."""
    knot = [] if key in placed else [key]
    placed.add(key)
    for node in knot:
        for source in preceding[node]:
            if source not in placed:
                placed.add(source)
                knot.append(source)
    return knot
