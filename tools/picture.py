"""Make the README's picture: a notebook in which a graph is built, run and explained, drawn from a real run."""

import argparse
import io
import keyword
import re
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import graphnb as gn
from graphnb import demo
from graphnb.graph.topology import is_end
from graphnb.show.diff.element_marks import Mark
from graphnb.show.diff.marks import view_of
from graphnb.show.diff.rows import Row
from graphnb.show.writing.values import value_text

PICTURE = Path(__file__).resolve().parent.parent / "notebooks" / "pictures" / "tour.svg"

BUILD = """\
tour = gn.Graph(Tour, entry="read_each", name="tour")

tour.fan_out(
    "read_each", topic, over="ahead", item="name", collect="mentions", into="mentions",
    extra_outputs={"rules": "rules"}, to="choose",
)

@tour.node
def choose(s):
    ahead = sorted(set(s.mentions) - {*s.read, *s.ahead})
    return {"read": s.ahead, "ahead": ahead, "rounds": s.rounds + 1}

@tour.branch("choose", to=("read_each", "rank"))
def is_anything_left(s):
    return "read_each" if s.ahead else "rank"

tour.node(rank, to=gn.END)

run = tour.run(ahead=["for"])
run
"""
DIFF = "run.diff(step=4)\n"

WIDTH = 1200
LEFT, RIGHT = 72, 934  # of the cells
GRAPH = 966  # where the drawing begins
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, 'Liberation Sans', sans-serif"
ADVANCE = 0.6  # em, of every character of a monospaced font; `textLength` holds other fonts to it
INK, QUIET, RULE, PAPER = "#1F2933", "#5B6670", "#D5DADF", "#FFFFFF"
COLUMNS = {"field": 10, "before": 18, "written": 31, "reducer": 16, "after": 34}  # in characters
CODE_INKS = {"keyword": "#007A00", "string": "#B02020", "name": "#0B3FBF", "decorator": "#8A22CC", "plain": INK}

_NEVER_FIRST = {",", "]", "}"}  # on a line

Spans = list[Mark]


class Page:
    """The elements drawn so far."""

    def __init__(self) -> None:
        self.body = ElementTree.Element("g")

    def add(self, tag: str, text: str = "", **attributes: object) -> ElementTree.Element:
        """Draw one element; underscores in names stand for hyphens."""
        told = {
            name.replace("_", "-"): f"{value:g}" if isinstance(value, float) else str(value)
            for name, value in attributes.items()
        }
        element = ElementTree.SubElement(self.body, tag, told)
        element.text = text or None
        return element

    def box(self, x: float, y: float, width: float, height: float, **attributes: object) -> None:
        """Draw a rectangle."""
        self.add("rect", x=x, y=y, width=width, height=height, **attributes)

    def words(self, x: float, y: float, text: str, size: int = 13, fill: str = INK, **attributes: object) -> None:
        """Draw text in the typeface of prose."""
        self.add("text", text, x=x, y=y, fill=fill, font_size=size, font_family=SANS, **attributes)

    def code(self, x: float, y: float, text: str, size: int, fill: str = INK, **attributes: object) -> float:
        """Draw text in a monospaced typeface, every character as wide as the next; return where it ends."""
        width = round(len(text) * size * ADVANCE, 1)
        if text.strip():
            told = {
                "font_family": MONO,
                "textLength": width,
                "lengthAdjust": "spacingAndGlyphs",
                "xml:space": "preserve",
            }
            self.add("text", text, x=x, y=y, fill=fill, font_size=size, **told, **attributes)
        return x + width


def picture() -> str:
    """Return the picture as SVG: the same bytes every time."""
    scope = {"gn": gn, "Tour": demo.Tour, "rank": demo.rank, "topic": demo.topic_graph()}
    exec(BUILD, scope)
    run = scope["run"]
    page = Page()
    bottom = draw_cell(page, 1, BUILD, 62.0)
    bottom = draw_cell(page, 2, DIFF, bottom + 14)
    bottom = draw_table(page, run.diff(step=4).rows, bottom + 16)
    lowest = draw_graph(page, run, 62.0)
    return framed(page, max(bottom, lowest) + 22)


# --- code ------------------------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """A stretch of code on one line."""

    line: int
    column: int
    text: str
    kind: str


def draw_cell(page: Page, number: int, source: str, top: float) -> float:
    """Draw a cell with its prompt; return where it ends."""
    size, step = 14, 20
    height = source.count("\n") * step + 14
    page.box(LEFT, top, RIGHT - LEFT, height, rx=3, fill="#F6F7F8", stroke=RULE)
    page.code(LEFT - 46, top + 21, f"[{number}]:", 13, QUIET)
    for line, column, text, kind in pieces(source):
        x, y = LEFT + 12 + column * size * ADVANCE, top + 21 + line * step
        bold = {"font_weight": "bold"} if kind == "keyword" else {}
        page.code(round(x, 1), y, text, size, CODE_INKS[kind], **bold)
    return top + height


def pieces(source: str) -> Iterator[Piece]:
    """Yield the code in pieces of one colour each."""
    after_def = in_decorator = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (line, column), text = token.start, token.string
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            in_decorator = False
        if not text.strip():
            continue
        kind = "plain"
        in_decorator = in_decorator or (text == "@" and column == 0)
        if token.type == tokenize.STRING:
            kind = "string"
        elif keyword.iskeyword(text):
            kind = "keyword"
        elif after_def:
            kind = "name"
        elif in_decorator:
            kind = "decorator"
            in_decorator = text != "("
        if text == "(":
            kind = "plain"
        after_def = text == "def"
        yield Piece(line - 1, column, text, kind)


# --- the table -------------------------------------------------------------------------------------------------------


def draw_table(page: Page, rows: Iterable[Row], top: float) -> float:
    """Draw the rows of one step under a heading; return where the table ends."""
    size, step = 13, 20
    starts = dict(zip(COLUMNS, _offsets(size), strict=True))
    y = top + 14
    for name, x in starts.items():
        page.words(x, y, name, 13, font_weight="bold")
    rows = list(rows)
    y += 10
    page.box(LEFT, y, RIGHT - LEFT, 24, fill="#E9ECEE")
    draw_heading(page, rows[0], y + 17)
    y += 24
    for row in rows:
        y = draw_row(page, row, starts, y, size, step)
        page.box(LEFT, y, RIGHT - LEFT, 1, fill=RULE)
    return y


def _offsets(size: int) -> Iterator[float]:
    x = float(LEFT + 10)
    for width in COLUMNS.values():
        yield round(x, 1)
        x += width * size * ADVANCE


def draw_heading(page: Page, row: Row, y: float) -> None:
    """Draw number and node of the step, and where it led."""
    x = page.code(LEFT + 10, y, f"{row.number}  {row.path} ", 13, font_weight="bold")
    made = row.step.instances
    if made is not None:
        x = draw_pill(page, x, y, f"fan-out × {made.count}", 13) + 8
    targets = ", ".join("END" if is_end(target) else str(target) for target in row.step.targets)
    page.words(x, y, f"→ {targets}")


def draw_row(page: Page, row: Row, starts: dict[str, float], top: float, size: int, step: int) -> float:
    """Draw one row; return where it ends."""
    view = view_of(row)
    cells = {
        "field": [Mark("bold", row.field)],
        "before": [Mark("plain", value_text(row.before, 70))],
        "written": view.parts,
        "reducer": [Mark("reducer", row.reducer)],
        "after": view.after,
    }
    most = 0
    for name, spans in cells.items():
        lines = list(wrapped(spans, COLUMNS[name] - 1))
        for i, line in enumerate(lines):
            x = starts[name]
            for mark in line:
                x = draw_mark(page, mark, x, top + 17 + i * step, size)
        told = textwrap.wrap(view.change, 42) if name == "after" else []
        for i, line in enumerate(told, start=len(lines)):
            page.words(starts[name], top + 17 + i * step, line, 12, QUIET)
        most = max(most, len(lines) + len(told))
    return top + most * step + 6


def wrapped(spans: Spans, width: int) -> Iterator[Spans]:
    """Yield the spans line by line, broken at spaces where a line is full."""
    line: Spans = []
    used = 0
    for kind, text in _joined(spans):
        if kind == "line":
            if line:
                yield line
            line, used = [], 0
            continue
        words = [text] if kind in ("instance", "reducer") else re.findall(r"\S+ *| +", text)
        for word in words:
            if line and used + len(word.rstrip()) > width and word.strip() not in _NEVER_FIRST:
                yield line
                line, used = [], 0
            if line and line[-1].kind == kind != "instance":
                line[-1] = Mark(kind, line[-1].text + word)
            else:
                line.append(Mark(kind, word))
            used += len(word) + (kind == "instance")  # its border
    yield line


def _joined(spans: Spans) -> Iterator[Mark]:
    """The marks with each instance's item beside its number."""
    for i, (kind, text) in enumerate(spans):
        if kind == "instance":
            item = spans[i + 1].text if i + 1 < len(spans) and spans[i + 1].kind == "item" else ""
            yield Mark(kind, f"{text} {item}".rstrip())
            yield Mark("plain", " ")
        elif kind != "item":
            yield Mark(kind, text)


def draw_mark(page: Page, mark: Mark, x: float, y: float, size: int) -> float:
    """Draw one stretch of a value; return where it ends."""
    kind, text = mark
    if kind in ("instance", "reducer"):
        return draw_pill(page, x, y, text, size, blue=kind == "reducer")
    width = len(text.rstrip()) * size * ADVANCE
    if kind in ("added", "new", "put"):
        page.box(x, y - 13, round(width, 1), 17, fill="#CDEBD3")
        page.box(x, y + 4, round(width, 1), 2, fill="#2E9E43")
    elif kind in ("dropped", "old", "cut"):
        page.box(x, y - 13, round(width, 1), 18, fill="#F8D7DA")
    elif kind == "lost":
        page.box(x, y - 13, round(width, 1), 18, fill="none", stroke="#8B8B8B", stroke_dasharray="3 2")
    fill = {"kept": QUIET, "note": QUIET, "opened": "#B8255F"}.get(kind, INK)
    style = {"bold": {"font_weight": "bold"}, "note": {"font_style": "italic"}, "opened": {"font_weight": "bold"}}
    end = page.code(x, y, text, size, fill, **style.get(kind, {}))
    if kind in ("dropped", "old", "cut", "lost", "opened"):
        page.box(x - 1, y - 5, round(width, 1) + 2, 1.4, fill=fill)
    return end


def draw_pill(page: Page, x: float, y: float, text: str, size: int, *, blue: bool = False) -> float:
    """Draw text with a border; return where it ends."""
    fill, line = ("#E6F2FA", "#0072B2") if blue else ("#FDF0D9", "#A66A00")
    width = round(len(text) * size * ADVANCE, 1)
    page.box(x, y - 13, width + 6, 17, rx=3, fill=fill, stroke=line)
    return page.code(x + 3, y, text, size, "#0B3C5D" if blue else INK) + 3


# --- the drawing and the frame ---------------------------------------------------------------------------------------


def draw_graph(page: Page, run: gn.Run, top: float) -> float:
    """Draw the graph with the path taken, without the notes beside it; return where it ends."""
    page.words(GRAPH, top + 14, f"✓ run of {run.trace.topology.name}: {run.status}", 14, font_weight="bold")
    page.words(GRAPH, top + 34, f"{len(run.steps)} steps, {run.state.rounds} rounds", 13, QUIET)
    drawing = ElementTree.fromstring(re.sub(r' xmlns="[^"]+"', "", run.draw().svg, count=1))
    whole = next(group for group in drawing.iter("g") if "whole" in group.get("class", "").split())
    points = [float(number) for number in re.findall(r"-?[\d.]+", whole.find("polygon").get("points"))]
    left, right = min(points[::2]), max(points[::2])
    upper, lower = min(points[1::2]), max(points[1::2])
    for title in drawing.findall("title") + drawing.findall("desc") + drawing.findall("rect"):
        drawing.remove(title)  # of its own paper; the frame has another
    graph = drawing.find("g")
    for notes in [group for group in graph if group.get("class") == "notes"]:
        graph.remove(notes)
    for each in drawing.iter():
        each.tail = None
        each.text = each.text if each.tag in ("text", "title") else None
    scale = (WIDTH - 16 - GRAPH) / (right - left)
    height = round((lower - upper) * scale, 1)
    drawing.attrib = {
        "x": str(GRAPH - 8),
        "y": f"{top + 48:g}",
        "width": f"{WIDTH - 16 - GRAPH}",
        "height": f"{height:g}",
        "viewBox": f"{left:g} {upper:g} {right - left:g} {lower - upper:g}",
    }
    page.body.append(drawing)
    return top + 48 + height


def framed(page: Page, height: float) -> str:
    """Return the whole picture: paper, the notebook's tab and bar, and what was drawn."""
    size = {"width": str(WIDTH), "height": f"{height:.0f}", "viewBox": f"0 0 {WIDTH} {height:.0f}"}
    root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
    ElementTree.SubElement(root, "title").text = "A notebook in which a graph is built, run and explained"
    frame = Page()
    frame.box(0.5, 0.5, WIDTH - 1, round(height) - 1, rx=10, fill=PAPER, stroke="#B8C0C8")
    frame.add(
        "path",
        d=f"M1 44V10.500a9.500 9.500 0 0 1 9.500-9.500H{WIDTH - 10.5}a9.500 9.500 0 0 1 9.500 9.500V44z",
        fill="#E9ECEE",
    )
    frame.add("path", d="M16 44V16a6 6 0 0 1 6-6H150a6 6 0 0 1 6 6V44z", fill=PAPER)
    frame.box(16, 10, 140, 3, fill="#0072B2")
    frame.words(34, 33, "01-tour.ipynb", 14)
    frame.words(WIDTH - 116, 29, "Python 3", 13, QUIET)
    frame.add("circle", cx=WIDTH - 40, cy=24, r=6, fill="none", stroke=QUIET, stroke_width=1.5)
    frame.box(GRAPH - 18, 62, 1, round(height) - 84, fill=RULE)
    root.extend([*frame.body, *page.body])
    ElementTree.indent(root, " ", 0)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def main(arguments: Iterable[str] | None = None) -> int:
    """Write the picture, or with --check return 1 if the stored one is another."""
    parser = argparse.ArgumentParser(prog="tools/picture.py", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args(None if arguments is None else list(arguments))
    text = picture()
    same = PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == text
    if not options.check:
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        PICTURE.write_text(text, encoding="utf-8", newline="\n")
    print(f"{PICTURE.name}: {'unchanged' if same else 'another' if options.check else 'written'}")
    return int(options.check and not same)


if __name__ == "__main__":
    sys.exit(main())
