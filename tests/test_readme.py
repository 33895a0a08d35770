"""What the README shows is what the code does."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re

import graphnb as gn

_README = pathlib.Path(__file__).parents[1] / "README.md"


def _example() -> tuple[str, str]:
    """The first example and the output printed below it."""
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", _README.read_text("utf-8"), re.DOTALL)
    assert found is not None, "the README has no example followed by its output"
    return found.group(1), found.group(2)


def test_example_prints_what_the_readme_says() -> None:
    """Running the README's example prints the text below it, to the letter."""
    code, stored = _example()
    printed = io.StringIO()

    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec", dont_inherit=True), {"__name__": "readme"})

    assert stored == printed.getvalue()


def test_example_is_short() -> None:
    """The example has at most 25 lines of code."""
    code, _ = _example()

    assert 25 >= len([line for line in code.splitlines() if line.strip()])


def test_tables_name_what_exists() -> None:
    """Every reducer and every fan-out option that the README's tables list exists."""
    text = _README.read_text("utf-8")
    reducers = re.findall(r"^\| `(\w+)(?:\(\w+\))?` \|", text, re.MULTILINE)
    options = set(gn.Graph.fan_out.__kwdefaults__)
    names = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|.*\|.*\|$", text, re.MULTILINE))))

    assert {name for name in reducers if hasattr(gn, name)} >= {"append", "merge", "concat_flatten", "merge_all"}
    assert names & options == options - {"to"}
