"""Why an answer, an input or a graph was refused by a run: nothing of it has changed then."""

from __future__ import annotations

from collections.abc import Mapping

from graphnb.errors.base import GraphError


class AnswerError(GraphError):
    """An answer was refused, or another attempt to go on with a run, and the run is what it was."""

    category = "answer_error"


class InactiveRun(AnswerError):
    """The run has ended, and nothing waits for an answer."""

    category = "inactive_run"


class AlreadyResolved(AnswerError):
    """The interrupt was answered before."""

    category = "already_resolved"


class InterruptNotFound(AnswerError):
    """No interrupt of the run has this id."""

    category = "not_found"


class InvalidInput(AnswerError):
    """An input does not fit, or an answer: the interrupt's own schema, or what may be written to its field.

    `details` maps what does not fit to all reasons, of which the message has the first ones.
    """

    category = "invalid_input"
    details: Mapping[str, tuple[str, ...]] = {}


class GraphMismatch(AnswerError):
    """A run can be gone on with by the graph alone with which it was begun."""

    category = "graph_mismatch"


class IncompatibleExecutionPolicy(AnswerError):
    """A node of a document asks for more time than the host allows."""

    category = "incompatible_execution_policy"
