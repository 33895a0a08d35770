import base64
import re

import pytest

from graphnb.errors import GraphError
from graphnb.graph.topology import Topology, TopologyEdge, TopologyNode
from graphnb.show.drawing import picture, render
from graphnb.show.drawing.picture import picture_of
from graphnb.show.drawing.render import Svg
from tests.show.drawings import DRAFT, NASTY, REVIEW, VISITS, chain, nasty


@pytest.fixture
def drawn(monkeypatch):
    """A renderer that always answers with the same SVG."""
    monkeypatch.setattr(picture, "svg_of", lambda dot, **_: Svg("<svg>ü</svg>\n"))


@pytest.fixture
def undrawn(monkeypatch):
    """No renderer at all."""
    monkeypatch.setattr(render, "_renderers", list)


def test_bundle_has_text_image_and_svg(drawn):
    """With a renderer the bundle is the outline, an image that holds its data, and the SVG."""
    bundle = picture_of(REVIEW)._repr_mimebundle_()
    alt, data = re.fullmatch(
        r'<img alt="(.*)" src="data:image/svg\+xml;base64,(.*)" style=".*">', bundle["text/html"]
    ).groups()

    assert ["text/plain", "text/html", "image/svg+xml"] == list(bundle)
    assert bundle["text/plain"].startswith("graph review, state Review\nnodes\n  plan\n")
    assert "<svg>ü</svg>\n" == base64.b64decode(data).decode() == bundle["image/svg+xml"]
    assert alt.startswith("graph review: START → plan, plan → read_each, ")


def test_bundle_without_renderer_says_the_same_in_text(undrawn):
    """Without one the bundle has the outline, both sources, and one line that says how to get the picture."""
    bundle = picture_of(REVIEW)._repr_mimebundle_()
    hint = 'No picture: no renderer found. To get one: pip install "graphnb[draw]"'

    assert ["text/plain", "text/html"] == list(bundle)
    assert bundle["text/plain"].endswith(f"publish → END\nfields\n{bundle['text/plain'].split('fields')[1][1:]}")
    assert hint == bundle["text/plain"].splitlines()[-1]
    assert 3 == bundle["text/html"].count("<details")
    assert "judge ⇢ publish" in bundle["text/html"]
    assert "digraph {" in bundle["text/html"]
    assert "flowchart TB" in bundle["text/html"]


@pytest.mark.parametrize(
    ("points", "style"),
    [
        ("900", "max-width:100%;height:auto"),
        ("900.75", "min-width:1201px;height:auto"),
        ("wide", "max-width:100%;height:auto"),
    ],
    ids=["page", "wide", "no width"],
)
def test_wide_picture_is_scrolled_and_not_shrunk(monkeypatch, points, style):
    """Its names would be too small to read. Its own width is stronger than any that a front end wishes for images."""
    monkeypatch.setattr(picture, "svg_of", lambda dot, **_: Svg(f'<svg role="img" width="{points}pt" height="9pt"/>'))
    html = picture_of(REVIEW).html

    assert f' style="{style}">' in html
    assert html.startswith('<div style="max-width:100%;overflow-x:auto"><img ') is ("min-width" in style)


@pytest.mark.skipif(not render._renderers(), reason="nothing renders here")
def test_many_nodes_side_by_side_make_a_wide_picture():
    """Drawn for real: each keeps its size."""
    names = [f"node_{i}" for i in range(20)]
    edges = [TopologyEdge("first", name, "branch", router="choose") for name in names]
    nodes = [TopologyNode(name, "node") for name in ("first", *names)]
    wide = Topology("wide", "State", tuple(nodes), tuple(edges), ())

    assert re.search("min-width:[1-9][0-9]{3}px", picture_of(wide).html)


def test_names_are_escaped_in_html(undrawn):
    """No name of a graph becomes markup, in an attribute or in text."""
    html = picture_of(nasty()).html + picture_of(chain("a", name='"><script>x</script>')).html

    assert "<script" not in html
    assert "<b>" not in html


def test_alternative_is_escaped_and_bounded(drawn):
    """The alt text of a graph with any names is one attribute of bounded length."""
    html = picture_of(nasty()).html

    assert re.fullmatch(r'<img alt="[^"<>]*" src="data:image/svg\+xml;base64,[\w+/=]*" style="[^"]*">', html)
    assert len(picture_of(chain(*(f"step {i}" for i in range(500)))).alternative) <= 600


def test_picture_of_a_run_differs(drawn):
    """With visits the sources and the outline tell the path."""
    assert picture_of(REVIEW).dot != picture_of(REVIEW, VISITS).dot
    assert "taken as 2, 5" in picture_of(REVIEW, VISITS).outline


@pytest.mark.parametrize("topology", [DRAFT, Topology("new", "S", (), (), ()), nasty()])
def test_unfinished_graph_has_a_picture(topology):
    """Missing nodes, no nodes, impossible names: showing never raises, with whatever renderer there is."""
    assert "text/html" in picture_of(topology)._repr_mimebundle_()


def test_picture_too_big_for_a_notebook_is_told_in_words_and_can_be_saved(monkeypatch, tmp_path):
    """The bundle stays below 100 kB and says how to get the picture, which is there."""
    monkeypatch.setattr(picture, "svg_of", lambda dot, **_: Svg("<svg/>" * 100_000))
    shown = picture_of(chain(*(f"step {i}" for i in range(1000))))
    bundle = shown._repr_mimebundle_()

    assert ["text/plain", "text/html"] == list(bundle)
    assert max(map(len, bundle.values())) < 100_000
    assert "too big for a notebook. To get it: .draw().save(&#x27;graph.svg&#x27;)" in bundle["text/html"]
    assert shown.svg == shown.save(tmp_path / "graph.svg").read_text()


def test_save_writes_svg_dot_and_mermaid(drawn, tmp_path):
    """Each ending gives its text, with line ends as they are, and the path comes back."""
    shown = picture_of(REVIEW)

    for ending, text in ((".svg", shown.svg), (".dot", shown.dot), (".mmd", shown.mermaid)):
        assert text == shown.save(tmp_path / f"graph{ending}").read_bytes().decode()


def test_save_with_other_ending_names_the_choices(drawn, tmp_path):
    """A PNG is refused with the endings there are."""
    with pytest.raises(GraphError, match=r"cannot be saved as 'graph.png'\nEndings: \['.svg', '.dot', '.mmd'\]"):
        picture_of(REVIEW).save(tmp_path / "graph.png")


def test_save_of_svg_without_renderer_says_how_to_get_one(undrawn, tmp_path):
    """The error names the reason and the remedy; the sources can still be saved."""
    shown = picture_of(REVIEW)

    with pytest.raises(GraphError, match=r'no renderer found. To get one: pip install "graphnb\[draw\]"'):
        shown.save(str(tmp_path / "graph.svg"))
    assert shown.save(str(tmp_path / "graph.dot")).exists()


def test_repr_is_short_and_has_no_address(drawn):
    """The repr names the graph and its edges."""
    assert "<Picture of graph chain: START → a, a → END>" == repr(picture_of(chain("a")))


def test_nasty_names_leave_the_bundle_encodable(undrawn):
    """Lone surrogates are escapes, so that a notebook with them can be stored."""
    for text in picture_of(nasty())._repr_mimebundle_().values():
        text.encode("utf-8")
    assert "\ud800" in NASTY[-1]
