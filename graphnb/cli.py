"""The command line: `graphnb demo` and `graphnb conformance PATH...`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from graphnb import __version__

_CUT_SHORT: Final = 141  # what a shell reports of a command that SIGPIPE ended: 128 + 13


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives the exit code; None takes the arguments of the process."""
    _show_any_text()
    try:
        try:
            return _run(arguments)
        finally:
            print(end="", flush=True)
    except BrokenPipeError:  # who reads the output has seen enough, as in `graphnb conformance . | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left would fail again at exit
        return _CUT_SHORT


def _run(arguments: Sequence[str] | None) -> int:
    known, rest = _parser().parse_known_args(arguments)
    if known.command == "demo":
        from graphnb.demo import main as run_demo

        return run_demo(rest)
    if rest:
        known.refuse(f"unrecognized arguments: {' '.join(rest)}")
    return _run_conformance(known.paths, as_json=known.json, refuse=known.refuse)


def _run_conformance(paths: Sequence[str], *, as_json: bool, refuse: Callable[[str], NoReturn]) -> int:
    """Exit code 0 if every case passed, 1 if one failed, 2 if there were none; `refuse` ends with 2 as well."""
    from graphnb.conformance.reading.cases import files_of, passed_over
    from graphnb.conformance.report import summary, to_json, to_text
    from graphnb.conformance.run import run_files

    try:
        files, others = files_of(paths), passed_over(paths)
    except (OSError, ValueError) as error:
        refuse(str(error))
    results = []
    for result in run_files(files):
        print(to_json(result) if as_json else to_text(result), flush=True)
        results.append(result)
    if others:  # not in the last line, whose form is fixed
        told = "1 file was" if len(others) == 1 else f"{len(others)} files were"
        print(f"{told} passed over: case files are named *.yaml, not *.yml", file=sys.stderr, flush=True)
    if not results:
        refuse(f"no case files (*.yaml) in {', '.join(paths)}")
    if not as_json:
        print(summary(results))
    return int(any(result.status == "failed" for result in results))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="graphnb", description="Typed state graphs, drawn, run and explained.")
    parser.add_argument("--version", action="version", version=f"graphnb {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="draw, run and explain a graph on real input", add_help=False)
    conformance = commands.add_parser(
        "conformance",
        help="run case files and say which hold",
        description="Run case files: *.yaml files, and folders of them. Exit code: 0 if all cases passed, 1 if one "
        "failed, 2 if there were none.",
        allow_abbrev=False,
    )
    conformance.add_argument("paths", nargs="+", metavar="PATH", help="a *.yaml file, or a folder that holds some")
    conformance.add_argument("--json", action="store_true", help="print one JSON object per case and nothing else")
    conformance.set_defaults(refuse=conformance.error)
    return parser


def _show_any_text() -> None:
    """A terminal that lacks a character shows an escape in its place."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
