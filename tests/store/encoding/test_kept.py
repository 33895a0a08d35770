"""What a run keeps is read as plain values, without copies of what nobody changes."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, RootModel

import graphnb as gn
from graphnb.state.folding.fold import Fold, fold
from graphnb.state.schema import schema_of, start_values
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.store.encoding.json_text import json_of, json_text
from graphnb.store.encoding.kept import Added, readable, readable_after, readable_values, readable_write, written_type
from graphnb.store.encoding.values import decode, encode
from tests.store.encoding.exactness import Note, Pair, is_identical


class Board(gn.State):
    log: Annotated[list[str], gn.append] = ["a"]
    found: Annotated[list[int], gn.concat_flatten] = []
    by_name: Annotated[dict[str, int], gn.merge] = {"x": 1}
    verdict: str = ""


SCHEMA = schema_of(Board)


def _folds(**update: Any) -> dict[str, Fold]:
    values = start_values(SCHEMA, {}, "run")
    _, folds = fold(SCHEMA, values, update, "node 'a'")
    return {each.field: each for each in folds}


def test_kept_values_are_read_as_plain_ones() -> None:
    """What is in them is shared."""
    item = [1]
    values = {"log": GrownList([item]), "by_name": GrownDict({"x": item}), "verdict": "yes"}
    plain = readable_values(values)

    assert {"log": [item], "by_name": {"x": item}, "verdict": "yes"} == plain
    assert [list, dict] == [type(plain["log"]), type(plain["by_name"])]
    assert item is plain["log"][0] is plain["by_name"]["x"]


def test_guarded_value_is_read_as_what_it_guards() -> None:
    """A node's view of a state holds lists that refuse to be changed."""
    view = SCHEMA.view(start_values(SCHEMA, {}, "run"), "node 'a'")

    assert ["a"] == readable(view.log)
    assert type(readable(view.log)) is list


def test_list_that_grows_on_is_read_as_it_was() -> None:
    """Another thread may go on while one version is stored."""
    one = GrownList([1])
    plain = readable(one)
    one.extended([2])

    assert [1] == plain


def test_fold_that_adds_is_read_as_what_it_added() -> None:
    """So that a step is stored at the cost of what its nodes wrote."""
    folds = _folds(log=["b", "c"], found=[[1], [], [2, 3]], by_name={"y": 2}, verdict="yes")

    assert Added(["b", "c"]) == readable_after(folds["log"])
    assert Added([1, 2, 3]) == readable_after(folds["found"])
    assert Added({"y": 2}) == readable_after(folds["by_name"])
    assert "yes" == readable_after(folds["verdict"])


def test_fold_that_replaces_is_read_whole() -> None:
    """Nothing of the value before is in it."""
    folds = _folds(log=gn.Replace(["z"]))

    assert ["z"] == readable_after(folds["log"])
    assert ["z"] == readable_write(folds["log"])


def test_write_is_read_in_full_whatever_its_brief_form() -> None:
    """As the node has returned it."""
    update = {"log": ["b"], "found": [[1], [], [2, 3]], "by_name": {"y": 2}, "verdict": "yes"}

    assert update == {name: readable_write(each) for name, each in _folds(**update).items()}


class Noted(gn.State):
    notes: Annotated[list[Note], gn.concat_flatten] = []
    by_name: Annotated[dict[str, Note], gn.merge_all] = {}
    one: Annotated[Note, gn.step.merge] = Note(author="A", pages=1)
    open: Annotated[list[Note], gn.step.append]
    point: Pair[Note] | None = None


NOTE = Note(author="B", pages=2)


@pytest.mark.parametrize(
    ("field", "write"),
    [
        ("notes", [[NOTE], [], [NOTE]]),
        ("notes", [NOTE]),
        ("by_name", [{"x": NOTE}, {}]),
        ("by_name", {"x": NOTE}),
        ("one", {"author": "B"}),
        ("one", NOTE),
        ("one", [NOTE, {"pages": 1}]),
        ("open", NOTE),
        ("open", [NOTE, [NOTE]]),
        ("point", Pair(NOTE, {NOTE.author})),
        ("point", [None, Pair(NOTE, 1)]),
    ],
)
def test_write_of_any_reducer_comes_back_the_same(field: str, write: Any) -> None:
    """What a node returns is not always of its field's type: items, lists of lists, a part, several writers' writes."""
    annotation = written_type(schema_of(Noted).fields[field].annotation)
    data = json_of(json_text(encode(annotation, write, is_open=True)))

    assert is_identical(write, decode(annotation, data, is_open=True))


def test_write_of_a_part_may_hold_what_its_fields_hold() -> None:
    """Also where the record has no field at all."""

    class Nothing(BaseModel):
        pass

    class Outer(BaseModel):
        inner: Note

    assert {"inner": NOTE} == decode(
        written_type(Outer), encode(written_type(Outer), {"inner": NOTE}, is_open=True), is_open=True
    )
    assert {} == decode(written_type(Nothing), encode(written_type(Nothing), {}, is_open=True), is_open=True)


@pytest.mark.parametrize("annotation", [RootModel[list[int]], Annotated[int, {"unhashable": []}]])
def test_write_to_a_type_that_no_union_takes_is_of_that_type(annotation: Any) -> None:
    """What Python itself has may still be written in any form."""
    assert annotation is written_type(annotation)
    assert [(1,)] == decode(annotation, encode(annotation, [(1,)], is_open=True), is_open=True)
