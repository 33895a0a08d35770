"""StopIteration of user code on its way through generators and coroutines, which Python lets none of them raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Carried(RuntimeError):
    """What work and asynchronous code see of a StopIteration, its cause: what Python itself would make of it."""

    def __init__(self, error: StopIteration) -> None:
        super().__init__("coroutine raised StopIteration")
        self.__cause__ = self.error = error


def carry(error: BaseException) -> BaseException:
    """The error in a form in which it may be thrown into work, or raised by it."""
    return Carried(error) if isinstance(error, StopIteration) else error


def raised_of(error: BaseException) -> Any:
    """The error as user code has raised it."""
    return error.error if isinstance(error, Carried) else error


def call_carrying(function: Callable[..., T], *given: Any) -> T:
    """What the function gives, to work or to asynchronous code that calls it itself. Raises what it raises, carried."""
    try:
        return function(*given)
    except StopIteration as error:
        raise Carried(error) from error


def call_plainly(function: Callable[..., T], *given: Any) -> T:
    """What the function gives, to plain code. Raises what user code has raised in it."""
    try:
        return function(*given)
    except Carried as error:
        raise error.error  # noqa: B904  it has its own cause
