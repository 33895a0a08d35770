"""The picture of a graph as a notebook shows it: a drawing where there is a renderer, else text that says the same."""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graphnb.errors import GraphError
from graphnb.graph.topology import Topology
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.inside import is_asking
from graphnb.show.drawing.mermaid import mermaid_of
from graphnb.show.drawing.outline import outline_of
from graphnb.show.drawing.outline_edges import edges_of
from graphnb.show.drawing.render import svg_of
from graphnb.show.writing.palette import shortened
from graphnb.show.writing.words import clipped
from graphnb.trace.reading.visits import Visits

_REMEDY: Final = 'pip install "graphnb[draw]"'
_LONGEST_ALT: Final = 600
_LONGEST_DESCRIPTION: Final = 4_000
_POINTS: Final = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)pt"')
_LONGEST_TAG: Final = 400
_WIDE: Final = 1_200  # pixels; less than that is read with ease also where it is shrunk a little
_LONGEST_SOURCE: Final = 20_000
_LONGEST_SVG: Final = 300_000  # some hundreds of nodes; more are seen in a file that can be zoomed


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A drawn graph: `svg` and its sources. `svg` is None where nothing could render it.

    `hint` says what helps where no picture is shown: there is none, or it is too big for a notebook.

    `outline` tells the graph in words, `alternative` in one short sentence.
    """

    name: str
    dot: str
    mermaid: str
    outline: str
    alternative: str
    svg: str | None
    hint: str = ""

    def __repr__(self) -> str:
        return f"<Picture of {self.alternative}>"

    def save(self, path: str | Path) -> Path:
        """Writes the picture as .svg, or its source as .dot or .mmd, and returns the path.

        Raises GraphError for other endings, and for .svg where there was no renderer.
        """
        path = Path(path)
        texts = {".svg": self.svg, ".dot": self.dot, ".mmd": self.mermaid}
        where = f"picture of graph '{self.name}'"
        if path.suffix not in texts:
            raise GraphError(where, f"cannot be saved as {path.name!r}", f"Endings: {list(texts)}.")
        text = texts[path.suffix]
        if text is None:
            raise GraphError(where, f"cannot be saved as {path.name!r}. {self.hint}", "Or save it as .dot or .mmd.")
        path.write_text(text, encoding="utf-8", newline="\n")
        return path

    @property
    def html(self) -> str:
        """The picture as one `<img>` that holds its data; its text and sources where no picture is shown.

        It shrinks to fit the page, but for a wide one, whose names would become too small: that is scrolled.
        """
        if self.svg is None or self.hint:
            return self._text_html()
        # untrusted notebooks drop inline SVG, and the classes of two pictures on one page would collide
        data = base64.b64encode(self.svg.encode()).decode("ascii")
        source = f"data:image/svg+xml;base64,{data}"
        pixels = _pixels(self.svg)
        is_wide = pixels > _WIDE
        # min-width is stronger than what a front end says of the widths of images
        style = f"min-width:{pixels}px;height:auto" if is_wide else "max-width:100%;height:auto"
        image = f'<img alt="{html.escape(self.alternative)}" src="{source}" style="{style}">'
        return f'<div style="max-width:100%;overflow-x:auto">{image}</div>' if is_wide else image

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Text and HTML for every front end, and the SVG by itself where it is shown."""
        if self.svg is None or self.hint:
            return {"text/plain": f"{self.outline}\n\n{self.hint}", "text/html": self.html}
        return {"text/plain": self.outline, "text/html": self.html, "image/svg+xml": self.svg}

    def _text_html(self) -> str:
        parts = {"Outline": self.outline, "DOT source": self.dot, "Mermaid source": self.mermaid}
        folded = "".join(
            f"<details{' open' if title == 'Outline' else ''}><summary>{title}</summary>"
            f"<pre>{html.escape(clipped(text, _LONGEST_SOURCE))}</pre></details>"
            for title, text in parts.items()
        )
        return f"<p>{html.escape(self.hint)}</p>{folded}"


def picture_of(topology: Topology, visits: Visits | None = None, *, depth: int = 2) -> Picture:
    """The picture of a graph, with `visits` that of the path a run took; graphs inside are drawn down to `depth`.

    Never raises for a graph that is merely unfinished, nor where nothing can render it.
    """
    dot = dot_of(topology, visits, depth=depth)
    outline = outline_of(topology, visits, depth=depth)
    alternative = _alternative(topology)
    told = clipped(outline, _LONGEST_DESCRIPTION)
    svg, reason = svg_of(dot, title=shortened(f"graph {topology.name}", 80), description=told)
    hint = ""
    if svg is None:
        hint = f"No picture: {reason}. To get one: {_REMEDY}"
    elif len(svg) > _LONGEST_SVG:
        hint = "No picture here: it is too big for a notebook. To get it: .draw().save('graph.svg')"
    return Picture(topology.name, dot, mermaid_of(topology, depth=depth), outline, alternative, svg, hint)


def _pixels(svg: str) -> int:
    """The width of the drawing in pixels at its natural size, 0 if it tells none."""
    told = _POINTS.search(svg[:_LONGEST_TAG])
    return round(float(told[1]) * 4 / 3) if told else 0


def _alternative(topology: Topology) -> str:
    edges = ", ".join(edges_of(topology)) or "no edges yet"
    asked = "".join(
        f"; {node.name} asks {', '.join(each.name for each in node.branches) or 'nobody'}"
        for node in topology.nodes
        if is_asking(node)
    )
    return shortened(f"graph {topology.name}: {edges}{asked}", _LONGEST_ALT)
