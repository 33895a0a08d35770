"""The legend: a small picture of each kind that a drawing shows, with its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from graphnb.show.drawing.labels import Line, small, typeset
from graphnb.show.drawing.signs import tag_of
from graphnb.show.writing.palette import ALARM, LAYER, LINE, LOOKS, ROUND, TAKEN, look_of

_MEANINGS: Final = {
    "start": "start",
    "end": "end",
    "node": "node",
    "fan_out": "fan-out: once per item",
    "subgraph": "subgraph",
    "branches": "branches: at once, folded left to right",
    "delegates": "delegates: a brief for each, results in order",
    "race": "race: one brief for all, the first acceptable result",
    "router": "router: chooses an edge",
    "missing": "not declared yet",
    "edge": "edge",
    "fork": "fork: all of them are taken",
    "guard": "taken if the condition holds",
    "branch": "edge that may be chosen",
    "join": "join: waits for all its sources",
    "open": "targets not declared",
    "layers": "middleware around it, outermost first",
    "error": "error: see its number above",
    "warning": "warning: see its number above",
    "taken": "taken, in this order",
    "unreached": "not reached",
    "skipped": "skipped: its when said no",
    "failed": "failed",
    "retried": "tried again after a failure",
    "degraded": "failed, an update put in its place",
    "answered": "middleware answered, node not asked",
    "stopped": "stopped here",
    "dropped": "finished, but its step failed or stopped",
    "running": "running now",
    "waiting": "waits for an answer",
    "stalled": "join that waited in vain",
}


def legend(kinds: Iterable[str]) -> str:
    """The signs of these kinds with their meanings as a table for `stacked`, in a fixed order; empty without kinds."""
    shown = set(kinds)
    meanings = {kind: small(text) for kind, text in _MEANINGS.items() if kind in shown}
    # the wide second column keeps the signs at the left where the notes above are wider
    cells = {kind: f'<TD ALIGN="LEFT" WIDTH="210">{typeset(line)}</TD>' for kind, line in meanings.items()}
    rows = "".join(f'<TR><TD WIDTH="34">{_sign(kind)}</TD>{cell}</TR>' for kind, cell in cells.items())
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="4" CELLPADDING="0">{rows}</TABLE>' if rows else ""


def _sign(kind: str) -> str:
    """A small picture of a kind, drawn with table borders and characters that every font has."""
    look = look_of(kind) if kind in LOOKS else {}
    if kind == "fan_out":
        behind = {"color": look["color"], "sides": "RB"}
        return _framed(behind, (26, 14), inside=_framed(behind, (22, 10), inside=_framed(look, (18, 6))))
    if kind in ("branches", "delegates", "race"):
        bar = _framed({"color": look["color"], "fillcolor": look["color"], "space": "0"}, (26, 2))
        above = bar if kind == "branches" else _framed(look, (10, 7))
        lane = f'<TD WIDTH="13">{_framed(look_of("node"), (9, 6))}</TD>'
        tight = 'FIXEDSIZE="TRUE" WIDTH="26" HEIGHT="8" BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'
        lanes = f"<TABLE {tight}><TR>{lane}{lane}</TR></TABLE>"
        below = _framed({"color": look["color"], "fillcolor": look["color"], "space": "0"}, (8, 2))
        parts = (above, lanes, below if kind == "race" else bar)
        rows = "".join(f"<TR><TD>{each}</TD></TR>" for each in parts)
        return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="1" CELLPADDING="0">{rows}</TABLE>'
    if kind in ("error", "warning"):
        return typeset(Line("", tag=tag_of(kind, ())))
    if kind == "subgraph":
        return _framed(look | {"style": "rounded", "space": "3"}, (26, 14), inside=_framed(look_of("node"), (18, 6)))
    if kind == "failed":
        border = {"color": ALARM, "style": "rounded"}
        return _framed(border, (26, 14), inside=_framed(border, (22, 10)))
    if kind in ("join", "stalled"):
        colour = LINE if kind == "join" else ALARM
        return _framed({"color": colour, "fillcolor": colour, "space": "0"}, (26, 4))
    if kind in ("stopped", "running", "degraded", "answered", "skipped", "dropped", "waiting"):
        return _framed(look_of("node", kind), (26, 14))
    if kind in ("node", "missing", "unreached"):
        return _framed(look or look_of("node", "unreached"), (26, 14))
    if kind in ("start", "end"):
        size = 10 if kind == "start" else 8
        dot = _framed({"color": ROUND, "fillcolor": ROUND, "style": "rounded"}, (size, size))
        return (
            dot
            if kind == "start"
            else _framed({"color": ROUND, "style": "rounded", "space": "2"}, (14, 14), inside=dot)
        )
    signs = {"router": "◊", "edge": "—►", "branch": "- -►", "open": "···►", "taken": "—►"}
    signs |= {"fork": "•—►", "guard": "◇- -►"}
    signs |= {"layers": "within", "retried": "↻"}
    colours = {"router": LOOKS["router"].line, "taken": TAKEN, "retried": TAKEN, "layers": LAYER}
    return typeset(small(signs[kind], colours.get(kind, LINE), bold=kind in ("taken", "retried")))


def _framed(look: Mapping[str, str], size: tuple[int, int], *, inside: str = "") -> str:
    """A border of this look around a table or nothing, which does not grow with the room there is."""
    cell = f"<TD>{inside}</TD>" if inside else '<TD FIXEDSIZE="TRUE" WIDTH="4" HEIGHT="1"></TD>'
    style = ",".join(each.upper() for each in look.get("style", "").split(",") if each not in ("filled", ""))
    told = {"BGCOLOR": look.get("fillcolor"), "SIDES": look.get("sides"), "STYLE": style}
    more = "".join(f' {name}="{value}"' for name, value in told.items() if value)
    width, height = size
    fixed = f'FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height}"'
    space = f'CELLBORDER="0" CELLPADDING="0" CELLSPACING="{look.get("space", 1)}"'
    border = 1 if "penwidth" not in look else 3
    return f'<TABLE {fixed} BORDER="{border}" COLOR="{look["color"]}"{more} {space}><TR>{cell}</TR></TABLE>'
