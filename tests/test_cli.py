"""The command line: what is printed, and the exit codes."""

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from graphnb.cli import main
from tests.conformance.written import SOUND, changed

WRONG = changed(SOUND, "eggs: 6", "eggs: 7")
OUT_OF_SCOPE = f"{SOUND}session_store: in_memory\n"


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _usage_error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says on stderr when it refuses its arguments with code 2, stdout being empty."""
    with pytest.raises(SystemExit) as caught:
        main([*arguments])
    out, err = capsys.readouterr()

    assert 2 == caught.value.code
    assert "" == out
    return err


def test_text_has_a_line_per_case_reasons_under_failures_and_counts_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line per case with the file as it was given, indented reasons, `N passed, N failed`; exit code 1."""
    _write(tmp_path, {"good.yaml": SOUND, "wrong.yaml": WRONG})
    monkeypatch.chdir(tmp_path)

    code = main(["conformance", "good.yaml", "wrong.yaml"])

    assert [
        "passed  good.yaml  good",
        "FAILED  wrong.yaml  wrong",
        "    final_state.eggs: expected 7, got 6",
        "1 passed, 1 failed",
    ] == capsys.readouterr().out.splitlines()
    assert 1 == code


def test_exit_code_is_zero_if_all_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With nothing but passed cases the code is 0."""
    _write(tmp_path, {"good.yaml": SOUND})

    assert 0 == main(["conformance", str(tmp_path)])
    assert "1 passed, 0 failed" == capsys.readouterr().out.splitlines()[-1]


def test_json_is_one_object_per_case_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line of stdout is an object with file, case, status and reason; there is no summary."""
    _write(tmp_path, {"a.yaml": SOUND, "b.yaml": WRONG, "c.yaml": OUT_OF_SCOPE, "d.yaml": "nodes: ["})

    code = main(["conformance", "--json", str(tmp_path)])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [["file", "case", "status", "reason"]] * 4 == [list(line) for line in lines]
    assert ["a", "b", "c", "d"] == [line["case"] for line in lines]
    assert ["passed", "failed", "out_of_scope", "failed"] == [line["status"] for line in lines]
    assert str(tmp_path / "a.yaml") == lines[0]["file"]
    assert "" == lines[0]["reason"]
    assert "final_state.eggs: expected 7, got 6" == lines[1]["reason"]
    assert 1 == code


def test_out_of_scope_is_counted_and_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A case that needs another system is told apart in its line and in the counts."""
    _write(tmp_path, {"good.yaml": SOUND, "other.yaml": OUT_OF_SCOPE})

    code = main(["conformance", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()

    assert f"out of scope  {tmp_path / 'other.yaml'}  other" == lines[1]
    assert "    needs a session store" == lines[2]
    assert "1 passed, 0 failed, 1 out of scope" == lines[-1]
    assert 0 == code


def test_folders_are_searched_at_any_depth_in_order_and_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only `*.yaml` counts; a file that is reached by two paths runs once."""
    _write(tmp_path, {"b/z.yaml": SOUND, "a/deep/y.yaml": SOUND, "a/x.yaml": SOUND, "a/x.md": "text", "a/w.yml": "["})

    main(["conformance", "--json", str(tmp_path / "b" / "z.yaml"), str(tmp_path)])

    assert ["z", "x", "y"] == [json.loads(line)["case"] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_files_that_are_passed_over_are_counted_on_stderr(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`*.yml` in folders, each once, in text and in JSON; what is on stdout stays as it is, and so does the code."""
    _write(tmp_path, {"a.yaml": SOUND, "b.yml": WRONG})
    folders = [str(tmp_path), str(tmp_path)]

    assert 0 == main(["conformance", *options, *folders])
    out, err = capsys.readouterr()
    assert "1 file was passed over: case files are named *.yaml, not *.yml\n" == err
    assert "yml" not in out
    assert (1 if options else 2) == len(out.splitlines())

    _write(tmp_path, {"deep/c.yml": SOUND})
    main(["conformance", *options, *folders])
    assert "2 files were passed over: case files are named *.yaml, not *.yml\n" == capsys.readouterr().err


def test_folder_of_nothing_but_yml_says_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That there is no case file, and what was passed over; one that is named itself is refused."""
    _write(tmp_path, {"b.yml": SOUND})

    error = _usage_error(capsys, "conformance", str(tmp_path))
    assert "1 file was passed over: case files are named *.yaml, not *.yml" in error
    assert f"no case files (*.yaml) in {tmp_path}" in error
    assert "b.yml: a case file is named *.yaml" in _usage_error(capsys, "conformance", str(tmp_path / "b.yml"))


def test_unreadable_file_is_one_failed_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A link to nothing is a failed case with the file's stem as name, and the other files still run."""
    _write(tmp_path, {"good.yaml": SOUND})
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere.yaml")

    code = main(["conformance", str(tmp_path)])
    out = capsys.readouterr().out

    assert f"FAILED  {tmp_path / 'gone.yaml'}  gone\n    the file: cannot be read: No such file or directory\n" in out
    assert out.endswith("1 passed, 1 failed\n")
    assert 1 == code


def test_folder_without_case_files_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No cases: exit code 2 and a line that says where none were found."""
    _write(tmp_path, {"notes.md": "text"})

    assert f"no case files (*.yaml) in {tmp_path}" in _usage_error(capsys, "conformance", str(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "the following arguments are required: COMMAND"),
        (("conform", "x"), "invalid choice: 'conform'"),
        (("conformance",), "the following arguments are required: PATH"),
        (("conformance", "no/such/place"), "no/such/place: there is no such file or folder"),
        (("conformance", "pyproject.toml"), "pyproject.toml: a case file is named *.yaml"),
        (("conformance", "conformance", "--jsn"), "unrecognized arguments: --jsn"),
        (("conformance", "conformance", "--js"), "unrecognized arguments: --js"),
    ],
)
def test_wrong_usage_ends_with_code_2(
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    """Nothing is run, stdout stays empty, and stderr says what is wrong."""
    monkeypatch.chdir(repository)

    assert said in _usage_error(capsys, *arguments)


def test_nothing_runs_if_one_of_the_paths_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in the second path is said before the first one is run."""
    _write(tmp_path, {"good.yaml": SOUND})

    assert "good.yam: there is no such" in _usage_error(
        capsys, "conformance", str(tmp_path / "good.yaml"), str(tmp_path / "good.yam")
    )


def test_names_are_shown_on_one_line_without_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A case named with a line end and an escape sequence still takes one line."""
    _write(tmp_path, {"good.yaml": f'name: "two\\nlines \\e[31m"\n{SOUND}'})

    main(["conformance", str(tmp_path)])

    assert f"passed  {tmp_path / 'good.yaml'}  two\\nlines \\x1b[31m" == capsys.readouterr().out.splitlines()[0]


def test_demo_passes_its_arguments_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """`graphnb demo ...` hands everything behind its name to graphnb.demo.main and gives back its code."""
    given: list[list[str]] = []

    def demo(arguments: list[str]) -> int:
        given.append(arguments)
        return 7

    module = types.ModuleType("graphnb.demo")
    module.main = demo  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "graphnb.demo", module)

    assert 7 == main(["demo", "--help", "place"])
    assert [["--help", "place"]] == given


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    """`graphnb --version` prints name and version."""
    from graphnb import __version__

    with pytest.raises(SystemExit) as caught:
        main(["--version"])

    assert f"graphnb {__version__}\n" == capsys.readouterr().out
    assert 0 == caught.value.code


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["conformance", "good.yaml"], ["demo"]])
def test_reader_that_has_seen_enough_ends_the_command_quietly(
    arguments: list[str], unbuffered: str, tmp_path: Path
) -> None:
    """As with `| head -1`: nothing on stderr, and the code that a shell gives to a command that SIGPIPE ended."""
    _write(tmp_path, {"good.yaml": SOUND})
    command = [sys.executable, "-m", "graphnb", *arguments]
    given = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    piped = subprocess.PIPE
    with subprocess.Popen(command, stdout=piped, stderr=piped, cwd=tmp_path, env=given) as process:
        process.stdout.close()
        said = process.stderr.read()

    assert (b"", 141) == (said, process.returncode)
