"""A value comes back equal and of the same type; where JSON says enough it is plain, else tagged."""

import collections
import datetime
import decimal
import fractions
import ipaddress
import math
import pathlib
import re
import uuid
import zoneinfo
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal, NewType

import pytest
from pydantic import AfterValidator, AnyUrl, BaseModel, ByteSize, Field, SecretStr, TypeAdapter

import graphnb as gn
from graphnb.errors import UnreadableValue, UnstorableValue
from graphnb.store.encoding.json_text import json_of, json_text
from graphnb.store.encoding.values import decode, encode
from tests.store.encoding.exactness import (
    Box,
    Color,
    DatedNote,
    Draft,
    Entry,
    Hidden,
    Level,
    Loose,
    Mask,
    Mood,
    Note,
    Open,
    Pair,
    Point,
    Right,
    Tree,
    is_identical,
)

DAY = datetime.date(2024, 5, 1)
NOON = datetime.datetime(2024, 10, 27, 2, 30)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
SUMMER = datetime.timezone(datetime.timedelta(hours=2), "summer")
HIDDEN = Hidden(name="a")
HIDDEN._seen.append((1, 2))
HIDDEN._last = Note(author="Ada")
UUID = uuid.UUID(int=7)

PLAIN = [
    (int, 1, "1"),
    (float, 1, "1"),
    (float, 1.0, "1.0"),
    (float, -0.0, "-0.0"),
    (bool, True, "true"),
    (None, None, "null"),
    (str, 'é "', '"é \\""'),
    (list[int], [1, 2], "[1,2]"),
    (list, [1.5, [None]], "[1.5,[null]]"),
    (set[int], {10, 2, 1}, "[1,2,10]"),
    (frozenset[str], frozenset({"b", "a"}), '["a","b"]'),
    (tuple[int, datetime.date], (1, DAY), '[1,"2024-05-01"]'),
    (tuple[int, ...], (1, 2), "[1,2]"),
    (collections.deque[int], collections.deque([1]), "[1]"),
    (dict[str, list[int]], {"b": [1], "a": []}, '{"b":[1],"a":[]}'),
    (datetime.date, DAY, '"2024-05-01"'),
    (datetime.datetime, NOON, '"2024-10-27T02:30:00"'),
    (datetime.datetime, NOON.replace(tzinfo=datetime.UTC), '"2024-10-27T02:30:00+00:00"'),
    (datetime.datetime, NOON.replace(tzinfo=BERLIN, fold=1), '"2024-10-27T02:30:00[Europe/Berlin][fold]"'),
    (datetime.datetime, NOON.replace(tzinfo=SUMMER), '"2024-10-27T02:30:00[+7200000000us =summer]"'),
    (datetime.time, datetime.time(1, fold=1), '"01:00:00[fold]"'),
    (datetime.timedelta, datetime.timedelta(-1, 5, 7), '"P-1DT5.000007S"'),
    (datetime.timezone, datetime.UTC, '"+0us"'),
    (bytes, b"\x00\xff", '"AP8="'),
    (bytearray, bytearray(b"a"), '"YQ=="'),
    (decimal.Decimal, decimal.Decimal("-0.00"), '"-0.00"'),
    (decimal.Decimal, decimal.Decimal("NaN"), '"NaN"'),
    (fractions.Fraction, fractions.Fraction(-1, 3), '"-1/3"'),
    (complex, complex(-0.0, math.nan), '"-0.0 nan"'),
    (range, range(3, 0, -1), '"3:0:-1"'),
    (uuid.UUID, UUID, '"00000000-0000-0000-0000-000000000007"'),
    (pathlib.Path, pathlib.Path("a/b"), '"a/b"'),
    (ipaddress.IPv4Address, ipaddress.ip_address("127.0.0.1"), '"127.0.0.1"'),
    (zoneinfo.ZoneInfo, BERLIN, '"Europe/Berlin"'),
    (Color, Color.GREEN, '"GREEN"'),
    (Level, Level.HIGH, '"HIGH"'),
    (Right, Right.READ | Right.WRITE, '"READ|WRITE"'),
    (Right, Right(0), '"0"'),
    (Mask, Mask(9), '"9"'),
    (Note | None, Note(author="Ada", pages=2), '{"author":"Ada","pages":2}'),
    (Note, Note(author="Ada"), '{"author":"Ada","pages":1,"$unset":["pages"]}'),
    (Open, Open(day=DAY, more=1), '{"day":"2024-05-01","$extra":{"more":1}}'),
    (Tree, Tree(parts=[Tree(parts=[])]), '{"parts":[{"parts":[]}]}'),
    (Box[datetime.date], Box[datetime.date](item=DAY), '{"item":"2024-05-01"}'),
    (Point, Point(1.5, frozenset({2, 1})), '{"x":1.5,"around":[1,2]}'),
    (Pair[datetime.date], Pair(DAY, DAY), '{"left":"2024-05-01","right":"2024-05-01"}'),
    (Entry, Entry("a", DAY), '{"name":"a","day":"2024-05-01"}'),
    (Draft, {"day": DAY, "parts": [{}]}, '{"day":"2024-05-01","parts":[{}]}'),
    (Literal["a", "b"], "a", '"a"'),
    (AnyUrl | None, AnyUrl("https://example.org/"), '"https://example.org/"'),
    (int | str, "1", '"1"'),
    (int | str, 1, "1"),
    (datetime.date | str, "2024-05-01", '"2024-05-01"'),
    (list[int] | tuple[int, ...], [1], "[1]"),
    (Note | dict, {"author": "Ada"}, '{"author":"Ada"}'),
    (Mapping[str, int], {"a": 1}, '{"a":1}'),
    (Annotated[int, Field(gt=0)], 1, "1"),
    (NewType("Amount", int), 3, "3"),
    (collections.OrderedDict[str, int], collections.OrderedDict(a=1), '{"a":1}'),
    (collections.Counter[str], collections.Counter("aab"), '{"a":2,"b":1}'),
]
TAGGED = [
    (float, math.nan, '{"$":"float","value":"nan"}'),
    (float, -math.inf, '{"$":"float","value":"-inf"}'),
    (int, 1 << 4100, None),
    (str, "a\ud800\\b", '{"$":"str","value":["a\\\\ud800\\\\\\\\b"]}'),
    (str, "\ud83d\ude00", None),
    (pathlib.Path, pathlib.Path("a\udc80"), None),
    (pathlib.PurePath, pathlib.PureWindowsPath("c:\\x"), None),
    (datetime.date | str, DAY, '{"$":"date","value":"2024-05-01"}'),
    (datetime.date | uuid.UUID, UUID, '{"$":"UUID","value":"00000000-0000-0000-0000-000000000007"}'),
    (list[int] | tuple[int, ...], (1,), '{"$":"tuple","value":[1]}'),
    (Sequence[int], (1,), '{"$":"tuple","value":[1]}'),
    (Note | dict, Note(author="A", pages=1), None),
    (Note, DatedNote(author="A", pages=1, day=DAY), None),
    (BaseModel, Note(author="A"), None),
    (Box, Box[int](item=1), None),
    (Literal["a", Color.RED], Color.RED, '{"$":"tests.store.encoding.exactness.Color","value":"RED"}'),
    (str, Mood.CALM, '{"$":"tests.store.encoding.exactness.Mood","value":"CALM"}'),
    (dict[datetime.date, int], {DAY: 1}, '{"$":"dict","value":[["2024-05-01",1]]}'),
    (dict[str, int], {"$": 1, "a": 2}, '{"$":"dict","value":[["$",1],["a",2]]}'),
    (Any, {1: "a", (2,): b"x"}, None),
    (Any, gn.UNSET, '{"$":"UNSET"}'),
    (str, gn.UNSET, '{"$":"UNSET"}'),
    (object, [..., NotImplemented, True, 1, 1.0], None),
    (Any, re.compile("a+", re.IGNORECASE), None),
    (re.Pattern[bytes], re.compile(b"a"), None),
    (collections.deque, collections.deque([1], 3), '{"$":"deque","value":{"items":[1],"maxlen":3}}'),
    (dict[str, Any], collections.defaultdict(list, a=[1]), None),
    (Annotated[str, AfterValidator(str.split)], ["a"], '["a"]'),
    (Hidden, HIDDEN, None),
    (Open, Open(day=DAY, **{"$": 1, "a": 2}), None),
    (Note, Note.model_construct(pages="many"), '{"pages":"many"}'),
    (Point, Point("far"), '{"x":"far","around":[]}'),
    (Pair[datetime.date], Pair(DAY, "x"), '{"left":"2024-05-01","right":{"$":"str","value":"x"}}'),
    (Loose, Loose(1, (2,)), '{"one":1,"other":{"$":"tuple","value":[2]}}'),
    (ByteSize, ByteSize(5), '{"$":"pydantic.types.ByteSize","value":5}'),
    (Hashable, (1, "a"), '{"$":"tuple","value":[1,"a"]}'),
    (datetime.datetime, TypeAdapter(datetime.datetime).validate_python("2024-01-01T00:00:00+02:00"), None),
]


@pytest.mark.parametrize(("annotation", "value", "text"), PLAIN)
def test_value_is_plain_json_where_its_type_says_enough(annotation: Any, value: Any, text: str) -> None:
    """Nothing but what a reader would write himself."""
    assert text == json_text(encode(annotation, value))
    assert is_identical(value, decode(annotation, json_of(text)))


@pytest.mark.parametrize(("annotation", "value", "text"), TAGGED)
def test_value_is_tagged_where_its_type_leaves_a_choice(annotation: Any, value: Any, text: str | None) -> None:
    """It comes back as what it was, and the text can be written to any file."""
    if annotation == dict[str, Any]:
        annotation = collections.defaultdict[str, Any]
    written = json_text(encode(annotation, value))
    written.encode()

    assert text in (None, written)
    assert is_identical(value, decode(annotation, json_of(written)))


REFUSED = [
    (Any, lambda: 0, "value", "function has no form"),
    (Any, Note(author="A"), "value", "Note has no form"),
    (list[Any], [1, {"a": [object()]}], "value, [1]['a'][0]", "object has no form"),
    (list[Note], [Note(author="A"), Note.model_construct(author=print)], "value, [1].author", "builtin_function"),
    (dict[Any, Any], {object: 1}, "value, [<class 'object'>]", "type has no form"),
    (set[Any], {print}, "value, {<built-in function print>}", "builtin_function"),
    (list[int], (1,), "value", "tuple (1,) is not of the type list[int]"),
    (int, True, "value", "bool True is not of the type int"),
    (SecretStr, SecretStr("x"), "value", "would not come back the same"),
    (collections.defaultdict, collections.defaultdict(Note), "value", "defaultdict of"),
    (datetime.tzinfo, type("Zone", (datetime.tzinfo,), {})(), "value", "Zone has no form"),
    (fractions.Fraction, fractions.Fraction(1 << 20000, 3), "value", "cannot be taken"),
]


@pytest.mark.parametrize(("annotation", "value", "where", "what"), REFUSED)
def test_value_without_a_form_is_refused_with_its_place(annotation: Any, value: Any, where: str, what: str) -> None:
    """The path leads to the very part, and the message says what to do."""
    with pytest.raises(UnstorableValue) as info:
        encode(annotation, value)

    assert where == info.value.where
    assert what in info.value.what
    assert where.removeprefix("value").removeprefix(", ").removeprefix(".") == info.value.path
    assert info.value.mend


def test_value_need_not_fit_its_type_where_that_is_open() -> None:
    """As where a validator of the state class has made something else of it; what fits is as plain as ever."""
    data = encode(list[datetime.date], ("a", DAY), is_open=True)

    assert {"$": "tuple", "value": ["a", {"$": "date", "value": "2024-05-01"}]} == data
    assert ("a", DAY) == decode(list[datetime.date], data, is_open=True)
    assert ["2024-05-01"] == encode(list[datetime.date], [DAY], is_open=True)
    with pytest.raises(UnreadableValue, match="the tag 'tuple' names nothing"):
        decode(list[datetime.date], data)


@pytest.mark.parametrize("levels", [200, 201])
def test_value_may_be_nested_two_hundred_levels_deep(levels: int) -> None:
    """As deep as a document's values, whoever calls; deeper ones are refused, in whichever form."""
    value: Any = 1
    for _ in range(levels):
        value = [value]

    def calling(frames: int) -> Any:
        return calling(frames - 1) if frames else decode(Any, json_of(json_text(encode(Any, value))))

    if levels == 200:
        assert calling(500) == value
    else:
        with pytest.raises(UnstorableValue, match="nested deeper than 200 levels"):
            calling(500)


def test_value_that_holds_itself_is_refused() -> None:
    """It has no end that could be written."""
    ring: list[Any] = []
    ring.append(ring)

    with pytest.raises(UnstorableValue, match="or holds itself"):
        encode(Any, ring)
