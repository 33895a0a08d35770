"""A run as one static page that needs neither a kernel nor a network."""

from __future__ import annotations

from typing import Final

from graphnb.show.diff.table import diff_of
from graphnb.show.run_view import status_html
from graphnb.show.state_table import state_html
from graphnb.show.writing.tags import escaped
from graphnb.trace.trace import Trace

_MOST_ROWS: Final = 1000
_STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{font-family:system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;line-height:1.5}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}img,svg{max-width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{background:#14171a;color:#e4e7ea}}"
)


def report_html(trace: Trace, picture_html: str, *, title: str) -> str:
    """A self-contained page: title, outcome, drawing, final state and the step diff table.

    `picture_html` is taken as it is. The table has at most 1,000 rows and tells what it leaves out.
    """
    name = escaped(title)
    sections = {
        "The path taken": picture_html,
        "The state at the end": state_html(trace),
        "What each step wrote": diff_of(trace, limit=_MOST_ROWS).html(most_bytes=None),
    }
    body = "\n".join(f"<h2>{heading}</h2>\n{inside}" for heading, inside in sections.items() if inside)
    head = f'<meta charset="utf-8">\n<title>{name}</title>\n<style>{_STYLE}</style>'
    page = f"<head>\n{head}\n</head>\n<body>\n<h1>{name}</h1>\n{status_html(trace)}\n{body}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="en">\n{page}\n</html>\n'
