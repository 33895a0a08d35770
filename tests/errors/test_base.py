"""Every error says where, what and how to mend, and keeps that wherever it travels."""

import copy
import pickle

import pytest

from graphnb import errors
from graphnb.errors import FanOutError, GraphError, GraphWarning, RoutingError, StateValidationError

EXPORTED = [getattr(errors, name) for name in errors.__all__]
CLASSES = [each for each in EXPORTED if isinstance(each, type) and issubclass(each, GraphError)]
OTHERS = ["Cause", "Causes", "category_of", "causes_of"]

TRAVELS = [
    copy.copy,
    copy.deepcopy,
    *(
        lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ),
]


def test_exported_names_are_sorted_and_all_errors_and_warnings_there_are():
    """Whoever adds a class exports it."""
    defined = set(OTHERS)
    ahead: list[type] = [GraphError, GraphWarning]
    while ahead:
        cls = ahead.pop()
        if cls.__module__.startswith("graphnb.errors"):
            defined.add(cls.__name__)
        ahead += cls.__subclasses__()

    assert sorted(defined) == errors.__all__


@pytest.mark.parametrize("cls", CLASSES)
def test_message_joins_place_fault_and_mend(cls):
    """The mend stands on a line of its own."""
    error = cls("graph 'g', node 'a'", "returned 3", "Return a dict.")

    assert "graph 'g', node 'a': returned 3\nReturn a dict." == str(error)
    assert ("graph 'g', node 'a'", "returned 3", "Return a dict.") == (error.where, error.what, error.mend)


def test_message_without_mend_is_one_line():
    """An error that nobody knows to mend leaves no empty line."""
    assert "graph 'g': is wrong" == str(GraphError("graph 'g'", "is wrong"))


def test_message_shows_the_parts_as_they_are_now():
    """The engine adds the step to the place of an error that a lower layer made."""
    error = GraphError("node 'a'", "is wrong")
    error.where = "node 'a', step 3"

    assert "node 'a', step 3: is wrong" == str(error)


@pytest.mark.parametrize("cls", CLASSES)
def test_repr_could_build_the_error(cls):
    """Class and the three parts, as one would write them."""
    error = cls("w", "it's", "m")

    assert f"{cls.__name__}('w', \"it's\", 'm')" == repr(error)
    assert repr(error) == repr(eval(repr(error), {cls.__name__: cls}))


def test_message_can_be_shown_whatever_a_name_holds():
    """Lone surrogates and control characters of a user's names become escapes; the parts stay as they are."""
    error = GraphError("graph 'g\ud800'", "node '\x1b[31m' is\tno\nnode", "Nodes: ['\x00'].")

    assert "graph 'g\\ud800': node '\\x1b[31m' is\tno\nnode\nNodes: ['\\x00']." == str(error)
    assert str(error).encode("utf-8")
    assert "graph 'g\ud800'" == error.where


@pytest.mark.parametrize("travel", TRAVELS)
@pytest.mark.parametrize("cls", CLASSES)
def test_error_keeps_its_parts_when_copied_or_pickled(cls, travel):
    """Class, place, fault, mend and message come through; so they do from another process."""
    error = cls("graph 'g'", "is wrong", "Mend it.")
    again = travel(error)

    assert error is not again
    assert cls is type(again)
    assert ("graph 'g'", "is wrong", "Mend it.") == (again.where, again.what, again.mend)
    assert (str(error), repr(error), error.args) == (str(again), repr(again), again.args)


@pytest.mark.parametrize("travel", TRAVELS)
def test_error_keeps_what_was_added_when_copied_or_pickled(travel):
    """The parts as they were last set, and the further attributes of its class."""
    fan_out = FanOutError("w", "x", fan_out_category="fan_out_empty")
    fan_out.where, fan_out.node, fan_out.path = "w, step 2", "a", ("n", "a")
    routing = RoutingError("w", "x")
    routing.returned = ["nowhere"]
    state = StateValidationError("w", "x")
    state.fields, state.details = ("a",), {"a": ("is wrong",)}

    again = travel(fan_out)
    assert ("w, step 2", "a", ("n", "a"), "fan_out_empty") == (
        again.where, again.node, again.path, again.fan_out_category
    )  # fmt: skip
    assert ["nowhere"] == travel(routing).returned
    assert (("a",), {"a": ("is wrong",)}) == (travel(state).fields, travel(state).details)


def test_errors_are_caught_by_their_families():
    """`except GraphError` catches all; building, running, answering and storing do not catch each other."""
    bases = (errors.BuildError, errors.RunError, errors.AnswerError, errors.StoreError)
    families = {cls: [base.__name__ for base in bases if issubclass(cls, base)]
                for cls in CLASSES if cls is not GraphError}  # fmt: skip

    assert all(issubclass(cls, GraphError) for cls in CLASSES)
    assert {1} == {len(bases) for bases in families.values()}
