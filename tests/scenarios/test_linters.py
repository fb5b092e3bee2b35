"""The repository's own linters: one repair is asked for, and what is left is a warning."""

from __future__ import annotations

import pytest

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, ADD_WRONG, CALC, answer, on

ONE = "/execute --max-tasks 1"
RUFF = {"pyproject.toml": b'[tool.ruff]\nlint.select = ["E", "F"]\n'}
UNUSED = ADD.replace("def add(a, b):", "import os\n\n\ndef add(a, b):")
MYPY = {"mypy.ini": b"[mypy]\ncheck_untyped_defs = True\n"}
WRONG_TYPE = ADD.replace("def add(a, b):\n", "total: str = 5\n\n\ndef add(a, b):\n")


@on(CALC | RUFF)
async def test_a_new_finding_is_a_warning_in_the_pull_request(bot: Bot) -> None:
    """The model is told once. If nothing changes, rule and line are there for the reviewer."""
    bot.model.says(UNUSED, UNUSED)

    await bot.comment(ONE)

    said = bot.says()
    body = bot.pulls[0].body or ""
    assert "ruff newly reports calc/add.py, line 1: F401 `os` imported but unused" in body
    assert "| lint | ❌ failed |" in body
    assert "1 new finding" in body
    assert "**Verified by tests, with warnings.**" in body
    assert "F401" in said[0]


@pytest.mark.nightly("test_mypy_checks_what_its_configuration_says")
@on(CALC | MYPY)
async def test_a_new_type_error_is_a_warning_in_the_pull_request(bot: Bot) -> None:
    """The type checker that the repository configures says what is wrong."""
    bot.model.says(WRONG_TYPE, WRONG_TYPE)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "mypy newly reports calc/add.py, line 1: assignment Incompatible types" in body
    assert "**Verified by tests, with warnings.**" in body


@on(CALC | RUFF)
async def test_a_new_finding_is_repaired_once(bot: Bot) -> None:
    """The question names the finding alone, and the repaired change is verified and published."""
    bot.model.says(UNUSED, ADD)

    await bot.comment(ONE)

    bot.says()
    asked = bot.prompts[1]
    assert "calc/add.py, line 1: F401 `os` imported but unused (ruff)" in asked
    assert "some fail" not in asked
    assert "Correct only what they say" in asked
    body = bot.pulls[0].body or ""
    assert "F401" not in body
    assert "**Verified by tests.**" in body
    assert b"import os" not in (bot.changed(bot.pulls[0])["calc/add.py"] or b"")


WORSE = {
    "tests turn red": ADD_WRONG,
    "nothing to read": "I cannot do that.",
    "cannot be parsed": ADD.replace("def add(a, b):", "def add(a, b"),
    "another finding": ADD.replace("def add(a, b):", "import re\n\n\ndef add(a, b):"),
    "proves nothing": ADD.replace("assert add(2, 3) == 5", "assert add"),
}


@pytest.mark.sample(0, "a conversation for each case")
@pytest.mark.parametrize("repair", [pytest.param(WORSE[why], id=why) for why in WORSE])
@on(CALC | RUFF)
async def test_a_repair_for_linters_never_costs_the_change(bot: Bot, repair: str) -> None:
    """The change that the tests accepted is published, whatever comes; nothing is asked again."""
    bot.model.says(UNUSED, repair)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "ruff newly reports calc/add.py, line 1: F401 `os` imported but unused" in body
    assert "**Verified by tests, with warnings.**" in body
    changed = bot.changed(bot.pulls[0])
    assert (changed["calc/add.py"] or b"").startswith(b"import os")
    assert b"assert add(2, 3) == 5" in (changed["tests/test_add.py"] or b"")
    assert len(bot.prompts) == 2


OLD = {
    "ROADMAP.md": b"- [ ] 1.1 Add `add(a, b)` to `calc/sums.py`, and `tests/test_add.py`\n",
    "calc/sums.py": b"import os\n\n\ndef half(a):\n    return a / 2\n",
}


@pytest.mark.nightly("test_of_equal_findings_those_in_changed_lines_are_new")
@on(CALC | RUFF | OLD)
async def test_what_a_linter_said_before_is_not_told(bot: Bot) -> None:
    """The unused import is as old as the file, though it stands in another line now."""
    sums = '"""Sums."""\n\nimport os\n\n\ndef half(a):\n    return a / 2\n'
    added = sums + "\n\ndef add(a, b):\n    return a + b\n"
    test = "from calc.sums import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
    bot.model.says(answer({"calc/sums.py": added, "tests/test_add.py": test}))

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "| lint | ✅ passed |" in body
    assert "as before this change" in body
    assert "F401" not in body


@pytest.mark.nightly("test_a_tool_runs_where_the_repository_configures_it")
@on(CALC)
async def test_no_linter_runs_where_none_is_configured(bot: Bot) -> None:
    """ruff and mypy are installed, but this repository never asked for them."""
    bot.model.says(UNUSED)

    await bot.comment(ONE)

    bot.says()
    assert "lint" not in (bot.pulls[0].body or "")


@pytest.mark.nightly("test_a_tool_that_could_not_work_has_found_nothing")
@on(CALC | {"setup.cfg": b"[flake8]\nmax-line-length = 100\n"})
async def test_a_linter_that_is_not_installed_is_skipped(bot: Bot) -> None:
    """It says nothing, and the pull request says why."""
    bot.model.says(UNUSED)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "| lint | ⏭️ skipped |" in body
    assert "flake8 is not installed on this machine" in body
    assert "Worth a look" not in body


@MORE
@on(CALC | {"ruff.toml": b'line-length = "wide"\n'})
async def test_a_linter_that_refuses_its_configuration_is_skipped(bot: Bot) -> None:
    """The repository's fault is not held against the change."""
    bot.model.says(UNUSED)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "| lint | ⏭️ skipped |" in body
    assert "ruff does not run" in body
    assert "**Verified by tests.**" in body


@pytest.mark.nightly("test_repairing_what_two_tools_found")
@on(CALC | RUFF)
async def test_red_tests_and_linters_are_told_in_one_question(bot: Bot) -> None:
    """One answer can correct both."""
    bot.model.says(UNUSED.replace("a + b", "a - b"), ADD)

    await bot.comment(ONE)

    bot.says()
    asked = bot.prompts[1]
    assert "test_add" in asked
    assert "calc/add.py, line 1: F401 `os` imported but unused (ruff)" in asked
    assert "F401" not in (bot.pulls[0].body or "")


@MORE
@on(CALC | RUFF)
async def test_a_repair_question_without_findings_does_not_speak_of_linters(bot: Bot) -> None:
    """Only the tests fail."""
    bot.model.says(ADD_WRONG, ADD)

    await bot.comment(ONE)

    bot.says()
    assert "linter" not in bot.prompts[1]


@MORE
@on(CALC | RUFF | {".github/cairn.yml": b"verify:\n  commands: ['python3 -m ruff check .']\n"})
async def test_a_linter_among_the_repositorys_own_commands_is_not_run_again(bot: Bot) -> None:
    """There it decides, as the repository wants it; that no test is run is asked about once."""
    bot.model.says(UNUSED, ADD, ADD)

    await bot.comment(ONE)

    bot.says()
    assert "F401" in bot.prompts[1]
    assert "| lint |" not in (bot.pulls[0].body or "")
