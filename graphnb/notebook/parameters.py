"""Whether a function can be called as it will be: with the state, or with an item.

What cannot be known is let pass: builtins without a signature, and wrappers that claim another one.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from graphnb.errors import InvalidDeclaration
from graphnb.graph.spec import name_of_worker

_MISSING = re.compile(r"missing a required(?: keyword-only)? argument: '(\w+)'")


def check_takes_state(place: str, role: str, *, function: Callable[..., Any]) -> None:
    """Raises InvalidDeclaration for a function that cannot be called with the state alone."""
    fault = _fault(function)
    if fault:
        name = name_of_worker(function)
        what = f"{role} {name} is called with one argument, the state: {fault}"
        raise InvalidDeclaration(place, what, _mend_parameters(fault, name, parameters="s"))


def check_says_yes_or_no(place: str, role: str, *, function: Callable[..., Any], may_be_async: bool) -> None:
    """Raises InvalidDeclaration for a function whose answer is true for ever: what yields, or is not awaited."""
    bare = function.func if isinstance(function, functools.partial) else function
    own = bare if inspect.isroutine(bare) else type(bare).__call__
    name = name_of_worker(function)
    if inspect.isgeneratorfunction(own) or inspect.isasyncgenfunction(own):
        what = f"{role} {name} is a generator function, and what it gives counts as true for ever"
        raise InvalidDeclaration(place, what, "Let it return True or False instead of yielding.")
    if inspect.iscoroutinefunction(own) and not may_be_async:
        what = f"{role} {name} is asynchronous, and its answer is needed at once"
        raise InvalidDeclaration(place, what, "Give a plain function: def, not async def.")


def check_takes_item(place: str, function: Callable[..., Any], *, inputs: Iterable[str], is_numbered: bool) -> None:
    """Raises InvalidDeclaration for a worker that cannot be called with an item and the inputs by name."""
    names = tuple(inputs)
    fault = _fault(function, names)
    if fault:
        name, item = name_of_worker(function), "i" if is_numbered else "item"
        given = "the number of its instance" if is_numbered else "an item"
        if names:
            given += f", and by name {', '.join(names)}"
        mend = _mend_parameters(fault, name, parameters=", ".join([item, *names]))
        if fault.startswith("missing"):
            mend += " Or give it from a field of the state: inputs={'parameter': 'field'}."
        raise InvalidDeclaration(place, f"worker {name} is called with {given}: {fault}", mend)


def check_takes_brief(place: str, role: str, *, function: Callable[..., Any]) -> None:
    """Raises InvalidDeclaration for a delegate that cannot be called with a brief alone."""
    fault = _fault(function)
    if fault:
        name = name_of_worker(function)
        what = f"{role} {name} is called with one argument, its brief: {fault}"
        raise InvalidDeclaration(place, what, _mend_parameters(fault, name, parameters="brief"))


def check_takes_results(place: str, *, function: Callable[..., Any]) -> None:
    """Raises InvalidDeclaration for a reducer that cannot be called with the list of results alone."""
    fault = _fault(function)
    if fault:
        name = name_of_worker(function)
        what = f"reducer {name} is called with one argument, the list of all results: {fault}"
        raise InvalidDeclaration(place, what, _mend_parameters(fault, name, parameters="results"))


def check_takes_result(place: str, *, function: Callable[..., Any]) -> None:
    """Raises InvalidDeclaration for an `accept` that cannot be called with a result alone."""
    fault = _fault(function)
    if fault:
        name = name_of_worker(function)
        what = f"accept {name} is called with one argument, a result: {fault}"
        raise InvalidDeclaration(place, what, _mend_parameters(fault, name, parameters="result"))


def check_takes_view(place: str, function: Callable[..., Any]) -> None:
    """Raises InvalidDeclaration for an implementation that cannot be called with a document's view and context."""
    is_built_in = isinstance(function, type) and function.__module__ == "builtins"  # most of these tell no parameters
    fault = "it is a type, which takes no such things" if is_built_in else _fault(function, count=2)
    if fault:
        name = name_of_worker(function)
        what = f"implementation {name} is called with two arguments, view and context: {fault}"
        mend = "Write def read(view, context): ..." if is_built_in else ""
        raise InvalidDeclaration(place, what, mend or _mend_parameters(fault, name, parameters="view, context"))


def _fault(function: Callable[..., Any], names: tuple[str, ...] = (), *, count: int = 1) -> str:
    """Why the function cannot be called with so many arguments and those by name; empty if it can, or may."""
    if hasattr(function, "__signature__"):
        return ""  # a claim of its own, which may be that of what it wraps
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*[None] * count, **dict.fromkeys(names))
    except TypeError as error:
        return str(error)
    return ""


def _mend_parameters(fault: str, name: str, *, parameters: str) -> str:
    missing = _MISSING.search(fault)
    if missing:
        function = "function" if name == "lambda" else name
        return f"Bind what else it needs before: functools.partial({function}, {missing[1]}=...)."
    return f"Write lambda {parameters}: ..." if name == "lambda" else f"Write def {name}({parameters}): ..."
