"""Replaying the log gives the state: over random graphs, reducers and routes."""

import asyncio
import operator
from typing import Annotated, Any

from hypothesis import given
from hypothesis import strategies as st

import graphnb as gn
from graphnb.state.schema import schema_of, state_of
from graphnb.trace.log import Log, values_at
from graphnb.trace.reading.walking import walk


def longest(prior: str, update: str) -> str:
    """A reducer of a user's own."""
    return max(prior, update, key=len)


class Mixed(gn.State):
    plain: int = 0
    items: Annotated[list[int], gn.append] = []
    flat: Annotated[list[int], gn.concat_flatten] = [7]
    entries: Annotated[dict[str, int], gn.merge] = {"a": 0}
    all_entries: Annotated[dict[str, int], gn.merge_all] = {}
    window: Annotated[list[int], gn.bounded_append(3)] = []
    novel: Annotated[list[int], gn.dedupe_append()] = []
    rows: Annotated[list[dict[str, int]], gn.merge_by_key(operator.itemgetter("id"))] = []
    total: Annotated[int, operator.add] = 0
    word: Annotated[str, longest] = ""


NUMBERS = st.lists(st.integers(0, 5), max_size=4)
ENTRIES = st.dictionaries(st.sampled_from("abc"), st.integers(0, 9), max_size=3)
WRITES: dict[str, st.SearchStrategy[Any]] = {
    "plain": st.integers(),
    "items": NUMBERS,
    "flat": st.lists(NUMBERS, max_size=3),
    "entries": ENTRIES,
    "all_entries": st.lists(ENTRIES, max_size=3),
    "window": NUMBERS,
    "novel": NUMBERS,
    "rows": st.lists(st.fixed_dictionaries({"id": st.integers(0, 2), "n": st.integers(0, 9)}), max_size=3),
    "total": st.integers(-9, 9),
    "word": st.text("xy", max_size=4),
}
REDUCERS: dict[str, Any] = {
    "items": gn.append,
    "flat": gn.concat_flatten,
    "entries": gn.merge,
    "all_entries": gn.merge_all,
    "window": gn.bounded_append(3),
    "novel": gn.dedupe_append(),
    "rows": gn.merge_by_key(operator.itemgetter("id")),
    "total": operator.add,
    "word": longest,
}


@st.composite
def updates(draw: st.DrawFn) -> dict[str, Any]:
    """An update of some fields, one of them perhaps going round its reducer."""
    update = {name: draw(WRITES[name]) for name in draw(st.lists(st.sampled_from(list(WRITES)), unique=True))}
    if "items" in update and draw(st.booleans()):
        update["items"] = gn.Replace(update["items"])
    return update


def graph_of(steps: list[tuple[int, dict[str, Any]]], *, is_async: bool, child: list[dict[str, Any]]) -> gn.Graph:
    """Three nodes; a script says which comes next and what it writes. One node is a subgraph that runs `child`."""
    inner = gn.Graph(Mixed, entry="c0", name="inner")
    for i, update in enumerate(child):
        inner.node(f"c{i}", lambda s, update=update: update, to=f"c{i + 1}" if i + 1 < len(child) else gn.END)
    graph = gn.Graph(Mixed, entry="n0", name="random")
    script = iter([])

    def play(s: Any) -> dict[str, Any]:
        return next(script)[1]

    async def play_later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return play(s)

    def first(s: Any) -> dict[str, Any]:
        nonlocal script
        script = iter(steps)
        return {}

    graph.node("n0", first, to="n1")
    graph.node("n1", play)
    graph.node("n2", play_later if is_async else play)
    lists_of_parts = ("flat", "all_entries")  # their reducers would refuse the child's whole value
    shared = {name: name for name in Mixed.model_fields if name not in lists_of_parts}
    graph.subgraph("sub", inner, inputs={"window": "items"}, outputs=shared, to="n1")
    remaining: list[int] = []

    def route(s: Any) -> Any:
        if not remaining:
            remaining.extend([*(choice for choice, _ in steps[1:]), 3])
        choice = remaining.pop(0)
        return gn.END if choice == 3 else ("n1", "n2", "sub")[choice]

    for name in ("n1", "n2"):
        graph.branch(name, route, to=("n1", "n2", "sub", gn.END))
    return graph


def refolded(log: Log) -> dict[str, Any]:
    """The values that come out when every recorded write is folded again by the field's own reducer."""
    values = dict(vars(state_of(log.schema, log.start)))
    steps = [step for step in walk(log) if step.log is log]
    for step, commit in zip(steps, log.commits, strict=True):
        for each in step.deltas:
            assert values[each.field] == each.before
            fold = REDUCERS.get(each.field, lambda prior, update: update)
            values[each.field] = each.written if each.is_replace else fold(values[each.field], each.written)
            assert values[each.field] == each.after
        if commit.child is not None:
            refolded(commit.child)
    return values


@given(
    steps=st.lists(st.tuples(st.sampled_from([0, 0, 1, 2]), updates()), min_size=1, max_size=8),
    child=st.lists(updates(), min_size=1, max_size=3),
    is_async=st.booleans(),
)
def test_refolding_every_write_gives_the_state(steps, child, is_async):
    """Each write, folded by its reducer into the value before, gives the value after; the last is the state."""
    run = graph_of(steps, is_async=is_async, child=child).run()
    log = run.trace.log

    assert vars(run.state) == refolded(log)
    assert run.state == state_of(schema_of(Mixed), values_at(log))
    assert [step.after for step in run.steps if not step.parents] == [
        state_of(log.schema, values_at(log, i + 1)) for i in range(len(log.commits))
    ]


@given(steps=st.lists(st.tuples(st.sampled_from([0, 1]), updates()), min_size=1, max_size=5))
def test_equal_results_make_equal_traces(steps):
    """Whether nodes are awaited or not, and under which driver, the record is the same."""
    plain = graph_of(steps, is_async=False, child=[{}])
    later = graph_of(steps, is_async=True, child=[{}])
    run = plain.run()

    assert run == later.run() == asyncio.run(later.arun()) == asyncio.run(plain.arun()) == plain.session().finish()
    assert run.state == later.last_run.state
