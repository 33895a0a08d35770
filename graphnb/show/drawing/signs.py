"""Signs in drawings: what is wrong or hardly meant is told by number where it belongs, and in full beside the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.graph.topology import Mark, TopologyNode
from graphnb.show.drawing.inside import inside_of
from graphnb.show.drawing.labels import Line, Tag
from graphnb.show.writing import palette
from graphnb.show.writing.palette import shortened

SIGNS: Final = {"error": "✗", "warning": "⚠"}
_INKS: Final = {"error": palette.ALARM, "warning": palette.WARN}
_MOST_LINES: Final = 3
_MOST_NUMBERS: Final = 3


def tag_of(severity: str, numbers: Sequence[int]) -> Tag:
    """The sign with numbers in a small box: filled for errors, open for warnings.

    >>> tag_of("error", [2, 3, 4]).text
    '✗ 2–4'
    """
    return Tag(f"{SIGNS[severity]} {ranges(numbers)}".rstrip(), _INKS[severity], is_filled=severity == "error")


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers, those that follow one another as a range, and a few of them.

    >>> ranges([2, 3, 4, 7]), ranges([1, 2]), ranges([1, 3, 5, 7])
    ('2–4, 7', '1, 2', '1, 3, 5, …')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = [part for run in runs for part in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else map(str, run))]
    return ", ".join(told if len(told) <= _MOST_NUMBERS else [*told[:_MOST_NUMBERS], "…"])


def error_tag(marks: Iterable[Mark]) -> Tag | None:
    """The errors at one place as one sign, None without errors: a graph that is half built has many of them."""
    numbers = [each.number for each in marks if each.severity == "error"]
    return tag_of("error", numbers) if numbers else None


def warning_lines(marks: Iterable[Mark]) -> list[Line]:
    """The warnings at one place in a few words each, those with the same words once; at most three lines."""
    told: dict[str, list[int]] = {}
    for each in marks:
        if each.severity == "warning":
            told.setdefault(each.sign, []).append(each.number)
    lines = [_warning_line(shortened(sign, 40), numbers) for sign, numbers in told.items()]
    if len(lines) <= _MOST_LINES:
        return lines
    rest = [number for numbers in [*told.values()][_MOST_LINES - 1 :] for number in numbers]
    return [*lines[: _MOST_LINES - 1], _warning_line(f"{len(lines) - _MOST_LINES + 1} more", sorted(rest))]


def _warning_line(text: str, numbers: Sequence[int]) -> Line:
    return Line(text, palette.SMALL_SIZE, bold=True, colour=palette.WARN, tag=tag_of("warning", numbers))


def words_of(marks: Iterable[Mark]) -> tuple[str, ...]:
    """All that is told at one place in a few words each, for drawings that have nothing beside them.

    >>> words_of([Mark(1, "error", "node 'a'", "node 'a' has no outgoing edge.", "no outgoing edge")])
    ('✗ no outgoing edge',)
    """
    told = [*dict.fromkeys(f"{SIGNS[each.severity]} {shortened(each.sign, 40)}" for each in marks)]
    more = len(told) - _MOST_LINES
    return tuple(told if more <= 0 else [*told[: _MOST_LINES - 1], f"{told[-1][0]} {more + 1} more"])


def tip_of(text: str, marks: Sequence[Mark]) -> str:
    """A tooltip: the text, and below it what is told at this place in full."""
    return "\n".join((text, *(f"{SIGNS[each.severity]} {each.number} {each.line}" for each in marks)))


def marks_of(node: TopologyNode, *, folded: bool) -> tuple[Mark, ...]:
    """What is told at a node, in the order of its numbers; at a folded one also what concerns the nodes inside it."""
    if not folded:
        return node.marks
    return tuple(sorted(dict.fromkeys((*node.marks, *_inside(node)))))


def _inside(node: TopologyNode) -> Iterator[Mark]:
    ahead = [node]
    while ahead:  # no recursion: graphs may be nested deep
        each = ahead.pop()
        for inside in inside_of(each):
            yield from inside.marks
            ahead.append(inside)
        for edge in each.inner.edges if each.inner else ():
            yield from edge.marks
