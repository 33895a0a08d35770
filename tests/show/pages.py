"""Reading the HTML that is shown, and what front ends that trust nothing keep of it."""

from __future__ import annotations

from html.parser import HTMLParser

# What JupyterLab keeps of a notebook that it does not trust.
KEPT_TAGS = {*"div table tbody tr th td span b i br wbr ins del details summary".split()}
KEPT_ATTRIBUTES = {"class", "style", "colspan"}
_COLOUR = r"(#[0-9A-F]{6}|rgba\(\d+,\d+,\d+,\.\d+\)|none)"
_LENGTH = r"(0|\d+px)"
KEPT_STYLES = {
    "background": _COLOUR,
    "border": rf"{_LENGTH} (solid|dashed) {_COLOUR}",
    "border-bottom": rf"{_LENGTH} solid {_COLOUR}",
    "border-collapse": "collapse",
    "border-left": rf"{_LENGTH} solid {_COLOUR}",
    "border-radius": _LENGTH,
    "border-top": rf"{_LENGTH} solid {_COLOUR}",
    "color": _COLOUR,
    "display": "inline-block",
    "font-family": "(monospace|sans-serif)",
    "font-size": _LENGTH,
    "font-weight": "bold",
    "line-height": r"\d\.\d",
    "margin": rf"{_LENGTH} {_LENGTH}",
    "opacity": r"\.\d+",
    "overflow-wrap": "break-word",
    "padding": rf"{_LENGTH} {_LENGTH}",
    "padding-left": _LENGTH,
    "table-layout": "fixed",
    "text-align": "left",
    "text-decoration": "none",
    "vertical-align": "top",
    "width": r"\d+%",
}


class _Checker(HTMLParser):
    """Collects tags, attributes and styles, and sees that tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.styles: set[str] = set()
        self.text: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "style":
                self.styles.update((value or "").split(";"))
        if tag in ("td", "th", "div", "br", "summary"):
            self.text.append(" ")
        if tag not in ("br", "wbr", "img", "meta"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self._open.pop()

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def finished(self) -> _Checker:
        """Return itself, all tags closed."""
        self.close()
        assert not self._open
        return self


def checked(text: str) -> _Checker:
    """Parse the HTML."""
    checker = _Checker()
    checker.feed(text)
    return checker.finished()


def words(text: str) -> str:
    """The text of the HTML, as one line."""
    return " ".join("".join(checked(text).text).split())
