"""Fields whose reducer and type do not go together."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import pytest
from pydantic import BeforeValidator, Field, create_model, model_validator

import graphnb as gn
from graphnb import step
from graphnb.graph.checking.field_checks import field_problems_of
from graphnb.state.schema import schema_of


def problems(kind: Any, default: Any = gn.UNSET) -> list[tuple[str, str, str]]:
    """Code, fault and mend of a field of the type."""
    state = create_model("S", __base__=gn.State, f=(kind, default))
    return [(each.code, each.what, each.mend) for each in field_problems_of(schema_of(state))]


@pytest.mark.parametrize(
    ("kind", "what", "mend"),
    [
        (Annotated[str, gn.append], "append cannot fold a str", "Declare f: Annotated[list[...], gn.append]"),
        (Annotated[dict[str, int], gn.concat_flatten], "concat_flatten cannot fold a dict[str, int]", "list[...]"),
        (Annotated[int, gn.bounded_append(3)], "bounded_append(max_len=3) cannot fold a int", "list[...]"),
        (Annotated[list[int], gn.merge], "merge cannot fold a list[int]", "Annotated[dict[str, ...], gn.merge]"),
        (Annotated[int, gn.merge_all], "merge_all cannot fold a int", "or leave the reducer out"),
        (
            Annotated[set[int], gn.append],
            "append cannot fold a set[int]",
            "Annotated[list[int], gn.append] (with step.union equal items stand once), or leave",
        ),
        (
            Annotated[frozenset, gn.concat_flatten],
            "concat_flatten cannot fold a frozenset",
            "Annotated[list[...], gn.concat_flatten], or leave",
        ),
        (Annotated[tuple[str, ...], gn.append], "append cannot fold a tuple[str, ...]", "Annotated[list[str], gn.app"),
        (
            Annotated[deque[int], gn.bounded_append(3)],
            "bounded_append(max_len=3) cannot fold a deque[int]",
            "list[int]",
        ),
        (Annotated[set[int] | None, gn.dedupe_append()], "dedupe_append() cannot fold a set[int] | None", "step.union"),
        (Annotated[set[int], gn.merge], "merge cannot fold a set[int]", "Annotated[dict[str, ...], gn.merge]"),
        (Annotated[tuple[int, ...], gn.merge_all], "merge_all cannot fold a tuple[int, ...]", "dict[str, ...]"),
        (Annotated[int | dict[str, int], gn.append], "append cannot fold a int | dict[str, int]", "list[...]"),
    ],
)
def test_strict_reducer_on_another_type_is_told(kind: Any, what: str, mend: str) -> None:
    """It fails with the first write."""
    ((code, told, way),) = problems(kind)

    assert ("reducer_schema_mismatch", what) == (code, told)
    assert mend in way


@pytest.mark.parametrize(
    ("kind", "default", "what", "mend"),
    [
        (Annotated[list[int] | None, gn.append], None, "append cannot fold None", "[list[int], gn.append] = []."),
        (Annotated[list[int], gn.append], None, "append cannot fold None", "Annotated[list[int], gn.append] = []."),
        (Annotated[Any, gn.append], None, "append cannot fold None", "Annotated[list[...], gn.append] = []."),
        (Annotated[Sequence[int], gn.append], (), "append cannot fold ()", "Annotated[list[...], gn.append] = []."),
        (Annotated[list[int] | set[int], gn.append], set(), "append cannot fold set()", "[list[int], gn.append] = []."),
        (Annotated[dict[str, int] | None, gn.merge], None, "merge cannot fold None", "dict[str, int], gn.merge] = {}."),
        (Annotated[Any, gn.merge_all], None, "merge_all cannot fold None", "[dict[str, ...], gn.merge_all] = {}."),
    ],
)  # fmt: skip
def test_default_that_a_strict_reducer_cannot_fold_is_told(kind: Any, default: Any, what: str, mend: str) -> None:
    """Every write would fail, though the type has values that can be folded."""
    ((code, told, way),) = problems(kind, default)

    assert ("reducer_schema_mismatch", f"{what}, the default: every write fails") == (code, told)
    assert way.endswith(mend)


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        (Annotated[list[int] | None, gn.append], []),
        (Annotated[list[int], gn.append], ()),  # the type makes a list of it
        (Annotated[Any, gn.append], []),
        (Annotated[Any, gn.append], Field(default_factory=list)),
        (Annotated[Mapping[str, int], gn.merge], {}),
        (Annotated[list[int] | None, BeforeValidator(lambda value: value or []), gn.append], None),
        (Annotated[list[int] | None, gn.append], ...),
    ],
)
def test_default_that_can_be_folded_is_fine(kind: Any, default: Any) -> None:
    """Also one that becomes such, and none at all: a run is given a value."""
    assert [] == problems(kind, default)


def test_class_that_checks_its_states_may_make_anything_of_a_default() -> None:
    """Nothing is sure then."""

    class Filled(gn.State):
        f: Annotated[list[int] | None, gn.append] = None

        @model_validator(mode="before")
        @classmethod
        def fill(cls, given: Any) -> Any:
            return {"f": [], **given}

    assert () == field_problems_of(schema_of(Filled))


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
