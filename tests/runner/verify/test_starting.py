"""What counts as tests that cannot start, and what a change may still put right."""

from __future__ import annotations

import pytest

from runner.state.findings import Level, TestFailure, Verification
from runner.verify.starting import Obstacle, obstacle
from runner.verify.tools.node import BUILDS_FIRST

PATHS = ("calc/__init__.py", "tests/test_a.py", "tests/test_b.py")
FOREIGN = TestFailure("tests/test_a.py", "ModuleNotFoundError: No module named 'numpy'")
MOCKED = TestFailure("tests/test_a.py::test_it", "fixture 'mocker' not found")
SETUP = TestFailure("tests/test_a.py::test_it", "OSError: no server")


def seen(level: Level, words: str = "") -> Obstacle | None:
    return obstacle(Verification("t", (level,)), words=words, paths=PATHS)


def red(*failures: TestFailure, passed: int = 0, green: tuple[str, ...] = ()) -> Level:
    return Level("tests", "failed", tool="pytest", failures=failures, passed=passed, green=green)


@pytest.mark.parametrize(
    ("message", "package"),
    [
        ("ModuleNotFoundError: No module named 'numpy.linalg'", "numpy"),
        ("ModuleNotFoundError: No module named 'yaml'", "pyyaml"),
        ("ImportError: cannot import name 'notset' from 'werkzeug.urls' (/x)", "werkzeug"),
        ("fixture 'mocker' not found", "pytest-mock"),
        ("async def functions are not natively supported", "pytest-asyncio"),
        ("ImproperlyConfigured: Error loading psycopg2 or psycopg module", "psycopg2"),
    ],
)
def test_what_is_lacking_is_named_by_its_package(message: str, package: str) -> None:
    """The package is what a person types after ``pip install``."""
    found = seen(red(TestFailure("tests/test_a.py", message)))

    assert found is not None
    assert package in found.packages


@pytest.mark.parametrize(
    ("message", "stops"),
    [
        ("Error: Cannot find module 'ms'\nRequire stack:\n- src/a.js", True),
        ("Cannot find package '@scope/told' imported from src/a.js", True),
        ("Cannot find module 'ms/lib/x' from 'src/half.js'", True),
        ("Error: Failed to load url ms (resolved id: ms) in src/half.ts", True),
        ("Error: Cannot find module '../src/half'", False),
        ("Error: Cannot find module '/workspace/src/half'", False),
        ("Cannot find module '@/half' from 'src/a.js'", False),
        ("Cannot find module 'calc/half' from 'src/a.js'", False),
    ],
)
def test_a_missing_package_of_node_stops_a_run(message: str, stops: bool) -> None:
    """A file that is missing, or an alias of one, does not: a task may bring it."""
    found = seen(red(TestFailure("test/a.test.js", message)))

    assert (found is not None) is stops
    assert found is None or found.packages == ()


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (red(FOREIGN), "Add the package `numpy` of our own"),
        (red(TestFailure("tests/test_a.py", "No module named 'calc.add'")), ""),
        (red(TestFailure("tests/test_a.py::test_it", "NotImplementedError")), ""),
        (red(SETUP), "Repair the fixtures of conftest.py"),
        (red(SETUP, passed=1), ""),
        (Level("tests", "skipped", reason="pytest found no tests"), ""),
        (Level("tests", "failed", broken="bad option", tool="pytest"), "Fix `pyproject.toml`"),
    ],
    ids=[
        *("a task brings it", "of the project", "a stub"),
        *("a task mends it", "some begin", "no tests", "settings"),
    ],
)
def test_what_a_task_may_put_right_is_no_obstacle(level: Level, words: str) -> None:
    """Only what no change of code can help keeps a run from beginning."""
    assert seen(level, words) is None


@pytest.mark.parametrize(
    "level",
    [
        red(FOREIGN, passed=9, green=("tests/test_b.py", "tests/test_c.py")),
        red(MOCKED, passed=5, green=("tests/test_a.py",)),
    ],
    ids=["few of many", "one of a file"],
)
def test_a_few_that_cannot_start_are_named(level: Level) -> None:
    """They keep no run from beginning."""
    found = seen(level)

    assert found is not None
    assert found.partly
    assert found.seen.startswith("tests/test_a.py")


@pytest.mark.parametrize("tool", ["pytest", "command"])
def test_nothing_starts_where_every_fixture_fails(tool: str) -> None:
    """A command of the repository's own that collects is judged as pytest is."""
    found = seen(Level("tests", "failed", tool=tool, failures=(SETUP,)))

    assert found is not None
    assert (found.red, found.partly) == (False, False)


def test_what_was_seen_is_one_line() -> None:
    """The first file with what it says, and how many are like it."""
    second = TestFailure("tests/test_b.py", FOREIGN.message)
    found = seen(red(FOREIGN, second))

    assert found is not None
    assert found.seen.startswith("tests/test_a.py: ModuleNotFoundError: No module named 'numpy'")
    assert found.seen.endswith(", and 1 more test file like it (tests/test_b.py)")


@pytest.mark.parametrize(
    ("words", "stops"), [("Add `greet`", True), ("Mend the types in `src/a.ts`", False)]
)
def test_a_build_that_fails_without_a_change_stops_a_run(words: str, stops: bool) -> None:
    """No answer is paid for; a task that is about the file may put it right."""
    why = f"{BUILDS_FIRST} `tsc -p .` fails: src/a.ts(1,7): error TS2322: no"
    command = ("sh", "-c", "tsc -p . && node --test dist")
    found = seen(Level("tests", "failed", tool="node", broken=why, command=command), words)

    assert (found is not None) is stops
    if found:
        assert found.seen.endswith(
            "The tests without the build, for verify.commands: `node --test dist`"
        )
