"""Which form a value has at its place, and which form a tag may mean there."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

from graphnb.store.encoding.builtin import ANY, FORMS, TYPES
from graphnb.store.encoding.class_forms import class_form
from graphnb.store.encoding.classes import class_named
from graphnb.store.encoding.encoders import Encoder, Encoders
from graphnb.store.encoding.shape import Form, Refused, Shape, Work
from graphnb.store.encoding.typed import later


class EncodedForm(NamedTuple):
    """What an encoder makes of a value, which is then written as any other one."""

    encoder: Encoder
    kind: str = "never"

    @property
    def tag(self) -> str:
        """The name of the encoder."""
        return self.encoder.name

    def write(self, value: Any, work: Work) -> Any:
        """What the encoder gives."""
        try:
            encoded = self.encoder.encode(value)
        except RecursionError:  # which may want no more than a stack of its own
            raise
        except Exception as error:
            raise self._failed(error) from error
        return work.part(ANYTHING, encoded, "")

    def read(self, data: Any, work: Work) -> Any:
        """What the decoder gives."""
        given = work.part(ANYTHING, data, "")
        try:
            return self.encoder.decode(given)
        except RecursionError:
            raise
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> Refused:
        if isinstance(error, Refused):
            return error
        return Refused(f"the encoder {self.tag!r} refused it ({type(error).__name__}: {error})")


def form_of_type(shape: Shape, kind: type, encoders: Encoders) -> Form | None:
    """The form of a value of exactly this type, None if it has none or if the annotation does not allow it."""
    encoder = encoders.for_type(kind)
    if encoder is not None:
        return EncodedForm(encoder) if _is_allowed(shape, kind) else None
    tag = TYPES.get(kind)
    if tag is not None:
        return _builtin(shape, tag)
    if kind in shape.classes:
        return shape.classes[kind]
    return _own_form(kind) if _is_beneath(shape, kind) else None


def form_of_tag(shape: Shape, tag: str, encoders: Encoders) -> Form | None:
    """The form that the tag means at this place, None if it means none."""
    form = _builtin(shape, tag)
    if form is not None:
        return form
    encoder = encoders.named(tag) if shape.is_open or shape.classes else None
    if encoder is not None:
        return EncodedForm(encoder) if _is_allowed(shape, encoder.kind) else None
    cls = class_named(tag, shape.classes)
    return None if cls is None else shape.classes.get(cls) or _own_form(cls)


def form_of_json(shape: Shape, kind: str) -> Form | None:
    """The form of what has no tag, by what JSON calls it; None if the annotation does not allow it."""
    tag = shape.plain[kind]
    declared = (each for each in shape.classes.values() if each is not None and each.tag == tag)
    return _builtin(shape, tag) or next(declared, None)


def _builtin(shape: Shape, tag: str) -> Form | None:
    return shape.forms.get(tag) or (FORMS.get(tag) if shape.is_open else None)


def _is_allowed(shape: Shape, kind: type) -> bool:
    return shape.is_open or _is_beneath(shape, kind)


def _is_beneath(shape: Shape, kind: type) -> bool:
    return any(each in shape.classes for each in kind.__mro__)


@functools.lru_cache(maxsize=256)
def _own_form(cls: type) -> Form | None:
    """The form of a class that no annotation names, but one above it."""
    return class_form(cls, (), later)


ANYTHING: Final = ANY.shape
"""What may stand where nothing is said."""
