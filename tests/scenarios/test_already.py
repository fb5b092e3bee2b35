"""A task whose work an earlier one did as well."""

from __future__ import annotations

import pytest

from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, CALC, DOUBLE, answer, on

BOTH = f"{ADD}\n{DOUBLE}"


async def test_what_an_earlier_task_did_as_well_is_said_to_be_there(bot: Bot) -> None:
    """One answer that changes nothing is enough: the tests of the second task are green."""
    bot.model.says(BOTH, DOUBLE)

    await bot.comment("/execute")

    said = "".join(bot.says())
    assert len(bot.prompts) == 2
    assert "✅ | **1.1**" in said
    assert "escalate" not in said.lower()
    assert "`add`, `double` exist already, and tests/test_double.py passes without a change" in said


@pytest.mark.nightly("test_what_an_earlier_task_did_as_well_is_said_to_be_there")
async def test_a_model_may_say_so_in_words(bot: Bot) -> None:
    """It writes no file at all."""
    bot.model.says(BOTH, "Nothing is to be done: `double(a)` is there already.\n")

    await bot.comment("/execute")

    assert len(bot.prompts) == 2
    assert "tests/test_double.py passes without a change" in "".join(bot.says())


RED = {
    **CALC,
    "ROADMAP.md": b"- [ ] 1.1 Add `calc/add.py` with `add(a, b)`, tested by `tests/test_add.py`\n",
    "calc/add.py": b"def add(a, b):\n    return a - b\n",
    "tests/test_add.py": b"from calc.add import add\n\n\ndef test_add():\n"
    b"    assert add(2, 3) == 5\n",
}


@on(RED)
async def test_what_is_there_and_wrong_is_still_to_be_done(bot: Bot) -> None:
    """An answer that changes nothing is refused while a test of it is red."""
    wrong = answer({"calc/add.py": "def add(a, b):\n    return a - b\n"})
    bot.model.says(wrong, answer({"calc/add.py": "def add(a, b):\n    return a + b\n"}))

    await bot.comment("/execute")

    assert "✅ | **1.1**" in "".join(bot.says())
    assert bot.changed(bot.pulls[0])["calc/add.py"] == b"def add(a, b):\n    return a + b\n"
