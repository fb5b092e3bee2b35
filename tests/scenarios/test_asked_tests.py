"""A test that is asked for apart, from ``/execute`` to the pull request."""

from __future__ import annotations

from tests.scenarios.bot import Bot
from tests.scenarios.projects import answer, on
from tests.scenarios.test_trust import ONE, SHOUT, STRIP, STRIPPED, WORDS, section

ASKED = "tests/test_words_as_asked.py"
TEST = "from words import title\n\n\ndef test_blanks():\n    assert title(' a b ') == 'A B'\n"
RIGHT = answer({"words.py": f"{STRIPPED}{SHOUT}"})


@on(STRIP)
async def test_it_is_part_of_the_pull_request_that_it_shows(bot: Bot) -> None:
    """It passes with the change and fails without it: the task is shown to be done."""
    bot.model.says(RIGHT).gives_tests(answer({ASKED: TEST}))

    await bot.comment(ONE)

    bot.says()
    [pull] = bot.pulls
    assert bot.changed(pull)[ASKED] == TEST.encode()
    assert "- Shown by a test that was asked for separately." in section(bot)
    assert f"`{ASKED}::test_blanks`" in section(bot)
    assert "Cairn-Verdict: shown" in bot.message(pull)


@on(STRIP)
async def test_one_that_disagrees_stands_in_the_text_alone(bot: Bot) -> None:
    """The author saw it and stayed with the code: whoever merges sees both."""
    wrong = TEST.replace("'A B'", "'a b'")
    bot.model.says(RIGHT, RIGHT).gives_tests(answer({ASKED: wrong}))

    await bot.comment(ONE)

    bot.says()
    [pull] = bot.pulls
    assert set(bot.changed(pull)) == {"words.py", "ROADMAP.md"}
    assert "### A test that says otherwise" in (pull.body or "")
    assert "    assert title(' a b ') == 'a b'" in (pull.body or "")
    assert "Cairn-Verdict: unbroken" in bot.message(pull)
    assert pull.pull
    assert not pull.pull.draft


@on(STRIP)
async def test_a_change_that_leaves_it_as_it_was_is_a_draft(bot: Bot) -> None:
    """It was refused once, and given again: the tests that pass run its line, and say nothing."""
    beside = answer({"words.py": WORDS.replace("return", "print(text)\n    return") + SHOUT})
    bot.model.says(beside, beside).gives_tests(answer({ASKED: TEST}))

    await bot.comment(ONE)

    bot.says()
    [pull] = bot.pulls
    assert "fails as it does without this change" in (pull.body or "")
    assert "Cairn-Verdict: unbroken" in bot.message(pull)
    assert pull.pull
    assert pull.pull.draft
