"""Functions that cannot be called as they will be are refused where they are declared."""

import functools
from typing import Any
from unittest import mock

import pytest

import graphnb as gn


class Diary(gn.State):
    n: int = 0
    items: list[int] = []


class Agent:
    def plan(self, s: Any) -> dict[str, Any]:
        """A node."""
        return {}

    def __call__(self, s: Any, *, limit: int = 3) -> dict[str, Any]:
        """A node as well."""
        return {}


def none() -> dict[str, Any]:
    """Takes nothing."""
    return {}


def two(s: Any, db: Any) -> dict[str, Any]:
    """Needs more than the state."""
    return {}


def keyword(s: Any, *, db: Any) -> dict[str, Any]:
    """Needs more than the state, by name."""
    return {}


def injected(function: Any) -> Any:
    """A decorator that gives what the function needs, and lets it look as it did."""

    @functools.wraps(function)
    def wrapper(*given: Any) -> Any:
        return function(*given, "db")

    return wrapper


def claimed(s: Any) -> dict[str, Any]:
    """Claims to be called otherwise."""
    return {}


claimed.__signature__ = "not even one"  # type: ignore[attr-defined]  # that is the point

FINE: dict[str, Any] = {
    "defaults": lambda s, limit=3: {},
    "any number": lambda *given: {},
    "any at all": lambda *given, **more: {},
    "method": Agent().plan,
    "object": Agent(),
    "partial": functools.partial(two, db=1),
    "partial by place": functools.partial(lambda db, s: {}, 1),
    "wrapped": injected(two),
    "class": dict,
    "builtin": print,
    "builtin without a signature": type,
    "mock": mock.Mock(),
    "mock of a function": mock.create_autospec(two),
    "claimed": claimed,
}


@pytest.mark.parametrize("function", FINE.values(), ids=FINE)
def test_function_that_may_be_called_with_the_state_is_taken(function):
    """Also one of which nothing is known."""
    graph = gn.Graph(Diary, entry="a", name="g")
    graph.node("a", function)
    graph.branch("a", function, to=gn.END)
    graph.branches("b", {"c": function})

    assert ["a", "b"] == list(graph.spec().nodes)


WRONG: dict[str, tuple[Any, str, str]] = {
    "none": (none, "none", "too many positional arguments\nWrite def none(s): ..."),
    "lambda": (lambda: {"n": 1}, "lambda", "too many positional arguments\nWrite lambda s: ..."),
    "two": (
        two, "two",
        "missing a required argument: 'db'\nBind what else it needs before: functools.partial(two, db=...).",
    ),
    "two of a lambda": (
        lambda s, db: {}, "lambda",
        "missing a required argument: 'db'\nBind what else it needs before: functools.partial(function, db=...).",
    ),
    "method of the class": (Agent.plan, "plan", "missing a required argument: 's'"),
}  # fmt: skip


@pytest.mark.parametrize(("function", "name", "told"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("of", ["node", "router", "branch"])
def test_function_that_cannot_be_called_with_the_state_is_refused(of, function, name, told):
    """With its name, what it lacks, and what to write."""
    graph = gn.Graph(Diary, entry="a", name="g")
    declare = {
        "node": lambda: graph.node("a", function),
        "router": lambda: graph.branch("a", function),
        "branch": lambda: graph.branches("a", {"c": function}),
    }
    with pytest.raises(gn.InvalidDeclaration) as caught:
        declare[of]()

    place = "graph 'g', node 'a', branch 'c'" if of == "branch" else "graph 'g', node 'a'"
    role = "its router" if of == "router" else "its function"
    assert str(caught.value).startswith(f"{place}: {role} {name} is called with one argument, the state: {told}")
    assert not graph.spec().nodes


def test_keyword_that_has_to_be_given_is_told():
    """Python's own words for it differ between versions."""
    with pytest.raises(gn.InvalidDeclaration, match=r"missing a required .*'db'\nBind .*partial\(keyword, db=\.\.\.\)"):
        gn.Graph(Diary).node(keyword)


@pytest.mark.parametrize(
    ("worker", "options", "told"),
    [
        (none, {"over": "items"}, "an item: too many positional arguments\nWrite def none(item): ..."),
        (none, {"count": 2}, "the number of its instance: too many positional arguments\nWrite def none(i): ..."),
        (
            none, {"over": "items", "inputs": {"x": "n"}},
            "an item, and by name x: too many positional arguments\nWrite def none(item, x): ...",
        ),
        (
            two, {"over": "items", "inputs": {"x": "n"}},
            "an item, and by name x: missing a required argument: 'db'\n"
            "Bind what else it needs before: functools.partial(two, db=...). "
            "Or give it from a field of the state: inputs={'parameter': 'field'}.",
        ),
    ],
    ids=["item", "number", "inputs", "more"],
)  # fmt: skip
def test_worker_that_cannot_be_called_with_the_item_is_refused(worker, options, told):
    """And with the inputs, which it gets by name."""
    with pytest.raises(gn.InvalidDeclaration) as caught:
        gn.Graph(Diary, name="g").fan_out("each", worker, into="items", **options)

    assert f"graph 'g', node 'each': worker {worker.__name__} is called with {told}" == str(caught.value)


def test_worker_gets_what_it_needs_by_inputs():
    """Then nothing is missing."""
    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", lambda item, db: item + db, over="items", into="items", inputs={"db": "n"}, to=gn.END)

    assert [5, 6] == graph.run(n=4, items=[1, 2]).state.items


def yields(s: Any) -> Any:
    """What it gives is true whatever it yields."""
    yield False


async def yields_later(s: Any) -> Any:
    """The same, asynchronous."""
    yield False


async def later(s: Any) -> bool:
    """Asynchronous."""
    return False


class Asker:
    def __call__(self, s: Any) -> Any:
        """What an instance gives is true as well."""
        yield False


@pytest.mark.parametrize("guard", [yields, yields_later, functools.partial(yields), Asker()])
def test_guard_that_yields_is_refused(guard: Any) -> None:
    """Where it is declared: for an edge, a join and a branch; what it gives would count as true for ever."""
    graph = gn.Graph(Diary, entry="a", name="g")
    for declare in (
        lambda: graph.edge("a", "b", when=guard),
        lambda: graph.edge(("a", "b"), "c", when=guard),
        lambda: graph.branches("x", {"left": gn.ParallelBranch(lambda s: {}, when=guard)}),
    ):
        with pytest.raises(gn.InvalidDeclaration) as caught:
            declare()
        assert caught.value.what.endswith("is a generator function, and what it gives counts as true for ever")
        assert "Let it return True or False instead of yielding." == caught.value.mend


def test_asynchronous_guard_is_awaited_at_an_edge_and_refused_at_a_branch() -> None:
    """Which asks it before anything runs."""
    graph = gn.Graph(Diary, entry="a", name="g")
    graph.node("a", lambda s: {})
    graph.edge("a", gn.END, when=later)

    assert [()] == [each.targets for each in graph.run().steps]
    with pytest.raises(gn.InvalidDeclaration, match="when later is asynchronous, and its answer is needed at once"):
        graph.branches("x", {"left": gn.ParallelBranch(lambda s: {}, when=later)})
