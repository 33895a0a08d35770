"""A topology as Mermaid text, which GitHub, GitLab and many editors draw by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show import palette
from graphnb.show.routes import Key, Route, count_of, nodes_of, routes_of, times_of

# all but letters, digits, spaces and underscores within words: Mermaid reads Markdown and HTML in labels
_SIGN: Final = re.compile(r"[^\w ]|(?<![^\W_])_|_(?![^\W_])")
_SHAPES: Final = {
    "node": ("(", ")"),
    "fan_out": ("[[", "]]"),
    "subgraph": ("[/", r"\]"),
    "missing": ("(", ")"),
    "router": ("{", "}"),
    "start": ("((", "))"),
    "end": ("(((", ")))"),
    "stub": ("((", "))"),
}
_LINES: Final = {"edge": "-->", "stem": "---", "branch": "-.->", "open": "-.->"}


def mermaid_of(topology: Topology, *, depth: int = 2) -> str:
    """Mermaid text of the graph: the nodes, routers and edges of its drawing, by the same positions.

    Graphs within nodes are drawn down to `depth`; deeper ones are boxes that say how many nodes they hide.
    """
    lines = ["flowchart TB", *_level(topology, "n", depth)]
    for kind in _SHAPES:
        look = palette.LOOKS[kind]
        ink = palette.PAPER if kind in ("start", "end") else palette.INK
        dashes = ",stroke-dasharray:2 3" if "dotted" in look.style else ""
        if any(line.endswith(f"{kind}_look") for line in lines):
            lines.append(f"    classDef {kind}_look fill:{look.fill},stroke:{look.line},color:{ink}{dashes}")
    return "\n".join(lines) + "\n"


def _level(topology: Topology, prefix: str, depth: int) -> Iterator[str]:
    routes = tuple(routes_of(topology))
    inner = "" if prefix == "n" else prefix
    ids: dict[Key, str] = {START: f"{inner}start", END: f"{inner}finish"}  # "end" is a word of Mermaid
    if any(route.source is START for route in routes):
        yield f"    {ids[START]}{_shape('start', 'start')}"
    for i, node in enumerate(nodes_of(topology)):
        name = f"{prefix}{i}"
        ids |= {node.name: name, (node.name, "router"): f"{name}_router", (node.name, "open"): f"{name}_open"}
        yield from (f"    {line}" for line in _node(node, name, depth))
        for route in routes:
            if route.source == node.name and route.kind == "stem":
                yield f"    {name}_router{_shape('router', route.tip)}"
            elif route.source == (node.name, "router") and route.kind == "open":
                yield f"    {name}_open{_shape('stub', '?')}"
    if any(route.target is END for route in routes):
        yield f"    {ids[END]}{_shape('end', 'end')}"
    for route in routes:
        yield f"    {ids[route.source]} {_line(route)} {ids[route.target]}"


def _node(node: TopologyNode, name: str, depth: int) -> Iterator[str]:
    told = {"fan_out": [times_of(node)], "missing": ["not declared yet"]}.get(node.kind, [])
    if node.inner is not None and depth > 0:
        yield f"subgraph {name}[{_quoted(' '.join((node.name, *told)))}]"  # Mermaid makes room for one line
        yield "    direction TB"
        yield from _level(node.inner, f"{name}_", depth - 1)
        yield "end"
        yield f"style {name} fill:{palette.CLUSTER_FILLS[node.kind]},stroke:{palette.LOOKS[node.kind].line}"
        return
    told += palette.joined(palette.shortened(f"{label} {text}", 60) for label, text in node.details)
    told += [f"nodes inside: {count_of(node.inner)}"] if node.inner else []
    yield f"{name}{_shape(node.kind, node.name, *told)}"


def _line(route: Route) -> str:
    return f"{_LINES[route.kind]}|{_quoted(route.label)}|" if route.label else _LINES[route.kind]


def _shape(kind: str, *lines: str) -> str:
    opening, closing = _SHAPES[kind]
    return f"{opening}{_quoted(*lines)}{closing}:::{kind}_look"


def _quoted(*lines: str) -> str:
    """The lines as a label in quotes, every sign that might mean something as a character code."""
    parts = (part for line in lines for part in palette.readable(line).split("\n"))
    return '"' + "<br>".join(_SIGN.sub(lambda found: f"#{ord(found.group())};", part) or " " for part in parts) + '"'
