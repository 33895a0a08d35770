"""A pass means something: what is expected wrongly, or is not known, fails its case with a reason that helps."""

from pathlib import Path

import pytest

from tests.conformance.written import FAILING, FAN_OUT, REFUSED, SOUND, UNFIT, changed, reason_of, results_of


@pytest.mark.parametrize(
    "text", [SOUND, FAILING, UNFIT, REFUSED, FAN_OUT], ids=["sound", "failing", "unfit", "refused", "fan_out"]
)
def test_control_passes(tmp_path: Path, text: str) -> None:
    """The cases that the tests below spoil do pass as they are."""
    assert "" == reason_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (SOUND, "eggs: 6", "eggs: 7", "final_state.eggs: expected 7, got 6"),
        (SOUND, "eggs: 6", "eggs: 6.0", "final_state.eggs: expected 6.0 (float), got 6 (int)"),
        (SOUND, "eggs: 6", 'eggs: "6"', "final_state.eggs: expected '6' (str), got 6 (int)"),
        (SOUND, "eggs: 6, ", "", "final_state: does not say that 'eggs' is 6"),
        (SOUND, "eggs: 6, ", "eggs: 6, milk: 1, ", "final_state: 'milk' is no field of the state"),
        (
            SOUND,
            'log: ["crack"]}\n  e',
            'log: ["crack", "whisk"]}\n  e',
            "final_state.log: expected ['crack', 'whisk'] (2",
        ),
        (SOUND, "[crack, whisk]", "[crack]", "execution_order: expected ['crack'], got ['crack', 'whisk']"),
        (
            SOUND,
            "[crack, whisk]",
            "[whisk, crack]",
            "execution_order: expected ['whisk', 'crack'], got ['crack', 'whisk']",
        ),
        (
            SOUND,
            "  execution_order",
            "  recoverable_state: {}\n  execution_order",
            "recoverable_state: the run did not",
        ),
        (SOUND, "expected:\n", "expected_error: {category: x}\nexpected:\n", "expected_error: the run did not fail"),
        (
            SOUND,
            "multiplier: 2",
            "multiplier: true",
            "line 8, nodes.whisk.update_from_field.multiplier: must be a number",
        ),
        (
            FAILING,
            "category: node_exception",
            "category: reducer_error",
            "category: expected 'reducer_error', got 'node_",
        ),
        (FAILING, "raised_from: drop", "raised_from: crack", "raised_from: expected 'crack', got 'drop'"),
        (FAILING, "\n  message: it fell", "\n  message: fell", "message: expected 'fell', got 'it fell'"),
        (
            FAILING,
            "cause_message: it",
            "cause_message: then it",
            "cause_message: expected 'then it fell', got 'it fell'",
        ),
        (FAILING, "exception_type: V", "exception_type: K", "cause.exception_type: expected 'KalueError', got 'ValueE"),
        (FAILING, "{eggs: 3}\n  ex", "{eggs: 2}\n  ex", "recoverable_state.eggs: expected 2, got 3"),
        (FAILING, "{eggs: 3}\n  ex", "{}\n  ex", "recoverable_state: does not say that 'eggs' is 3"),
        (FAILING, "[crack, drop]", "[crack]", "execution_order: expected ['crack'], got ['crack', 'drop']"),
        (
            FAILING,
            "  message",
            "  fan_out_category: x\n  message",
            "fan_out_category: expected 'x', but the error has none",
        ),
        (FAILING, "  message", "  flaky_call_count: 1\n  message", "flaky_call_count: expected 1, got 0"),
        (
            FAILING,
            "  message",
            "  carries: {field: eggs}\n  message",
            "carries.field: expected 'eggs', but the error has",
        ),
        (
            FAILING,
            "expected_error:",
            "expected: {final_state: {eggs: 3}}\nexpected_error:",
            "final_state: there is none",
        ),
        (FAILING, "  message", "  carries: {node: eggs}\n  message", "carries.node: expected 'eggs', got 'drop'"),
        (UNFIT, "[eggs]", "[egg]", "carries.fields[0]: expected 'egg', got 'eggs'"),
        (UNFIT, "[eggs]", "eggs", "carries.fields: expected 'eggs' (str), got ['eggs'] (list)"),
        (FAILING, "expected_error:\n  category: n", "expected:\n  x: &x {}\nexpected_error:\n  category: n", "yet: x"),
        (
            REFUSED,
            "dangling_edge",
            "unreachable_node",
            "expected 'unreachable_node', got DanglingEdge, category dangling",
        ),
        (REFUSED, "to: pan", "to: END", "expected_compile_error: expected 'dangling_edge', but the graph compiled"),
        (
            REFUSED,
            "expected_compile_error: dangling_edge",
            "expected: {execution_order: []}",
            "the graph did not compile: ",
        ),
        (
            REFUSED,
            "expected_compile_error: dangling_edge",
            "expected_compile_warning: []",
            "the graph did not compile: ",
        ),
        (FAN_OUT, "foams: [4, 5]", "foams: [5, 4]", "final_state.foams[0]: expected 5, got 4"),
        (FAN_OUT, "max_in_flight: 2", "max_in_flight: 1", "concurrency_invariant: expected at most 1 in flight, got 2"),
    ],
)
def test_wrong_expectation_fails(tmp_path: Path, text: str, old: str, new: str, reason: str) -> None:
    """A value, a type, a missing or a surplus part of the expectation is found and told."""
    assert reason in reason_of(tmp_path, changed(text, old, new))


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (
            SOUND,
            "update: {eggs: 3",
            "updaet: {eggs: 3",
            "line 7, nodes.crack.updaet: not supported yet: updaet\nKnown here",
        ),
        (
            SOUND,
            "  final_state",
            "  final_stat",
            "line 14, expected.final_stat: not supported yet: final_stat\nKnown here",
        ),
        (SOUND, "expected:", "expectd:", "line 14, expectd: not supported yet: expectd\nKnown here"),
        (
            SOUND,
            "expected:",
            "checkpointer: in_memory\nexpected:",
            "line 13, checkpointer: not supported yet: checkpointer",
        ),
        (SOUND, "expected:", "invariants: {all_is_well: true}\nexpected:", "not supported yet: all_is_well"),
        (SOUND, "initial_state: {}", "migrations: []", "not supported yet: migrations"),
        (SOUND, "entry: crack", "entry: crack\nintial_state: {}", "Did you mean 'initial_state'?"),
        (
            SOUND,
            "default: 2}",
            "default: 2, requird: true}",
            "line 3, state.fields.eggs.requird: not supported yet: requird",
        ),
        (
            SOUND,
            "  fields:",
            "  schema_version: '2'\n  fields:",
            "state.schema_version: not supported yet: schema_version",
        ),
        (SOUND, "to: END}", "to: END, when: x}", "line 11, edges[1].when: not supported yet: when"),
        (SOUND, "reducer: append", "reducer: apend", "not supported yet: apend\nReducers: ['append'"),
        (SOUND, "reducer: append", "reducer: {dedupe_append: {by: id}}", "dedupe_append.by: not supported yet: by"),
        (
            SOUND,
            "reducer: append",
            "reducer: {append: {}}",
            "'append' is no reducer with arguments\nWrite reducer: append.",
        ),
        (
            SOUND,
            "reducer: append",
            "reducer: bounded_append",
            "bounded_append needs its arguments\nWrite reducer: {bounded",
        ),
        (SOUND, "reducer: append", "reducer: {bounded_append: {}}", "reducer.bounded_append: has no 'max_len'"),
        (SOUND, "reducer: append", "reducer: [append]", "must be a name or a mapping with one name, not ['append']"),
        (FAILING, "error_category: clumsy", "error_kategory: c", "not supported yet: error_kategory"),
        (FAILING, "kind: ValueError", "kind: SystemExit", "must be one of ['ArithmeticError'"),
        (FAILING, "  message", "  registry: x\n  message", "not supported yet: registry"),
        (FAILING, "exception_type", "type", "line 14, expected_error.cause.type: not supported yet: type"),
        (FAN_OUT, "concurrency: 2\n", "concurrency: 2\n      abort_after_instance: 1\n", "yet: abort_after_instance"),
        (FAN_OUT, "concurrency: 2\n", "concurrency: {callable: half, field: eggs}\n", "not supported yet: 'half'"),
        (
            FAN_OUT,
            "concurrency: 2\n",
            "concurrency: {field: eggs}\n",
            "concurrency: has no 'callable'\nFunctions: ['state_",
        ),
        (FAN_OUT, "concurrency: 2\n", "concurrency: two\n", "concurrency: must be a whole number, not str: 'two'"),
        (
            FAN_OUT,
            "fail_when_idx: 7",
            "fail_first_run_indices: [1]",
            "flaky_by_index: needs one of fail_when_idx and fail_count_per_idx",
        ),
        (FAN_OUT, "max_in_flight", "at_once", "not supported yet: at_once"),
        (REFUSED, "expected_compile_error: dangling_edge", "expected_compile_warning: [odd]", "not supported yet: odd"),
    ],
)
def test_what_the_runner_does_not_know_fails(tmp_path: Path, text: str, old: str, new: str, reason: str) -> None:
    """A directive, assertion, reducer or function that is not known is named with its level and line."""
    assert reason in reason_of(tmp_path, changed(text, old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SOUND[SOUND.index("expected:") :], ""),
        (SOUND[SOUND.index("expected:") :], "expected: {}\n"),
        (SOUND[SOUND.index("expected:") :], "expected_error: {}\n"),
        (SOUND[SOUND.index("expected:") :], "expected: {expected_error: {}}\n"),
        (SOUND[SOUND.index("expected:") :], "expected: {invariants: {}}\n"),
        (SOUND[SOUND.index("expected:") :], "invariants: {}\n"),
    ],
)
def test_case_that_asserts_nothing_fails(tmp_path: Path, old: str, new: str) -> None:
    """No expectation, or an empty one, is no reason to pass."""
    assert "asserts nothing" in reason_of(tmp_path, changed(SOUND, old, new))


@pytest.mark.parametrize("rest", ["expected: {execution_order: []}", "expected_error: {category: x}"])
def test_refused_graph_cannot_be_expected_to_run(tmp_path: Path, rest: str) -> None:
    """An expected compile error beside an expected run contradicts itself."""
    assert "expects a graph that is refused, and expected" in reason_of(tmp_path, f"{REFUSED}{rest}\n")


def test_all_faults_of_a_case_are_told_at_once(tmp_path: Path) -> None:
    """Two unknown keys give two reasons."""
    text = changed(changed(SOUND, "initial_state: {}", "migrations: {}"), "  execution_order", "  checkpoint_saves")
    (result,) = results_of(tmp_path, text)

    assert [
        "line 12, migrations: not supported yet: migrations",
        "line 15, expected.checkpoint_saves: not supported yet: checkpoint_saves",
    ] == [reason.splitlines()[0] for reason in result.reasons]


def test_unknown_key_beside_the_list_of_cases_fails_every_case(tmp_path: Path) -> None:
    """What is written for all cases concerns each of them."""
    body = "".join(f"    {line}\n" for line in SOUND.splitlines())
    text = f"clock_stub: {{}}\ncases:\n  - name: one\n{body}  - name: two\n{body}"

    assert ["line 1, clock_stub: not supported yet: clock_stub"] * 2 == [
        reason.splitlines()[0] for result in results_of(tmp_path, text) for reason in result.reasons
    ]


def test_case_wins_over_the_document_where_both_declare_a_subgraph(tmp_path: Path) -> None:
    """The case's own `beat` makes 40 of 4, the document's would make 4."""
    graph = FAN_OUT[FAN_OUT.index("state:\n  fields:\n    eggs") :].replace("[4, 5]", "[40, 70, 50]")
    own = FAN_OUT[: FAN_OUT.index("state:\n  fields:\n    eggs")].replace(
        "{flaky_by_index: {fail_when_idx: 7, success_compute: {foam: egg}}}",
        "{update_from_field: {foam: egg, multiplier: 10}}",
    )
    shared = FAN_OUT[: FAN_OUT.index("state:\n  fields:\n    eggs")]
    body = "".join(f"    {line}\n" for line in (own + graph).splitlines())

    assert "" == reason_of(tmp_path, f"{shared}cases:\n  - name: one\n{body}")


def test_values_that_are_equal_in_python_only_differ(tmp_path: Path) -> None:
    """In a field of any type true, 1 and 1.0 are three values, also deep inside and as keys."""
    text = changed(SOUND, "type: int", "type: any").replace("eggs: 3", "eggs: {a: [true], 1: x}")
    text = text.replace("  whisk: {update_from_field: {eggs: eggs, multiplier: 2}}", "  whisk: {update: {}}")

    assert "" == reason_of(tmp_path, changed(text, "eggs: 6", "eggs: {a: [true], 1: x}"))
    assert "final_state.eggs.a[0]: expected 1 (int), got True (bool)" == reason_of(
        tmp_path, changed(text, "eggs: 6", "eggs: {a: [1], 1: x}")
    )
    assert "expected a key True with 'x'" in reason_of(tmp_path, changed(text, "eggs: 6", "eggs: {a: [true], true: x}"))


@pytest.mark.parametrize(
    ("node", "reason"),
    [("fry", ""), ("crack", "the body of 'crack' was entered"), ("fyr", "'fyr' is no node of the case")],
)
def test_invariant_that_a_node_never_ran(tmp_path: Path, node: str, reason: str) -> None:
    """It holds for a node that was passed by, not for one that ran, and not for a name that nobody bears."""
    text = changed(SOUND, "  whisk: {", "  fry: {update: {eggs: 0}}\n  whisk: {")
    edge = "{from: whisk, condition: {if_field: eggs, equals: 6, then: END, else: fry}}\n  - {from: fry, to: END}"
    text = changed(text, "{from: whisk, to: END}", edge)

    assert reason in reason_of(tmp_path, f"{text}invariants: {{no_events_for_node: {node}}}\n")
    assert bool(reason) == bool(reason_of(tmp_path, f"{text}  invariants: {{no_events_for_node: {node}}}\n"))


def test_run_count_repeats_from_scratch(tmp_path: Path) -> None:
    """A mock that fails at its first call fails in each of three runs, since each has counters of its own."""
    flaky = "{flaky: {failure_sequence: [{category: null, message: first}], success_update: {}}}"
    text = FAILING.replace('{raises: {message: "it fell", exception_kind: ValueError}, error_category: clumsy}', flaky)
    text = (
        text[: text.index("expected_error:")] + "expected_error: {message: first, flaky_call_count: 1}\nrun_count: 3\n"
    )

    assert "" == reason_of(tmp_path, text)
