"""What delegates and candidates have answered: a record for each, and all of them side by side."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from graphnb.errors import NotAccepted
from graphnb.show.answer_cards import cards_html, counts_text, not_shown_text, shared_brief
from graphnb.show.record_table import Look, RecordTable
from graphnb.show.results import result_lines
from graphnb.show.writing.columns import GAP, aligned, wrapped
from graphnb.show.writing.error_text import error_text
from graphnb.show.writing.tags import breakable, prose, quiet, row
from graphnb.show.writing.values import value_text
from graphnb.show.writing.words import clipped, printable

_BRIEF = 120
_RESULT = 400
_MOST: Final = 60
_WIDTH: Final = 120
_NAME_ROOM: Final = 20
_BRIEF_ROOM: Final = 30


class Answer(NamedTuple):
    """One delegate, by its place and name, the brief that it was given, and its result, or None and its error."""

    index: int  # type: ignore[assignment]  # tuples have a method of that name, which nobody needs here
    delegate: str
    brief: Any
    result: Any
    error: BaseException | None = None

    @property
    def status(self) -> str:
        """The word for how it ended: "done" or "failed"."""
        return "done" if self.error is None else "failed"


def _cells(answer: Answer) -> tuple[str, ...]:
    given = value_text(answer.result, _RESULT) if answer.error is None else clipped(error_text(answer.error), _RESULT)
    return answer.delegate, value_text(answer.brief, _BRIEF), given, answer.status


class Answers(RecordTable[Answer]):
    """The answers in the order of the delegates; shows them side by side."""

    _look = Look(
        columns={"delegate": 16, "brief": 28, "result": 44, "status": 12},
        caps=(24, 40, 60, 8),
        nothing="no delegates were asked",
        cells=_cells,
        row=lambda answer: cards_html([answer]),  # one by itself: no table is made of these
    )

    def __repr__(self) -> str:
        return _text(self) if self else self._look.nothing

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": cards_html(self) if self else quiet(self._look.nothing), "text/plain": repr(self)}


def _text(answers: Sequence[Answer]) -> str:
    """The answers one below the other, for a terminal of 120 columns."""
    shared = shared_brief(answers)
    lines = [counts_text(answers) + (f" · one brief for all: {value_text(shared[0], 70)}" if shared else "")]
    some = answers[:_MOST]
    names = [wrapped(printable(each.delegate), _NAME_ROOM, most=2) for each in some]
    briefs = [[] if shared else wrapped(value_text(each.brief, 90), _BRIEF_ROOM, most=4) for each in some]
    room = _WIDTH - _NAME_ROOM - len(GAP) - (0 if shared else _BRIEF_ROOM + len(GAP))
    results = [_result_lines(each, room) for each in some]
    rows = [
        cells
        for blocks in zip(names, briefs, results, strict=True)
        for cells in itertools.zip_longest(*blocks, fillvalue="")
    ]
    heads = ("delegate", "" if shared else "brief", "result")
    kept = [(name, result) if shared else (name, brief, result) for name, brief, result in (heads, *rows)]
    caps = (_NAME_ROOM, room) if shared else (_NAME_ROOM, _BRIEF_ROOM, room)
    hidden = not_shown_text(answers, _MOST)
    return "\n".join([*lines, aligned(kept, caps), *([hidden] if hidden else [])])


def _result_lines(answer: Answer, room: int) -> list[str]:
    if answer.error is not None:
        return wrapped(f"✗ {error_text(answer.error)}", room, most=4)
    return result_lines(answer.result, columns=room)


class Attempted(NamedTuple):
    """One candidate of a race, by its place and name; its result if it gave one, and why it has lost, if it has."""

    index: int  # type: ignore[assignment]  # tuples have a method of that name, which nobody needs here
    candidate: str
    result: Any
    error: BaseException | None
    is_winner: bool
    is_begun: bool

    @property
    def status(self) -> str:
        """The word for what became of it: "won", "failed", "not accepted", "cancelled" or "never started"."""
        if self.is_winner:
            return "won"
        if self.error is not None:
            return "not accepted" if isinstance(self.error, NotAccepted) else "failed"
        return "cancelled" if self.is_begun else "never started"


def _attempt_cells(attempt: Attempted) -> tuple[str, ...]:
    gave = ""
    if attempt.is_winner or isinstance(attempt.error, NotAccepted):
        gave = value_text(attempt.result, _RESULT)
    elif attempt.error is not None:
        gave = clipped(error_text(attempt.error), _RESULT)
    return attempt.candidate, attempt.status, gave


def _attempt_row(attempt: Attempted) -> str:
    candidate, status, gave = _attempt_cells(attempt)
    shown = f"<b>{breakable(status)}</b>" if attempt.is_winner else breakable(status)
    return row((f"<b>{breakable(candidate)}</b>", shown, prose(gave)))


class Attempts(RecordTable[Attempted]):
    """The attempts of all candidates in their order; shows itself as a table."""

    _look = Look(
        columns={"candidate": 22, "status": 18, "gave": 60},
        caps=(24, 14, 72),
        nothing="no candidates",
        cells=_attempt_cells,
        row=_attempt_row,
    )
