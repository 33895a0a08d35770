"""What became of a node in a run, in the words of drawings and outlines."""

from __future__ import annotations

from graphnb.trace.reading.visits import Visits


def retries_of(visits: Visits, name: str) -> str:
    """How often a node was tried again, in words; empty if it was not.

    >>> retries_of(Visits(nodes={"ask": 1}, retries={"ask": 2}), "ask")
    '3 attempts'
    """
    retries = visits.retries.get(name, 0)
    if not retries:
        return ""
    runs = visits.nodes.get(name, 0) + (name in visits.failed)
    return f"{retries + 1} attempts" if runs <= 1 else f"tried again {retries} times"


def ends_of(visits: Visits, name: str) -> dict[str, str]:
    """How the run came to an end in a node, or is there now: each fate that the legend explains, with its words.

    >>> ends_of(Visits(stopped_at_edge={"judge"}), "judge")
    {'stopped': 'stopped at its edge'}
    """
    told = {"failed": "failed"} if name in visits.failed else {}
    if name in visits.stopped or name in visits.stopped_at_edge:
        told["stopped"] = "stopped" if name in visits.stopped else "stopped at its edge"
    if name in visits.running:
        told["running"] = "running"
    if name in visits.finished:
        told["running"] = "finished, its step goes on"
    if name in visits.waiting:
        told["waiting"] = "waits for an answer"
    if name in visits.dropped:
        told["dropped"] = "finished, update dropped"
    for fate, counts, words in (
        ("degraded", visits.degraded, "failed, update put in its place"),
        ("answered", visits.answered, "answered by middleware"),
    ):
        if name in counts:
            told[fate] = f"{words} {counts[name]}×" if visits.nodes.get(name, 0) > 1 else words
    return told
