"""``cairn run`` in repositories whose tests behave badly: a clear verdict, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.marks import MORE
from tests.scenarios.projects import ADD, CALC


def _config(*lines: str) -> dict[str, object]:
    """A configuration whose ``verify`` group has these lines."""
    text = "\n".join(["verify:", *(f"  {line}" for line in lines)])
    return {".github/cairn.yml": text.encode() + b"\n"}


def _test(code: str) -> dict[str, object]:
    """A test that the repository has."""
    return {"tests/test_odd.py": code.encode()}


FLOODED = pytest.mark.long("reads 100 MB several times")
_FLOOD = 'commands: [[sh, -c, "yes | head -c 100000000; python3 -m pytest -q"]]'
_WRITES = """from pathlib import Path


def test_writes():
    Path("calc/made.py").write_text("broken(")
    Path("calc/add.py").write_text("gone = 1")
    Path("ROADMAP.md").unlink()
"""
_TERMINAL = """import sys


def test_has_a_terminal():
    assert sys.stdin.isatty()


def test_asks():
    assert input("Name? ")
"""
_FORKS = """import os
import time


def test_forks():
    if os.fork() == 0:
        os.setsid()
        time.sleep(300)
        os._exit(0)
"""
_ORDER = {
    "tests/test_a.py": b"import calc\n\n\ndef test_first():\n    calc.ready = True\n",
    "tests/test_zz.py": b"import calc\n\n\ndef test_second():\n    assert calc.ready\n",
}


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("odd", "trust"),
    [
        pytest.param(_config(_FLOOD), "verified;", id="100 MB of output", marks=FLOODED),
        pytest.param(_test(_WRITES), "verified;", id="write into the tree"),
        pytest.param(_test(_TERMINAL), "2 tests red as before", id="need a terminal", marks=MORE),
        pytest.param(_test(_FORKS), "verified;", id="leave a process behind", marks=MORE),
        pytest.param(_ORDER, "verified;", id="depend on their order", marks=MORE),
    ],
)
async def test_a_right_change_is_verified(
    tmp_path: Path, odd: dict[str, object], trust: str
) -> None:
    """One answer is enough, and exactly what it says is committed."""
    async with checkout(tmp_path / "here", CALC | odd) as here:
        here.model.says(ADD)
        said = await here.cairn("run", "--max-tasks", "1")

        message = here.git("log", "-1", "--format=%B")
        changed = here.git("show", "--format=", "--name-only").split()
        assert said.code == 0, said.out
        assert "Cairn-Verified: yes" in message
        assert trust in message
        assert changed == ["ROADMAP.md", "calc/add.py", "tests/test_add.py"]
        assert (here.folder / "calc" / "add.py").read_text().startswith("def add(a, b):")
        assert not (here.folder / "calc" / "made.py").exists()


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("after", "why"),
    [
        pytest.param("echo not xml > report.xml", "the test report is not readable", id="wrong"),
        pytest.param("true", "there is no test report", id="missing", marks=MORE),
    ],
)
async def test_a_report_that_says_nothing_costs_one_answer(
    tmp_path: Path, after: str, why: str
) -> None:
    """The base's report is no better, so no other answer could be verified either."""
    own = _config(f'commands: [[sh, -c, "python3 -m pytest -q; {after}"]]', "report: report.xml")
    async with checkout(tmp_path / "here", CALC | own) as here:
        here.model.says(ADD)
        said = await here.cairn("run", "--max-tasks", "1")

        assert said.code == 1, said.out
        assert f"Cairn cannot verify the change: {why}" in said.out.replace("\n", " ")
        assert "The same happens without this change" in said.out.replace("\n", " ")
        assert len(here.model.requests) == 1
