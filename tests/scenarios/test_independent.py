"""``pull_requests.strategy: independent``: each task on the default branch, or on what it needs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes, on
from tests.scenarios.proposing import BESIDE, TABLE, decomposed, id_of, script_new_tasks

APART = {".github/cairn.yml": b"pull_requests: {strategy: independent}\n"}
LINES = (
    "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n- [ ] 1.3 Write `six.md`\n"
    "  - Depends on: 1.1\n"
)


@pytest.fixture
def files() -> Mapping[str, object]:
    """Two notes of their own, and one that needs the first."""
    return notes(LINES, **APART)


def ticked(bot: Bot, pull: Issue) -> list[str]:
    """The ids that are ticked in the roadmap of a pull request."""
    text = (bot.view.file(pull.pull.sha, "ROADMAP.md") or b"").decode()
    return [line.split()[2] for line in text.split("\n") if line.startswith("- [x]")]


async def test_each_stands_on_what_it_needs(bot: Bot) -> None:
    """Each has its own change and tick; only what depends on another one builds on its branch."""
    bot.model.when(contains="`one.md`").says(note("one.md"))
    bot.model.when(contains="`two.md`").says(note("two.md"))
    bot.model.when(contains="1.3 Write").says(note("six.md"))

    await bot.comment("/execute")

    bot.says()
    one, two, six = bot.pulls
    assert [pull.pull.base for pull in bot.pulls] == ["main", "main", one.pull.head]
    assert [ticked(bot, pull) for pull in bot.pulls] == [["1.1"], ["1.2"], ["1.1", "1.3"]]
    assert [sorted(bot.changed(pull)) for pull in bot.pulls] == [
        ["ROADMAP.md", "one.md"],
        ["ROADMAP.md", "two.md"],
        ["ROADMAP.md", "six.md"],
    ]
    assert f"**Stacked on #{one.number}.** Merge #{one.number} first." in (six.body or "")
    first = "**Merge this one first.** This pull request is number 1 of 2 in its stack."
    assert f"{first} #{six.number} builds on it." in (one.body or "")

    await bot.github.merge_pull(REPOSITORY, two.number)
    await bot.idle()

    assert ticked(bot, one) == ["1.1", "1.2"]


@on(notes(BESIDE, **TABLE, **APART))
async def test_a_recovery_stands_by_itself_too(bot: Bot) -> None:
    """Its replacements build on it; what has nothing to do with it stays on the default branch."""
    bot.model.when(contains="1.2 Write `three.md`").says(note("three.md"))
    asked = await decomposed(bot)
    other = bot.pulls[-1]
    script_new_tasks(bot)

    await bot.reply(asked, f"/approve {id_of(bot, asked)}")

    bot.says()
    bot.proposes()
    assert [pull.title.split()[0] for pull in bot.pulls[2:]] == ["1.1.1", "1.1.2"]
    bases = [pull.pull.base for pull in (other, asked, *bot.pulls[2:])]
    assert bases == ["main", "main", asked.pull.head, asked.pull.head]
    assert [ticked(bot, pull) for pull in (other, *bot.pulls[2:])] == [
        ["1.2"],
        ["1.1.1"],
        ["1.1.2"],
    ]
