"""Values that are written as one text: dates, bytes, ids, paths, numbers that JSON has no word for."""

from __future__ import annotations

import base64
import datetime
import decimal
import fractions
import ipaddress
import pathlib
import re
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pydantic_core import TzInfo

from graphnb.errors.text import shown

Moment = datetime.datetime | datetime.time


class Scalar(NamedTuple):
    """How the values of one type are written: `text_of` and `read` undo each other, and raise what Python raises."""

    name: str
    types: tuple[type, ...]
    text_of: Callable[[Any], str]
    read: Callable[[str], Any]


_MICROSECOND: Final = datetime.timedelta(microseconds=1)
_BRACKETS: Final = re.compile(r"([^\[\]]+)(?:\[([^\[\]]+)\])??(\[fold\])?")
_FIXED: Final = re.compile(r"([+-]\d+)us(?: (TzInfo|=.*))?", re.DOTALL)
_ZONE: Final = re.compile(r"[A-Za-z][\w+-]*(/[\w+-]+)*", re.ASCII)
_DURATION: Final = re.compile(r"P(-?\d+)DT(\d+)\.(\d{6})S", re.ASCII)
_RATIO: Final = re.compile(r"(-?\d+)/(\d+)", re.ASCII)
_RANGE: Final = re.compile(r"(-?\d+):(-?\d+):(-?\d+)", re.ASCII)


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"has the form {pattern.pattern}")
    return found


def _moment_text(value: Moment) -> str:
    """ISO 8601; whatever that cannot say of the zone follows in brackets, instead of the offset."""
    zone = _zone_text(value.tzinfo) if value.tzinfo is not None else ""
    is_told = not zone or (zone[0] in "+-" and " " not in zone)  # an offset without a name
    text = value.isoformat() if is_told else f"{value.replace(tzinfo=None).isoformat()}[{zone}]"
    return f"{text}[fold]" if value.fold else text


def _zone_text(zone: datetime.tzinfo) -> str:
    """A time zone as text. Raises ValueError for a class of the user's own."""
    if type(zone) is zoneinfo.ZoneInfo and zone.key is not None and _ZONE.fullmatch(zone.key):
        return zone.key
    if type(zone) is TzInfo:
        return f"{_offset(zone)} TzInfo"
    if type(zone) is datetime.timezone:
        *_, name = zone.__getinitargs__()  # type: ignore[attr-defined]  # what pickle asks as well
        if not isinstance(name, str):
            return _offset(zone)
        if not re.search(r"[\[\]]", name):
            return f"{_offset(zone)} ={name}"
    raise ValueError(f"the time zone {shown(zone)} has no form as text")


def _offset(zone: datetime.tzinfo) -> str:
    return f"{(zone.utcoffset(None) or datetime.timedelta()) // _MICROSECOND:+d}us"


def _zone_of(text: str) -> datetime.tzinfo:
    """The time zone again. Raises ValueError and KeyError."""
    fixed = _FIXED.fullmatch(text)
    if fixed is None:
        return zoneinfo.ZoneInfo(_matched(_ZONE, text).group())
    offset = int(fixed[1]) * _MICROSECOND
    if fixed[2] == "TzInfo":
        return TzInfo(offset.total_seconds())
    return datetime.timezone(offset, fixed[2][1:]) if fixed[2] else datetime.timezone(offset)


def _moment_reader(kind: type[datetime.datetime] | type[datetime.time]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        iso, zone, fold = _matched(_BRACKETS, text).groups()
        moment = kind.fromisoformat(iso)
        moment = moment.replace(tzinfo=_zone_of(zone)) if zone else moment
        return moment.replace(fold=1) if fold else moment

    return read


def _duration_text(value: datetime.timedelta) -> str:
    return f"P{value.days}DT{value.seconds}.{value.microseconds:06}S"


def _duration(text: str) -> datetime.timedelta:
    days, seconds, microseconds = map(int, _matched(_DURATION, text).groups())
    return datetime.timedelta(days, seconds, microseconds)


def _ratio(text: str) -> fractions.Fraction:
    return fractions.Fraction(*map(int, _matched(_RATIO, text).groups()))  # by itself it would work out 1e999999999


def _complex(text: str) -> complex:
    real, imaginary = map(float, text.split(" "))
    return complex(real, imaginary)


def _base64(value: bytes | bytearray) -> str:
    return base64.b64encode(value).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _range(text: str) -> range:
    return range(*map(int, _matched(_RANGE, text).groups()))


_ADDRESSES: Final[tuple[Any, ...]] = (
    *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
    *(ipaddress.IPv4Interface, ipaddress.IPv6Interface),
)
_ZONES: Final[tuple[Any, ...]] = (zoneinfo.ZoneInfo, datetime.timezone, TzInfo)
SCALARS: Final = (
    Scalar("bytes", (bytes,), _base64, _bytes),
    Scalar("bytearray", (bytearray,), _base64, lambda text: bytearray(_bytes(text))),
    Scalar("datetime", (datetime.datetime,), _moment_text, _moment_reader(datetime.datetime)),
    Scalar("time", (datetime.time,), _moment_text, _moment_reader(datetime.time)),
    Scalar("date", (datetime.date,), datetime.date.isoformat, datetime.date.fromisoformat),
    Scalar("timedelta", (datetime.timedelta,), _duration_text, _duration),
    Scalar("Decimal", (decimal.Decimal,), str, decimal.Decimal),
    Scalar("Fraction", (fractions.Fraction,), lambda ratio: f"{ratio.numerator}/{ratio.denominator}", _ratio),
    Scalar("complex", (complex,), lambda value: f"{value.real!r} {value.imag!r}", _complex),
    Scalar("range", (range,), lambda value: f"{value.start}:{value.stop}:{value.step}", _range),
    Scalar("UUID", (uuid.UUID,), str, uuid.UUID),
    Scalar("Path", (type(pathlib.Path()), pathlib.Path), str, pathlib.Path),
    Scalar("PurePosixPath", (pathlib.PurePosixPath,), str, pathlib.PurePosixPath),
    Scalar("PureWindowsPath", (pathlib.PureWindowsPath,), str, pathlib.PureWindowsPath),
    *(Scalar(kind.__name__, (kind,), str, kind) for kind in _ADDRESSES),
    *(Scalar(kind.__name__, (kind,), _zone_text, _zone_of) for kind in _ZONES),
)
"""All of them; the first of the `types` is that of the values, the others may stand in annotations for it."""
