"""A repair comes with a test that fails before it and passes after it."""

from __future__ import annotations

import pytest

from tests.fake_github.state import Issue
from tests.features.fix.test_fixing import fails, fix_of, said_on
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, CALC, answer, on
from tests.scenarios.test_trust import SHOUT, TESTED, WORDS, section

CODE = {
    "README.md": b"# Words\n",
    "words.py": f"{WORDS}{SHOUT}".encode(),
    "tests/test_words.py": TESTED.encode(),
}
MORE = "\n\ndef first(text):\n    return text.split()[0]\n"
CRASHES = f"{WORDS}{SHOUT}{MORE}"
REPAIRED = CRASHES.replace("text.split()[0]", "next(iter(text.split()), '')")
SMOKE = "smoke.py: words.first('') raised IndexError: list index out of range\n"
REGRESSION = "tests/test_words_regression.py"
TEST = "from words import first\n\n\ndef test_no_words():\n    assert first('') == ''\n"
TRACEBACK = """\
`first('')` crashes:

```
Traceback (most recent call last):
  File "words.py", line 10, in first
    return text.split()[0]
IndexError: list index out of range
```

It should return an empty string.
"""
REQUIRED = {".github/cairn.yml": b"fixes: {regression_test: require}\n"}


async def crashing(bot: Bot) -> Issue:
    """A person's pull request that no test of the project finds fault with, but its CI does."""
    await bot.github.push(REPOSITORY, {"words.py": CRASHES.encode()}, branch="theirs")
    pull = await bot.github.open_pull(REPOSITORY, "First word", head="theirs")
    await bot.idle()
    await fails(bot, pull, log=SMOKE)
    return pull


@on(CODE)
async def test_what_only_the_log_tells_is_kept_as_a_test(bot: Bot) -> None:
    """Whoever writes it sees what the checks printed, and not the repair."""
    pull = await crashing(bot)
    bot.model.says(answer({"words.py": REPAIRED})).gives_tests(answer({REGRESSION: TEST}))

    await bot.reply(pull, "/execute fix")

    fix = fix_of(bot, pull)
    assert bot.changed(fix) == {"words.py": REPAIRED.encode(), REGRESSION: TEST.encode()}
    said = said_on(bot, pull)
    assert f"`{REGRESSION}::test_no_words` fails before the repair and passes after it." in said
    assert "- Shown by a test that was asked for separately." in section(bot)
    (asked,) = bot.model.apart
    assert "> smoke.py: words.first('') raised IndexError" in str(asked.prompt)
    assert "next(iter" not in str(asked.body)


@on(CODE)
async def test_one_that_passes_before_it_is_left_out(bot: Bot) -> None:
    """It shows nothing of the fault: the repair stands alone, and its comment says so."""
    pull = await crashing(bot)
    idle = TEST.replace("first('') == ''", "first('a b') == 'a'")
    bot.model.says(answer({"words.py": REPAIRED})).gives_tests(answer({REGRESSION: idle}))

    await bot.reply(pull, "/execute fix")

    assert bot.changed(fix_of(bot, pull)).keys() == {"words.py"}
    assert "No test shows that it repairs what fails." in said_on(bot, pull)


@on({**CODE, **REQUIRED})
async def test_a_repository_can_require_it(bot: Bot) -> None:
    """Without such a test nothing is proposed, and the branch stays as it is."""
    pull = await crashing(bot)
    others = [REPAIRED.replace("''", f"'' * {n}") for n in range(2, 5)]
    bot.model.says(*(answer({"words.py": each}) for each in others))

    await bot.reply(pull, "/execute fix")

    assert "**No repair was proposed:**" in said_on(bot, pull)
    assert bot.pulls == [pull]


@on(CODE)
async def test_a_repair_that_breaks_what_passed_is_rolled_back(bot: Bot) -> None:
    """The model gets its chances; nothing that breaks another test reaches the repository."""
    pull = await crashing(bot)
    broken = [REPAIRED.replace("text.title()", f"text.lower()[{n}:]") for n in range(4)]
    bot.model.says(*(answer({"words.py": each}) for each in broken))

    await bot.reply(pull, "/execute fix")

    said = said_on(bot, pull)
    assert "**No repair was proposed:**" in said
    assert "tests/test_words.py::test_title" in said
    assert bot.pulls == [pull]
    await bot.comment("/history stats")
    assert "| not made | 1 |" in bot.says()[-1]


@on({**CODE, "words.py": CRASHES.encode(), ".github/cairn.yml": b"planning: never\n"})
async def test_an_issue_with_a_traceback(bot: Bot) -> None:
    """It is a task: the change closes it, with a test that shows the fault to be gone."""
    bot.issue = bot.github.open_issue(REPOSITORY, "first() crashes", TRACEBACK, by="outsider")
    bot.model.says(answer({"words.py": REPAIRED, REGRESSION: TEST}))

    await bot.comment("/execute fix")

    bot.says()
    (pull,) = bot.pulls
    assert bot.changed(pull) == {"words.py": REPAIRED.encode(), REGRESSION: TEST.encode()}
    assert f"Fixes #{bot.issue.number}" in (pull.body or "")
    assert f"`{REGRESSION}::test_no_words`" in section(bot)
    assert "Add a regression test: it fails as long as the fault is there" in bot.prompts[0]
    assert "IndexError: list index out of range" in bot.prompts[0]
    await bot.comment("/history stats")
    assert "| with a regression test | 1 |" in bot.says()[-1]


@on(CODE)
async def test_an_issue_without_words(bot: Bot) -> None:
    """There is nothing to go by, and no model is asked."""
    bot.issue = bot.github.open_issue(REPOSITORY, "It crashes", "", by="outsider")

    await bot.comment("/execute fix")

    assert "Describe what goes wrong" in bot.says()[-1]
    assert bot.prompts == []


@on(CALC)
async def test_a_checkpoint_whose_ci_fails(bot: Bot) -> None:
    """Its tests show the task and not what CI found: the new one fails on the branch as it was."""
    bot.model.says(ADD)
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    path = "tests/test_add_regression.py"
    right = "def add(a, b):\n    return int(a) + int(b)\n"
    test = "from calc.add import add\n\n\ndef test_digits():\n    assert add('2', '3') == 5\n"
    bot.model.says(answer({"calc/add.py": right})).gives_tests(answer({path: test}))

    await fails(bot, pull, log="smoke.py: add('2', '3') returned '23'\n")

    assert {"calc/add.py", path} <= bot.changed(pull).keys()
    assert bot.changed(pull)[path] == test.encode()
    assert "Added" in said_on(bot, pull)


@pytest.mark.nightly("test_a_checkpoint_whose_ci_fails, with a test that the branch passes already")
@on(CALC)
async def test_a_test_that_the_branch_passes_is_not_one(bot: Bot) -> None:
    """It fails without the checkpoint, and so says nothing of the repair."""
    bot.model.says(ADD)
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    path = "tests/test_add_regression.py"
    right = "def add(a, b):\n    return int(a) + int(b)\n"
    idle = "from calc.add import add\n\n\ndef test_again():\n    assert add(2, 2) == 4\n"
    bot.model.says(answer({"calc/add.py": right})).gives_tests(answer({path: idle}))

    await fails(bot, pull, log="smoke.py: add('2', '3') returned '23'\n")

    assert path not in bot.changed(pull)
    said_on(bot, pull)
