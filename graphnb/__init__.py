"""graphnb: typed state graphs, built cell by cell, drawn, run, and explained fold by fold."""

from graphnb.errors import (
    BuildError,
    ConflictingReducers,
    DanglingEdge,
    DuplicateName,
    EdgeException,
    FanOutCountModeAmbiguous,
    FanOutError,
    FanOutFieldNotList,
    GraphError,
    InvalidDeclaration,
    InvalidUpdate,
    MappingReferencesUndeclaredField,
    MaxSuperstepsExceeded,
    MissingOutgoingEdge,
    MultipleOutgoingEdges,
    MutatedState,
    NoDeclaredEntry,
    NodeException,
    ReducerConfigurationInvalid,
    ReducerError,
    RoutingError,
    RunError,
    StateValidationError,
    UnreachableNode,
    UnsetField,
)
from graphnb.graph.ends import END
from graphnb.notebook.compiled import CompiledGraph
from graphnb.notebook.graph import Graph
from graphnb.notebook.handle import RunHandle
from graphnb.notebook.run import Run
from graphnb.notebook.session import Session
from graphnb.state.marks import UNSET, Replace
from graphnb.state.model import State
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all
from graphnb.trace.steps import Delta, Step
from graphnb.trace.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "END",
    "UNSET",
    "BuildError",
    "CompiledGraph",
    "ConflictingReducers",
    "DanglingEdge",
    "Delta",
    "DuplicateName",
    "EdgeException",
    "FanOutCountModeAmbiguous",
    "FanOutError",
    "FanOutFieldNotList",
    "Graph",
    "GraphError",
    "InvalidDeclaration",
    "InvalidUpdate",
    "MappingReferencesUndeclaredField",
    "MaxSuperstepsExceeded",
    "MissingOutgoingEdge",
    "MultipleOutgoingEdges",
    "MutatedState",
    "NoDeclaredEntry",
    "NodeException",
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
    "Trace",
    "UnreachableNode",
    "UnsetField",
    "append",
    "bounded_append",
    "concat_flatten",
    "dedupe_append",
    "last_write_wins",
    "merge",
    "merge_all",
    "merge_by_key",
]
