"""Changed lines come out as the repository's own formatter writes them, and no other line does."""

from __future__ import annotations

import pytest

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, CALC, answer, on

ONE = "/execute --max-tasks 1"
RUFF = {"pyproject.toml": b"[tool.ruff]\nline-length = 100\n\n[tool.ruff.format]\n"}
UGLY = ADD.replace("return a + b", "return   a+b")
NEAT = b"def add(a, b):\n    return a + b\n"


@on(CALC | RUFF)
async def test_a_new_file_is_formatted(bot: Bot) -> None:
    """The commit has it so, the tests have run on it so, and the pull request says it."""
    bot.model.says(UGLY)

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert bot.changed(pull)["calc/add.py"] == NEAT
    assert "calc/add.py: formatted with ruff" in (pull.body or "")
    assert "**Verified by tests" in (pull.body or "")


OLD = {
    "ROADMAP.md": b"- [ ] 1.1 Add `add(a, b)` to `calc/sums.py`, and `tests/test_add.py`\n",
    "calc/sums.py": b"def half( a ):\n    return a/2\n",
}
TEST = "from calc.sums import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


@pytest.mark.nightly("test_in_a_file_that_was_not_formatted_old_lines_stay")
@on(CALC | RUFF | OLD)
async def test_lines_that_are_not_changed_stay_as_they_are(bot: Bot) -> None:
    """The file was never formatted: only what is new in it is."""
    sums = "def half( a ):\n    return a/2\n\n\ndef add(a,b):\n    return a+b\n"
    bot.model.says(answer({"calc/sums.py": sums, "tests/test_add.py": TEST}))

    await bot.comment(ONE)

    bot.says()
    assert (bot.changed(bot.pulls[0])["calc/sums.py"] or b"") == (
        b"def half( a ):\n    return a/2\n\n\ndef add(a, b):\n    return a + b\n"
    )


@MORE
@on(CALC)
async def test_nothing_is_formatted_where_no_formatter_is_configured(bot: Bot) -> None:
    """However it looks."""
    bot.model.says(UGLY)

    await bot.comment(ONE)

    bot.says()
    assert b"return   a+b" in (bot.changed(bot.pulls[0])["calc/add.py"] or b"")


@MORE
@on(CALC | {"pyproject.toml": b"[tool.black]\n"})
async def test_a_formatter_that_is_not_installed_changes_nothing(bot: Bot) -> None:
    """black is not in this sandbox; the task is done all the same."""
    bot.model.says(UGLY)

    await bot.comment(ONE)

    bot.says()
    assert b"return   a+b" in (bot.changed(bot.pulls[0])["calc/add.py"] or b"")
