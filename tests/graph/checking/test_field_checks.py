"""Fields whose reducer and type do not go together."""

from typing import Annotated, Any

import pytest
from pydantic import create_model

import graphnb as gn
from graphnb import step
from graphnb.graph.checking.field_checks import field_problems_of
from graphnb.state.schema import schema_of


def problems(kind: Any) -> list[tuple[str, str, str]]:
    """Code, fault and mend of a field of the type."""
    state = create_model("S", __base__=gn.State, f=(kind, gn.UNSET))
    return [(each.code, each.what, each.mend) for each in field_problems_of(schema_of(state))]


@pytest.mark.parametrize(
    ("kind", "what", "mend"),
    [
        (Annotated[str, gn.append], "append cannot fold a str", "Declare f: Annotated[list[...], gn.append]"),
        (Annotated[dict[str, int], gn.concat_flatten], "concat_flatten cannot fold a dict[str, int]", "list[...]"),
        (Annotated[int, gn.bounded_append(3)], "bounded_append(max_len=3) cannot fold a int", "list[...]"),
        (Annotated[list[int], gn.merge], "merge cannot fold a list[int]", "Annotated[dict[str, ...], gn.merge]"),
        (Annotated[int, gn.merge_all], "merge_all cannot fold a int", "or leave the reducer out"),
    ],
)
def test_strict_reducer_on_another_type_is_told(kind: Any, what: str, mend: str) -> None:
    """It fails with the first write."""
    ((code, told, way),) = problems(kind)

    assert ("reducer_schema_mismatch", what) == (code, told)
    assert mend in way


@pytest.mark.parametrize("reducer", [step.append, step.union(by="id")])
def test_list_of_lists_is_ambiguous_for_the_step_family(reducer: Any) -> None:
    """A write that is a list is taken as many rows."""
    ((code, what, mend),) = problems(Annotated[list[list[int]], reducer])

    assert "ambiguous_list_write" == code
    assert f"{reducer} on a list[list[int]]: a write that is a list is taken as many items" in what
    assert "Let nodes write a list of rows" in mend


@pytest.mark.parametrize(
    "kind",
    [
        Annotated[list[int], gn.append],
        Annotated[list[list[int]], gn.append],
        Annotated[dict[str, int], gn.merge],
        Annotated[Any, gn.append],
        Annotated[list[int], step.append],
        Annotated[list[Any], step.append],
        Annotated[list[list[int]], step.last_value],
        Annotated[int, max],
        str,
    ],
)
def test_other_fields_are_fine(kind: Any) -> None:
    """Also those of which nothing is known."""
    assert [] == problems(kind)
