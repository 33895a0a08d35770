"""What the types of a state tell of storing before it runs."""

import asyncio
import dataclasses
import io
import socket
import threading
import types
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TextIO

import pytest
from pydantic import BaseModel, RootModel, create_model
from typing_extensions import TypedDict

import graphnb as gn
from graphnb.state.schema import schema_of
from graphnb.store.encoding.encoders import GIVEN
from graphnb.store.encoding.storable import check_storable
from tests.store.encoding.exactness import Color, Note, Tree


class Handler(BaseModel):
    name: str
    call: Callable[..., Any]


class Patient(BaseModel):
    call: Callable[..., Any] | None = None
    after: Callable[..., Any] = print


@dataclasses.dataclass
class Held:
    lock: Annotated[threading.Event, "held"]


class Asked(TypedDict):
    answers: Iterator[int]


class Odd(TypedDict, total=False):
    answers: Iterator[int]


class Unknown:
    """A class that nobody knows."""


class Loose(gn.State):
    model_config = {"arbitrary_types_allowed": True}


def _found(annotation: Any, **options: Any) -> list[Any]:
    made = create_model("Made", __base__=Loose, field=(annotation, gn.UNSET), other=(int, 1))
    return check_storable(schema_of(made), **options)


REFUSED = [
    (Callable[[int], int], "Callable[[int], int] is a function"),
    (Callable, "Callable is a function"),
    (types.FunctionType, "function is a function"),
    (list[Callable[..., Any]], "Callable[..., Any] is a function"),
    (dict[str, tuple[int, types.ModuleType]], "module is a module"),
    (type[int], "type[int] is a class"),
    (Iterator[int], "Iterator[int] is an iterator, which can be read once"),
    (types.GeneratorType, "generator is an iterator, which can be read once"),
    (asyncio.Future, "Future is something to be awaited"),
    (type(threading.Lock()), "lock is a lock, a thread or the like"),
    (threading.Thread, "Thread is a lock, a thread or the like"),
    (asyncio.Lock, "Lock is a lock, a thread or the like"),
    (io.StringIO, "StringIO is an open file or connection"),
    (TextIO, "TextIO is an open file or connection"),
    (socket.socket, "socket is an open file or connection"),
    (Callable[..., Any] | threading.Thread, "Callable[..., Any] is a function"),
    (Handler, "Handler.call: Callable[..., Any] is a function"),
    (list[Held], "Held.lock: Event is a lock, a thread or the like"),
    (Asked, "Asked.answers: Iterator[int] is an iterator, which can be read once"),
]


@pytest.mark.parametrize(("annotation", "reason"), REFUSED)
def test_field_that_can_never_be_stored_is_told(annotation: Any, reason: str) -> None:
    """With its name, why, and what to do."""
    [found] = _found(annotation)

    assert ("field", reason) == (found.field, found.reason)
    assert "register_encoder" in found.mend


@pytest.mark.parametrize(
    "annotation",
    [
        int,
        list[Note],
        RootModel[int],
        Any,
        object,
        Unknown,
        Callable[..., Any] | None,
        Patient,
        Odd,
        Tree,
        Color,
        dict[str, Any],
    ],
)
def test_field_that_may_be_stored_is_not_told(annotation: Any) -> None:
    """What says nothing is not refused by its type, nor what may be None or left out."""
    assert [] == _found(annotation)


def test_field_with_an_encoder_is_not_told() -> None:
    """The caller knows how to write it."""
    encoders = GIVEN.register_encoder(threading.Event, encode=lambda it: it.is_set(), decode=bool, name="flag")

    assert [] == _found(threading.Event, encoders=encoders)
    assert 1 == len(_found(threading.Event))
