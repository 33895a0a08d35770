"""Answers side by side as HTML: a card for each delegate with its brief and its result, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from graphnb.show.results import result_html
from graphnb.show.writing.error_text import error_text
from graphnb.show.writing.tags import ALARM, IGNORE_MATH, LEFT, PROSE, TALK, badge, block, escaped, quiet
from graphnb.show.writing.values import value_html
from graphnb.show.writing.words import clipped, units
from graphnb.state.values.same import is_same

_BRIEF: Final = 160
_ERROR: Final = 240
_NAME: Final = 60
_MOST_CARDS: Final = 12
_MOST_IN_ALL: Final = 100
_MOST_TEXT: Final = 4_000
_MOST_ALL: Final = 60_000  # characters of all texts behind clicks
_BORDER: Final = "border:1px solid rgba(128,128,128,.3)"
_RULE: Final = "border-bottom:1px solid rgba(128,128,128,.3);margin:2px 0"
_ACROSS: Final = {1: 1, 2: 2, 3: 3, 5: 3, 6: 3, 9: 3}


class Answered(Protocol):
    """What a card tells."""

    @property
    def index(self) -> int:
        """The place among the results."""

    @property
    def delegate(self) -> str:
        """The name."""

    @property
    def brief(self) -> Any:
        """What it was given."""

    @property
    def result(self) -> Any:
        """What it gave."""

    @property
    def error(self) -> BaseException | None:
        """How it failed, None if it did not."""


def cards_html(answers: Sequence[Answered]) -> str:
    """The answers, a few beside each other, more in rows; behind the first dozen they are folded, a hundred in all."""
    shared = shared_brief(answers)
    head = [f"<b>{counts_text(answers)}</b>"]
    head += [f"one brief for all: {brief_html(shared[0])}"] if shared else []
    first, rest = answers[:_MOST_CARDS], answers[_MOST_CARDS:_MOST_IN_ALL]
    most = min(_MOST_TEXT, _MOST_ALL // len(answers[:_MOST_IN_ALL]))
    told = _rows_html(first, most, has_briefs=not shared)
    if rest:
        failed = sum(each.error is not None for each in rest)
        words = units(len(rest), "delegate", more=True) + (f", {failed:,} failed" if failed else "")
        inside = _rows_html(rest, most, has_briefs=not shared)
        told += f"<details><summary>{quiet(words)}</summary>{inside}</details>"
    if hidden := not_shown_text(answers, _MOST_IN_ALL):
        told += f"<div>{quiet(hidden)}</div>"
    return block(f'<div style="{PROSE}">{" · ".join(head)}</div>{told}')


def not_shown_text(answers: Sequence[Answered], most: int) -> str:
    """How many answers there are beyond so many, in words; empty if there are none."""
    hidden = answers[most:]
    failed = sum(each.error is not None for each in hidden)
    told = f"… {units(len(hidden), 'delegate', more=True)}{f', {failed:,} failed' if failed else ''}"
    return f"{told}, not shown: .answers has all" if hidden else ""


def counts_text(answers: Sequence[Answered]) -> str:
    """How many delegates were asked, and how many failed, in words."""
    failed = sum(each.error is not None for each in answers)
    return units(len(answers), "delegate") + (f", {failed:,} failed" if failed else "")


def shared_brief(answers: Sequence[Answered]) -> tuple[Any, ...]:
    """The one brief that several delegates were given, or none."""
    briefs = [each.brief for each in answers]
    return tuple(briefs[:1]) if len(briefs) > 1 and all(is_same(briefs[0], each) for each in briefs[1:]) else ()


def brief_html(brief: Any) -> str:
    """The brief, of a long one the beginning; a text without quotes."""
    return escaped(brief, _BRIEF) if isinstance(brief, str) and brief.strip() else value_html(brief, _BRIEF)


def _rows_html(answers: Sequence[Answered], most: int, *, has_briefs: bool) -> str:
    across = _ACROSS.get(len(answers), 4)
    rows = "\n".join(_rows(answers, most, across=across, has_briefs=has_briefs))
    style = "border-collapse:collapse;margin:4px 0;font-size:13px;line-height:1.5;width:100%;table-layout:fixed"
    return f'<table class="{IGNORE_MATH}" style="{style}"><tbody>\n{rows}\n</tbody></table>'


def _rows(answers: Sequence[Answered], most: int, *, across: int, has_briefs: bool) -> Iterator[str]:
    for i in range(0, len(answers), across):
        cards = [_card(each, most, has_brief=has_briefs, share=100 // across) for each in answers[i : i + across]]
        yield f'<tr style="background:none">{"".join(cards)}</tr>'


def _card(answer: Answered, most: int, *, has_brief: bool, share: int) -> str:
    failed = answer.error is not None
    head = f"{quiet(f'{answer.index}')} {badge(clipped(answer.delegate, _NAME), 'delegates')}"
    head += " <b>✗ failed</b>" if failed else ""
    brief = f'<div style="{TALK};{_RULE}">brief: {brief_html(answer.brief)}</div>' if has_brief else ""
    if answer.error is not None:
        told = f'<div style="{PROSE}">{escaped(clipped(error_text(answer.error), _ERROR))}</div>'
    else:
        told = result_html(answer.result, most=most)
    style = f"{LEFT};{_BORDER};width:{share}%{';' + ALARM if failed else ''}"
    return f'<td style="{style}"><div>{head}</div>{brief}{told}</td>'
