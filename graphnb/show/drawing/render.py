"""DOT text rendered as SVG by whichever Graphviz there is, and made the same on every machine as far as it can be."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

from graphnb.errors.text import visible
from graphnb.show.writing import palette

_FONTS: Final = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK_TITLE: Final = "{http://www.w3.org/1999/xlink}title"
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_SHIFTS: Final = (7, 3.5, 0)  # the cards of a stack, the hindmost first
_PAGE: Final = 860  # points; a drawing wider than this has its notes below
_GAP: Final = 14
_PAD: Final = 8
_PART: Final = "part"
"""The class of what has a tooltip of its own within the notes."""
_SCALE: Final = 0.9  # names then have the size of a notebook's own text

Element = ElementTree.Element


class Svg(NamedTuple):
    """A finished picture, or None with the reason why there is none in one line."""

    svg: str | None
    reason: str = ""


def svg_of(dot: str, *, title: str = "", description: str = "", timeout_seconds: float = 30) -> Svg:
    """The DOT text as SVG: by graphviz-pure, else by the `dot` program; never raises.

    `title` and `description` are its text alternative. Nothing in it tells the renderer's version; colours are
    readable on light and dark pages, for the picture brings its own paper.
    """
    reason = "no renderer found"
    for name, command in _renderers():
        svg, reason = _rendered(name, command, dot=dot, timeout_seconds=timeout_seconds)
        if svg:
            try:
                return Svg(_cleaned(svg, title, description=description))
            except (ElementTree.ParseError, KeyError, ValueError):
                reason = f"{name} gave no proper SVG"
    return Svg(None, reason)


def _rendered(name: str, command: str, *, dot: str, timeout_seconds: float) -> tuple[bytes, str]:
    """What the renderer gave, empty if it failed, and then the reason."""
    source = dot.encode(errors="backslashreplace")
    try:
        done = subprocess.run([command, "-Tsvg"], input=source, capture_output=True, timeout=timeout_seconds)
    except subprocess.TimeoutExpired:
        return b"", f"{name} took longer than {timeout_seconds:g} seconds"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return b"", f"{name} could not be started ({type(error).__name__})"
    if done.returncode != 0:
        return b"", f"{name} failed: {_complaint(done.stderr)}"
    return done.stdout, "" if done.stdout else f"{name} gave nothing"


def _renderers() -> list[tuple[str, str]]:
    """What can render here, the preferred one first: name and path of graphviz-pure, then of dot."""
    scripts = Path(sysconfig.get_path("scripts"))  # the PATH of a kernel often lacks its own environment
    beside = [path for path in (scripts / "graphviz-pure", scripts / "graphviz-pure.exe") if path.is_file()]
    pure = str(beside[0]) if beside else shutil.which("graphviz-pure")
    found = {"graphviz-pure": pure, "dot": shutil.which("dot")}
    return [(name, command) for name, command in found.items() if command]


def _complaint(output: bytes) -> str:
    lines = visible(output.decode(errors="replace")).strip().splitlines()
    errors = [line for line in lines if "error" in line.lower()]  # warnings come first
    return (errors or lines or ["it said nothing"])[0][:200]


def _cleaned(svg: bytes, title: str, *, description: str) -> str:
    root = ElementTree.fromstring(svg)  # drops the comments and the document type
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        element.attrib.pop("id", None)
        element.attrib.pop("font-family", None)
        clear = {key: "none" for key, value in element.attrib.items() if value == "transparent"}  # no colour of SVG
        element.attrib.update(clear)
    for group in root.iter("g"):
        if group.get("class") != _PART:  # that has its title
            _title_group(group)
        if "fan_out" in group.get("class", "").split():
            _stack(group)
    for outline in [each for each in root.iter() if palette.ROUND in map(str.upper, each.attrib.values())]:
        _round(outline)
    for text in root.iter("text"):
        text.text = _spaced(text.text or "")
    for graph in root.findall("g"):
        graph.attrib.update({"font-family": _FONTS, "{http://www.w3.org/XML/1998/namespace}space": "preserve"})
    _arrange(root)
    _frame(root, title, description=description)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _title_group(group: Element) -> None:
    """Puts the tooltip, which Graphviz hangs on a link, in place of the title, which it takes from the id."""
    tip = None
    for wrapper in group.findall("g"):
        link = wrapper.find("a")
        if link is not None and group.get("class") == "graph":
            _title_part(wrapper, link)
        elif link is not None and wrapper.get("class") is None:
            tip = link.get(_XLINK_TITLE)
            position = list(group).index(wrapper)
            group.remove(wrapper)
            group[position:position] = list(link)
    for each in group.findall("title"):
        if tip is None:
            group.remove(each)
        else:
            each.text = _spaced(tip)


def _title_part(part: Element, link: Element) -> None:
    """The same for a part of the notes, which then is as loose as all else in them."""
    title = Element("title")
    title.text = _spaced(link.get(_XLINK_TITLE) or "")
    part.set("class", _PART)
    part.remove(link)
    part.extend([title, *link])


def _spaced(text: str) -> str:
    return re.sub(" \u00a0+", lambda found: " " * len(found.group()), text)  # Graphviz writes further spaces so


def _stack(group: Element) -> None:
    """Draws a fan-out as a stack of cards: the outline becomes the front, with two more behind it."""
    left, top, right, bottom = _box(group)
    first, *others = [each for each in group if each.tag in ("polygon", "path", "polyline")]
    outlines = [first, *(each for each in others if each.tag != "path")]  # further paths are signs in its label
    look = {key: value for key, value in outlines[0].attrib.items() if key not in ("points", "d")}
    size = {"width": f"{right - left:.2f}", "height": f"{bottom - top:.2f}", "rx": "7"}
    cards = [Element("rect", {**look, "x": f"{left + by:.2f}", "y": f"{top + by:.2f}", **size}) for by in _SHIFTS]
    position = list(group).index(outlines[0])
    for each in outlines:
        group.remove(each)
    group[position:position] = cards


def _round(outline: Element) -> None:
    """Draws a dot of the legend as a circle."""
    left, top, right, bottom = _box(outline)
    look = {key: value for key, value in outline.attrib.items() if key not in ("points", "d")}
    place = {"cx": (left + right) / 2, "cy": (top + bottom) / 2, "r": min(right - left, bottom - top) / 2}
    outline.tag = "circle"
    outline.attrib = look | {key: f"{value:.2f}" for key, value in place.items()}


def _arrange(root: Element) -> None:
    """Moves the notes from below the graph to its side where both fit on a page, and cuts the paper to size."""
    graph = root.find("g")
    whole = next((each for each in root.iter("g") if "whole" in each.get("class", "").split()), None)
    loose = [] if graph is None else [each for each in graph if each.tag != "g" or each.get("class") == _PART]
    first = next((i for i, each in enumerate(loose) if each.get("fill", "").upper() == palette.NOTES), None)
    if graph is None or whole is None or first is None:
        return  # not a drawing of ours
    left, top, right, bottom = _box(whole)
    edges = [each for each in root.iter("g") if "-to-" in each.get("class", "")]
    bends = [_box(each) for each in edges if each.find(".//path") is not None]  # lines may swing out of the cluster
    left, right = min([left, *(box[0] for box in bends)]), max([right, *(box[2] for box in bends)])
    notes_left, notes_top, notes_right, notes_bottom = _box(loose[first])
    width, height = notes_right - notes_left, notes_bottom - notes_top
    aside = right - left + width < _PAGE
    x, y = (right + _GAP, top + _GAP) if aside else (left, bottom)
    moved = ElementTree.SubElement(graph, "g", {"class": "notes"})
    moved.set("transform", f"translate({x - notes_left:.2f} {y - notes_top:.2f})")
    moved.extend(loose[first + 1 :])
    for each in loose:
        graph.remove(each)
    graph.attrib.pop("transform", None)
    right, bottom = max(right, x + width), max(bottom, y + height)
    size = right - left + 2 * _PAD, bottom - top + 2 * _PAD
    root.set("viewBox", f"{left - _PAD:.2f} {top - _PAD:.2f} {size[0]:.2f} {size[1]:.2f}")
    root.attrib.update({"width": f"{size[0] * _SCALE:.0f}pt", "height": f"{size[1] * _SCALE:.0f}pt"})


def _box(element: Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the first outline in an element, or of the element itself."""
    outline = next(each for each in element.iter() if each.tag in ("polygon", "path"))
    numbers = [float(each) for each in _NUMBER.findall(outline.get("points") or outline.get("d") or "")]
    return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])


def _frame(root: Element, title: str, *, description: str) -> None:
    """Gives the picture its paper and its text alternative."""
    x, y, width, height = root.attrib["viewBox"].split()
    told = {"x": x, "y": y, "width": width, "height": height, "rx": "10", "fill": palette.PAPER}
    root.insert(0, Element("rect", told))
    for name, text in (("desc", description), ("title", title)):
        if text:
            element = Element(name)
            element.text = palette.readable(text)
            root.insert(0, element)
    root.attrib = {"xmlns": _SVG, "role": "img", **root.attrib}
