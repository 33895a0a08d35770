"""What the run of a document puts out. Source: super-steps, natural zeros; graph document, outputs."""

from __future__ import annotations

from typing import Any

from graphnb.state.schema import Values
from graphnb.state.values.detach import detach
from graphnb.trace.log import Log


def outputs_of(log: Log, values: Values) -> dict[str, Any] | None:
    """The outputs by name, None for what was never written: defaults do not reach them. None for no document.

    `values` are those at the end of the log.
    """
    if log.pinned is None:
        return None
    written = {*log.given, *(fold.field for commit in log.commits for fold in commit.folds)}
    return {name: detach(values[source]) if source in written else None for name, source in log.pinned.outputs.items()}
