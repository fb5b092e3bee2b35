"""Reviewers ask for changes of a checkpoint: one more commit on its branch, answered in threads."""

from __future__ import annotations

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, answer

ASKED = "Please refuse texts: raise a `TypeError`."

REFUSES = answer(
    {
        "calc/add.py": "def add(a, b):\n"
        "    if isinstance(a, str) or isinstance(b, str):\n"
        '        raise TypeError("numbers only")\n'
        "    return a + b\n",
        "tests/test_add.py": "import pytest\n\nfrom calc.add import add\n\n\n"
        "def test_add():\n    assert add(2, 3) == 5\n\n\n"
        "def test_texts_are_refused():\n"
        '    with pytest.raises(TypeError):\n        add("2", "3")\n',
    }
)


async def checkpoint(bot: Bot) -> Issue:
    """The first task as an open pull request, its comment read."""
    bot.model.says(ADD)
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    return bot.pulls[0]


async def request_changes(bot: Bot, pull: Issue, body: str = "", **more: object) -> None:
    """Submit a review that requests changes, and wait for all that comes of it."""
    await bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", body, **more)  # type: ignore[arg-type]
    await bot.idle()


def said(bot: Bot, pull: Issue) -> list[str]:
    """What the bot said on a pull request and nobody read yet."""
    return bot.github.says(REPOSITORY, pull.number)


async def test_requested_changes_are_one_more_commit(bot: Bot) -> None:
    """The review is the question; the answer is verified and added to the same branch."""
    pull = await checkpoint(bot)
    before = pull.pull.sha
    bot.model.says(REFUSES)

    await request_changes(bot, pull, on=[("calc/add.py", 1, 2, ASKED)])

    (comment,) = said(bot, pull)
    assert f"Added {pull.pull.sha} to this pull request" in comment
    assert bot.view.state.bare.text("rev-parse", f"{pull.pull.sha}^") == before
    assert set(bot.changed(pull)) == {"calc/add.py", "tests/test_add.py"}
    assert ASKED in bot.prompts[1]
    assert "def add(a, b):\n    return a + b" in bot.prompts[1]
    ((asked, reply),) = bot.github.says_in_threads(REPOSITORY, pull.number)
    assert (asked, pull.threads[0].resolved) == (ASKED, True)
    assert f"Changed in {pull.pull.sha}." in reply
    assert len(bot.pulls) == 1
