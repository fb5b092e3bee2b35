"""Which changed lines tests run, in a sandbox with coverage.py and without."""

from __future__ import annotations

import sys
from pathlib import Path

from runner.verify.coverage import coverage_level
from tests.runner.verify.box import open_box

SIGN = "def sign(a):\n    if a < 0:\n        return -1\n    return 1\n"
TESTED = "from sign import sign\n\n\ndef test_sign():\n    assert sign(2) == 1\n"
EVERY = {"sign.py": frozenset({1, 2, 3, 4})}


async def measured(folder: Path, files: dict[str, str], changed: dict[str, frozenset[int]]):
    """Return the level for these files."""
    box, _ = await open_box(folder, files)
    return await coverage_level(box, changed, only=(), timeout=60)


async def test_changed_lines_that_no_test_runs_are_named(tmp_path: Path) -> None:
    """Lines that did not change do not count, nor do those without code."""
    files = {"sign.py": SIGN, "test_sign.py": TESTED}
    level = await measured(tmp_path, files, {"sign.py": frozenset({2, 3, 4, 99})})

    assert level is not None
    assert (level.passed, level.found) == (2, ("sign.py:3",))
    assert level.reason == "the tests run 2 of 3 changed lines"


async def test_a_file_that_no_test_loads_counts_with_all_its_code(tmp_path: Path) -> None:
    """Its statements are read from its source."""
    files = {"sign.py": SIGN, "other.py": "A = 1\n\nB = 2\n", "test_sign.py": TESTED}
    level = await measured(tmp_path, files, EVERY | {"other.py": frozenset({1, 2, 3})})

    assert level is not None
    assert level.found == ("other.py:1", "other.py:3", "sign.py:3")


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


async def test_without_coverage_there_is_no_level(tmp_path: Path) -> None:
    """A sandbox need not have it."""
    programs = {"python3": f'#!/bin/sh\nexec {sys._base_executable} "$@"\n'}
    box, _ = await open_box(tmp_path, {"sign.py": SIGN, "test_sign.py": TESTED}, programs)

    assert await coverage_level(box, EVERY, only=(), timeout=60) is None
