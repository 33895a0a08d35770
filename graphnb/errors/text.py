"""Values and names as they appear in messages: bounded, without addresses, with the nearest right name."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Collection, Iterable
from itertools import islice

_MOST = 400  # characters of one value
_MOST_SORTED = 1000  # members of a set
_ADDRESS = re.compile(r"(?: object)? at 0x[0-9A-Fa-f]+")
_ADDRESS_OF_OBJECT = re.compile(r"(?: object)? at 0x[0-9A-Fa-f]+(?=>)")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class _Short(reprlib.Repr):
    """A bounded repr in declared order, in which a failing `__repr__` shows the type alone."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxarray = 6
        self.maxdict = 6
        self.maxstring = self.maxother = 80
        self.maxlong = 40

    def repr1(self, x: object, level: int) -> str:
        if isinstance(x, list):
            return self.repr_list(x, level)
        if isinstance(x, dict):
            return self.repr_dict(x, level)
        if type(x) in (set, frozenset):
            return self._repr_members(x, level)  # type: ignore[arg-type]  # checked just now
        if type(x) in (str, tuple):
            return super().repr1(x, level)
        return self.repr_instance(x[:100] if type(x) is bytes else x, level)

    def repr_dict(self, x: dict[object, object], level: int) -> str:
        if level <= 0 and x:
            return "{...}"
        entries = islice(dict.items(x), self.maxdict)
        texts = [f"{self.repr1(key, level - 1)}: {self.repr1(value, level - 1)}" for key, value in entries]
        return f"{{{', '.join([*texts, *['...'] * (len(x) > self.maxdict)])}}}"

    def repr_instance(self, x: object, level: int) -> str:
        try:
            text = repr(x)
        except Exception:  # noqa: BLE001  a value's own repr is user code, and that of a huge int fails too
            return f"<{type(x).__name__}>"
        short = _ADDRESS.sub("", text[:_MOST])  # before it is cut or sorted: addresses differ from run to run
        is_whole = len(text) <= _MOST and len(short) <= self.maxother
        return short if is_whole else f"{short[: self.maxother - 3]}..."

    def _repr_members(self, x: Collection[object], level: int) -> str:
        if not x or level <= 0 or len(x) > _MOST_SORTED:
            return f"{type(x).__name__}({f'... {len(x):,} members' if x else ''})"
        texts = sorted(self.repr1(each, level - 1) for each in x)  # a set's own order is that of hashes
        shown = ", ".join([*texts[: self.maxset], *["..."] * (len(x) > self.maxset)])
        return f"{{{shown}}}" if type(x) is set else f"frozenset({{{shown}}})"


def shown(value: object) -> str:
    """The value as bounded text: at most 400 characters, no memory address, no control character.

    >>> shown([1, "a"])
    "[1, 'a']"
    >>> shown(list(range(1000)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    try:
        text = _Short().repr(value)
    except Exception:  # noqa: BLE001  a list or dict of a user's own class may fail to be read
        text = f"<{type(value).__name__}>"
    return bounded(visible(_ADDRESS.sub("", text)))


def bounded(text: str, most: int = _MOST) -> str:
    """The text, cut to so many characters with dots at its end.

    >>> bounded("abcdef", 5)
    'ab...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def addressless(text: str) -> str:
    """The text without the memory addresses of objects, which differ from run to run; other numbers stay.

    >>> addressless("lost <Pen object at 0x7f00>, page fault at 0x1f")
    'lost <Pen>, page fault at 0x1f'
    """
    return _ADDRESS_OF_OBJECT.sub("", text)


def visible(text: str) -> str:
    """The text with control characters and lone surrogates as escapes such as `\\x1b` or `\\ud800`.

    >>> visible("a\\x1bb")
    'a\\\\x1bb'
    """
    return _UNPRINTABLE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def kind_of(value: object) -> str:
    """The name of the value's type, `None` for None; a guarded list is a list.

    >>> kind_of(3), kind_of(None)
    ('int', 'None')
    """
    kind = type(value)
    return "None" if value is None else str(kind.__dict__.get("_shown_as", kind.__name__))


def nearest(name: object, names: Iterable[str]) -> str:
    """A hint `Did you mean 'x'?` when a known name is close, else an empty text.

    >>> nearest("judg", ["plan", "judge"])
    "Did you mean 'judge'?"
    >>> nearest("zzz", ["plan"])
    ''
    """
    close = nearest_of(name, names)
    return f"Did you mean {close!r}?" if close is not None else ""


def nearest_of(name: object, names: Iterable[str]) -> str | None:
    """The known name that is close to this one, None if none is.

    >>> nearest_of("judg", ["plan", "judge"])
    'judge'
    """
    import difflib  # costs time that only a message is worth

    text = name if isinstance(name, str) else shown(name)
    close = difflib.get_close_matches(text[:100], list(names), n=1, cutoff=0.5)  # its cost grows with the square
    return close[0] if close else None


def choices(label: str, names: Iterable[str], name: object = "") -> str:
    """The mend that lists what there is: `Nodes: ['a', 'b']. Did you mean 'a'?`; at most 20 names.

    >>> choices("Nodes", ["plan", "judge"], "judg")
    "Nodes: ['plan', 'judge']. Did you mean 'judge'?"
    """
    known = list(names)
    listed = ", ".join(shown(each) for each in known[:20])
    more = f", and {len(known) - 20} more" if len(known) > 20 else ""
    return f"{label}: [{listed}{more}]. {nearest(name, known)}".rstrip()
