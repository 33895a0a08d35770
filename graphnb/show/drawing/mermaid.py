"""A topology as Mermaid text, which GitHub, GitLab and many editors draw by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.drawing.captions import delegate_names, delegates_of, lanes_of, layers_of, layers_text, times_of
from graphnb.show.drawing.inside import branch_nodes, count_of, inside_of, is_asking
from graphnb.show.drawing.routes import Key, Route, nodes_of, routes_of
from graphnb.show.drawing.signs import marks_of, words_of
from graphnb.show.writing import palette

# all but letters, digits, spaces and underscores within words: Mermaid reads Markdown and HTML in labels
_SIGN: Final = re.compile(r"[^\w ]|(?<![^\W_])_|_(?![^\W_])")
_SHAPES: Final = {
    "node": ("(", ")"),
    "fan_out": ("[[", "]]"),
    "subgraph": ("[/", r"\]"),
    "branches": ("{{", "}}"),
    "delegates": ("([", "])"),
    "race": (">", "]"),
    "missing": ("(", ")"),
    "router": ("{", "}"),
    "start": ("((", "))"),
    "end": ("(((", ")))"),
    "join": ("[", "]"),
    "stub": ("((", "))"),
}
# fmt: off
_LINES: Final = {
    "edge": "-->", "stem": "---", "branch": "-.->", "open": "-.->",
    "fork": "-->", "guard": "-.->", "arrival": "---", "join": "-->",
}
# fmt: on
_MOST_BESIDE: Final = 6
_MOST_LINES: Final = 12  # of names


def mermaid_of(topology: Topology, *, depth: int = 2) -> str:
    """Mermaid text of the graph: the nodes, routers and edges of its drawing, by the same positions.

    Graphs within nodes are drawn down to `depth`; deeper ones are boxes that say how many nodes they hide.
    """
    lines = ["flowchart TB", *_level(topology, "n", depth=depth)]
    for kind in _SHAPES:
        look = palette.LOOKS[kind]
        ink = palette.PAPER if kind in ("start", "end", "join") else palette.INK
        dashes = ",stroke-dasharray:2 3" if "dotted" in look.style else ""
        if any(line.endswith(f"{kind}_look") for line in lines):
            lines.append(f"    classDef {kind}_look fill:{look.fill},stroke:{look.line},color:{ink}{dashes}")
    return "\n".join(lines) + "\n"


def _level(topology: Topology, prefix: str, *, depth: int) -> Iterator[str]:
    routes = tuple(routes_of(topology))
    inner = "" if prefix == "n" else prefix
    ids: dict[Key, str] = {START: f"{inner}start", END: f"{inner}finish"}  # "end" is a word of Mermaid
    if any(route.source is START for route in routes):
        yield f"    {ids[START]}{_shape('start', 'start')}"
    for i, node in enumerate(nodes_of(topology)):
        name = f"{prefix}{i}"
        ids |= {node.name: name, (node.name, "router"): f"{name}_router", (node.name, "open"): f"{name}_open"}
        yield from (f"    {line}" for line in _node(node, name, depth=depth, layers=layers_of(node, topology)))
        for route in routes:
            if route.source == node.name and route.kind == "stem":
                yield f"    {name}_router{_shape('router', route.tip)}"
            elif route.source == (node.name, "router") and route.kind == "open":
                yield f"    {name}_open{_shape('stub', '?')}"
    for i, bar in enumerate(dict.fromkeys(route.source for route in routes if route.kind == "join")):
        ids[bar] = f"{prefix}j{i}"
        yield f"    {ids[bar]}{_shape('join', 'join')}"
    if any(route.target is END for route in routes):
        yield f"    {ids[END]}{_shape('end', 'end')}"
    for route in routes:
        yield f"    {ids[route.source]} {_line(route)} {ids[route.target]}"


def _node(node: TopologyNode, name: str, *, depth: int, layers: Sequence[str]) -> Iterator[str]:
    words = {"fan_out": times_of, "branches": lanes_of, "delegates": delegates_of, "race": delegates_of}
    told = [words[node.kind](node)] if node.kind in words else ["not declared yet"] if node.kind == "missing" else []
    is_crowd = is_asking(node) and len(node.branches) > _MOST_BESIDE  # Mermaid would draw a single row
    if (node.inner is not None or node.branches) and depth > 0 and not is_crowd:
        layers = [" ".join(layers_text(layers))] if layers else []
        heading = " ".join((node.name, *told, *layers, *words_of(node.marks)))  # Mermaid makes room for one line
        yield f"subgraph {name}[{_quoted(heading)}]"
        yield "    direction TB"
        if node.inner is not None:
            yield from _level(node.inner, f"{name}_", depth=depth - 1)
        for i, branch in enumerate(branch_nodes(node)):
            yield from (f"    {line}" for line in _node(branch, f"{name}_{i}", depth=depth, layers=branch.middleware))
        yield "end"
        yield f"style {name} fill:{palette.CLUSTER_FILLS[node.kind]},stroke:{palette.LOOKS[node.kind].line}"
        return
    told += [node.worker] if node.kind == "node" and node.worker not in (None, node.name) else []
    told += palette.joined(palette.shortened(f"{label} {text}", 60) for label, text in node.details)
    if is_asking(node):
        told += delegate_names(node, lines=_MOST_LINES)
    elif node.inner or node.branches:
        told.append(f"nodes inside: {count_of(inside_of(node))}")
    told += (*(layers_text(layers) if layers else ()), *words_of(marks_of(node, folded=True)))
    yield f"{name}{_shape(node.kind, node.name, *told)}"


def _line(route: Route) -> str:
    told = [each for each in (route.label, *words_of(route.marks)) if each]
    return f"{_LINES[route.kind]}|{_quoted(*told)}|" if told else _LINES[route.kind]


def _shape(kind: str, *lines: str) -> str:
    opening, closing = _SHAPES[kind]
    return f"{opening}{_quoted(*lines)}{closing}:::{kind}_look"


def _quoted(*lines: str) -> str:
    """The lines as a label in quotes, every sign that might mean something as a character code."""
    parts = (part for line in lines for part in palette.readable(line).split("\n"))
    return '"' + "<br>".join(_SIGN.sub(lambda found: f"#{ord(found.group())};", part) or " " for part in parts) + '"'
