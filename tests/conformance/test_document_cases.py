"""Cases about step reducers and documents: a pass means something, and the shared ones pass."""

import json
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest

from graphnb.cli import main
from graphnb.conformance.documents.language import form_of
from graphnb.conformance.reading.cases import cases_of
from tests.conformance.mutants import otherwise, passes
from tests.conformance.written import reason_of, results_of

KINDS = {"reduce": 83, "zero": 6, "write": 31, "compile": 26, "load": 11, "hash": 7, "run": 58}
"""The shared cases by kind."""


def test_shared_cases_pass(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Through the command line, all of every kind."""
    folder = shared / "docket"
    if not folder.is_dir():
        pytest.skip("no cases of documents beside this checkout (../shared/cases/docket)")
    kinds = {case.name: case.part.value["kind"] for path in folder.glob("*.yaml") for case in cases_of(path)}
    status = main(["conformance", str(folder), "--json"])
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert KINDS == Counter(kinds[each["case"]] for each in results if each["status"] == "passed")
    assert [] == [each for each in results if each["status"] != "passed"]
    assert 0 == status


CASE = {
    "reduce": "{name: n, kind: reduce, reducer: append, prior: [1], writes: [{node: a, value: 2}], expected: [1, 2]}",
    "zero": "{name: n, kind: zero, reducer: sum, expected: 0}",
    "write": "{name: n, kind: write, reducer: sum, schema: {type: integer}, write: true, valid: false, error_at: [[]]}",
    "compile": "{name: n, kind: compile, graph: {nodes: {a: {rules: [{fail: x}]}}, edges: {e: {from: $start, to: a}}}, "
    "ok: true, diagnostics: [[warning, no_terminal_edge, [edges]]]}",
    "load": "{name: n, kind: load, document: {schema_version: 1, id: g, name: null}, ok: true, "
    "dumps_to: {schema_version: 1, id: g}}",
    "refused": "{name: n, kind: load, document: {schema_version: 2, id: g}, ok: false, "
    "error: unsupported_schema_version}",
    "hash": "{name: n, kind: hash, documents: [{schema_version: 1, id: g}, {id: g, schema_version: 1}], "
    "all_equal: true}",
    "distinct": "{name: n, kind: hash, documents: [{schema_version: 1, id: g}, {schema_version: 1, id: h}], "
    'canonical: \'{"id":"g","schema_version":1}\', all_distinct: true}',
    "implementations": "{name: n, kind: compile, implementations: {m: {not_callable: true}}, graph: "
    "{nodes: {a: {implementation: {type: module, implementation: m}}}, edges: "
    "{e: {from: $start, to: a}, f: {from: a, to: $finish}}}, ok: false, diagnostics: "
    "[[error, invalid_node_implementation, [nodes, a, implementation]]]}",
}


def written(case: str) -> str:
    """A file with this case."""
    return f"format: graphnb-conformance/1\ncases:\n- {case}\n"


@pytest.mark.parametrize("name", CASE)
def test_control_passes(tmp_path: Path, name: str) -> None:
    """The cases that are spoilt below do pass as they are."""
    assert "" == reason_of(tmp_path, written(CASE[name]))


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("reduce", "expected: [1, 2]", "expected: [1, 2.0]", "expected[1]: expected 2.0 (float), got 2 (int)"),
        ("reduce", "expected: [1, 2]", "expected: [true, 2]", "expected[0]: expected True (bool), got 1 (int)"),
        ("reduce", "value: 2}", "value: 2}, {node: a, value: 3}", "a node writes twice"),
        ("reduce", "value: 2", "value: 2, at: 1", "not supported yet: at"),
        ("reduce", "reducer: append", "reducer: appendd", "must be one of"),
        ("reduce", "writes: [{node: a, value: 2}]", "writes: []", "is empty"),
        ("reduce", "prior: [1]", "schema: {type: number}, prior: [1]", "unknown type: str 'number'"),
        ("reduce", "reducer: append, ", "", "has no 'reducer'"),
        ("reduce", "name: n", "name: n, priors: 1", "not supported yet: priors"),
        ("reduce", "kind: reduce", "kind: reduces", "not supported yet: kind 'reduces'"),
        ("reduce", "kind: reduce, ", "", "not supported yet: kind None"),
        ("reduce", "kind: reduce", "kind: [reduce]", "not supported yet: kind ['reduce']"),
        ("reduce", "kind: reduce", "kind: run", "not supported yet: reducer"),
        ("zero", "expected: 0", "expected: 0.0", "expected: expected 0.0 (float), got 0 (int)"),
        ("zero", "expected: 0", "expected: null", "the effective default: expected None"),
        ("write", "error_at: [[]]", "error_at: [[0]]", "error_at[0]"),
        ("write", "error_at: [[]]", "error_at: [[], []]", "error_at: expected"),
        ("write", ", error_at: [[]]", "", "has no 'error_at'"),
        ("write", "valid: false", "valid: true", "tells of errors in a write that is valid"),
        ("write", "valid: false, error_at: [[]]", "valid: true", "valid: the write is refused at [[]]"),
        ("write", "write: true", "write: 1", "error_at: expected"),
        ("write", "schema: {type: integer}", "schema: null", "schema: there is none"),
        ("compile", "warning", "error", "expected 'error', got 'warning'"),
        ("compile", "[edges]", "[nodes]", "expected 'nodes', got 'edges'"),
        ("compile", "[[warning, no_terminal_edge, [edges]]]", "[]", "diagnostics: expected"),
        ("compile", "ok: true", "ok: false", "ok: expected False, got True"),
        ("compile", "fail: x", "fails: x", "not supported yet: fails"),
        ("compile", "fail: x", "when: {missing: f}", "not supported yet: missing"),
        ("compile", "rules:", "implementation: {type: module, implementation: m}, rules:", "has both 'rules'"),
        ("compile", "graph: {nodes", "graph: {id: g, nodes", "is not part of a graph here"),
        ("compile", "graph: {nodes", "graph: {node: {}, nodes", "cannot be read, category invalid_document"),
        (
            "compile",
            "graph: {nodes: {a: {rules: [{fail: x}]}}, ",
            "graph: {nodes: [a], ",
            "must be an object, not list",
        ),
        ("compile", "{a: {rules: [{fail: x}]}}", "{a: [rules]}", "must be an object, not list"),
        ("load", "dumps_to: {schema_version: 1, id: g}", "dumps_to: {schema_version: 1, id: h}", "dumps_to.id"),
        ("load", ", dumps_to: {schema_version: 1, id: g}", "", "dumps_to: expected a key 'name' with None"),
        ("load", "ok: true", "ok: false, error: invalid_document", "stands beside a document that is refused"),
        ("load", "name: null", "name: 3", "ok: the document is refused, category invalid_document"),
        ("load", "ok: true", "ok: true, error: invalid_document", "needs 'error' if it is not ok"),
        ("refused", "unsupported_schema_version", "invalid_document", "error: expected 'invalid_document', got"),
        ("refused", "schema_version: 2", "schema_version: 1", "ok: the document is read"),
        ("refused", ", error: unsupported_schema_version", "", "needs 'error' if it is not ok"),
        ("hash", "id: g}, ", "id: h}, ", "all_equal: the hashes are"),
        ("hash", "all_equal: true", "all_equal: false", "must be true"),
        ("hash", ", all_equal: true", "", "asserts nothing"),
        ("hash", "all_equal: true", "all_equal: true, all_distinct: true", "stands beside 'all_equal'"),
        ("hash", "all_equal: true", "sha256: abc", "sha256: expected 'abc'"),
        ("hash", "documents: [", "documents: [3, ", "must be an object or JSON text"),
        ("hash", ", {id: g, schema_version: 1}]", "]", "all_equal: says nothing of a single document"),
        ("distinct", "id: h", "id: g", "all_distinct: the hashes are"),
        ("distinct", ", {schema_version: 1, id: h}]", "]", "all_distinct: says nothing of a single document"),
        ("distinct", '"id":"g"', '"id": "g"', "canonical: expected"),
        ("implementations", "not_callable: true", "not_callable: false", "must be true"),
        ("implementations", "not_callable: true", "callable: true", "not supported yet: callable"),
    ],
)
def test_case_that_is_written_wrongly_fails(tmp_path: Path, name: str, old: str, new: str, reason: str) -> None:
    """A wrong expectation, an unknown key, a contradiction: each with a reason that names it."""
    assert old in CASE[name]
    assert reason in reason_of(tmp_path, written(CASE[name].replace(old, new, 1)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("format: graphnb-conformance/2\ncases: [{name: n, kind: zero}]", "format 'graphnb-conformance/2'"),
        ("format: null\ncases: [{name: n, kind: zero}]", "not supported yet"),
        ("format: graphnb-conformance/1\nname: n\nkind: zero", "has a format and no list of cases"),
        (f"graphs: {{}}\n{written(CASE['zero'])}", "not supported yet: graphs"),
        (f"cases: [{CASE['zero']}]", "not supported yet: kind"),
    ],
)
def test_file_of_another_form_fails(tmp_path: Path, text: str, reason: str) -> None:
    """An unknown format, keys beside the list, no format at all."""
    assert reason in reason_of(tmp_path, text)


def test_two_cases_of_one_file_are_judged_by_themselves(tmp_path: Path) -> None:
    """One that fails does not take the other with it."""
    text = dedent("""\
        format: graphnb-conformance/1
        description: two zeros
        cases:
        - {name: one, kind: zero, reducer: merge, expected: []}
        - {name: two, kind: zero, reducer: merge, expected: {}}
        """)

    assert ["failed", "passed"] == [result.status for result in results_of(tmp_path, text)]


_EXPECTATIONS = ("expected", "ok", "valid", "error_at", "diagnostics", "error", "dumps_to", "canonical", "sha256")


def test_every_own_expectation_written_otherwise_fails(repository: Path) -> None:
    """Each scalar, element, key and type of what the project's own cases expect is checked."""
    files = sorted((repository / "conformance").rglob("*.yaml"))
    cases = [case for path in files for case in cases_of(path) if form_of(case) is not None]
    mutants = [
        (case, {**case.part.value, key: other})
        for case in cases
        for key in _EXPECTATIONS
        if key in case.part.value
        for other in otherwise(case.part.value[key], is_ordered=False)
    ]

    assert 208 <= len(cases)
    assert 1000 < len(mutants)
    assert [] == [(case.name, mutant) for case, mutant in mutants if passes(case, mutant)]
