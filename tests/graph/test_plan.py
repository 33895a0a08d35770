"""Whether a function has to be awaited."""

import functools
from typing import Any
from unittest.mock import AsyncMock

import pytest

from graphnb.graph.plan import is_async


def plain(s: Any, extra: int = 0) -> dict[str, Any]:
    """A plain node."""
    return {}


async def later(s: Any, extra: int = 0) -> dict[str, Any]:
    """An asynchronous node."""
    return {}


class Plain:
    def __call__(self, s: Any) -> dict[str, Any]:
        return {}

    def method(self, s: Any) -> dict[str, Any]:
        return {}


class Later:
    async def __call__(self, s: Any) -> dict[str, Any]:
        return {}

    async def method(self, s: Any) -> dict[str, Any]:
        return {}

    @staticmethod
    async def static(s: Any) -> dict[str, Any]:
        return {}

    @classmethod
    async def of_class(cls, s: Any) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (plain, False),
        (later, True),
        (lambda s: later(s), False),
        (functools.partial(plain, extra=1), False),
        (functools.partial(later, extra=1), True),
        (functools.partial(functools.partial(later), extra=1), True),
        (Plain(), False),
        (Later(), True),
        (functools.partial(Plain()), False),
        (functools.partial(Later()), True),
        (Plain().method, False),
        (Later().method, True),
        (Later.static, True),
        (Later.of_class, True),
        (Later, False),
        (AsyncMock(), True),
        (len, False),
    ],
)
def test_function_is_async_as_far_as_its_declaration_tells(function, expected):
    """Functions, methods, partials, objects; a class is plain, and a lambda keeps its secret until it is called."""
    assert expected is is_async(function)
