"""Reading a case file: plain values, each with its line, and what can be wrong with one. Nothing in it is executed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from graphnb.errors import GraphError
from graphnb.errors.text import shown
from graphnb.show.writing.words import printable

_MOST_VALUES: Final = 200_000  # in one file, what an alias stands for counted every time
_MERGE: Final = "tag:yaml.org,2002:merge"


class CaseFault(GraphError):
    """A case file, or a case in it, that cannot be read or understood; `where` has the line."""

    category = "case_fault"


class NotSupported(CaseFault):
    """A key or a name that the runner does not understand. It fails the case and is never passed over."""

    category = "case_not_supported"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A value in a case file and where it stands.

    `value` is plain data; `part.at("nodes").at("a")` leads to the parts of it. `root` names the whole, "case" or
    "document", and `keys` leads from there to this part.
    """

    value: Any
    root: str
    keys: tuple[str | int, ...]
    _node: yaml.Node

    @property
    def line(self) -> int:
        """The line on which the value begins, counted from 1."""
        return int(self._node.start_mark.line) + 1

    @property
    def path(self) -> str:
        """The way to this part: `nodes.a.update`, `edges[0]`; the root's name for the whole."""
        text = ""
        for key in self.keys:
            text += f"[{key}]" if isinstance(key, int) else f".{key}"
        return printable(text.removeprefix(".")) or self.root

    @property
    def where(self) -> str:
        """Line and path, as a fault begins."""
        return f"line {self.line}, {self.path}"

    def at(self, key: str | int) -> Part:
        """The part under a key of a mapping, or at a position of a list."""
        return Part(self.value[key], self.root, (*self.keys, key), self._node_at(key))

    def find(self, key: str) -> Part | None:
        """The part under a key, None if the key is not there."""
        return self.at(key) if key in self.value else None

    def items(self) -> Iterator[tuple[str, Part]]:
        """The parts of a mapping by key, in the order of the file."""
        for key in self.value:
            yield key, self.at(key)

    def entries(self) -> Iterator[Part]:
        """The parts of a list, in order."""
        for i in range(len(self.value)):
            yield self.at(i)

    def as_root(self, root: str) -> Part:
        """The same part as a whole of its own."""
        return Part(self.value, root, (), self._node)

    def fault(self, what: str, mend: str = "", *, kind: type[CaseFault] = CaseFault) -> CaseFault:
        """The fault that something is wrong with this part, to be raised or collected."""
        return kind(self.where, what, mend)

    def _node_at(self, key: str | int) -> yaml.Node:
        """Where the part stands; for a value that is not as the file has it, where this one does."""
        if isinstance(key, int) and isinstance(self._node, yaml.SequenceNode):
            found = self._node.value[key : key + 1]
        elif isinstance(self._node, yaml.MappingNode):
            found = [value for name, value in self._node.value if name.value == key]
        else:
            found = []
        return found[-1] if found else self._node


def read_part(path: Path) -> Part:
    """The whole file. Raises CaseFault if it cannot be read, is no YAML, or holds a key twice."""
    try:
        if path.exists() and not path.is_file():  # reading a pipe would wait for its writer
            raise CaseFault("the file", "cannot be read: it is no regular file")
        loader = yaml.SafeLoader(path.read_bytes())
        try:
            node = loader.get_single_node()
            if node is None:
                raise CaseFault("line 1", "the file is empty", "Write a case, or a list of them under 'cases'.")
            _check_size(node, {})
            _check_keys(loader, node, seen=set())
            return Part(loader.construct_document(node), "document", (), node)
        finally:
            loader.dispose()
    except OSError as error:
        raise CaseFault("the file", f"cannot be read: {error.strerror or error}") from error
    except RecursionError as error:
        raise CaseFault("the file", "is nested too deeply") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date such as 2024-13-45
        raise _no_yaml(error) from error


def _no_yaml(error: Exception) -> CaseFault:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else "the file"
    problem = getattr(error, "problem", None) or error
    return CaseFault(where, f"is no YAML that can be read safely: {printable(problem)}")


def _check_size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """How many values the node stands for. Raises CaseFault for a value within itself, and for too many."""
    known = sizes.get(id(node))
    if known == 0:
        raise CaseFault(f"line {_line(node)}", "a value holds itself through an alias")
    if known is not None:
        return known
    sizes[id(node)] = 0
    parts: list[yaml.Node] = []
    if isinstance(node, yaml.SequenceNode):
        parts = node.value
    elif isinstance(node, yaml.MappingNode):
        parts = [each for pair in node.value for each in pair]
    size = 1 + sum(_check_size(each, sizes) for each in parts)
    if size > _MOST_VALUES:
        raise CaseFault(f"line {_line(node)}", f"holds more than {_MOST_VALUES} values, aliases written out")
    sizes[id(node)] = size
    return size


def _check_keys(loader: yaml.SafeLoader, node: yaml.Node, *, seen: set[int]) -> None:
    """Raises CaseFault if a mapping has a key twice: YAML would keep the later one without a word."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for each in node.value:
            _check_keys(loader, each, seen=seen)
    if not isinstance(node, yaml.MappingNode):
        return
    lines: dict[Any, int] = {}
    for name, value in node.value:
        _check_keys(loader, value, seen=seen)
        if name.tag == _MERGE:
            continue
        if not isinstance(name, yaml.ScalarNode):
            raise CaseFault(f"line {_line(name)}", "a list or a mapping cannot be a key")
        key = loader.construct_object(name, deep=True)
        if key in lines:
            what = f"key {shown(key)} stands twice in one mapping, first in line {lines[key]}"
            raise CaseFault(f"line {_line(name)}", what, "Rename or remove one of the two.")
        lines[key] = _line(name)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
