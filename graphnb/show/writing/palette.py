"""How each kind of thing looks: colours that colour-blind people tell apart, shapes, and lengths of text.

The hues are those of Okabe and Ito, darkened for lines and lightened for fills, so that every text keeps a
contrast of 4.5 on its fill. Kinds differ in shape, and routes in line style, before they differ in colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from graphnb.errors.text import visible
from graphnb.show.writing.words import clipped

FONT: Final = "Helvetica"
INK: Final = "#1F2933"
FAINT: Final = "#5B6670"
LINE: Final = "#4A5560"
TAKEN: Final = "#0B5C92"
ALARM: Final = "#B83A00"
WARN: Final = "#855500"
"""The ink of what is allowed and hardly meant."""
PAPER: Final = "#FFFFFF"
NOTES: Final = "#FFFFFE"
"""The ground of the notes: white to the eye, and the sign by which a finished picture tells them from the graph."""
ROUND: Final = "#1F2932"
"""The ink of the legend's dots: a finished picture draws as circles what labels can only draw as boxes."""
LAYER: Final = "#6B4E12"
"""The ink of what is around a node."""
WAIT: Final = "#7A5C00"
"""The ink of what waits for an answer."""
PASSED_BY: Final = "#A3ACB5"
UNREACHED: Final = "#F6F7F8"

HEAVY: Final = "2.8"
"""The width of a border in points where the run was stopped, or is now."""

NAME_SIZE: Final = 12
SMALL_SIZE: Final = 10
_LINE_LENGTH: Final = 34
# tabs, what turns the direction of text, breaks a line or takes no room, and what XML does not know
_UNSEEN: Final = re.compile("[\t\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_MAX_LINES: Final = 4


@dataclass(frozen=True, slots=True)
class Look:
    """How one kind of node is drawn: a Graphviz shape and style, the colour of its inside and of its border."""

    shape: str
    style: str
    fill: str
    line: str


LOOKS: Final = {
    "node": Look("box", "rounded,filled", "#E6F2FA", "#0072B2"),
    "fan_out": Look("box3d", "filled", "#FDF0D9", "#A66A00"),
    "subgraph": Look("tab", "filled", "#E4F4EE", "#00795A"),
    "branches": Look("component", "filled", "#ECE9F7", "#5B4B9A"),
    "delegates": Look("note", "filled", "#FBE9E4", "#9C4A34"),
    "race": Look("cds", "filled", "#F0F3D8", "#65701A"),
    "missing": Look("box", "rounded,filled,dotted", PAPER, FAINT),
    "router": Look("diamond", "filled", "#F9EAF2", "#A04C7C"),
    "start": Look("circle", "filled", INK, INK),
    "end": Look("doublecircle", "filled", INK, INK),
    "join": Look("box", "filled", INK, INK),
    "stub": Look("circle", "filled,dotted", PAPER, FAINT),
}
CLUSTER_FILLS: Final = {
    "fan_out": "#FEF9EF",
    "subgraph": "#F3FAF7",
    "branches": "#F7F6FC",
    "delegates": "#FDF5F2",
    "race": "#F9FAEE",
}
UNIT_KINDS: Final[Mapping[str, str]] = {
    "instance": "fan_out",
    "branch": "branches",
    "delegate": "delegates",
    "candidate": "race",
}
"""The kind of node of which each is a part: its parts bear its colours."""
_HEAVY_LINES: Final = {"stopped": INK, "running": TAKEN, "waiting": WAIT}


def look_of(kind: str, fate: str = "", *, cluster: bool = False) -> dict[str, str]:
    """The attributes of a node or cluster of this kind and its fate in the run shown: failed, stopped, unreached..."""
    look = LOOKS[kind]
    told = {"style": look.style, "fillcolor": look.fill, "color": look.line, "shape": look.shape}
    if cluster:
        corners = "filled" if kind in ("branches", "delegates", "race") else "rounded,filled"
        told = {"style": corners, "fillcolor": CLUSTER_FILLS[kind], "pencolor": look.line, "penwidth": "1.2"}
    line = "pencolor" if cluster else "color"
    if fate == "failed":
        told |= {line: ALARM} if cluster else {line: ALARM, "peripheries": "2"}
    elif fate in _HEAVY_LINES:
        told |= {line: _HEAVY_LINES[fate], "penwidth": HEAVY}
    elif fate == "dropped":
        told |= {line: FAINT, "style": f"{told['style']},dashed", "fillcolor": UNREACHED, "penwidth": HEAVY}
    elif fate in ("degraded", "answered"):
        told |= {line: ALARM if fate == "degraded" else INK, "style": f"{told['style']},dashed"}
    elif fate in ("unreached", "skipped"):
        style = told["style"].removesuffix(",dotted")
        told |= {
            "style": f"{style},{'dashed' if fate == 'unreached' else 'dotted'}",
            "fillcolor": UNREACHED,
            line: PASSED_BY,
        }
        told |= {} if cluster else {"fontcolor": FAINT}
    return told


def readable(text: str) -> str:
    r"""The text with everything that cannot be drawn as a visible escape; line breaks stay.

    >>> print(readable("a\tb"))
    a\tb
    """
    return _UNSEEN.sub(lambda found: ascii(found.group())[1:-1], visible(text))


def name_lines(name: str) -> tuple[str, ...]:
    """A name as lines of a label: broken where it has line breaks or is long, shortened where it is very long.

    >>> name_lines("plan")
    ('plan',)
    """
    lines = [part for line in readable(name).split("\n") for part in _broken(line)]
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], f"{lines[_MAX_LINES - 1]}…"]
    return tuple(lines)


def shortened(text: str, length: int) -> str:
    """The text on one line of at most `length` characters.

    >>> shortened("concat_flatten", 8)
    'concat_…'
    """
    return clipped(readable(text).replace("\n", "\\n"), length)


def joined(parts: Iterable[str], length: int = _LINE_LENGTH) -> tuple[str, ...]:
    """The parts with dots between them, on as many lines of about `length` characters as they need.

    >>> joined(["over files", "item file"])
    ('over files · item file',)
    """
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= length:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return tuple(lines)


def _broken(line: str) -> Iterator[str]:
    while len(line) > _LINE_LENGTH + 6:  # a line that is barely too long is left whole
        cut = max(line.rfind(sign, 0, _LINE_LENGTH) + 1 for sign in " _-./")
        cut = cut if cut > _LINE_LENGTH // 2 else _LINE_LENGTH
        yield line[:cut]
        line = line[cut:]
    yield line
