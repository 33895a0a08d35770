"""What every test may use: golden files, the shared cases, and the markers that skip with a reason."""

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).resolve().parent / "golden"
SHARED_CASES = REPOSITORY.parent / "shared" / "cases"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Derandomized: the same commit gives the same verdict. The long profile looks further.
settings.register_profile("quick", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=1000, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two flags of this suite."""
    group = parser.getgroup("graphnb")
    group.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")
    group.addoption("--long", action="store_true", help="run tests marked long, and more examples per property")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how far property tests look."""
    settings.load_profile("long" if config.getoption("--long") else "quick")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a marked test where what it needs is missing, and say what that is."""
    if item.get_closest_marker("long") and not item.config.getoption("--long"):
        pytest.skip("takes long: runs in make test-long")
    if item.get_closest_marker("dot") and shutil.which("dot") is None:
        pytest.skip("needs the dot program (Debian and Ubuntu: apt-get install graphviz)")
    if item.get_closest_marker("browser"):
        if not any(shutil.which(name) for name in BROWSERS):
            pytest.skip("needs Chromium (Debian: apt-get install chromium)")
        if importlib.util.find_spec("playwright") is None:
            pytest.skip("needs playwright (pip install playwright)")


def _compare_or_write(path: Path, text: str, *, update: bool) -> None:
    """Fail unless the file holds exactly `text`; under `update`, make it so."""
    __tracebackhide__ = True
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    name = path.relative_to(GOLDEN).as_posix()
    if not path.exists():
        pytest.fail(f"tests/golden/{name} is missing. Write it with `make golden`, then read it.")
    # Read as bytes: a changed line ending is a change.
    stored = path.read_bytes().decode("utf-8")
    assert stored == text, f"tests/golden/{name} differs. If that is meant: `make golden`, then read the diff."


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares `text` with tests/golden/<name>, or writes it under --update-golden."""
    update = request.config.getoption("--update-golden")

    def check_golden(name: str, text: str) -> None:
        __tracebackhide__ = True
        _compare_or_write(GOLDEN / name, text, update=update)

    return check_golden


@pytest.fixture(scope="session")
def repository() -> Path:
    """Return the root folder of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of cases laid beside the checkout; without it the test is skipped."""
    if not SHARED_CASES.is_dir():
        pytest.skip("no cases beside this checkout (../shared/cases)")
    return SHARED_CASES
