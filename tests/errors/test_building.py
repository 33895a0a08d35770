"""Categories of building are the specification's names, and one error can tell of many."""

import copy
import pickle

import pytest

from graphnb import errors
from graphnb.errors import BuildError, DanglingEdge, NoDeclaredEntry

CATEGORIES = {
    "BuildError": "build_error",
    "NoDeclaredEntry": "no_declared_entry",
    "DanglingEdge": "dangling_edge",
    "MultipleOutgoingEdges": "multiple_outgoing_edges",
    "MissingOutgoingEdge": "missing_outgoing_edge",
    "UnreachableNode": "unreachable_node",
    "ConflictingReducers": "conflicting_reducers",
    "ReducerConfigurationInvalid": "reducer_configuration_invalid",
    "MappingReferencesUndeclaredField": "mapping_references_undeclared_field",
    "FanOutCountModeAmbiguous": "fan_out_count_mode_ambiguous",
    "FanOutFieldNotList": "fan_out_field_not_list",
    "FanOutDegradedUpdateMissingCollectField": "fan_out_degraded_update_missing_collect_field",
    "ParallelBranchesNoBranches": "parallel_branches_no_branches",
    "ParallelBranchesInvalidBranchSpec": "parallel_branches_invalid_branch_spec",
    "ConflictingProjectionForms": "conflicting_projection_forms",
    "ReducerSchemaMismatch": "reducer_schema_mismatch",
    "DuplicateName": "duplicate_name",
    "InvalidDeclaration": "invalid_declaration",
    "DocumentError": "document_error",
    "InvalidDocument": "invalid_document",
    "UnsupportedSchemaVersion": "unsupported_schema_version",
    "InvalidPublicId": "invalid_public_id",
    "ReservedId": "reserved_id",
    "UnknownImplementation": "unknown_implementation",
}


def faults(number: int) -> BuildError:
    """An error that knows of so many faults, itself the first of them."""
    found = tuple(DanglingEdge("graph 'g'", f"fault {i}", f"Mend {i}.") for i in range(number))
    found[0].problems = found
    return found[0]


def test_categories_of_building_are_those_of_the_specification():
    """Source: graph-engine §2 and pipeline-utilities §9; those of documents and four more are our own."""
    exported = {name: getattr(errors, name) for name in errors.__all__}
    building = {name: cls for name, cls in exported.items() if isinstance(cls, type) and issubclass(cls, BuildError)}

    assert CATEGORIES == {name: cls.category for name, cls in building.items()}


def test_error_made_by_hand_has_no_problems():
    """Only the check of a whole graph lists them, and one error's list is not another's."""
    faults(3)

    assert () == NoDeclaredEntry("g", "x").problems


def test_message_of_several_lists_the_others_without_their_mends():
    """The first in full, the rest in a line each."""
    assert (
        "graph 'g': fault 0\nMend 0.\n2 more:\n  - graph 'g': fault 1\n  - graph 'g': fault 2"
    ) == str(faults(3))  # fmt: skip


def test_message_of_other_problems_stands_alone():
    """An error that is not the first of its problems still shows itself and does not list the whole again."""
    first = faults(3)

    assert "graph 'g': fault 1\nMend 1." == str(first.problems[1])


def test_message_lists_ten_others_and_counts_all():
    """A graph of a thousand faults has a message that can be read."""
    lines = str(faults(1000)).splitlines()

    assert (13, "999 more:", "  - graph 'g': fault 10") == (len(lines), lines[2], lines[-1])


def test_message_of_others_can_be_shown_whatever_a_name_holds():
    """Names in the list are escaped as well."""
    error = faults(2)
    error.problems[1].what = "names '\ud800\x1b'"

    assert str(error).endswith("names '\\ud800\\x1b'")


@pytest.mark.parametrize(
    "travel",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],
    ids=["copy", "deep", "pickle"],
)
def test_error_with_problems_keeps_all_of_them_when_copied_or_pickled(travel):
    """Although it is one of its own problems."""
    error = faults(3)
    again = travel(error)

    assert str(error) == str(again)
    assert ["fault 0", "fault 1", "fault 2"] == [each.what for each in again.problems]
    assert ["Mend 0.", "Mend 1.", "Mend 2."] == [each.mend for each in again.problems]
