"""The binder folder says what pyproject.toml says, in the form that repo2docker reads."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

# If one of these were there, repo2docker would read it instead of requirements.txt or runtime.txt.
STRONGER_FILES = ("Dockerfile", "environment.yml", "Pipfile", "Pipfile.lock", "default.nix", "install.R", "start")


@pytest.fixture
def binder(repository: Path) -> Path:
    """Return the binder folder."""
    return repository / "binder"


@pytest.fixture
def project(repository: Path) -> dict:
    """Return the project table of pyproject.toml."""
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _lines(path: Path) -> list[str]:
    """Return the lines that say something."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _pins(repository: Path) -> dict[str, str]:
    """Return the pinned version of each name in constraints.txt."""
    requirements = map(Requirement, _lines(repository / "constraints.txt"))
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in requirements}


def _closure(project: dict, extras: set[str]) -> list[Requirement]:
    """Return the requirements of graphnb with the extras, those of extras within extras included."""
    found = list(map(Requirement, project["dependencies"]))
    for extra in sorted(extras):
        for requirement in map(Requirement, project["optional-dependencies"][extra]):
            if canonicalize_name(requirement.name) == project["name"]:
                found += _closure(project, requirement.extras)
            else:
                found.append(requirement)
    return found


def test_runtime_names_a_python_that_the_project_supports(binder: Path, project: dict) -> None:
    """Without a known version repo2docker would take a Python older than the project needs."""
    (line,) = _lines(binder / "runtime.txt")
    version = line.removeprefix("python-")

    assert SpecifierSet(project["requires-python"]).contains(version)
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_apt_installs_dot_and_a_font_for_it(binder: Path) -> None:
    """The dot program comes with a font, or its text would be measured wrongly."""
    assert ["fonts-liberation", "graphviz"] == _lines(binder / "apt.txt")


def test_requirements_name_this_project_with_extras_it_has(binder: Path, project: dict) -> None:
    """`.[draw,notebook]` is the project itself, and each extra is declared."""
    (line,) = [line for line in _lines(binder / "requirements.txt") if not line.startswith("-")]
    match = re.fullmatch(r"\.\[([\w,]+)\]", line)

    assert match
    assert {"draw", "notebook"} == set(match[1].split(","))
    assert set(match[1].split(",")) <= set(project["optional-dependencies"])


def test_requirements_use_the_pins_of_the_project(binder: Path, repository: Path) -> None:
    """The path after -c is relative to the file, as pip reads it, and leads to constraints.txt."""
    (line,) = [line for line in _lines(binder / "requirements.txt") if line.startswith("-")]
    option, path = line.split()

    assert "-c" == option
    assert repository / "constraints.txt" == (binder / path).resolve()


@pytest.mark.parametrize("extra", ["draw", "notebook", "test", "dev"])
def test_pins_cover_and_satisfy_every_requirement(extra: str, repository: Path, project: dict) -> None:
    """Whatever an extra asks for is pinned once, within its range."""
    pins = _pins(repository)
    requirements = _closure(project, {extra})

    assert [] == [one.name for one in requirements if canonicalize_name(one.name) not in pins]
    assert [] == [str(one) for one in requirements if not one.specifier.contains(pins[canonicalize_name(one.name)])]


def test_every_pin_is_exact(repository: Path) -> None:
    """A range in constraints.txt would let two machines install different versions."""
    assert [] == [line for line in _lines(repository / "constraints.txt") if not re.fullmatch(r"[\w.-]+==[\w.]+", line)]


def test_nothing_overrides_these_files(binder: Path, repository: Path) -> None:
    """No file that repo2docker would rather read, and no second folder of such files."""
    assert [] == [name for name in STRONGER_FILES if (binder / name).exists()]
    assert not (repository / ".binder").exists()


def test_post_build_can_be_executed_on_linux(binder: Path) -> None:
    """It starts with a shebang, has no carriage return and is executable."""
    script = binder / "postBuild"

    assert script.read_bytes().startswith(b"#!/usr/bin/env bash\n")
    assert b"\r" not in script.read_bytes()
    assert os.access(script, os.X_OK)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_post_build_draws_a_graph(binder: Path, tmp_path: Path) -> None:
    """postBuild ends well where graphnb[draw,notebook] is installed, as in the image."""
    # The image calls its Python "python"; here that name must lead to the one that runs this test.
    (tmp_path / "python").write_text(f'#!/usr/bin/env bash\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    (tmp_path / "python").chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])

    done = subprocess.run(
        ["bash", str(binder / "postBuild")],
        cwd=binder.parent,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "graphnb runs and draws" in done.stdout, done.stderr
    assert 0 == done.returncode
