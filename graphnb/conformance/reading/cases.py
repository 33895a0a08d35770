"""Finding case files, and splitting a file into its cases."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graphnb.conformance.reading.parts import Part, read_part
from graphnb.errors.text import kind_of


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One case of a file.

    `part` is the case; `shared` the whole document where that has a list of cases, else None: what it declares
    beside the list is there for every case. Source: fixture language §1.
    """

    file: str
    name: str
    part: Part
    shared: Part | None = None

    @property
    def body(self) -> Part:
        """The part that holds state, nodes and edges: the case itself, or its `graph`."""
        return self.part.find("graph") or self.part


def files_of(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """The case files: those named, and every `*.yaml` in the folders named, in order and each once.

    Raises FileNotFoundError for a path that is not there, ValueError for a file with another suffix, OSError
    for a folder that cannot be read.
    """
    found: list[Path] = []
    for path in paths:
        if not str(path):
            raise FileNotFoundError("an empty path names no file and no folder")
        found += _files_at(Path(path))
    return _each_once(found)


def passed_over(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """The files in the folders named that are `*.yml`, which case files are not, in order and each once."""
    return _each_once(file for path in paths if os.path.isdir(path) for file in _files_in(Path(path), ".yml"))


def cases_of(path: str | Path) -> tuple[Case, ...]:
    """The cases of one file, in order. Raises CaseFault if the file as a whole cannot be understood."""
    file = Path(path)
    document = read_part(file)
    if not isinstance(document.value, dict):
        raise document.fault(f"must be a mapping, not {kind_of(document.value)}")
    listed = document.find("cases")
    if listed is None:
        name = document.value.get("name", file.stem)
        return (Case(str(path), name if isinstance(name, str) else file.stem, document.as_root("case")),)
    if not isinstance(listed.value, list) or not listed.value:
        raise listed.fault("must be a list of at least one case")
    return tuple(Case(str(path), name, part, document) for name, part in _named(listed))


def _files_at(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        if not os.path.lexists(path):
            raise FileNotFoundError(f"{path}: there is no such file or folder")
        if path.suffix != ".yaml":
            raise ValueError(f"{path}: a case file is named *.yaml")
        yield path
        return
    yield from _files_in(path, ".yaml")


def _files_in(path: Path, suffix: str) -> Iterator[Path]:
    for folder, folders, names in os.walk(path, onerror=_raise):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(suffix))


def _each_once(files: Iterable[Path]) -> tuple[Path, ...]:
    found: dict[str, Path] = {}
    for file in files:
        found.setdefault(os.path.realpath(file), file)  # unlike resolve, not troubled by links in a ring
    return tuple(found.values())


def _raise(error: OSError) -> None:
    raise error


def _named(listed: Part) -> Iterator[tuple[str, Part]]:
    """The entries of the list by name. Raises CaseFault for an entry without a name of its own."""
    lines: dict[str, int] = {}
    for entry in listed.entries():
        if not isinstance(entry.value, dict):
            raise entry.fault(f"must be a mapping, not {kind_of(entry.value)}")
        name = entry.value.get("name")
        if not isinstance(name, str) or not name.strip():
            raise entry.fault("has no name", "Begin it with '- name: what_it_shows'.")
        if name in lines:
            raise entry.fault(f"a second case is named {name!r}, the first is in line {lines[name]}", "Rename one.")
        lines[name] = entry.line
        yield name, entry.as_root("case")
