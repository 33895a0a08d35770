"""Wrong case files: the reason says where, what, and how to mend."""

import os
from pathlib import Path

import pytest

from graphnb.conformance.reading.cases import files_of
from graphnb.conformance.run import run_file
from tests.conformance.written import FAN_OUT, REFUSED, SOUND, changed, reason_of, results_of


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (SOUND, "type: int", "type: integer", "'integer' is no type: 'integer' is no type's name. Types: ['int'"),
        (SOUND, "type: list<string>", "type: list<string", "'list<string' is no type: a '>' is missing"),
        (SOUND, "type: list<string>", "type: list<>", "'list<>' is no type: '>' is no type's name"),
        (SOUND, "type: list<string>", 'type: "dict<string>"', "dict takes 2 types in angle brackets, not 1"),
        (SOUND, "type: list<string>", "type: int<string>", "int takes no types in angle brackets"),
        (SOUND, "type: list<string>", "type: list<string>>", "'>' stands behind the end of the type"),
        (SOUND, "type: int", "type: 3", "state.fields.eggs.type: must be a text, not int: 3"),
        (SOUND, "{type: int, default: 2}", "{default: 2}", "state.fields.eggs: has no 'type'"),
        (SOUND, "{type: int, default: 2}", "int", "state.fields.eggs: must be a mapping, not str"),
        (SOUND, "    eggs: {", "    _eggs: {", "has a field '_eggs'\nA field's name is a text that does not begin"),
        (SOUND, "eggs: eggs", "eggs: egg", "line 8, nodes.whisk.update_from_field.eggs: 'egg' is no field of"),
        (SOUND, "eggs: eggs, multiplier: 2", "multiplier: 2", "must map at least one field to the field it is"),
        (SOUND, "{eggs: eggs, multiplier: 2}}", "{eggs: eggs, multiplier: 2}, update: {}}", "does several things: "),
        (SOUND, "{update: {eggs: 3, log", "{sleep_ms: 1} #", "nodes.crack: does nothing\nGive it one of ['update'"),
        (SOUND, "crack: {update", "crack: {error_category: x, update", "error_category: means nothing beside 'update'"),
        (SOUND, "crack: {update", "crack: {sleep_ms: fast, update", "sleep_ms: must be a number, not str: 'fast'"),
        (SOUND, "entry: crack", "entry: 5", "line 5, entry: must be a text, not int: 5"),
        (SOUND, "initial_state: {}", "initial_state: []", "line 12, initial_state: must be a mapping, not list"),
        (SOUND, "initial_state: {}", "run_count: 0", "line 12, run_count: must be at least 1, not 0"),
        (SOUND, "[crack, whisk]", "crack", "line 15, expected.execution_order: must be a list, not str"),
        (SOUND, "{from: whisk, to: END}", "{from: whisk}", "line 11, edges[1]: has no 'to'"),
        (SOUND, "{from: whisk, to: END}", "{from: whisk, condition: {if_field: milk, equals: 1, then: END, else: END}}",
         "line 11, edges[1].condition.if_field: 'milk' is no field of the state\nFields: ['eggs', 'log']."),
        (SOUND, "{from: whisk, to: END}", "{from: whisk, condition: {if_field: eggs, then: END, else: END}}",
         "edges[1].condition: has no 'equals'"),
        (SOUND, "{from: whisk, to: END}", "[whisk, END]", "line 11, edges[1]: must be a mapping, not list"),
        (SOUND, "crack: {update: {eggs: 3, log: [\"crack\"]}}", "1: {update: {}}", "line 7, nodes: has the name 1"),
        (SOUND, "state:\n", "graph: {}\nstate:\n", "line 1, case: has both 'graph' and 'state'"),
        (SOUND, "edges:\n", "x: 1\nedgs:\n", "case: has no 'edges'"),
        (FAN_OUT, "subgraph: beat", "subgraph: beet", "fan_out.subgraph: 'beet' is no subgraph\nSubgraphs: ['beat']."),
        (FAN_OUT, "subgraph: beat", "count: 1", "nodes.beat_all.fan_out: has no 'subgraph'"),
        (FAN_OUT, "subgraphs:\n", "subgraph: {name: beat, state: {fields: {}}, nodes: {}, edges: []}\nsubgraphs:\n",
         "a second subgraph is named 'beat', the first is in line 1"),
        (FAN_OUT, "item_field: egg", "item_field: chick", "flaky_by_index: needs to know the item of its instance"),
        (FAN_OUT, "{flaky_by_index: {fail_when_idx: 7, success_compute: {foam: egg}}}", "{subgraph: beat}",
         "subgraphs run each other in a circle: beat -> beat"),
        (FAN_OUT, "fail_when_idx: 7, ", "", "needs one of fail_when_idx and fail_count_per_idx"),
        (REFUSED, "  entry: crack\n", "  entry: crack\n  expected: {}\n", "line 4, graph.expected: not supported"),
    ],
)  # fmt: skip
def test_wrongly_written_case_fails_with_place_and_mend(
    tmp_path: Path, text: str, old: str, new: str, reason: str
) -> None:
    """A slip in a directive says where it is, what it is, and what is wanted; no graph is run for it."""
    assert reason in reason_of(tmp_path, changed(text, old, new))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1: the file is empty"),
        ("# nothing but a comment\n", "line 1: the file is empty"),
        ("- a\n- b\n", "line 1, document: must be a mapping, not list"),
        ("state: [\n", "line 2, column 1: is no YAML that can be read safely"),
        ("state: a: b\n", "line 1, column 9: is no YAML that can be read safely"),
        ("nodes: !!python/object/apply:os.getcwd []\n", "line 1, column 8: is no YAML that can be read safely"),
        ("a: 1\n---\nb: 2\n", "is no YAML that can be read safely"),
        ("a: 2024-13-45\n", "the file: is no YAML that can be read safely: month must be in 1..12"),
        ("entry: a\nstate: {}\nentry: b\n", "line 3: key 'entry' stands twice in one mapping, first in line 1\nRename"),
        ("nodes:\n  a: {update: {x: 1, x: 2}}\n", "line 2: key 'x' stands twice in one mapping, first in line 2"),
        ("? [a]\n: 1\n", "line 1: a list or a mapping cannot be a key"),
        ("a: &a [*a]\n", "line 1: a value holds itself through an alias"),
        ("cases: []\n", "line 1, cases: must be a list of at least one case"),
        ("cases: {a: 1}\n", "line 1, cases: must be a list of at least one case"),
        ("cases:\n  - 5\n", "line 2, cases[0]: must be a mapping, not int"),
        ("cases:\n  - entry: a\n", "line 2, cases[0]: has no name\nBegin it with '- name: what_it_shows'."),
        ("cases:\n  - name: 5\n", "line 2, cases[0]: has no name"),
        ("cases:\n  - name: a\n  - name: a\n", "line 3, cases[1]: a second case is named 'a', the first is in line 2"),
        ("a: " + "[" * 600, "the file: is nested too deeply"),
        ("\n".join(["a: &a [1, 2, 3, 4, 5, 6, 7, 8]", *(f"b{i}: &b{i} [{', '.join([f'*b{i - 1}' if i else '*a'] * 9)}]"
         for i in range(9))]), "holds more than 200000 values, aliases written out"),
    ],
)  # fmt: skip
def test_file_that_cannot_be_understood_is_one_failed_case(tmp_path: Path, text: str, reason: str) -> None:
    """It bears the file's stem as name, and the reason says where the trouble is."""
    (result,) = results_of(tmp_path, text)

    assert ("written", "failed") == (result.case, result.status)
    assert reason in result.reasons[0]


def test_file_that_is_no_text_is_one_failed_case(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are refused."""
    path = tmp_path / "written.yaml"
    path.write_bytes(b"name: \xff\xfe\x00\n")
    (result,) = run_file(path)

    assert "is no YAML that can be read safely" in result.reasons[0]


def test_reading_a_case_runs_nothing_that_it_names(tmp_path: Path) -> None:
    """A tag that would make Python call something is refused, and the call is not made."""
    target = tmp_path / "made"
    text = f"nodes: !!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['{target}']]\n"

    assert "is no YAML that can be read safely" in reason_of(tmp_path, text)
    assert not target.exists()


def test_slip_of_a_mock_does_not_pass_for_a_node_that_fails(tmp_path: Path) -> None:
    """A multiplication that cannot be done is told, although the run ends with the expected category."""
    text = changed(SOUND, "{type: int, default: 2}", "{type: any, default: {}}").replace("eggs: 3, ", "")
    text = text[: text.index("expected:")] + "expected_error: {category: node_exception, raised_from: whisk}\n"

    assert "node 'whisk' cannot multiply {'eggs': {}} by 2" == reason_of(tmp_path, text)


def test_mock_that_asks_for_its_instance_outside_of_all_fails(tmp_path: Path) -> None:
    """A mock that counts by instance must run in one; that its node fails is no excuse."""
    text = changed(
        SOUND,
        "{update_from_field: {eggs: eggs, multiplier: 2}}",
        "{flaky_instance_only: {fail_count_per_instance: 1, success_compute: {}}}",
    )
    text = text[: text.index("expected:")] + "expected_error: {category: node_exception, raised_from: whisk}\n"

    assert "a body that asks for the instance it runs in runs in none" == reason_of(tmp_path, text)


def test_equal_items_are_told_apart_by_their_places(tmp_path: Path) -> None:
    """An instance is known by its number, whatever its item: of three equal ones the second fails."""
    text = changed(FAN_OUT, "flaky_by_index: {fail_when_idx: 7", "flaky_per_index: {always_fail_indices: [1]")

    assert "" == reason_of(tmp_path, text.replace("[4, 7, 5]", "[4, 4, 4]").replace("[4, 5]", "[4, 4]"))


def test_links_in_a_ring_are_one_failed_case(tmp_path):
    """The file that they stand for cannot be read."""
    ring = tmp_path / "ring.yaml"
    ring.symlink_to(ring)

    assert (ring,) == files_of([ring])
    assert [("ring", "failed")] == [(each.case, each.status) for each in run_file(ring)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipe_is_one_failed_case_and_not_waited_for(tmp_path):
    """Nobody may ever write to it."""
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    (result,) = run_file(pipe)

    assert ("pipe", "failed") == (result.case, result.status)
    assert "no regular file" in result.reasons[0]


def test_empty_path_is_refused():
    """It would stand for the current folder."""
    with pytest.raises(FileNotFoundError, match="an empty path names no file"):
        files_of([""])
