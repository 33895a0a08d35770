"""State: the class from which a user's typed state derives."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from graphnb.state.marks import UNSET


class State(BaseModel):
    """A frozen pydantic model that forbids unknown fields: the typed record that flows through a graph.

    Declare fields with types, defaults and, inside `Annotated`, at most one reducer each:

        class Review(gn.State):
            files: list[str]
            notes: Annotated[list[str], gn.append] = []

    A field without a default has to be given when a run starts; `= gn.UNSET` declares one that is written
    later. `"notes" in state` tells whether a field is set.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in type(self).model_fields and getattr(self, name, UNSET) is not UNSET
