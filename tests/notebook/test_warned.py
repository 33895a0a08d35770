"""Warnings appear at the user's own line."""

import asyncio
import inspect
import types
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from graphnb.errors import GraphWarning
from graphnb.notebook.warned import warn_user

WARNING = GraphWarning("graph 'g'", "is odd", "Leave it.")


def warned_by(call: Callable[[], Any]) -> tuple[str, int, str]:
    """File, line and text of the one warning that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (one,) = caught
    return one.filename, one.lineno, str(one.message)


def line_of(function: Any) -> int:
    """The line on which a function of one line stands."""
    return inspect.getsourcelines(function)[1]


def module_of(name: str, source: str) -> types.ModuleType:
    """A module of that name, in a file of that name."""
    module = types.ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    return module


def test_warning_appears_where_it_is_called():
    """The line that calls, with the text of the warning."""
    call = lambda: warn_user(WARNING)  # noqa: E731  one line, whose number is known

    assert (__file__, line_of(call), "graph 'g': is odd. Leave it.") == warned_by(call)


@pytest.mark.parametrize("name", ["graphnb", "graphnb.notebook.graph", "asyncio.events"])
def test_lines_of_the_package_and_of_the_event_loop_are_passed_over(name):
    """However many of them there are."""
    inner = module_of(name, "def warn(function, warning): function(warning)")
    outer = module_of(name, "def call(inner, function, warning): inner(function, warning)")
    call = lambda: outer.call(inner.warn, warn_user, WARNING)  # noqa: E731  one line, whose number is known

    assert (__file__, line_of(call)) == warned_by(call)[:2]


def test_lines_of_a_package_with_a_longer_name_are_the_users():
    """Only the package itself is passed over."""
    other = module_of("graphnb_extras", "def warn(function, warning): function(warning)")

    assert ("graphnb_extras.py", 1) == warned_by(lambda: other.warn(warn_user, WARNING))[:2]


def test_warning_in_a_task_appears_where_the_event_loop_is_run():
    """A task has no other line of the user's above it."""
    package = module_of("graphnb.made_up", "async def main(warn, warning): warn(warning)")
    call = lambda: asyncio.run(package.main(warn_user, WARNING))  # noqa: E731  one line, whose number is known

    assert (__file__, line_of(call)) == warned_by(call)[:2]
