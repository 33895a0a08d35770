"""One delegate that is a graph: how it takes its brief, and what it gives."""

from typing import Any

import pydantic
import pytest

import graphnb as gn
from tests.engine.nodes.asked import WAYS, ask

every_way = pytest.mark.parametrize("way", WAYS)


class Tide(gn.State):
    harbour: str = "nowhere"
    height: int = 0


class Told(gn.State):
    brief: dict[str, int]
    result: int = 0
    other: str = "kept inside"


class TakesOnly(gn.State):
    brief: str
    length: int = 0


class GivesOnly(gn.State):
    word: str = ""
    result: list[str] = gn.UNSET


def graph_of(state: type, node: Any, *, is_async: bool = False) -> gn.Graph:
    """A graph of one node, named after its state."""

    async def later(s: Any) -> Any:
        return node(s)

    graph = gn.Graph(state, entry="n", name=state.__name__)
    graph.node("n", later if is_async else node, to=gn.END)
    return graph


@every_way
@pytest.mark.parametrize("is_async", [False, True])
def test_graph_takes_its_brief_and_gives_its_result(way, is_async):
    """By fields of these names; the brief is validated as its field says."""
    graph = graph_of(Told, lambda s: {"result": sum(s.brief.values())}, is_async=is_async)

    assert [3, 7] == ask(way, [graph, graph], [{"a": 1, "b": 2}, {"a": "7"}])


@every_way
@pytest.mark.parametrize("is_async", [False, True])
def test_graph_with_neither_field_takes_a_dict_and_gives_its_state(way, is_async):
    """What the dict does not name has its default; the state is an instance of the graph's own class."""
    graph = graph_of(Tide, lambda s: {"height": s.height + 1}, is_async=is_async)

    assert [Tide(harbour="Leith", height=1), Tide(height=6)] == ask(
        way, [graph] * 2, [{"harbour": "Leith"}, {"height": 5}]
    )


@every_way
def test_graph_with_neither_field_takes_its_own_state(way):
    """An instance of the class."""
    graph = graph_of(Tide, lambda s: {"height": s.height + 1})

    assert [Tide(harbour="Leith", height=3)] == ask(way, [graph], Tide(harbour="Leith", height=2))


@every_way
def test_graph_may_have_one_of_the_fields(way):
    """With `brief` alone it gives its state, with `result` alone it takes a dict."""
    takes = graph_of(TakesOnly, lambda s: {"length": len(s.brief)})
    gives = graph_of(GivesOnly, lambda s: {"result": [*s.word]})

    assert [TakesOnly(brief="tide", length=4), ["a", "b"]] == ask(way, [takes, gives], ["tide", {"word": "ab"}])


@every_way
def test_dict_is_the_brief_itself_where_there_is_a_field_for_it(way):
    """Though it names fields of the graph."""
    assert [5] == ask(way, [graph_of(Told, lambda s: {"result": s.brief["result"]})], {"result": 5})


@every_way
@pytest.mark.parametrize(
    ("state", "brief", "category", "text"),
    [
        (Tide, "Leith", "node_exception", "has no field 'brief' to take str: 'Leith'"),
        (Tide, 4, "node_exception", "Declare 'brief', or give a dict of the graph's fields as its brief."),
        (Tide, {"harbor": "Leith"}, "state_validation_error", "harbor"),
        (Tide, {"height": "high"}, "state_validation_error", "height: Input should be a valid integer"),
        (Told, "Leith", "state_validation_error", "brief: Input should be a valid dictionary"),
        (Told, None, "state_validation_error", "brief: Input should be a valid dictionary"),
    ],
)
def test_brief_that_does_not_fit_is_a_failure_of_that_delegate(way, state, brief, category, text):
    """The others are asked all the same, and the node of the graph is not run."""
    asked, ran = [], []
    graph = graph_of(state, lambda s: ran.append(1) or {})
    with pytest.raises(gn.DelegateFailed) as caught:
        ask(way, [asked.append, graph], [brief, brief])

    error = caught.value
    assert ([brief], []) == (asked, ran)
    assert (state.__name__, 1) == (error.delegate, error.index)
    assert category == error.__cause__.category
    assert text in str(error)
    assert f"delegate 1 '{state.__name__}', graph '{state.__name__}'" in str(error.__cause__)


@every_way
def test_result_that_was_never_written_is_a_failure_of_that_delegate(way):
    """It is no None."""
    with pytest.raises(gn.DelegateFailed, match="has no result: field 'result' was never written") as caught:
        ask(way, [graph_of(GivesOnly, lambda s: {}), len], {"word": "ab"})

    assert ("GivesOnly", 0, (None, 1)) == (caught.value.delegate, caught.value.index, caught.value.results)


@every_way
def test_result_is_the_callers_own(way):
    """Lists in it are plain ones, which may be changed."""
    (given,) = ask(way, [graph_of(GivesOnly, lambda s: {"result": [s.word]})], {"word": "ab"})
    assert ["ab"] == given
    given.append("more")

    assert ["ab", "more"] == given


@every_way
def test_error_within_a_graph_leads_to_its_node(way):
    """By its place in the graph; the cause is the user's own."""
    graph = graph_of(Tide, lambda s: {"height": 1 // s.height})
    with pytest.raises(gn.DelegateFailed, match="graph 'Tide', node 'n', step 0: raised ZeroDivisionError") as caught:
        ask(way, [graph], {})

    assert isinstance(caught.value.__cause__, gn.NodeException)
    assert isinstance(caught.value.__cause__.__cause__, ZeroDivisionError)


class Shared:
    """Something that cannot be copied."""

    def __deepcopy__(self, memo: object) -> Any:
        raise TypeError("there is only one")


@every_way
def test_brief_that_cannot_be_copied_is_refused_before_anybody_is_asked(way):
    """A lock or an open file, for instance: nobody could have one of their own."""
    asked: list[Any] = []
    with pytest.raises(gn.DelegationError, match=r"delegate 0 .*the brief cannot be copied: Shared"):
        ask(way, [asked.append] * 2, Shared())

    assert [] == asked


@every_way
def test_all_of_a_brief_is_copied(way):
    """Members of sets and keys of dicts too; what stands in it twice stands twice in the copy."""
    member, row = Member(), [1]

    def look(brief: Any) -> tuple[int, bool]:
        (own,) = brief["set"]
        own.seen += 1
        return own.seen, brief["a"] is brief["b"]

    assert [(1, True), (1, True)] == ask(way, [look] * 2, {"set": {member}, "a": row, "b": row})
    assert 0 == member.seen


class Member:
    """Something hashable that changes."""

    seen = 0


class Note(pydantic.BaseModel):
    lines: list[str] = []


@every_way
def test_brief_that_is_a_model_is_copied(way):
    """With the lists in it."""
    note = Note(lines=["one"])

    def add(brief: Any) -> int:
        brief.lines.append("own")
        return len(brief.lines)

    assert [2, 2, 2] == ask(way, [add, add, add], note)
    assert ["one"] == note.lines
