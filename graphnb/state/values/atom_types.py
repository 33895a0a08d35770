"""The types whose instances can never change."""

from __future__ import annotations

import datetime
import decimal
import fractions
import ipaddress
import pathlib
import re
import types
import uuid
from typing import Final

from graphnb.state.marks import _Unset

ATOMS: Final = frozenset(
    {
        *(bool, int, float, complex, str, bytes, type(None), range, type(Ellipsis), type(NotImplemented), _Unset),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
        *(decimal.Decimal, fractions.Fraction, uuid.UUID, re.Pattern),
        *(pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath),
        *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
        *(types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type),
    }
)
PATHS: Final = frozenset({pathlib.PurePath, pathlib.Path})  # their instances are of a class in ATOMS
