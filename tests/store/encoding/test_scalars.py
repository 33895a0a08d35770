"""Every kind of value that is one text says what it needs to come back, and nothing is taken for it that is not."""

import datetime
import zoneinfo

import pytest
from pydantic_core import TzInfo

from graphnb.store.encoding.scalars import SCALARS

_BY_NAME = {each.name: each for each in SCALARS}
ZONES = [
    datetime.UTC,
    datetime.timezone(datetime.timedelta(hours=-3, microseconds=1)),
    datetime.timezone(datetime.timedelta(hours=2), "CEST =x"),
    datetime.timezone(datetime.timedelta(0), "two\nlines"),
    TzInfo(-7200),
    zoneinfo.ZoneInfo("America/Argentina/Buenos_Aires"),
    zoneinfo.ZoneInfo("Etc/GMT+5"),
    zoneinfo.ZoneInfo("Indian/Mauritius"),
    zoneinfo.ZoneInfo("UTC"),
]


@pytest.mark.parametrize("zone", ZONES, ids=repr)
@pytest.mark.parametrize("fold", [0, 1])
def test_moment_keeps_its_zone_and_fold(zone: datetime.tzinfo, fold: int) -> None:
    """Of whatever class the zone is, and by which name."""
    moment = datetime.datetime(2024, 10, 27, 2, 30, 0, 5, tzinfo=zone, fold=fold)
    for name, value in (("datetime", moment), ("time", moment.timetz())):
        again = _BY_NAME[name].read(_BY_NAME[name].text_of(value))

        assert (value, value.fold, type(value.tzinfo)) == (again, again.fold, type(again.tzinfo))
        assert str(value.tzinfo) == str(again.tzinfo)


@pytest.mark.parametrize("zone", ZONES, ids=repr)
def test_zone_by_itself_comes_back(zone: datetime.tzinfo) -> None:
    """As a value of its own."""
    scalar = _BY_NAME[type(zone).__name__]

    assert str(zone) == str(scalar.read(scalar.text_of(zone)))


@pytest.mark.parametrize("zone", [datetime.timezone(datetime.timedelta(0), "[x]"), zoneinfo.ZoneInfo.no_cache("UTC")])
def test_zone_without_a_text_is_refused(zone: datetime.tzinfo) -> None:
    """A name with the brackets around zones; one that was read from a file has no name at all."""
    if isinstance(zone, zoneinfo.ZoneInfo):
        with open(next(iter(zoneinfo.TZPATH)) + "/UTC", "rb") as file:
            zone = zoneinfo.ZoneInfo.from_file(file)

    with pytest.raises(ValueError, match="has no form as text"):
        _BY_NAME["datetime"].text_of(datetime.datetime(2024, 5, 1, tzinfo=zone))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("datetime", "2024-05-01T00:00[/etc/passwd]"),
        ("datetime", "2024-05-01[a][b]"),
        ("timedelta", "P1D"),
        ("Fraction", "0.5"),
        ("range", "0:1:0"),
        ("range", "1"),
        ("complex", "1.0"),
        ("bytes", "a b"),
        ("UUID", "7"),
    ],
)
def test_other_text_is_refused(name: str, text: str) -> None:
    """With what Python raises, which the reader names."""
    with pytest.raises(ValueError):
        _BY_NAME[name].read(text)
