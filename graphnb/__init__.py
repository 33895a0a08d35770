"""graphnb: typed state graphs, built cell by cell, drawn, run, and explained fold by fold."""

from typing import TYPE_CHECKING, Any

from graphnb.errors import (
    AlreadyResolved,
    AnswerError,
    BuildError,
    Cause,
    Causes,
    ConflictingProjectionForms,
    ConflictingReducers,
    DanglingEdge,
    DelegateFailed,
    DelegationError,
    DocumentError,
    DuplicateName,
    EdgeException,
    FanOutCountModeAmbiguous,
    FanOutDegradedUpdateMissingCollectField,
    FanOutError,
    FanOutFieldNotList,
    GraphError,
    GraphMismatch,
    GraphWarning,
    GuardError,
    InactiveRun,
    IncompatibleExecutionPolicy,
    InterruptNotFound,
    InvalidDeclaration,
    InvalidDocument,
    InvalidInput,
    InvalidPublicId,
    InvalidUpdate,
    MappingReferencesUndeclaredField,
    MaxSuperstepsExceeded,
    MissingOutgoingEdge,
    MultipleOutgoingEdges,
    MutatedState,
    NoDeclaredEntry,
    NodeException,
    NotAccepted,
    ObserverWarning,
    ParallelBranchesBranchFailed,
    ParallelBranchesInvalidBranchSpec,
    ParallelBranchesNoBranches,
    ProjectionRoundTripWarning,
    ReducerConfigurationInvalid,
    ReducerError,
    ReducerSchemaMismatch,
    ReservedId,
    RoutingError,
    RunError,
    StateValidationError,
    StoreError,
    UnfitWriteWarning,
    UnknownImplementation,
    UnreachableNode,
    UnreadableValue,
    UnsetField,
    UnstorableValue,
    UnsupportedSchemaVersion,
    causes_of,
)
from graphnb.graph.ends import END
from graphnb.graph.interrupt import Interrupt, interrupt
from graphnb.graph.observer import observer
from graphnb.graph.spec import ParallelBranch
from graphnb.notebook.documents import check_document, document, document_hash, graph_of
from graphnb.notebook.graph import Graph
from graphnb.state.marks import UNSET, Replace
from graphnb.state.model import State
from graphnb.state.reducers import step
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all

if TYPE_CHECKING:  # loaded when they are first asked for, see _LATER
    from graphnb.engine.documents.context import NodeContext
    from graphnb.engine.invocation import Invocation, invocation
    from graphnb.engine.middleware.isolation import failure_isolation
    from graphnb.engine.middleware.retry import is_transient, retry
    from graphnb.engine.middleware.timing import TimingRecord, timing
    from graphnb.engine.observers.draining import DrainSummary
    from graphnb.graph.guards.building import field
    from graphnb.notebook.compiled import CompiledGraph
    from graphnb.notebook.delegation import Delegation, adelegate, delegate
    from graphnb.notebook.handle import RunHandle
    from graphnb.notebook.map_reduced import MapReduced, amap_reduce, map_reduce
    from graphnb.notebook.racing import Race, arace, race
    from graphnb.notebook.run import Run
    from graphnb.notebook.session import Session
    from graphnb.trace.events import FailureIsolated, FanOutConfig, Lineage, NodeEvent, ParallelBranchesConfig
    from graphnb.trace.reading.steps import Delta, Step
    from graphnb.trace.trace import Trace

__version__ = "0.1.0"

_LATER = {
    "NodeContext": "graphnb.engine.documents.context",
    "invocation": "graphnb.engine.invocation",
    "Invocation": "graphnb.engine.invocation",
    "failure_isolation": "graphnb.engine.middleware.isolation",
    "is_transient": "graphnb.engine.middleware.retry",
    "retry": "graphnb.engine.middleware.retry",
    "timing": "graphnb.engine.middleware.timing",
    "TimingRecord": "graphnb.engine.middleware.timing",
    "DrainSummary": "graphnb.engine.observers.draining",
    "field": "graphnb.graph.guards.building",
    "CompiledGraph": "graphnb.notebook.compiled",
    "Delegation": "graphnb.notebook.delegation",
    "delegate": "graphnb.notebook.delegation",
    "adelegate": "graphnb.notebook.delegation",
    "MapReduced": "graphnb.notebook.map_reduced",
    "amap_reduce": "graphnb.notebook.map_reduced",
    "map_reduce": "graphnb.notebook.map_reduced",
    "Race": "graphnb.notebook.racing",
    "arace": "graphnb.notebook.racing",
    "race": "graphnb.notebook.racing",
    "RunHandle": "graphnb.notebook.handle",
    "Run": "graphnb.notebook.run",
    "Session": "graphnb.notebook.session",
    "FailureIsolated": "graphnb.trace.events",
    "FanOutConfig": "graphnb.trace.events",
    "Lineage": "graphnb.trace.events",
    "NodeEvent": "graphnb.trace.events",
    "ParallelBranchesConfig": "graphnb.trace.events",
    "Delta": "graphnb.trace.reading.steps",
    "Step": "graphnb.trace.reading.steps",
    "Trace": "graphnb.trace.trace",
}
"""Public names that many a graph does without, and their modules: so the import stays quick."""

__all__ = [
    "END",
    "UNSET",
    "AlreadyResolved",
    "AnswerError",
    "BuildError",
    "Cause",
    "Causes",
    "CompiledGraph",
    "ConflictingProjectionForms",
    "ConflictingReducers",
    "DanglingEdge",
    "DelegateFailed",
    "Delegation",
    "DelegationError",
    "Delta",
    "DocumentError",
    "DrainSummary",
    "DuplicateName",
    "EdgeException",
    "FailureIsolated",
    "FanOutConfig",
    "FanOutCountModeAmbiguous",
    "FanOutDegradedUpdateMissingCollectField",
    "FanOutError",
    "FanOutFieldNotList",
    "Graph",
    "GraphError",
    "GraphMismatch",
    "GraphWarning",
    "GuardError",
    "InactiveRun",
    "IncompatibleExecutionPolicy",
    "Interrupt",
    "InterruptNotFound",
    "InvalidDeclaration",
    "InvalidDocument",
    "InvalidInput",
    "InvalidPublicId",
    "InvalidUpdate",
    "Invocation",
    "Lineage",
    "MapReduced",
    "MappingReferencesUndeclaredField",
    "MaxSuperstepsExceeded",
    "MissingOutgoingEdge",
    "MultipleOutgoingEdges",
    "MutatedState",
    "NoDeclaredEntry",
    "NodeContext",
    "NodeEvent",
    "NodeException",
    "NotAccepted",
    "ObserverWarning",
    "ParallelBranch",
    "ParallelBranchesBranchFailed",
    "ParallelBranchesConfig",
    "ParallelBranchesInvalidBranchSpec",
    "ParallelBranchesNoBranches",
    "ProjectionRoundTripWarning",
    "Race",
    "ReducerConfigurationInvalid",
    "ReducerError",
    "ReducerSchemaMismatch",
    "Replace",
    "ReservedId",
    "RoutingError",
    "Run",
    "RunError",
    "RunHandle",
    "Session",
    "State",
    "StateValidationError",
    "Step",
    "StoreError",
    "TimingRecord",
    "Trace",
    "UnfitWriteWarning",
    "UnknownImplementation",
    "UnreachableNode",
    "UnreadableValue",
    "UnsetField",
    "UnstorableValue",
    "UnsupportedSchemaVersion",
    "adelegate",
    "amap_reduce",
    "append",
    "arace",
    "bounded_append",
    "causes_of",
    "check_document",
    "concat_flatten",
    "dedupe_append",
    "delegate",
    "document",
    "document_hash",
    "failure_isolation",
    "field",
    "graph_of",
    "interrupt",
    "invocation",
    "is_transient",
    "last_write_wins",
    "map_reduce",
    "merge",
    "merge_all",
    "merge_by_key",
    "observer",
    "race",
    "retry",
    "step",
    "timing",
]

if not TYPE_CHECKING:  # a type checker would take every name for one that can be loaded

    def __getattr__(name: str) -> Any:
        """Loads a public name that is asked for the first time (PEP 562)."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        return globals().setdefault(name, getattr(importlib.import_module(_LATER[name]), name))


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
