"""Taking type hints apart: the bare type, what is said beside it, and the type of the elements."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

import typing_extensions

_WRAPPERS: Final = (typing.Required, typing.NotRequired, typing_extensions.ReadOnly, getattr(typing, "ReadOnly", None))

_QUALIFIED: Final = re.compile(
    r"""(?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|(?P<none>\bNoneType\b)"""
    r"""|\b(?:(?:\w+|<locals>)\.)+(?=\w)|[~+-](?=[^\W\d])"""  # a TypeVar bears a mark
)


class Hint(NamedTuple):
    """A hint taken apart: `Annotated[NotRequired[list[int]], a, b]` is list[int], (a, b), not required.

    `required` is None where the hint does not say.
    """

    bare: Any
    metadata: tuple[Any, ...]
    required: bool | None


def hint_of(annotation: Any) -> Hint:
    """The parts of a hint; aliases, `Annotated`, `Required`, `NotRequired` and `ReadOnly` are looked through.

    >>> hint_of(typing.NotRequired[Annotated[int, "how many"]])
    Hint(bare=<class 'int'>, metadata=('how many',), required=False)
    """
    metadata: tuple[Any, ...] = ()
    required: bool | None = None
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            metadata = (*more, *metadata)
        elif origin is not None and origin in _WRAPPERS:
            if origin is typing.Required or origin is typing.NotRequired:
                required = origin is typing.Required
            annotation = get_args(annotation)[0]
        elif hasattr(annotation, "__value__"):  # type Log = list[str]
            annotation = _aliased(annotation)
        else:
            return Hint(annotation, metadata, required)


def _aliased(alias: Any) -> Any:
    """What an alias stands for, its type arguments filled in: `type Log[T] = list[T]`, `Log[int]`."""
    value, given = alias.__value__, get_args(alias)
    if not given:
        return value
    return filled(value, dict(zip(get_origin(alias).__type_params__, given, strict=False)))


def filled(annotation: Any, chosen: Mapping[Any, Any]) -> Any:
    """The annotation with what was chosen for its type parameters in their places.

    >>> T = typing.TypeVar("T")
    >>> filled(dict[str, T], {T: int}), filled(T, {T: int}), filled(str, {T: int})
    (dict[str, int], <class 'int'>, <class 'str'>)
    """
    places = getattr(annotation, "__parameters__", ()) if not isinstance(annotation, type) else ()
    if places:
        return annotation[tuple(chosen.get(each, each) for each in places)]
    return chosen.get(annotation, annotation) if isinstance(annotation, typing.TypeVar) else annotation


def bare_of(annotation: Any) -> Any:
    """The class that the annotation is built on: list for `Annotated[list[int], ...]`.

    >>> bare_of(Annotated[list[int], "x"]), bare_of(dict), bare_of(int | None)
    (<class 'list'>, <class 'dict'>, <class 'types.UnionType'>)
    """
    bare = hint_of(annotation).bare
    return get_origin(bare) or bare


def element_of(annotation: Any) -> Any:
    """The type of a list's elements or a dict's values; `Any` where it is not said, None if neither.

    >>> element_of(list[int]), element_of(dict), element_of(dict[str, float]), element_of(set[int])
    (<class 'int'>, typing.Any, <class 'float'>, None)
    """
    if bare_of(annotation) not in (list, dict):
        return None
    return (get_args(hint_of(annotation).bare) or (Any,))[-1]


def is_constraint(metadata: object) -> bool:
    """True for metadata that may refuse a value but never turns it into another one, and for mere words.

    >>> from pydantic import AfterValidator, Field
    >>> is_constraint(Field(max_length=3)), is_constraint("words"), is_constraint(AfterValidator(sorted))
    (True, True, False)
    """
    return not hasattr(metadata, "__get_pydantic_core_schema__")


def metadata_within(annotation: Any) -> Iterator[Any]:
    """All metadata of the annotation's parts, such as that of the list in `Annotated[list[int], a] | None`."""
    for part in get_args(annotation):
        if get_origin(part) is Annotated:
            yield from get_args(part)[1:]
        if get_origin(part) is not typing.Literal:
            yield from metadata_within(part)


def type_text(annotation: Any) -> str:
    """The annotation as a reader would write it, without module names.

    >>> type_text(dict[str, list[int]]), type_text(int | None)
    ('dict[str, list[int]]', 'int | None')
    """
    text = annotation.__name__ if isinstance(annotation, type) and not get_args(annotation) else str(annotation)
    return _QUALIFIED.sub(lambda found: found["text"] or ("None" if found["none"] else ""), text)
