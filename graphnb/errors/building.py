"""Errors of building a graph: raised while it is declared or compiled, before any node runs."""

from __future__ import annotations

from graphnb.errors.base import GraphError
from graphnb.errors.text import visible


class BuildError(GraphError):
    """The graph cannot be compiled. `problems` lists every fault that was found, this one first."""

    category = "build_error"
    problems: tuple[BuildError, ...] = ()

    def __str__(self) -> str:
        others = self.problems[1:]
        if not others:
            return super().__str__()
        lines = [super().__str__(), f"{len(others)} more:"]
        return visible("\n".join(lines + [f"  - {other.where}: {other.what}" for other in others[:10]]))


class NoDeclaredEntry(BuildError):
    """No entry node was declared. Source: graph-engine §2."""

    category = "no_declared_entry"


class DanglingEdge(BuildError):
    """An edge, or the entry, names a node that was not declared. Source: graph-engine §2."""

    category = "dangling_edge"


class MultipleOutgoingEdges(BuildError):
    """Two edges leave one node. Source: graph-engine §2."""

    category = "multiple_outgoing_edges"


class MissingOutgoingEdge(BuildError):
    """A reachable node has no outgoing edge; the specification has no category for it."""

    category = "missing_outgoing_edge"


class UnreachableNode(BuildError):
    """No path leads from the entry to the node. Source: graph-engine §2."""

    category = "unreachable_node"


class ConflictingReducers(BuildError):
    """Two reducers are declared on one field. Source: graph-engine §2."""

    category = "conflicting_reducers"


class ReducerConfigurationInvalid(BuildError):
    """A reducer was made with arguments that it cannot work with. Source: graph-engine §2."""

    category = "reducer_configuration_invalid"


class ReducerSchemaMismatch(ReducerConfigurationInvalid):
    """A reducer of the step family is declared on a type that it cannot fold."""

    category = "reducer_schema_mismatch"


class MappingReferencesUndeclaredField(BuildError):
    """A projection or a fan-out option names a field that the state does not have. Source: graph-engine §2."""

    category = "mapping_references_undeclared_field"


class ConflictingProjectionForms(BuildError):
    """A subgraph node has both maps and sets for its projection. Source: graph-engine §2."""

    category = "conflicting_projection_forms"


class FanOutCountModeAmbiguous(BuildError):
    """Both or neither of `over` and `count` are given. Source: pipeline-utilities §9."""

    category = "fan_out_count_mode_ambiguous"


class FanOutFieldNotList(BuildError):
    """The field that a fan-out goes over is no list. Source: pipeline-utilities §9."""

    category = "fan_out_field_not_list"


class FanOutDegradedUpdateMissingCollectField(BuildError):
    """What replaces a failed instance lacks the field that is collected. Source: pipeline-utilities §9."""

    category = "fan_out_degraded_update_missing_collect_field"


class ParallelBranchesNoBranches(BuildError):
    """A node of parallel branches has none. Source: pipeline-utilities §11."""

    category = "parallel_branches_no_branches"


class ParallelBranchesInvalidBranchSpec(BuildError):
    """A parallel branch is neither a graph nor a function. Source: pipeline-utilities §11."""

    category = "parallel_branches_invalid_branch_spec"


class DuplicateName(BuildError):
    """One name is declared twice within one edit."""

    category = "duplicate_name"


class InvalidDeclaration(BuildError):
    """An argument of a declaration has the wrong type or value."""

    category = "invalid_declaration"
