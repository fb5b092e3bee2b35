"""Which changed lines tests run, in a sandbox with coverage.py and without."""

from __future__ import annotations

import sys
from pathlib import Path

from runner.verify import running, tools_of
from runner.verify.coverage import coverage_level
from runner.verify.tools.python import Pytest
from tests.runner.verify.box import open_box

SIGN = "def sign(a):\n    if a < 0:\n        return -1\n    return 1\n"
TESTED = "from sign import sign\n\n\ndef test_sign():\n    assert sign(2) == 1\n"
ROOT = [(Pytest(), ())]
EVERY = {"sign.py": frozenset({1, 2, 3, 4})}


async def measured(folder: Path, files: dict[str, str], changed: dict[str, frozenset[int]]):
    """Return the level for these files."""
    box, _ = await open_box(folder, files)
    return await coverage_level(box, changed, suites=ROOT, timeout=60)


async def test_changed_lines_that_no_test_runs_are_named(tmp_path: Path) -> None:
    """Lines that did not change do not count, nor do those without code."""
    files = {"sign.py": SIGN, "test_sign.py": TESTED}
    level = await measured(tmp_path, files, {"sign.py": frozenset({2, 3, 4, 99})})

    assert level is not None
    assert (level.passed, level.found) == (2, ("sign.py:3",))
    assert level.reason == "the tests run 2 of 3 changed lines"


async def test_a_function_that_is_only_loaded_is_not_run(tmp_path: Path) -> None:
    """The import runs its first line, and says nothing of it."""
    dead = SIGN + "\n\ndef dead(value):\n    return value\n"
    box, _ = await open_box(tmp_path, {"sign.py": dead, "test_sign.py": TESTED})
    line = dead.count("\n") - 1
    changed, heads = {"sign.py": frozenset({line, line + 1})}, frozenset({("sign.py", line)})

    level = await coverage_level(box, changed, heads=heads, suites=ROOT, timeout=60)

    assert level is not None
    assert (level.passed, level.found) == (0, (f"sign.py:{line + 1}",))


async def test_a_file_that_no_test_loads_counts_with_all_its_code(tmp_path: Path) -> None:
    """Its statements are read from its source."""
    files = {"sign.py": SIGN, "other.py": "A = 1\n\nB = 2\n", "test_sign.py": TESTED}
    level = await measured(tmp_path, files, EVERY | {"other.py": frozenset({1, 2, 3})})

    assert level is not None
    assert level.found == ("other.py:1", "other.py:3", "sign.py:3")


async def test_each_line_of_a_statement_counts_for_itself(tmp_path: Path) -> None:
    """So does one that its author does not want to be counted."""
    several = SIGN.replace("-1", "(\n            -1)").replace("0:", "0:  # pragma: no cover")
    files = {"sign.py": several, "test_sign.py": TESTED}
    level = await measured(tmp_path, files, {"sign.py": frozenset(range(1, 6))})

    assert level is not None
    assert level.found == ("sign.py:3", "sign.py:4")
    assert level.passed == 3


async def test_where_nothing_can_be_measured_there_is_no_level(tmp_path: Path) -> None:
    """The code runs in another process, or pytest cannot start."""
    elsewhere = (
        "import subprocess\n\n\ndef test_sign():\n    subprocess.run(['python3', 'sign.py'])\n"
    )
    apart = await measured(_made(tmp_path, "a"), {"sign.py": SIGN, "test_a.py": elsewhere}, EVERY)
    broken = {"sign.py": SIGN, "test_sign.py": TESTED, "pytest.ini": "[pytest]\naddopts = --what\n"}

    assert apart is None
    assert await measured(_made(tmp_path, "b"), broken, EVERY) is None


def _made(folder: Path, name: str) -> Path:
    """A folder for one box."""
    (folder / name).mkdir()
    return folder / name


async def test_the_project_may_measure_with_pytest_cov(tmp_path: Path) -> None:
    """Its plug-in, which the project's own options start, does not take the measuring over."""
    options = "[pytest]\naddopts = --cov=. --cov-report=\n"
    programs = {"python3": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'}
    files = {"sign.py": SIGN, "test_sign.py": TESTED, "pytest.ini": options}
    box, _ = await open_box(tmp_path, files, programs)
    level = await coverage_level(box, EVERY, suites=ROOT, timeout=60)

    assert level is not None
    assert level.found == ("sign.py:3",)


async def test_without_coverage_there_is_no_level(tmp_path: Path) -> None:
    """A sandbox need not have it."""
    programs = {"python3": f'#!/bin/sh\nexec {sys._base_executable} "$@"\n'}
    box, _ = await open_box(tmp_path, {"sign.py": SIGN, "test_sign.py": TESTED}, programs)

    assert await coverage_level(box, EVERY, suites=ROOT, timeout=60) is None


SERVICE = {
    "pyproject.toml": '[project]\nname = "{}"\nversion = "1"\n',
    "src/app/__init__.py": "",
    "src/app/sign.py": SIGN,
    "tests/test_sign.py": "import sys\n\nsys.path.append('../../lib')\n"
    "from shared import both\nfrom app.sign import sign\n\n\n"
    "def test_sign():\n    assert sign({0}) == both({0})\n",
}
SHARED = "def both(a):\n    if a < 0:\n        return -1\n    return 1\n"


def services(**tested: int) -> dict[str, str]:
    """Services with the same names inside, by the number that each is tested with."""
    of_all = {
        f"services/{name}/{path}": text.format(number)
        for name, number in tested.items()
        for path, text in SERVICE.items()
    }
    return of_all | {"lib/shared.py": SHARED}


async def measured_in(folder: Path, files: dict[str, str], *, using: tuple[str, ...] = ()):
    """Return the level of all the projects below the root, or of those of some test files."""
    read = {path: text.encode() for path, text in files.items()}.get
    tools = tools_of(files, read)
    suites = running(tools, using, files, read) if using else [(tool, ()) for tool in tools]
    changed = {path: frozenset({2, 3, 4}) for path, text in files.items() if "def" in text}
    changed = {path: lines for path, lines in changed.items() if "test" not in path}
    box, _ = await open_box(folder, files)
    return await coverage_level(box, changed, suites=suites, timeout=60)


async def test_a_project_below_the_root_is_measured_in_its_folder(tmp_path: Path) -> None:
    """Paths are those of the repository, also of a file outside the project's folder."""
    level = await measured_in(tmp_path, services(one=2))

    assert level is not None
    assert level.found == ("lib/shared.py:3", "services/one/src/app/sign.py:3")
    assert level.reason == "the tests run 4 of 6 changed lines"
    assert " ".join(level.command) == "cd services/one && coverage run -m pytest -q"


async def test_a_line_counts_if_any_of_several_projects_runs_it(tmp_path: Path) -> None:
    """Each project has its own modules of one name, and both use what they share."""
    level = await measured_in(tmp_path, services(one=2, two=-2))

    assert level is not None
    assert level.found == ("services/one/src/app/sign.py:3", "services/two/src/app/sign.py:4")
    assert level.command[:3] == ("(cd", "services/one", "&&")


async def test_only_the_projects_whose_tests_use_the_change_are_run(tmp_path: Path) -> None:
    """Their test files are named as the project has them."""
    using = ("services/two/tests/test_sign.py",)
    level = await measured_in(tmp_path, services(one=2, two=-2), using=using)

    assert level is not None
    assert "lib/shared.py:4" in level.found
    shown = "cd services/two && coverage run -m pytest -q tests/test_sign.py"
    assert " ".join(level.command) == shown


async def test_the_root_leaves_the_tests_of_projects_to_them(tmp_path: Path) -> None:
    """They would not find their modules there."""
    files = services(one=2) | {"sign.py": SIGN, "test_root.py": TESTED}
    level = await measured_in(tmp_path, files)

    assert level is not None
    assert "sign.py:3" in level.found
    assert "sign.py:4" not in level.found
