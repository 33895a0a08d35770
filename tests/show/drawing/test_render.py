import os
import re
import shutil
import stat
import sysconfig
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphnb.graph.topology import Topology, TopologyField, TopologyNode
from graphnb.show.drawing import render
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.render import svg_of
from graphnb.show.writing import palette
from tests.show.drawings import NASTY, READABLE, REVIEW, VISITS, chain, fault, nasty, nested, warning
from tests.show.together import together

SVG = "{http://www.w3.org/2000/svg}"


def _pure():
    beside = Path(sysconfig.get_path("scripts"), "graphviz-pure")
    return str(beside) if beside.exists() else shutil.which("graphviz-pure")


@pytest.fixture(params=["graphviz-pure", pytest.param("dot", marks=pytest.mark.dot)])
def renderer(request, monkeypatch):
    """Each of the two renderers alone."""
    command = _pure() if request.param == "graphviz-pure" else shutil.which("dot")
    if command is None:
        pytest.skip('needs graphviz-pure (pip install "graphnb[draw]")')
    monkeypatch.setattr(render, "_renderers", lambda: [(request.param, command)])
    return request.param


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """`fake(body)` makes a shell script of this body the only renderer."""

    def make(body):
        path = tmp_path / "fake"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(render, "_renderers", lambda: [("fake", str(path))])

    return make


def groups_in(svg):
    """First own class -> (texts, title) of everything drawn in an SVG."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        classes = group.get("class", "").split()
        if len(classes) > 1:
            found[classes[1]] = [each.text or "" for each in group.findall(f"{SVG}text")], group.findtext(f"{SVG}title")
    return found


def test_names_are_drawn_as_written(renderer):
    """Read back from the SVG, every name is that of the topology, in its label and in its title."""
    drawn = groups_in(svg_of(dot_of(nasty())).svg)

    for i, name in enumerate(NASTY):
        lines, title = drawn[f"n{i}"]
        assert READABLE.get(name, name) == "\n".join(lines)
        assert READABLE.get(name, name) == (title or "")


def test_router_and_labels_are_drawn_as_written(renderer):
    """The router's name and what it returns come out with their backslashes."""
    drawn = groups_in(svg_of(dot_of(nasty())).svg)
    last = len(NASTY) - 1

    assert ([NASTY[3]], NASTY[3]) == drawn[f"n{last}_router"]
    assert [NASTY[0]] == drawn[f"n{last}_router-to-end"][0]


def test_fields_are_drawn_as_written(renderer):
    """Names, types, reducers and defaults of fields keep quotes, backslashes and angle brackets, on one line."""
    texts = [each.text for each in ElementTree.fromstring(svg_of(dot_of(nasty())).svg).iter(f"{SVG}text")]

    for name in NASTY:
        flat = READABLE.get(name, name).replace("\n", "\\n")
        assert not 0 < len(flat) <= 20 or texts.count(flat) >= 4


def test_long_name_is_whole_in_the_title(renderer):
    """A name of 500 characters is shortened where it is drawn and complete where it is read."""
    lines, title = groups_in(svg_of(dot_of(chain("x" * 500))).svg)["n0"]

    assert 4 == len(lines)
    assert "x" * 500 == title


def test_as_many_nodes_and_edges_as_declared(renderer):
    """Names with colons make no further node: the picture has one group per node and edge."""
    names = ("stage:one", "::", "http://host:81/x")
    root = ElementTree.fromstring(svg_of(dot_of(chain(*names))).svg)
    kinds = [group.get("class", "").split()[0] for group in root.iter(f"{SVG}g") if group.get("class")]

    assert len(names) + 2 == kinds.count("node")
    assert len(names) + 1 == kinds.count("edge")


def test_svg_tells_no_version_and_has_no_ids(renderer):
    """No comment, document type, link or generated id is left; the same text gives the same picture."""
    svg = svg_of(dot_of(REVIEW, VISITS)).svg

    assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" role="img"')
    assert not any(
        sign in svg for sign in ("<!--", "<!DOCTYPE", "<?xml", " id=", "xlink", "graphviz", "<a", "transparent")
    )
    assert svg == svg_of(dot_of(REVIEW, VISITS)).svg


def test_svg_has_paper_and_a_text_alternative(renderer):
    """Title and description come first, then a white rectangle with round corners as large as the picture."""
    root = ElementTree.fromstring(svg_of(dot_of(REVIEW), title="graph <x>", description="a & b").svg)
    title, description, paper = list(root)[:3]

    assert ("graph <x>", "a & b") == (title.text, description.text)
    assert palette.PAPER == paper.get("fill")
    assert root.get("viewBox").split() == [paper.get(each) for each in ("x", "y", "width", "height")]


def test_notes_stand_beside_a_narrow_graph_and_below_a_wide_one(renderer):
    """The fields are moved to the side where both fit a page; everything stays on the paper."""
    narrow = ElementTree.fromstring(svg_of(dot_of(chain("a"))).svg)
    wide = ElementTree.fromstring(svg_of(dot_of(chain("x" * 40 + "\n" + "w" * 40))).svg)

    assert narrow.find(f".//{SVG}g[@class='notes']") is not None
    assert float(narrow.get("viewBox").split()[2]) > float(narrow.get("viewBox").split()[3])
    assert wide.find(f".//{SVG}g[@class='notes']") is not None


def test_fan_out_is_a_stack_of_three_cards(renderer):
    """A fan-out is drawn three times, one behind the other, as a cluster and as a single box."""
    for depth in (0, 1):
        root = ElementTree.fromstring(svg_of(dot_of(REVIEW, depth=depth)).svg)
        stack = next(group for group in root.iter(f"{SVG}g") if "fan_out" in group.get("class", ""))
        cards = [float(each.get("x")) for each in stack.findall(f"{SVG}rect")]

        assert 3 == len(cards)
        assert sorted(cards, reverse=True) == cards


def test_sign_of_a_field_has_a_tooltip_within_the_notes():
    """Where the renderer knows tooltips without links; the drawing keeps its own."""
    if _pure() is None:
        pytest.skip('needs graphviz-pure (pip install "graphnb[draw]")')
    field = TopologyField('"<&\\N>"', "str", "append", "''", (warning('Odd "\\N" <&>.'),))
    svg = svg_of(dot_of(chain("a")._replace(fields=(field,))), title="graph g").svg
    root = ElementTree.fromstring(svg)
    (part,) = (each for each in root.iter(f"{SVG}g") if each.get("class") == "part")

    assert '"<&\\N>"\n⚠ 1 Odd "\\N" <&>.' == part.findtext(f"{SVG}title")
    assert part in list(next(each for each in root.iter(f"{SVG}g") if each.get("class") == "notes"))
    assert "graph g" == root.findtext(f"{SVG}title")


def test_signs_of_a_fan_out_stand_on_its_front_card(renderer):
    """They are no outlines of it."""
    node = TopologyNode("f", "fan_out", (("over", "xs"),), "read", marks=(fault("Wrong."),))
    root = ElementTree.fromstring(svg_of(dot_of(Topology("g", "S", (node,), (), ()))).svg)
    group = next(each for each in root.iter(f"{SVG}g") if "fan_out" in each.get("class", ""))

    assert 3 == len(group.findall(f"{SVG}rect"))
    assert any(palette.ALARM.lower() == each.get("fill", "").lower() for each in group.findall(f"{SVG}path"))


def test_dots_of_the_legend_are_round(renderer):
    """Start and end stand in the legend as they are drawn: a dot, and a dot within a circle."""
    notes = next(
        each
        for each in ElementTree.fromstring(svg_of(dot_of(chain("a"))).svg).iter(f"{SVG}g")
        if each.get("class") == "notes"
    )
    first, *ring = [[float(each.get(key)) for key in ("cx", "cy", "r")] for each in notes.iter(f"{SVG}circle")]
    inner, outer = min(ring, key=lambda each: each[2]), max(ring, key=lambda each: each[2])

    assert first[2] > 4
    assert inner[2] + 2 <= outer[2]
    assert inner[:2] == pytest.approx(outer[:2], abs=0.6)


@pytest.mark.parametrize("depth", range(6))
def test_any_depth_is_drawn(renderer, depth):
    """Five levels with loops back into subgraphs are drawn at every depth."""
    assert svg_of(dot_of(nested(5), depth=depth)).svg is not None


def test_dot_text_of_others_is_rendered_too(renderer):
    """A drawing that is not ours keeps its size and gets the same paper."""
    svg = svg_of("digraph { a -> b }").svg

    assert "<title>" not in svg
    assert palette.PAPER in svg


def test_without_renderer_there_is_a_reason(monkeypatch):
    """No renderer: no SVG, one line that says so, no exception."""
    monkeypatch.setattr(render, "_renderers", list)

    assert render.Svg(None, "no renderer found") == svg_of("digraph {}")


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("echo 'Warning: x' >&2; echo 'Error: syntax' >&2; exit 1", "fake failed: Error: syntax"),
        ("exit 3", "fake failed: it said nothing"),
        ("exit 0", "fake gave nothing"),
        ("echo no svg", "fake gave no proper SVG"),
        ("echo '<svg/>'", "fake gave no proper SVG"),
        ("sleep 5", "fake took longer than 0.2 seconds"),
    ],
)
def test_renderer_that_fails_gives_a_reason(fake, body, reason):
    """Whatever the renderer does, the answer is a reason in one line."""
    fake(body)

    assert render.Svg(None, reason) == svg_of("digraph {}", timeout_seconds=0.2 if "sleep" in body else 30)


def test_renderer_that_cannot_be_started_gives_a_reason(monkeypatch, tmp_path):
    """A file that is no program is a reason, not an error."""
    monkeypatch.setattr(render, "_renderers", lambda: [("gone", str(tmp_path / "gone"))])

    assert "gone could not be started (FileNotFoundError)" == svg_of("digraph {}").reason


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_second_renderer_serves_where_the_first_fails(fake, monkeypatch):
    """A broken first renderer does not cost the picture."""
    fake("echo '<svg viewBox=\"0 0 1 1\"/>'")
    (working,) = render._renderers()
    monkeypatch.setattr(render, "_renderers", lambda: [("broken", "/nowhere"), working])

    assert "<rect" in svg_of("digraph {}").svg


def test_renderer_beside_python_comes_before_the_path(monkeypatch, tmp_path):
    """graphviz-pure of the environment is found although the PATH does not have it, and before dot."""
    for name in ("graphviz-pure", "dot"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setenv("PATH", "")

    assert [("graphviz-pure", str(tmp_path / "graphviz-pure"))] == render._renderers()


def test_dot_of_the_path_is_found(monkeypatch, tmp_path):
    """Without graphviz-pure, the dot program of the PATH is what there is."""
    (tmp_path / "dot").touch(mode=0o755)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))

    assert [("dot", str(tmp_path / "dot"))] == render._renderers()


@pytest.mark.parametrize("kind", palette.LOOKS)
def test_text_is_readable_on_every_fill(kind):
    """Ink and the fainter ink have a contrast of 4.5 or more on the fill of every kind that holds text."""
    fills = [palette.LOOKS[kind].fill, palette.CLUSTER_FILLS.get(kind, palette.PAPER), palette.UNREACHED]
    inks = [palette.INK, palette.FAINT, palette.TAKEN, palette.ALARM]

    assert kind in ("start", "end", "join") or all(_contrast(ink, fill) >= 4.5 for ink in inks for fill in fills)


def _contrast(one, other):
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_lines_that_swing_out_of_the_graph_are_on_the_paper(renderer):
    """A line back to the first node leads around a wide node, and past the cluster of all."""
    root = ElementTree.fromstring(svg_of(dot_of(together().topology())).svg)
    left, _, width, _ = map(float, root.get("viewBox").split())
    lines = [each for each in root.iter(f"{SVG}g") if "-to-" in each.get("class", "")]
    numbers = [re.findall(r"-?[\d.]+", path.get("d")) for each in lines for path in each.iter(f"{SVG}path")]
    across = [float(x) for each in numbers for x in each[::2]]

    assert left <= min(across)
    assert max(across) <= left + width
