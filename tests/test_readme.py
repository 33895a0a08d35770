"""What the README and the documentation show is what the code does."""

from __future__ import annotations

import contextlib
import inspect
import io
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

import graphnb as gn
from graphnb import errors

_ROOT = pathlib.Path(__file__).parents[1]
_README = (_ROOT / "README.md").read_text("utf-8")
_SPECIFICATION = (_ROOT / "docs" / "specification.md").read_text("utf-8")
_DOCUMENTS = (_ROOT / "docs" / "documents.md").read_text("utf-8")
_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/specification.md", "docs/documents.md")


# --- the README ------------------------------------------------------------------------------------------------------


def _examples() -> list[tuple[str, str]]:
    """The examples that are followed by what they print, in order, each with that."""
    found = re.findall(r"```python\n((?:(?!```).)*?)```\n\nprints\n\n```text\n(.*?)```", _README, re.DOTALL)
    return [(code, printed) for code, printed in found]


def test_examples_print_what_the_readme_says() -> None:
    """Running them one after the other prints the texts below them, to the letter."""
    namespace: dict[str, Any] = {"__name__": "readme"}
    got = []
    for code, _ in _examples():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec", dont_inherit=True), namespace)
        got.append(printed.getvalue())

    assert [printed for _, printed in _examples()] == got
    assert 7 == len(got)


def test_examples_are_short() -> None:
    """Each has at most 25 lines of code."""
    lengths = [len([line for line in code.splitlines() if line.strip()]) for code, _ in _examples()]

    assert [] == [length for length in lengths if length > 25]


def test_tables_name_what_exists() -> None:
    """Every reducer and every fan-out option that the README's tables list exists."""
    reducers = re.findall(r"^\| `(\w+)(?:\(\w+\))?` \|", _README, re.MULTILINE)
    options = set(gn.Graph.fan_out.__kwdefaults__)
    names = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|.*\|.*\|$", _README, re.MULTILINE))))

    assert {name for name in reducers if hasattr(gn, name)} >= {"append", "merge", "concat_flatten", "merge_all"}
    assert names & options == options - {"to"}


# --- every page ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", _PAGES)
def test_page_names_what_exists(page: str) -> None:
    """Whatever a page calls `gn.something` or `graph.something` is there."""
    text = (_ROOT / page).read_text("utf-8")
    public = {name for name in re.findall(r"\bgn\.(\w+)", text) if not hasattr(gn, name)}
    methods = {name for name in re.findall(r"\bgraph\.(?!py\b)(\w+)", text) if not hasattr(gn.Graph, name)}

    assert (set(), set()) == (public, methods)


@pytest.mark.parametrize("page", _PAGES)
def test_page_links_and_paths_lead_somewhere(page: str) -> None:
    """Links within the project, and paths in it that are written as code; headings that are linked to exist."""
    path = _ROOT / page
    text = path.read_text("utf-8")
    links = [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    headings = {re.sub(r"[^\w -]", "", each).strip().lower().replace(" ", "-") for each in _headings(text)}
    paths = re.findall(r"`((?:graphnb|tests|docs|conformance|notebooks|tools|binder)/[\w./-]*)`", text)

    assert [] == [link for link in links if link.startswith("#") and link[1:] not in headings]
    assert [] == [link for link in links if not link.startswith("#") and not (path.parent / link).exists()]
    assert [] == [each for each in paths if not (_ROOT / each).exists()]


def _headings(text: str) -> Iterator[str]:
    return (line.lstrip("#") for line in text.splitlines() if line.startswith("#"))


# --- the page on the specification -----------------------------------------------------------------------------------


def _rows() -> list[list[str]]:
    """The cells of all tables of the page, and of that on documents, row by row."""
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in (_SPECIFICATION + _DOCUMENTS).splitlines()
        if line.startswith("|") and not line.startswith("|---")
    ]


def _named(where: str) -> set[str]:
    """The names that stand as code in a text."""
    return {name for code in re.findall(r"`([^`]+)`", where) for name in re.findall(r"\w+", code)}


def test_specification_lists_every_category_with_its_class() -> None:
    """Each class of error or warning stands in a row with its category."""
    classes = {name: cls for name, cls in vars(errors).items() if isinstance(cls, type) and hasattr(cls, "category")}
    abstract = {"GraphError", "BuildError", "RunError", "GraphWarning", "Causes", "Cause", "FanOutError"}
    told = {(name, category) for row in _rows() for name in _named(" ".join(row[1:])) for category in _named(row[0])}

    assert [] == [name for name, cls in classes.items() if name not in abstract and (name, cls.category) not in told]


_OPTIONS = {
    "Graph": gn.Graph,
    "node": gn.Graph.node,
    "subgraph": gn.Graph.subgraph,
    "fan_out": gn.Graph.fan_out,
    "branches": gn.Graph.branches,
    "observer": gn.Graph.observer,
    "run": gn.Graph.run,
    "drain_events_for": gn.Graph.drain_events_for,
    "ParallelBranch": gn.ParallelBranch,
    "retry": gn.retry,
    "timing": gn.timing,
    "failure_isolation": gn.failure_isolation,
    "bounded_append": gn.bounded_append,
    "dedupe_append": gn.dedupe_append,
    "merge_by_key": gn.merge_by_key,
}


@pytest.mark.parametrize("name", _OPTIONS)
def test_specification_lists_every_option(name: str) -> None:
    """Those that have a name of their own; what is given by position goes without."""
    own = {"self", "name", "function", "state", "graph", "worker", "branches", "fields"}
    options = set(inspect.signature(_OPTIONS[name]).parameters) - own

    assert set() == options - _named(_SPECIFICATION)


_RECORDS = [
    gn.NodeEvent,
    gn.FailureIsolated,
    gn.Lineage,
    gn.FanOutConfig,
    gn.ParallelBranchesConfig,
    gn.DrainSummary,
    gn.TimingRecord,
    gn.Invocation,
    gn.Causes,
    gn.Cause,
]


@pytest.mark.parametrize("record", _RECORDS, ids=lambda record: record.__name__)
def test_specification_lists_every_field_of_what_is_told(record: type) -> None:
    """Fields and properties of events, summaries and records; what they keep to themselves goes without."""
    fields = {name for name in record.__annotations__ if not name.startswith("kept_")}
    properties = {name for name, each in vars(record).items() if isinstance(each, property)}

    assert set() == (fields | properties | {record.__name__}) - _named(_SPECIFICATION)


def test_specification_names_what_errors_carry() -> None:
    """Every attribute that a class of error adds."""
    base = {"where", "what", "mend", "category"}
    classes = [cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, errors.GraphError)]
    carried = {name for cls in classes for name in vars(cls).get("__annotations__", {})} - base

    assert set() == carried - _named(_SPECIFICATION + _DOCUMENTS)


def test_specification_does_not_call_planned_what_is_there() -> None:
    """Nothing under "Not there yet" is a public name."""
    section = _SPECIFICATION.partition("## Not there yet")[2].partition("\n## ")[0]

    assert set() == {name for name in _named(section) if hasattr(gn, name)}
    assert _named(section)
