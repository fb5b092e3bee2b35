"""A test that is asked for apart, from ``/execute`` to the pull request."""

from __future__ import annotations

import pytest

from tests.scenarios.bot import Bot
from tests.scenarios.projects import answer, on
from tests.scenarios.test_trust import ONE, SHOUT, STRIP, STRIPPED, TESTED, WORDS, section

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
    assert pull.pull.draft


@pytest.mark.nightly("test_a_change_that_leaves_the_test_as_it_was_is_refused, for a checkout")
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


@pytest.mark.nightly("test_code_that_no_test_runs_begins_as_a_draft")
@pytest.mark.sample(1, "a conversation for each case")
@on(STRIP)
@pytest.mark.parametrize(
    "more", ["# Blanks are gone.\n", "\n\ndef spare(text):\n    return text\n"]
)
async def test_what_no_test_can_run_is_a_draft(bot: Bot, more: str) -> None:
    """A comment, a function that nothing calls: the tests load the file, and pass all the same."""
    bot.model.says(answer({"words.py": WORDS + SHOUT + more}))

    await bot.comment(ONE)

    bot.says()
    [pull] = bot.pulls
    assert "Cairn-Verdict: unbroken" in bot.message(pull)
    assert pull.pull
    assert pull.pull.draft


@on(
    {
        "ROADMAP.md": b"- [ ] Write `codes.py`: `digit(text)` raises `ValueError` for no digit\n",
        "words.py": b"def title(text):\n    if not text:\n        raise ValueError(text)\n"
        b"    return text.title()\n",
        "tests/test_words.py": TESTED.encode(),
    }
)
async def test_an_error_that_is_defined_nowhere_ties_nothing_to_a_task(bot: Bot) -> None:
    """Another feature with a good test, in a file that raises the same: it is no answer."""
    files = {
        "words.py": "def title(text):\n    if not text:\n        raise ValueError(text)\n"
        "    return text.title()\n\n\ndef twice(value):\n    return 2 * value\n",
        "tests/test_twice.py": "from words import twice\n\n\ndef test_twice():\n"
        "    assert twice(2) == 4\n",
    }
    bot.model.says(answer(files), answer(files))

    await bot.comment(ONE)

    assert "and the answer changes none of it" in bot.prompts[1]
    assert "is waiting" in bot.says()[-1]
    [proposal] = bot.proposes()
    assert "a person must approve the change" in proposal
