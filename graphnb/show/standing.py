"""What a run waits for, with how to answer; and what it has to say though nothing failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphnb.graph.interrupt import Interrupt
from graphnb.show.diff.rows import asked_text
from graphnb.show.writing.tags import CODE, HALT, WAIT, escaped, quiet
from graphnb.show.writing.words import clipped, printable, things
from graphnb.state.annotations.hints import type_text
from graphnb.trace.trace import Trace

_MOST: Final = 6
_LONGEST: Final = 300


def standing_text(trace: Trace) -> list[str]:
    """The open questions, how to answer them, and the notices, a line each; none if there is nothing to tell."""
    questions = [f"‖ {line}" for line in _waiting(trace)]
    questions += [f"  to answer: {answer_text(trace)}"] if questions else []
    return [*questions, *(f"⚠ {line}" for line in _notices(trace))]


def standing_html(trace: Trace) -> str:
    """The same as HTML, each kind in a box of its own; empty if there is nothing to tell."""
    questions = [f"<b>‖</b> {escaped(line)}" for line in _waiting(trace)]
    questions += (
        [f'{quiet("to answer:")} <span style="{CODE}">{escaped(answer_text(trace))}</span>'] if questions else []
    )
    notices = [f"<b>⚠</b> {escaped(line)}" for line in _notices(trace)]
    boxes = ((WAIT, questions), (HALT, notices))
    return "".join(
        f'<div style="{style};padding:3px 8px;margin:4px 0">{"<br>".join(lines)}</div>'
        for style, lines in boxes
        if lines
    )


def answer_text(trace: Trace) -> str:
    """How to answer what is open, as it is written.

    One open interrupt takes its answer alone, several take a mapping of their ids.
    """
    ids = [each.id for each in trace.pending]
    if len(ids) == 1:
        return "run.resume(answer)"
    more = ", ..." if len(ids) > _MOST else ""
    return f"run.resume({{{', '.join(f'{each!r}: answer' for each in ids[:_MOST])}{more}}})"


def _waiting(trace: Trace) -> Iterator[str]:
    pending = trace.pending if trace.status == "waiting" else ()
    for each in pending[:_MOST]:
        yield _question(each, named=len(pending) > 1)
    if len(pending) > _MOST:
        yield f"… {things(len(pending) - _MOST, 'more question')}: run.pending"


def _question(asked: Interrupt, *, named: bool) -> str:
    name = f"{printable(repr(asked.id))}: " if named else ""
    kind = f" ({type_text(asked.schema)})" if asked.schema is not None else ""
    told = asked_text(asked, waits=False)
    return clipped(f"{name}node '{printable(asked.node)}' {told}{printable(kind)}", _LONGEST)


def _notices(trace: Trace) -> Iterator[str]:
    notices = trace.notices
    yield from (clipped(printable(each), _LONGEST) for each in notices[:_MOST])
    if len(notices) > _MOST:
        yield f"… {len(notices) - _MOST:,} more: run.notices"
