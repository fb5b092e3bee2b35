"""``dry-run``: nothing is asked and written, and a real run afterwards works."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.scenarios.bot import conversation
from tests.scenarios.projects import answer
from tests.scenarios.promised.always import check_always
from tests.scenarios.promised.doors import check_server, left_by, left_on, watching_python
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import Scenario

GREET = answer({"greet.py": 'def greet(name):\n    return f"Hello, {name}!"\n'})
GREET_TESTS = answer(
    {
        "tests/test_greet.py": "from greet import greet\n\n\n"
        'def test_greet():\n    assert greet("Ann") == "Hello, Ann!"\n'
    }
)
MARKED = [
    "[DRY RUN] 1. 1.1: Add greet.py with greet(name) (ROADMAP.md, line 1)",
    "[DRY RUN] 2. 1.2: Add tests/test_greet.py for it (ROADMAP.md, line 2)",
]


def _greeted(left: Left) -> None:
    assert left.statuses == {"1.1": "completed", "1.2": "completed"}
    left.check_tests_pass()


DRY_RUN = Scenario(
    id="dry-run",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add `greet.py` with `greet(name)`\n"
        b"- [ ] 1.2 Add `tests/test_greet.py` for it\n",
        "conftest.py": b"",
    },
    answers=(GREET, GREET_TESTS),
    check=_greeted,
)


async def test_dry_run_by_command(tmp_path: Path) -> None:
    """Each line is marked; no file, not even below ``.executor``, and no model call."""
    async with checkout(tmp_path / "here", DRY_RUN.repository) as here:
        here.environment["PATH"] = watching_python(tmp_path)

        said = await here.cairn("run", "--dry-run")

        assert said.code == 0, said.err
        *tasks, preview = said.out.splitlines()
        assert tasks == MARKED
        assert preview.startswith("[DRY RUN] No cost preview: ")
        assert here.git("status", "--porcelain", "--ignored") == ""
        assert here.model.requests == []
        DRY_RUN.script(here.model)
        done = await here.cairn("run")
        assert done.code == 0, done.err
        left = left_by(here, done, tmp_path)
        check_always(left, DRY_RUN)
        DRY_RUN.check(left)


async def test_dry_run_by_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each line is marked; no branch, no pull request and no model call."""
    caplog.set_level("INFO")
    watching_python(tmp_path)
    async with conversation(tmp_path, DRY_RUN.repository) as bot, bot.started():
        await bot.comment("/execute --dry-run")

        marked = [line for line in "\n".join(bot.says()).splitlines() if "[DRY RUN]" in line]
        assert [line.replace("`", "").strip("- ") for line in marked] == MARKED
        assert (list(bot.view.branches), bot.pulls, bot.model.requests) == (["main"], [], [])
        assert bot.files("todos.json") == []
        DRY_RUN.script(bot.model)
        await bot.comment("/execute")
        left = left_on(bot, bot.says(), tmp_path, lambda: caplog.messages)
        check_server(bot)
        check_always(left, DRY_RUN)
        DRY_RUN.check(left)
