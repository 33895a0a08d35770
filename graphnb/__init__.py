"""graphnb: typed state graphs, built cell by cell, drawn, run, and explained fold by fold."""

from graphnb.engine.invocation import Invocation, invocation
from graphnb.engine.middleware.isolation import failure_isolation
from graphnb.engine.middleware.retry import is_transient, retry
from graphnb.engine.middleware.timing import TimingRecord, timing
from graphnb.engine.observers.draining import DrainSummary
from graphnb.errors import (
    BuildError,
    Cause,
    Causes,
    ConflictingProjectionForms,
    ConflictingReducers,
    DanglingEdge,
    DuplicateName,
    EdgeException,
    FanOutCountModeAmbiguous,
    FanOutDegradedUpdateMissingCollectField,
    FanOutError,
    FanOutFieldNotList,
    GraphError,
    GraphWarning,
    InvalidDeclaration,
    InvalidUpdate,
    MappingReferencesUndeclaredField,
    MaxSuperstepsExceeded,
    MissingOutgoingEdge,
    MultipleOutgoingEdges,
    MutatedState,
    NoDeclaredEntry,
    NodeException,
    ObserverWarning,
    ParallelBranchesBranchFailed,
    ParallelBranchesInvalidBranchSpec,
    ParallelBranchesNoBranches,
    ProjectionRoundTripWarning,
    ReducerConfigurationInvalid,
    ReducerError,
    RoutingError,
    RunError,
    StateValidationError,
    UnreachableNode,
    UnsetField,
    causes_of,
)
from graphnb.graph.ends import END
from graphnb.graph.observer import observer
from graphnb.graph.spec import ParallelBranch
from graphnb.notebook.compiled import CompiledGraph
from graphnb.notebook.graph import Graph
from graphnb.notebook.handle import RunHandle
from graphnb.notebook.run import Run
from graphnb.notebook.session import Session
from graphnb.state.marks import UNSET, Replace
from graphnb.state.model import State
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all
from graphnb.trace.events import FailureIsolated, FanOutConfig, Lineage, NodeEvent, ParallelBranchesConfig
from graphnb.trace.steps import Delta, Step
from graphnb.trace.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "END",
    "UNSET",
    "BuildError",
    "Cause",
    "Causes",
    "CompiledGraph",
    "ConflictingProjectionForms",
    "ConflictingReducers",
    "DanglingEdge",
    "Delta",
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
    "GraphWarning",
    "InvalidDeclaration",
    "InvalidUpdate",
    "Invocation",
    "Lineage",
    "MappingReferencesUndeclaredField",
    "MaxSuperstepsExceeded",
    "MissingOutgoingEdge",
    "MultipleOutgoingEdges",
    "MutatedState",
    "NoDeclaredEntry",
    "NodeEvent",
    "NodeException",
    "ObserverWarning",
    "ParallelBranch",
    "ParallelBranchesBranchFailed",
    "ParallelBranchesConfig",
    "ParallelBranchesInvalidBranchSpec",
    "ParallelBranchesNoBranches",
    "ProjectionRoundTripWarning",
    "ReducerConfigurationInvalid",
    "ReducerError",
    "Replace",
    "RoutingError",
    "Run",
    "RunError",
    "RunHandle",
    "Session",
    "State",
    "StateValidationError",
    "Step",
    "TimingRecord",
    "Trace",
    "UnreachableNode",
    "UnsetField",
    "append",
    "bounded_append",
    "causes_of",
    "concat_flatten",
    "dedupe_append",
    "failure_isolation",
    "invocation",
    "is_transient",
    "last_write_wins",
    "merge",
    "merge_all",
    "merge_by_key",
    "observer",
    "retry",
    "timing",
]
