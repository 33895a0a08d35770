"""What is advised where the list that a fan-out collected cannot be folded."""

from typing import Annotated, Any

import pytest
from typing_extensions import TypedDict

import graphnb as gn
from graphnb.state.reducers.annotated import name_of

TAKES = "append takes a list of items, concat_flatten a list of lists, merge_all a list of dicts"


def error_of(field: Any, default: Any, worker: Any, **options: Any) -> gn.RunError:
    """The error of a fan-out that collects into a field declared so."""
    fields = {"xs": list[int], "found": field, "faults": list[dict[str, str]]}
    cls = type("S", (gn.State,), {"__annotations__": fields, "xs": [1, 2, 3], "found": default, "faults": []})
    graph = gn.Graph(cls, entry="each", name="g")
    graph.fan_out("each", worker, over="xs", into="found", to=gn.END, **options)
    with pytest.raises(gn.RunError) as caught:
        graph.run()
    return caught.value


@pytest.mark.parametrize(
    ("field", "default", "worker", "kind", "declared"),
    [
        (Annotated[list[str], gn.append], [], lambda x: ["a"], "list", "Annotated[list[...], gn.concat_flatten] = []"),
        (Annotated[list[str], gn.concat_flatten], [], lambda x: "a", "str", "Annotated[list[...], gn.append] = []"),
        (
            Annotated[dict[str, int], gn.merge],
            {},
            lambda x: {"a": x},
            "dict",
            "Annotated[dict[...], gn.merge_all] = {}",
        ),
        (Annotated[dict[str, int], gn.merge_all], {}, lambda x: x, "int", "Annotated[list[...], gn.append] = []"),
        (str, "", lambda x: "a", "str", "Annotated[list[...], gn.append] = []"),
    ],
)
def test_reducer_that_fits_the_values_is_named(field, default, worker, kind, declared):
    """With what it would take, and how many values of which type there were; nobody is told to return something."""
    mend = error_of(field, default, worker).mend

    assert f"3 here, each of type {kind}. {TAKES}. For this list declare found: {declared}." in mend
    assert "Replace" not in mend


@pytest.mark.parametrize("reducer", [gn.append, gn.step.append(unique=True), gn.step.union])
def test_reducer_that_takes_the_list_asks_for_other_items(reducer):
    """The fault is in the values then."""
    mend = error_of(Annotated[list[str], reducer], [], lambda x: x).mend

    assert mend.endswith(f"{name_of(reducer)} takes such a list; what is in it has to fit list[str].")


class Part(TypedDict):
    x: int


@pytest.mark.parametrize(
    ("field", "default", "worker", "place"),
    [
        (Annotated[list[Part], gn.append], [], lambda x: {"x": "q"}, "found[0]['x']"),
        (Annotated[list[Part], gn.step.append], [], lambda x: {"x": "q"}, "found[0]['x']"),
        (Annotated[list[list[int]], gn.append], [], lambda x: ["q"], "found[0][0]"),
        (Annotated[list[list[int]], gn.bounded_append(3)], [], lambda x: ["q"], "found[0][0]"),
    ],
)
def test_reducer_is_right_where_the_fault_lies_within_an_item(field, default, worker, place):
    """Another one was advised, though the field holds such items."""
    error = error_of(field, default, worker)

    assert place in error.what
    assert " takes such a list; what is in it has to fit list[" in error.mend
    assert "declare" not in error.mend


def test_values_of_several_kinds_fit_no_reducer():
    """Every instance has to give the same."""
    mend = error_of(Annotated[list[str], gn.concat_flatten], [], lambda x: x if x > 1 else [x]).mend

    assert f"each of type int, list. {TAKES}: let every instance give the same kind." in mend


def test_message_repeats_the_mend():
    """As it is shown."""
    error = error_of(str, "", lambda x: "a")

    assert error.mend in str(error)


def test_error_about_another_field_keeps_its_own_mend():
    """What middleware has written beside what was collected."""

    def writes(state: Any, following: Any) -> Any:
        return {**following(state), "faults": 5}

    error = error_of(Annotated[list[int], gn.append], [], lambda x: x, middleware=[writes])

    assert ("faults",) == error.fields
    assert "fan-out" not in error.mend


def test_value_put_in_by_middleware_keeps_its_own_mend():
    """It is no list of what instances gave."""
    error = error_of(Annotated[list[int], gn.append], [], lambda x: x, middleware=[lambda s, following: {"found": 5}])

    assert "fan-out" not in error.mend


def test_failure_of_an_instance_keeps_its_own_mend():
    """Nothing was collected."""
    error = error_of(Annotated[list[int], gn.append], [], lambda x: x // 0)

    assert "A fan-out writes" not in error.mend


def test_update_that_is_none_keeps_its_own_mend():
    """What middleware returned is no dict."""
    error = error_of(Annotated[list[int], gn.append], [], lambda x: x, middleware=[lambda s, following: 5])

    assert "Return a dict" in error.mend


@pytest.mark.parametrize(
    ("field", "default"),
    [
        (Annotated[list[int], gn.append], []),
        (Annotated[list[int], gn.concat_flatten], []),
        (Annotated[dict[str, int], gn.merge_all], {}),
        (Annotated[list[Any], gn.append], []),
        (Annotated[list[int], lambda prior, update: [*prior, len(update)]], []),
        (Annotated[list[Any], gn.step.append], []),
    ],
    ids=["append", "concat_flatten", "merge_all", "any", "custom", "step"],
)
def test_instance_that_asks_is_refused_whatever_the_field_takes(field, default):
    """Neither a type that takes everything nor a reducer of one's own makes an interrupt a value."""
    error = error_of(field, default, lambda x: gn.interrupt("found") if x == 2 else [x])

    assert "Only a node of the graph that is run may ask" in error.mend
    assert "Only a node of the graph that is run may ask" in str(error)
