"""Whether two runs did the same: as all their steps compared one by one, at a lower cost."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import model_validator

import graphnb as gn
from graphnb.errors import NodeException
from graphnb.state.values.same import is_same
from graphnb.trace.comparing.equality import are_logs_same
from graphnb.trace.instances import Instances, are_asked_alike
from graphnb.trace.log import Log, Open
from graphnb.trace.reading.steps import Step
from graphnb.trace.reading.walking import walk
from tests.traces import Made, fan_out


def anything(prior: Any, update: tuple[str, Any]) -> Any:
    """A reducer that grows, cuts, keeps or replaces what it likes."""
    verb, value = update
    kept = prior if isinstance(prior, list) else []
    return {"grow": [*kept, value], "cut": kept[:-1], "keep": prior, "set": value, "new": [value]}[verb]


class Mixed(gn.State):
    plain: Any = 0
    items: Annotated[list[Any], gn.append] = []
    flat: Annotated[list[Any], gn.concat_flatten] = [7]
    entries: Annotated[dict[Any, Any], gn.merge] = {"a": 0}
    all_entries: Annotated[dict[Any, Any], gn.merge_all] = {}
    window: Annotated[list[Any], gn.bounded_append(2)] = []
    novel: Annotated[list[Any], gn.dedupe_append()] = []
    rows: Annotated[list[dict[str, Any]], gn.merge_by_key(operator.itemgetter("id"))] = []
    any: Annotated[Any, anything] = []


class Checked(Mixed):
    """Checked as a whole by a model, whose lists and dicts are made anew by every fold."""

    @model_validator(mode="after")
    def _changed(self) -> "Checked":
        object.__setattr__(self, "plain", len(self.items))
        return self


@dataclass
class Rewritten:
    """Checked as a whole by a dataclass, which changes what the reducers gave."""

    plain: Any = 0
    items: Annotated[list[Any], gn.append] = field(default_factory=list)
    flat: Annotated[list[Any], gn.concat_flatten] = field(default_factory=list)
    entries: Annotated[dict[Any, Any], gn.merge] = field(default_factory=dict)
    all_entries: Annotated[dict[Any, Any], gn.merge_all] = field(default_factory=dict)
    window: Annotated[list[Any], gn.bounded_append(2)] = field(default_factory=list)
    novel: Annotated[list[Any], gn.dedupe_append()] = field(default_factory=list)
    rows: Annotated[list[dict[str, Any]], gn.merge_by_key(operator.itemgetter("id"))] = field(default_factory=list)
    any: Annotated[Any, anything] = None

    def __post_init__(self) -> None:
        self.plain = len(self.items)
        self.flat = self.flat[-3:]


VALUES = st.sampled_from([0, 1, True, 1.0, "a", float("nan"), None, [1], [True], {"k": 1}])
LISTS = st.lists(VALUES, max_size=3)
KEYS = st.sampled_from(["a", "b", 1, True, 1.0])
ENTRIES = st.dictionaries(KEYS, VALUES, max_size=2)
NOVEL = st.lists(st.sampled_from([0, 1, True, "a"]), max_size=3)
WRITES: dict[str, st.SearchStrategy[Any]] = {
    "plain": VALUES,
    "items": LISTS,
    "flat": st.lists(LISTS, max_size=2),
    "entries": ENTRIES,
    "all_entries": st.lists(ENTRIES, max_size=2),
    "window": LISTS,
    "novel": NOVEL,
    "rows": st.lists(st.fixed_dictionaries({"id": st.integers(0, 1), "n": VALUES}), max_size=2),
    "any": st.tuples(st.sampled_from(["grow", "cut", "keep", "set", "new"]), VALUES),
}
WHOLE: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("items", "flat", "window"), LISTS),
    "novel": NOVEL,
    **dict.fromkeys(("entries", "all_entries"), ENTRIES),
}
Update = dict[str, Any]


@st.composite
def updates(draw: st.DrawFn) -> Update:
    """An update of a few fields, of which some go round their reducers."""
    names = draw(st.lists(st.sampled_from(list(WRITES)), min_size=1, max_size=3, unique=True))
    return {
        name: gn.Replace(draw(WHOLE[name])) if name in WHOLE and draw(st.integers(0, 3)) == 0 else draw(WRITES[name])
        for name in names
    }


CLASSES = st.sampled_from([Mixed, Checked, Rewritten])
SCRIPTS = st.lists(updates(), max_size=5)


def made(cls: type, script: Sequence[Update], **start: Any) -> Made:
    """A run that writes the updates one after the other."""
    run = Made(cls, start)
    for i, update in enumerate(script):
        run.step(f"n{i % 2}", update, f"n{(i + 1) % 2}")
    return run


def nested(cls: type, script: Sequence[Update]) -> Log:
    """The same within a child, within an instance, and in the outermost graph."""
    inner = made(cls, script)
    return (
        made(cls, script[:2])
        .step("sub", {}, "each", child=made(cls, script))
        .step("each", {"items": [1]}, instances=fan_out(2, ["items"], logs=[inner, None]))
        .step("last", script[0] if script else {})
        .log
    )


def are_steps_equal(one: Log, other: Log) -> bool:
    """What equality means: starts and steps, compared as wholes."""
    steps = [[each for each in walk(log) if isinstance(each, Step)] for log in (one, other)]
    return is_same(one.start, other.start) and steps[0] == steps[1]


@given(script=SCRIPTS, cls=CLASSES)
def test_runs_of_equal_writes_are_equal(script, cls):
    """Whatever the reducers make of the writes."""
    assert are_logs_same(nested(cls, script), nested(cls, script))


@given(script=SCRIPTS, other=SCRIPTS, start=LISTS, data=st.data())
def test_runs_are_equal_if_all_their_steps_are(script, other, start, data):
    """The verdict is that of comparing every value of every step: some writes changed, some left out, other starts."""
    cls = data.draw(CLASSES)
    at = data.draw(st.integers(0, len(script)))
    variant = [*script[:at], *other[:1], *script[at + data.draw(st.integers(0, 1)) :]]
    one, two = (
        made(cls, script, items=start),
        made(cls, variant, items=data.draw(st.sampled_from([start, [*start, 1]]))),
    )

    assert are_steps_equal(one.log, two.log) == are_logs_same(one.log, two.log)
    assert are_steps_equal(nested(cls, script), nested(cls, variant)) == are_logs_same(
        nested(cls, script), nested(cls, variant)
    )


@pytest.mark.parametrize(
    ("field", "first", "second", "third"),
    [
        ("items", [1], [True], [1]),
        ("flat", [[1], []], [[], [1]], [[1], []]),
        ("entries", {"a": 1}, {"a": True}, {"a": 1}),
        ("all_entries", [{"a": 1}, {"a": 2}], [{"a": 2}], [{"a": 1}, {"a": 2}]),
        ("novel", [7, 7], [7], [7, 7]),
        ("any", ("grow", 1), ("set", [1]), ("grow", 1)),
    ],
)
def test_write_that_leads_to_an_equal_value_makes_a_difference(field, first, second, third):
    """What was written counts, not only what came of it."""
    one, two, three = (made(Mixed, [{field: write}, {field: first}]).log for write in (first, second, third))

    assert not are_logs_same(one, two)
    assert are_logs_same(one, three)


def test_value_that_other_validation_made_of_equal_writes_makes_a_difference():
    """Both runs wrote the same, and their state classes took it differently."""

    class Loose(gn.State):
        items: Annotated[list[Any], gn.dedupe_append()] = []

    class Strict(gn.State):
        items: Annotated[list[float], gn.dedupe_append()] = []

    one, two = (made(cls, [{"items": [1, 1]}]).log for cls in (Loose, Strict))

    assert one.commits[0].folds[0].written == two.commits[0].folds[0].written
    assert not are_logs_same(one, two)


def test_keys_that_only_one_validation_changed_make_no_difference_where_the_dict_is_the_same():
    """A key that equals one which is there already leaves that one in its place."""

    class Loose(gn.State):
        entries: Annotated[dict[Any, int], gn.merge_all] = {1: 0}

    class Strict(gn.State):
        entries: Annotated[dict[int, int], gn.merge_all] = {1: 0}

    one, two = (made(cls, [{"entries": [{1.0: 5}]}]).log for cls in (Loose, Strict))

    assert are_steps_equal(one, two)
    assert are_logs_same(one, two)


def test_list_that_a_state_class_has_changed_behind_the_reducer_makes_a_difference():
    """Where the class validates whole states, equal writes to equal values may come to different ends."""

    @dataclass
    class Kept:
        items: Annotated[list[int], gn.append] = field(default_factory=lambda: [1])

        def __post_init__(self) -> None:
            """Changes nothing."""

    @dataclass
    class Changed:
        items: Annotated[list[int], gn.append] = field(default_factory=lambda: [1])

        def __post_init__(self) -> None:
            self.items = [len(self.items), *self.items[1:]]

    one, two = (made(cls, [{"items": [2]}]).log for cls in (Kept, Changed))

    assert [[1, 2], [2, 2]] == [list(log.commits[0].folds[0].after) for log in (one, two)]
    assert not are_logs_same(one, two)


def test_start_of_a_graph_within_makes_a_difference_where_it_is_written_over():
    """The value before is compared, of which no earlier step tells."""
    one, two = (
        Made(Mixed).step("sub", {}, child=Made(Mixed, {"plain": start}).step("x", {"plain": 5})).log for start in (0, 1)
    )

    assert not are_logs_same(one, two)


@pytest.mark.parametrize(
    "other",
    [
        Made(Mixed).step("b", {}),
        Made(Mixed).step("a", {}, "b"),
        Made(Mixed).step("a", {"plain": 0}),
        Made(Mixed).step("a", {}, child=Made(Mixed).step("x", {})),
    ],
    ids=["node", "target", "fields", "within"],
)
def test_other_steps_make_a_difference(other):
    """Which nodes ran, where they led, which fields they wrote, and what ran within them."""
    assert not are_logs_same(Made(Mixed).step("a", {}).log, other.log)


def test_other_failures_make_a_difference():
    """Where, and with what words."""
    one, two, three = (
        Made(Mixed).fail(node, NodeException(f"node '{node}'", what)).log
        for node, what in (("a", "no"), ("b", "no"), ("a", "never"))
    )

    assert are_logs_same(one, Made(Mixed).fail("a", NodeException("node 'a'", "no")).log)
    assert not are_logs_same(one, two)
    assert not are_logs_same(one, three)


@pytest.mark.parametrize("errors", [{}, {2: ValueError("no")}, {1: ValueError("yes")}, {1: KeyError("no")}])
def test_other_instances_that_failed_make_a_difference(errors):
    """Also where those that are left gave the same, and nothing but their errors tells of the others."""
    one, same, other = (
        Made(Mixed).step("each", {"items": [7, 7]}, instances=fan_out(3, ["items"], errors=each)).log
        for each in ({1: ValueError("no")}, {1: ValueError("no")}, errors)
    )

    assert are_logs_same(one, same)
    assert not are_logs_same(one, other)
    assert are_steps_equal(one, same)
    assert not are_steps_equal(one, other)


def asked(names: tuple[str, ...] = ("ada", "bo"), **told: Any) -> Instances:
    """What delegates did of which each has given something."""
    return Instances(2, (), range(2), (), None, (), names=names, **{"unit": "delegate", "briefs": ("x", "x"), **told})


OTHER_ASKED = {
    "names": asked(("ada", "cy")),
    "unit": asked(unit="candidate"),
    "briefs": asked(briefs=("x", "y")),
    "winner": asked(given=((0, ("it",)),)),
}


@pytest.mark.parametrize("other", OTHER_ASKED)
def test_others_that_were_asked_or_asked_other_things_make_a_difference(other):
    """Names, what they were, their briefs, and who of them has won, where no field was written that tells of it."""
    one, same, two = (
        Made(Mixed).step("ask", {}, instances=each).log for each in (asked(), asked(), OTHER_ASKED[other])
    )

    assert are_logs_same(one, same)
    assert not are_logs_same(one, two)
    assert are_steps_equal(one, same)
    assert not are_steps_equal(one, two)


def test_brief_that_is_one_for_all_is_compared_once():
    """However many were given it."""
    compared: list[object] = []

    class Counted:
        def __eq__(self, other: object) -> bool:
            compared.append(other)
            return True

    one, two = (asked(briefs=(Counted(),) * 2) for _ in range(2))

    assert are_asked_alike(one, two)
    assert len(compared) == 1


@pytest.mark.parametrize("briefs", [lambda s: "x", "other x"])
def test_failure_of_delegates_that_were_asked_other_things_makes_a_difference(briefs):
    """Also where they failed with the same words."""

    def fail(brief):
        raise ValueError("no")

    def failed(given: Any) -> gn.Run:
        graph = gn.Graph(Mixed, entry="ask")
        graph.delegates("ask", [fail], briefs=given, to=gn.END)
        with pytest.raises(gn.DelegateFailed) as caught:
            graph.run()
        return caught.value.run

    assert failed("an x") == failed("an x")
    assert failed("an x") != failed(briefs)


def test_error_that_cannot_say_what_it_is_is_compared_by_its_type():
    """Comparing runs never raises what a user's exception raises."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise self

    logs = [Made(Mixed).step("each", {}, instances=fan_out(1, [], errors={0: Mute()})).log for _ in range(2)]

    assert are_logs_same(*logs)


def test_node_in_which_a_run_was_stopped_makes_no_difference():
    """An interruption comes when it comes; what had been done by then is what counts."""
    one, two = made(Mixed, [{"plain": 1}]).log, made(Mixed, [{"plain": 1}]).log
    one.open = Open(1, "n1", stopped=True)

    assert are_logs_same(one, two)


def test_more_steps_make_a_difference():
    """On either side."""
    one, two = made(Mixed, [{"plain": 1}]).log, made(Mixed, [{"plain": 1}, {}]).log

    assert not are_logs_same(one, two)
    assert not are_logs_same(two, one)


class Counted:
    """A value that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return isinstance(other, Counted)

    __hash__ = None


@pytest.mark.parametrize(
    ("field", "write", "times"),
    [
        ("items", lambda i: [Counted()], 1),
        ("flat", lambda i: [[Counted()], []], 1),
        ("entries", lambda i: {i: Counted()}, 1),
        ("plain", lambda i: Counted(), 1),
        ("items", lambda i: gn.Replace([Counted()]), 1),
        ("all_entries", lambda i: [{i: Counted()}], 2),
    ],
    ids=["append", "concat_flatten", "merge", "last_write_wins", "Replace", "merge_all"],
)
def test_every_value_that_was_written_is_compared_once_or_twice(field, write, times):
    """Also in a long loop with a growing list, where comparing all values would cost the square of its length."""
    one, two = (made(Mixed, [{field: write(i)} for i in range(300)]).log for _ in range(2))
    Counted.compared = 0

    assert are_logs_same(one, two)
    assert 300 * times == Counted.compared


class Stepwise(gn.State):
    once: Annotated[list[Any], gn.step.union] = [1, 1]
    deep: Annotated[dict[str, Any], gn.step.merge(deep=True)] = {"a": {"x": 1}}
    log: Annotated[list[Any], gn.step.append]


def _run(first: Any, second: Any) -> gn.Run:
    """Two nodes that write these updates."""
    graph = gn.Graph(Stepwise, entry="a")
    graph.node("a", lambda s: first, to="b")
    graph.node("b", lambda s: second, to=gn.END)
    return graph.run()


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        ({"once": 2}, {"once": 2}, {"once": [2]}),
        ({"once": []}, {"once": 1}, {"once": True}),
        ({"log": "a"}, {"log": "a"}, {"log": ["a"]}),
        ({"deep": {"a": {"y": 1}}}, {"deep": {"a": {"y": 1}}}, {"deep": {"a": {"x": 1}}}),
    ],
)
def test_writes_of_the_step_family_make_a_difference(first, second, other):
    """Also if they lead to an equal value: an item is not the list of it."""
    assert _run(first, second) == _run(first, second)
    assert _run(first, second) != _run(first, other)
    assert _run(second, first) != _run(other, first)
