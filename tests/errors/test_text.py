"""Values and names in messages: bounded and printable, whatever a user's class does, and the same in every process."""

import collections
import dataclasses
import enum
import functools
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphnb.errors.text import bounded, choices, kind_of, nearest, nearest_of, shown, visible
from graphnb.state.marks import UNSET


class Says:
    """An object whose repr is the given text, or whatever else was given."""

    def __init__(self, text: Any) -> None:
        self.text = text

    def __repr__(self) -> Any:
        return self.text


class Raises:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error


class Endless:
    def __repr__(self) -> str:
        return f"<{self!r}>"


class Secret:
    """Its repr begins with its address."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<Secret at {id(self):#x} {self.name}>"


class UnreadableList(list):
    def __iter__(self):
        raise RuntimeError("no")

    def __len__(self):
        raise RuntimeError("no")


class UnreadableDict(dict):
    def __len__(self):
        raise RuntimeError("no")


def kind_id(given: object) -> str:
    """A test's id for a value that pytest cannot show, or should not: 20 MB of text."""
    return type(given).__name__


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int


def own_list() -> list[Any]:
    """A list that holds itself."""
    held: list[Any] = []
    held.append(held)
    return held


def own_dict() -> dict[str, Any]:
    """A dict that holds itself."""
    held: dict[str, Any] = {}
    held["own"] = held
    return held


def nested(depth: int) -> list[Any]:
    """Lists within lists."""
    held: list[Any] = []
    for _ in range(depth):
        held = [held]
    return held


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("it's", '"it\'s"'),
        ([1, "a"], "[1, 'a']"),
        ([], "[]"),
        ((), "()"),
        ((1,), "(1,)"),
        ({}, "{}"),
        ({"b": 1, "a": [2]}, "{'b': 1, 'a': [2]}"),
        (set(), "set()"),
        (frozenset(), "frozenset()"),
        ({3, 1, 2}, "{1, 2, 3}"),
        (frozenset({"b", "a"}), "frozenset({'a', 'b'})"),
        (b"raw", "b'raw'"),
        (Colour.RED, "<Colour.RED: 1>"),
        (Point(3), "Point(x=3)"),
        (UNSET, "UNSET"),
        (int, "<class 'int'>"),
    ],
)
def test_small_value_is_shown_in_full(value, text):
    """As Python would show it; sets sorted."""
    assert text == shown(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (list(range(7)), "[0, 1, 2, 3, 4, 5, ...]"),
        (tuple(range(7)), "(0, 1, 2, 3, 4, 5, ...)"),
        (set(range(7)), "{0, 1, 2, 3, 4, 5, ...}"),
        (frozenset(range(7)), "frozenset({0, 1, 2, 3, 4, 5, ...})"),
        (dict.fromkeys(range(7)), "{0: None, 1: None, 2: None, 3: None, 4: None, 5: None, ...}"),
        (set(range(1001)), "set(... 1,001 members)"),
        ([[[[["deep"]]]]], "[[[[[...]]]]]"),
        ([[[[{"deep": 1}]]]], "[[[[{...}]]]]"),
        ([[[[{1}]]]], "[[[[set(... 1 members)]]]]"),
        ([[[[{}]]]], "[[[[{}]]]]"),
    ],
)
def test_large_or_deep_value_is_cut_with_dots(value, text):
    """Six parts of each level, four levels; exactly six parts need no dots."""
    assert text == shown(value)
    assert "[0, 1, 2, 3, 4, 5]" == shown(list(range(6)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Raises(ValueError("no")), "<Raises>"),
        (Raises(MemoryError()), "<Raises>"),
        (Endless(), "<Endless>"),
        (Says(3), "<Says>"),
        (10**5000, "<int>"),
        (UnreadableList([1]), "<UnreadableList>"),
        (UnreadableDict(a=1), "<UnreadableDict>"),
        ([Raises(ValueError("no")), 1], "[<Raises>, 1]"),
        ({Raises(ValueError("no")): Raises(ValueError("no"))}, "{<Raises>: <Raises>}"),
        ({Raises(ValueError("no"))}, "{<Raises>}"),
        (own_list(), "[[[[[...]]]]]"),
        (own_dict(), "{'own': {'own': {'own': {'own': {...}}}}}"),
    ],
    ids=kind_id,
)
def test_value_that_cannot_be_shown_is_named_after_its_type(value, text):
    """A repr that raises, recurses or gives no text spoils its own part and no other."""
    assert text == shown(value)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_interruption_within_a_repr_is_not_swallowed(error):
    """Who presses Ctrl-C while a message is made means it."""
    with pytest.raises(error):
        shown([Raises(error())])


@pytest.mark.parametrize(
    "value",
    [
        Says("x" * 20_000_000),
        "x" * 20_000_000,
        b"x" * 20_000_000,
        [Says("x" * 20_000_000)] * 3,
        [["x" * 500] * 9] * 9,
        {("x" * 500, i): "x" * 500 for i in range(9)},
        {Says(f"{'x' * 70}{i}") for i in range(900)},
        list(range(1_000_000)),
        collections.deque(range(100_000), maxlen=100_000),
        nested(500),
    ],
    ids=kind_id,
)
def test_shown_value_is_bounded(value):
    """At most 400 characters of 20 MB, ending in dots or in a closing bracket that has dots before it."""
    text = shown(value)

    assert len(text) <= 400
    assert "..." in text


@pytest.mark.parametrize("length", [80, 81])
def test_repr_of_eighty_characters_is_the_longest_shown_in_full(length):
    """One more, and dots replace its end."""
    text = "x" * length

    assert (text if length == 80 else f"{'x' * 77}...") == shown(Says(text))


def test_large_values_are_not_walked_through():
    """A list is read up to its seventh member, and no member of a huge set is asked for its repr."""

    class Thousands(list):
        def __iter__(self):
            yield from range(7)
            raise AssertionError("read on")

        def __len__(self):
            return 1_000_000

    assert "[0, 1, 2, 3, 4, 5, ...]" == shown(Thousands())
    assert "set(... 2,000 members)" == shown({Raises(KeyboardInterrupt()) for _ in range(2000)})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (object(), "<object>"),
        ([object()], "[<object>]"),
        ({1: object()}, "{1: <object>}"),
        (Says("<Thing at 0x7F00>"), "<Thing>"),
        (Says("<Thing at 0x7F00 named a>"), "<Thing named a>"),
        (lambda: 0, "<function <lambda>>"),
        (functools.partial(max, object()), "functools.partial(<built-in function max>, <object>)"),
    ],
)
def test_shown_value_has_no_address(value, text):
    """Two runs of one program show the same."""
    assert text == shown(value)


@pytest.mark.parametrize("digits", [4, 12, 16])
def test_place_of_the_cut_does_not_depend_on_the_address(digits):
    """The address goes first, then the text is bounded: its length differs between machines."""
    assert f"<Thing {'x' * 70}..." == shown(Says(f"<Thing at 0x{'7' * digits} {'x' * 100}>"))


def test_text_that_addresses_alone_made_long_keeps_its_dots_or_its_end():
    """What was left out is never silently left out."""
    assert f"[{', '.join(['<A>'] * 15)}]" == shown(Says(f"[{', '.join(['<A at 0x7f0000000000>'] * 15)}]"))
    assert shown(Says(f"[{', '.join(['<A object at 0x7f0000000000>'] * 1000)}]")).endswith("...")


def test_members_of_a_set_are_not_sorted_by_their_addresses():
    """Whichever of the objects lies lower in memory."""
    kept = [Secret(name) for name in "abcdefgh"]
    low, high = sorted(kept, key=id)[0], sorted(kept, key=id)[-1]
    low.name, high.name = "z", "a"

    assert "{<Secret a>, <Secret z>}" == shown({low, high})


def test_shown_set_does_not_depend_on_the_hash_seed():
    """Three processes with different seeds agree."""
    program = "from graphnb.errors.text import shown; print(shown({'plan', 'judge', 'read', ('a', 'b'), 3, None}))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip

    assert {"{'judge', 'plan', 'read', ('a', 'b'), 3, None}\n"} == texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x00\x07\x7f\x9f", "\\x00\\x07\\x7f\\x9f"),
        ("\ud800 and \udfff", "\\ud800 and \\udfff"),
        ("a\rb", "a\\x0db"),
        ("lines\n\tand tabs", "lines\n\tand tabs"),
        ("ä → 🙂 \xa0", "ä → 🙂 \xa0"),
        ("", ""),
    ],
)
def test_visible_text_has_escapes_for_what_cannot_be_shown(text, expected):
    """Control characters and lone surrogates; line ends, tabs and every real character stay."""
    assert expected == visible(text)
    assert expected == shown(Says(text))


@given(st.text(alphabet=st.characters(categories=None)))
def test_visible_text_can_always_be_written(text):
    """It encodes as UTF-8, holds no escape character, and seeing it twice changes nothing more."""
    seen = visible(text)

    assert seen.encode("utf-8").decode("utf-8") == seen
    assert not {"\x1b", "\x00", "\r"} & set(seen)
    assert seen == visible(seen)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.binary() | st.text(st.characters(categories=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)


@given(VALUES)
def test_any_value_is_shown_as_bounded_printable_text(value):
    """Whatever JSON or Python can hold; twice the same."""
    text = shown(value)

    assert len(text) <= 400
    assert text.encode("utf-8")
    assert text == shown(value)


@pytest.mark.parametrize(
    ("text", "most", "expected"), [("abcdef", 6, "abcdef"), ("abcdef", 5, "ab..."), ("", 3, ""), ("abcdef", 3, "...")]
)
def test_bounded_text_has_at_most_so_many_characters(text, most, expected):
    """The dots count."""
    assert expected == bounded(text, most)


def test_text_is_bounded_to_400_characters_unless_told():
    """The bound of a value in a message."""
    assert "x" * 400 == bounded("x" * 400)
    assert "x" * 397 + "..." == bounded("x" * 401)


@pytest.mark.parametrize(
    ("value", "kind"), [(None, "None"), (3, "int"), ([], "list"), (int, "type"), (UNSET, "UNSET"), (Point(1), "Point")]
)
def test_kind_is_the_name_that_a_reader_knows(value, kind):
    """The type's name; None and UNSET by themselves."""
    assert kind == kind_of(value)


def test_kind_of_a_subclass_is_its_own_name():
    """Only a class that says so itself is shown as another."""
    shown_as = type("Guarded", (list,), {"_shown_as": "list"})

    assert "list" == kind_of(shown_as())
    assert "Mine" == kind_of(type("Mine", (shown_as,), {})())


@pytest.mark.parametrize(
    ("name", "names", "hint"),
    [
        ("judg", ["plan", "judge"], "Did you mean 'judge'?"),
        ("plan", ["plan", "plane"], "Did you mean 'plan'?"),
        ("plan", ["plane", "plans"], "Did you mean 'plans'?"),
        ("abcd", ["axyd"], "Did you mean 'axyd'?"),
        ("abcde", ["axyze"], ""),
        ("zzz", ["plan"], ""),
        ("", ["plan"], ""),
        ("plan", [], ""),
        ("Plan", ["plan"], "Did you mean 'plan'?"),
        (3, ["plan"], ""),
        (None, ["None of it", "non"], "Did you mean 'non'?"),
        (["plan"], ["plan"], "Did you mean 'plan'?"),
        ("a\x1b[31", ["a\x1b[31m"], "Did you mean 'a\\x1b[31m'?"),
    ],
)
def test_nearest_name_is_offered_only_if_close(name, names, hint):
    """One name, the closest; what is no text is compared as it is shown."""
    assert hint == nearest(name, names)


def test_nearest_name_by_itself_is_the_one_that_is_offered():
    """None if none is close."""
    assert "judge" == nearest_of("judg", ["plan", "judge"])
    assert None is nearest_of("zzz", ["plan"])


def test_nearest_name_takes_an_iterator():
    """Names may come from anywhere."""
    assert "Did you mean 'judge'?" == nearest("judg", iter(["plan", "judge"]))


def test_nearest_name_is_looked_for_with_the_beginning_of_a_huge_text():
    """A hundred characters are compared, for the cost grows with the square."""
    name = "ab" * 50

    assert f"Did you mean {name!r}?" == nearest(name + "z" * 10_000_000, [name, "plan"])


@pytest.mark.parametrize(
    ("names", "name", "mend"),
    [
        (["plan", "judge"], "judg", "Nodes: ['plan', 'judge']. Did you mean 'judge'?"),
        (["plan", "judge"], "zzz", "Nodes: ['plan', 'judge']."),
        ({"b": 1, "a": 2}, "", "Nodes: ['b', 'a']."),
        ([], "plan", "Nodes: []."),
        (["\ud800"], "", "Nodes: ['\\ud800']."),
    ],
)
def test_choices_list_names_in_their_order_with_the_nearest(names, name, mend):
    """Without a near one the sentence ends there."""
    assert mend == choices("Nodes", names, name)


def test_choices_without_a_name_offer_none():
    """Then there is nothing to compare with."""
    assert "Nodes: ['plan']." == choices("Nodes", ["plan"])


@pytest.mark.parametrize(("number", "end"), [(20, "'n19']."), (21, "'n19', and 1 more]."), (1000, "and 980 more].")])
def test_choices_list_at_most_twenty(number, end):
    """The others are counted; the nearest is looked for among all."""
    names = [f"n{i}" for i in range(number)]

    assert choices("Nodes", names).endswith(end)
    assert "'n20'" not in choices("Nodes", names)
    assert choices("Nodes", [*names, "judge"], "judg").endswith("Did you mean 'judge'?")


def test_choices_bound_each_name():
    """Twenty names of a megabyte make a message, not a book."""
    assert len(choices("Nodes", ["x" * 1_000_000] * 30)) < 2000


def test_import_of_graphnb_does_not_load_what_only_messages_need():
    """Looking for the nearest name takes difflib, which is loaded with the first message."""
    script = "import sys, graphnb; print('difflib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)

    assert "False" == done.stdout.strip()
