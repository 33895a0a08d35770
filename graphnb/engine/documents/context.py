"""What a node of a document is told beside the state."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphnb.state.marks import UNSET
from graphnb.state.values.detach import detach


@dataclass(frozen=True, slots=True)
class NodeContext:
    """Where a node of a document runs. Source: super-steps, execute.

    `step` counts super-steps from 0, `attempt` from 1. `key` is the same whenever this very attempt is made again,
    after a crash for instance, so that it can be told from another one. `versions` says how often each input and field
    was written, `config` what the document says to the node.
    """

    run_id: str
    node: str
    step: int
    attempt: int
    versions: Mapping[str, int]
    config: Mapping[str, Any]
    _values: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)  # the run's own: not handed out

    @property
    def task_id(self) -> str:
        """The node in this super-step, whichever attempt it is."""
        return f"{self.run_id}:{self.step}:{self.node}"

    @property
    def key(self) -> str:
        """The idempotency key of this attempt."""
        return f"{self.task_id}:{self.attempt}"

    @property
    def view_hash(self) -> str:
        """The SHA-256 of what the node sees, in lower-case hex; made when it is asked for, of the whole view."""
        from graphnb.graph.documents.canonical import canonical_text

        view = {name: detach(value) for name, value in self._values.items() if value is not UNSET}
        return hashlib.sha256(canonical_text(view).encode()).hexdigest()


def bind_context(function: Callable[..., Any], context: NodeContext) -> Callable[[Any], Any]:
    """The implementation of a document's node as a function of the state alone."""
    return lambda view: function(view, context)
