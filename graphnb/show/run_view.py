"""A run as it shows itself: status, drawing, final state, and the step diff table to be opened."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from graphnb.graph.interrupt import Answer
from graphnb.show.diff.table import diff_of
from graphnb.show.ending import ending_html, ending_text
from graphnb.show.standing import standing_html, standing_text
from graphnb.show.state_table import state_html, state_text
from graphnb.show.writing.error_text import error_text
from graphnb.show.writing.tags import ALARM, block, escaped, quiet
from graphnb.show.writing.words import clipped, printable, things
from graphnb.trace.reading.steps import numbers_in
from graphnb.trace.trace import Trace

_SIGNS: Final = {"done": "✓", "failed": "✗", "waiting": "‖", "running": "…", "cancelled": "⊘"}
_MOST_NAMES: Final = 12
_MOST_TOGETHER: Final = 4
_LONGEST: Final = 200
_MOST_LINES: Final = 30
_MOST_BYTES: Final = 95_000
_LEAST_TABLE_BYTES: Final = 20_000


def run_mimebundle(trace: Trace, picture: Mapping[str, str] | None = None) -> dict[str, str]:
    """The run as text and HTML, and its drawing as SVG; `picture` is the mime bundle of the drawing, None for none."""
    drawing = picture or {}
    text = run_text(trace, drawing.get("text/plain", ""))
    html = run_html(trace, drawing.get("text/html", ""))
    svg = {kind: each for kind, each in drawing.items() if kind == "image/svg+xml"}
    return {"text/plain": text, "text/html": html, **svg}


def run_text(trace: Trace, outline: str) -> str:
    """Status, path taken, where the run was stopped, the graph in words, final state and error as text."""
    lines = [f"{_SIGNS[trace.status]} {_head(trace)}"]
    if path := path_of(trace):
        lines.append(f"path: {path_line(path)}")
    lines += standing_text(trace)
    ending = ending_text(trace)
    lines += ending if trace.error is None else []
    if outline:
        drawn = outline.splitlines()
        hidden = len(drawn) - _MOST_LINES
        lines += ["", *drawn[:_MOST_LINES], *([f"… {things(hidden, 'more line')}"] if hidden > 0 else [])]
    lines += ["", state_text(trace)]
    if trace.error is not None:
        mend = clipped(printable(trace.error.mend), 600)
        lines += ["", f"✗ {error_text(trace.error)}", *([mend] if mend else []), *ending]
    return "\n".join(lines)


def run_html(trace: Trace, picture_html: str) -> str:
    """Status, drawing, error and final state, with the step diff table folded below."""
    head = f"{status_html(trace)}{picture_html}{state_html(trace)}"
    diff = diff_of(trace).html(max(_MOST_BYTES - len(head.encode()), _LEAST_TABLE_BYTES))
    folded = f"<details><summary>{quiet('what each step wrote')}</summary>{diff}</details>"
    return block(f"{head}{folded}")


def status_html(trace: Trace) -> str:
    """How the run ended: a line, the path taken, the error if there is one, and where it came to no end."""
    parts = [f"<div><b>{_SIGNS[trace.status]} {escaped(_head(trace))}</b></div>"]
    if path := path_of(trace):
        parts.append(f"<div>{quiet(path_line(path))}</div>")
    if trace.error is not None:
        mend = f"<br>{escaped(trace.error.mend)}" if trace.error.mend else ""
        told = escaped(error_text(trace.error))
        parts.append(f'<div style="{ALARM};padding:3px 8px;margin:4px 0"><b>✗</b> {told}{mend}</div>')
    return "".join([*parts, standing_html(trace), ending_html(trace)])


def path_of(trace: Trace) -> tuple[str, ...]:
    """The outermost graph's nodes in the order in which they were entered; those of one super-step together.

    As in `Trace.execution_order`, but of a super-step that failed with all of its nodes.
    """
    steps: list[list[str]] = []
    for commit in trace.log.commits:
        if commit.is_entered and not isinstance(commit.interrupt, Answer):
            steps += [] if commit.is_joined and steps else [[]]
            steps[-1].append(commit.node)
    failure = trace.log.failure
    if failure is not None and failure.lanes:
        steps.append([each.node for each in trace.failures + trace.open_steps if each.log in failure.lanes])
    elif failure is not None and failure.is_entered and not failure.at_edge:
        steps.append([failure.node])
    return tuple(map(_together, steps))


def _together(names: Sequence[str]) -> str:
    """The nodes of one super-step by name, a few of them."""
    told = [clipped(printable(name), 40) for name in sorted(names)]
    hidden = len(told) - _MOST_TOGETHER
    return " + ".join([*told[:_MOST_TOGETHER], *([f"… {hidden:,} more"] if hidden > 0 else [])])


def path_line(order: Sequence[str]) -> str:
    """Nodes in their order; one that came several times in a row stands once, a long path is cut in the middle.

    >>> path_line(["a", "b", "b", "c"])
    'a → b ×2 → c'
    """
    runs = [(name, len(list(run))) for name, run in itertools.groupby(order)]
    names = [clipped(printable(name), _LONGEST) + (f" ×{count:,}" if count > 1 else "") for name, count in runs]
    if len(names) > _MOST_NAMES:
        first, last = names[: _MOST_NAMES - 4], names[-3:]
        names = [*first, f"… {len(names) - len(first) - len(last):,} more …", *last]
    return " → ".join(names)


def _head(trace: Trace) -> str:
    return f"run of {printable(trace.topology.name)}: {trace.status}, {things(len(numbers_in(trace.steps)), 'step')}"
