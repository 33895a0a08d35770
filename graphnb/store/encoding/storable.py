"""What no run could ever store, as the types of a state tell before it starts."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from graphnb.state.annotations.classes import MISSING, declared_fields, is_typeddict
from graphnb.state.annotations.hints import hint_of, type_text
from graphnb.state.schema import Schema
from graphnb.store.encoding.builtin import ALLOWED, ITEMS, MAPS
from graphnb.store.encoding.classes import name_of
from graphnb.store.encoding.encoders import GIVEN, Encoders


class Unstored(NamedTuple):
    """One field that cannot be stored: its name, why, and what to do."""

    field: str
    reason: str
    mend: str


_MEND: Final = (
    "Keep it out of the state, where nodes reach it by themselves, or pass encoders with one for it: "
    "Encoders().register_encoder(...)."
)
_KINDS: Final = {
    "a function": "collections.abc.Callable builtins.function builtins.builtin_function_or_method builtins.method",
    "a class": "builtins.type",
    "a module": "builtins.module",
    "an iterator, which can be read once": (
        "collections.abc.Iterator collections.abc.AsyncIterator builtins.generator builtins.async_generator "
        "collections.abc.AsyncIterable"
    ),
    "something to be awaited": (
        "collections.abc.Awaitable builtins.coroutine _asyncio.Future asyncio.futures.Future "
        "concurrent.futures._base.Future"
    ),
    "a lock, a thread or the like": (
        "_thread.lock _thread.RLock threading.Thread threading.Event threading.Condition threading.Semaphore "
        "threading.Barrier threading._RLock _thread._local queue.Queue _queue.SimpleQueue "
        "asyncio.mixins._LoopBoundMixin concurrent.futures._base.Executor multiprocessing.process.BaseProcess "
        "subprocess.Popen"
    ),
    "an open file or connection": (
        "io.IOBase _io._IOBase typing.IO socket.socket _socket.socket sqlite3.Connection sqlite3.Cursor mmap.mmap"
    ),
    "a part of the running program": (
        "builtins.frame builtins.traceback builtins.code builtins.memoryview weakref.ref weakref.ReferenceType "
        "_contextvars.ContextVar _contextvars.Context _contextvars.Token"
    ),
}
_TOLD: Final = {name: told for told, names in _KINDS.items() for name in names.split()}


def check_storable(schema: Schema, *, encoders: Encoders = GIVEN) -> list[Unstored]:
    """The fields whose values can surely never be stored, in declared order; an empty list if all may be.

    A type that says nothing, such as Any or a class that nobody knows, is not refused: its values may still be.
    A list of functions is refused, though an empty one could be stored, and a function or None is not.
    """
    found = ((name, _reason(each.annotation, encoders, ())) for name, each in schema.fields.items())
    return [Unstored(name, reason, _MEND) for name, reason in found if reason]


def _reason(annotation: Any, encoders: Encoders, around: tuple[Any, ...]) -> str:
    """Why no value of the type can be stored; empty if some may be."""
    bare = hint_of(annotation).bare
    origin, parts = get_origin(bare) or bare, get_args(bare)
    if origin in (Union, types.UnionType):
        reasons = [_reason(part, encoders, around) for part in parts]
        return reasons[0] if all(reasons) else ""
    if not isinstance(origin, type) or origin in around or encoders.for_type(origin) is not None:
        return ""
    told = next((_TOLD[name_of(each)] for each in origin.__mro__ if name_of(each) in _TOLD), "")
    if told:
        return f"{type_text(bare)} is {told}"
    tags = ALLOWED.get(origin, ())
    if tags and tags[0] in (*ITEMS, *MAPS):
        within: Iterator[tuple[str, Any]] = (("", part) for part in parts)
    else:
        within = ((f"{origin.__name__}.{name}: ", each) for name, each in _required(origin))
    found = ((at, _reason(part, encoders, (*around, origin))) for at, part in within)
    return next((f"{at}{reason}" for at, reason in found if reason), "")


def _required(cls: Any) -> Iterator[tuple[str, Any]]:
    """The fields that every instance of a record has a value of its own for."""
    if not (is_typeddict(cls) or issubclass(cls, BaseModel) or hasattr(cls, "__dataclass_fields__")):
        return
    try:
        declared = declared_fields(cls)
    except Exception:  # noqa: BLE001  a name in an annotation may mean nothing yet
        return
    yield from ((each.name, each.annotation) for each in declared if each.default is MISSING and each.factory is None)
