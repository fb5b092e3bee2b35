"""Tests that the change is about run first, where all of them take long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.marks import MORE
from tests.scenarios.projects import answer

HALF = "def half(a):\n    return a / 2\n"
BOTH = f"{HALF}\n\ndef add(a, b):\n    return a + b\n"
WRONG = BOTH.replace("a / 2", "a // 3")
TEST_ADD = "from calc.half import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
SLOW = {
    # tests may take 90 s, so that all of them take long from three seconds on
    ".github/cairn.yml": b"sandbox:\n  timeout: 90\n",
    "ruff.toml": b'lint.select = ["F"]\n',
    "ROADMAP.md": b"- [ ] 1.1 Add `add(a, b)` to `calc/half.py`, and `tests/test_add.py`\n",
    "calc/__init__.py": b"",
    "calc/half.py": HALF.encode(),
    "tests/test_half.py": b"from calc.half import half\n\n\ndef test_half():\n"
    b"    assert half(4) == 2\n",
    # no import leads to what it uses
    "tests/test_found.py": b"from importlib import import_module\n\n\ndef test_found():\n"
    b"    assert import_module('.'.join(['calc', 'half'])).half(2) == 1\n",
    "tests/test_other.py": b"def test_other():\n    assert 1\n",
    "tests/test_more.py": b"def test_more():\n    assert 1\n",
    "tests/test_slow.py": b"import time\n\n\ndef test_slow():\n    time.sleep(3.2)\n",
}


def runs(here: Checkout) -> list[list[str]]:
    """The commands that ran all tests or files of them, of each tree in the order of its first."""
    found: dict[str, list[str]] = {}
    paths = (here.folder / ".executor").glob("runs/*/verification-*.json")
    for path in sorted(paths, key=lambda each: int(each.stem.rpartition("-")[2])):
        said = json.loads(path.read_text())
        tests = [" ".join(each["command"]) for each in said["levels"] if each["name"] == "tests"]
        found.setdefault(said["tree"], []).extend(each for each in tests if "::" not in each)
    return [list(dict.fromkeys(each)) for each in found.values()]


@pytest.mark.long("waits for a slow suite several times")
async def test_a_repair_of_a_slow_suite_is_judged_by_its_own_tests_first(tmp_path: Path) -> None:
    """All tests run for the first answer and for the last: the second is red before that.

    The linters have been asked by then, so that one repair can correct both.
    """
    wrong = answer({"calc/half.py": WRONG, "tests/test_add.py": TEST_ADD})
    again = answer({"calc/half.py": "import os\n\n\n" + WRONG.replace("a // 3", "a // 4")})
    async with checkout(tmp_path / "here", SLOW) as here:
        here.model.says(wrong, again, answer({"calc/half.py": BOTH, "tests/test_add.py": TEST_ADD}))
        said = await here.cairn("run", "--loop", "repair")

        assert said.code == 0, said.out
        own = "pytest -q tests/test_found.py tests/test_half.py tests/test_add.py"
        first, before, second, third = runs(here)
        assert (first, before) == (["pytest -q"], ["pytest -q"])
        assert (second, third) == ([own], [own, "pytest -q"])
        assert "the other tests did not run" not in said.out
        assert "tests/test_found.py::test_found" in here.model.requests[2].prompt
        assert "F401 `os` imported but unused (ruff)" in here.model.requests[2].prompt
        assert "Cairn-Verified: yes" in here.git("log", "-1", "--format=%B")


@MORE
async def test_a_repair_that_never_ends_costs_seconds(tmp_path: Path) -> None:
    """The same tests end on the base, so that nobody waits for all that the suite may take.

    On a busy machine they get more time than the 20 s that they are given first.
    """
    wrong = answer({"calc/half.py": WRONG, "tests/test_add.py": TEST_ADD})
    waits = "    while True:\n        sleep(1)"
    endless = answer(
        {"calc/half.py": "from time import sleep\n\n\n" + BOTH.replace("    return a / 2", waits)}
    )
    async with checkout(tmp_path / "here", SLOW) as here:
        here.model.says(wrong, endless, answer({"calc/half.py": BOTH}))
        said = await here.cairn("run", "--loop", "repair")

        assert said.code == 0, said.out
        assert "the tests timed out after" in here.model.requests[2].prompt
