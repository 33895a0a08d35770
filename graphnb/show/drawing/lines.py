"""One line of a drawing in DOT text: its style, the signs at its ends, and what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from graphnb.show.drawing.boxes import Drawn, Level
from graphnb.show.drawing.labels import Line, small, tooltip
from graphnb.show.drawing.labels import label as label_of
from graphnb.show.drawing.routes import Route, orders_of
from graphnb.show.drawing.signs import error_tag, tip_of, warning_lines
from graphnb.show.writing import palette
from graphnb.show.writing.words import clipped

if TYPE_CHECKING:
    from graphviz import Digraph

# fmt: off
_STYLES: Final = {
    "edge": "solid", "stem": "solid", "branch": "dashed", "open": "dotted",
    "fork": "solid", "guard": "dashed", "arrival": "solid", "join": "solid",
}
_WEIGHTS: Final = {  # what must follow stands below
    "edge": "240", "stem": "300", "branch": "20", "open": "10",
    "fork": "60", "guard": "20", "arrival": "60", "join": "240",
}
# fmt: on
_TAILS: Final = {"fork": "dot", "guard": "odiamond"}  # the sign at the source
_FIELD: Final = re.compile(r"\bfield\('([^\W\d]\w*)'\)")  # a picture has room for the name alone
_PARTS: Final = re.compile(r" (?=[&|] )")
_MOST_PARTS: Final = 4
_HEADLESS: Final = ("stem", "arrival")


def draw_route(
    canvas: Digraph,
    level: Level,
    *,
    route: Route,
    ends: tuple[Drawn, Drawn],
    back: bool,
    wide: bool,
) -> None:
    """One line with its label and, if it was taken, its order; one that leads back is laid out from its target.

    `wide`: it is one of so many that they need more room to spread.
    """
    source, target = ends
    told = {
        "class": f"{source.leave}-to-{target.enter}",
        "tooltip": tooltip(tip_of(clipped(route.tip, 400), route.marks)),
        "style": _STYLES[route.kind],
    }
    lines = [small(line, palette.INK) for line in _label_lines(route)]
    if route.orders is not None:
        told |= {"class": f"{told['class']} taken", "color": palette.TAKEN, "penwidth": "2.2"}
        text = orders_of(route.orders, inside=level.prefix != "n")
        lines += [small(text, palette.TAKEN, bold=True)] if text else []
    elif level.visits:
        told["color"] = palette.PASSED_BY
    if route.wait is not None:
        lines.append(small(route.wait.text, palette.ALARM if route.wait.is_over else palette.WAIT, bold=True))
    if tag := error_tag(route.marks):
        lines.append(Line("", palette.SMALL_SIZE, tag=tag))
    lines += warning_lines(route.marks)
    level.kinds.update(each.severity for each in route.marks)
    told |= {"label": label_of(lines, aside=True)} if lines else {}
    level.kinds.update({route.kind, "taken" if route.orders else ""})
    if source.cluster == target.cluster and source.cluster:  # a line from a cluster to itself stays inside
        canvas.edge(target.enter, source.leave, **(told | _turned(route.kind)))
    elif back:
        told |= _turned(route.kind) | _clipped(target, source)
        canvas.edge(target.leave, source.leave, weight="0", **told)
    else:
        told |= _signs(route.kind, is_one=wide and not source.cluster) | _clipped(source, target)
        canvas.edge(source.leave, target.enter, weight=_WEIGHTS[route.kind], **({"minlen": "2"} if wide else {}) | told)


def _signs(kind: str, *, is_one: bool) -> dict[str, str]:
    """The signs at the ends of a line; `is_one`: it leaves a shape where the dots of all prongs are to be one."""
    if kind in _HEADLESS:
        return {"arrowhead": "none"}
    port = {"tailport": "s"} if kind == "fork" and is_one else {}
    return {"dir": "both", "arrowtail": _TAILS[kind], **port} if kind in _TAILS else {}


def _turned(kind: str) -> dict[str, str]:
    """The signs at the ends of a line that is laid out from its target."""
    if kind in _HEADLESS:
        return {"dir": "none"}
    return {"dir": "both", "arrowhead": _TAILS[kind]} if kind in _TAILS else {"dir": "back"}


def _label_lines(route: Route) -> Iterator[str]:
    """What stands at a line: what a router says, or a condition, which begins a line at each `&` and `|`."""
    if route.kind not in ("guard", "join"):
        yield from palette.name_lines(route.label) if route.label else ()
        return
    parts = [part for part in _PARTS.split(_FIELD.sub(r"\1", route.label)) if part]
    for part in parts[:_MOST_PARTS]:
        yield from palette.name_lines(part)
    if len(parts) > _MOST_PARTS:
        yield f"… {len(parts) - _MOST_PARTS} more"


def _clipped(tail: Drawn, head: Drawn) -> dict[str, str]:
    """What ends a line at the clusters that it touches; longer for each, since headings and margins take room."""
    met = {name: place.cluster for name, place in (("ltail", tail), ("lhead", head)) if place.cluster}
    return met | ({"minlen": str(1 + len(met))} if met else {})
