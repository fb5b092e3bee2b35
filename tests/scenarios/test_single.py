"""``pull_requests.strategy: single``: one pull request a run, with a commit for each task."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, run_of
from tests.scenarios.projects import note, notes, on
from tests.scenarios.proposing import BESIDE, TABLE, decomposed, id_of, script_new_tasks

SINGLE = {".github/cairn.yml": b"pull_requests: {strategy: single}\n"}
LINES = "".join(f"- [ ] 1.{n} Write `{word}.md`\n" for n, word in enumerate(("one", "two", "six")))


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES, **SINGLE)


def commits(bot: Bot, pull: Issue) -> list[str]:
    """Titles of the commits of a pull request, the oldest first."""
    span = f"{pull.pull.base}..{pull.pull.sha}"
    return bot.view.state.bare.text("log", "--reverse", "--format=%s", span).split("\n")


def rows(pull: Issue) -> list[str]:
    """The names in the table of its description."""
    table = (pull.body or "").partition("<details>")[0].split("| --- |\n")[1].split("\n")
    return [line.split(" | ")[0].removeprefix("| ") for line in table if line]


async def test_a_run_has_one_pull_request(bot: Bot) -> None:
    """It has a commit with its trailers and a row for each task, all boxes ticked."""
    bot.model.says(note("one.md"), note("two.md"), note("six.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    (pull,) = bot.pulls
    assert (pull.title, pull.pull.base) == ("Tasks of ROADMAP.md", "main")
    assert pull.pull.head == f"cairn/{run_of(said)}/tasks"
    assert (
        commits(bot, pull)
        == rows(pull)
        == ["1.0 Write one.md", "1.1 Write two.md", "1.2 Write six.md"]
    )
    assert bot.changed(pull).keys() == {"six.md", "ROADMAP.md"}
    assert bot.view.file(pull.pull.sha, "ROADMAP.md") == LINES.replace("[ ]", "[x]").encode()
    assert bot.message(pull).count(f"Cairn-Run: {run_of(said)}") == 1
    table = said.partition("<details>")[0]
    assert table.count(f"/{REPOSITORY}/pull/{pull.number}") == 3


@pytest.mark.nightly("test_a_second_run_builds_on_the_first")
async def test_the_next_run_knows_what_is_in_review(bot: Bot) -> None:
    """Every task of an open pull request is in progress; the next run stands on it."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --max-tasks 2")
    bot.says()
    bot.model.says(note("six.md"))

    await bot.comment("/execute")

    bot.says()
    first, second = bot.pulls
    assert (second.pull.base, rows(second)) == (first.pull.head, ["1.2 Write six.md"])


@MORE
async def test_closed_unmerged_is_a_no_to_all_of_it(bot: Bot) -> None:
    """Its tasks are declined, and what comes next does not stand on it."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --max-tasks 2")
    bot.says()
    await bot.github.close(REPOSITORY, bot.pulls[0].number)
    bot.model.says(note("six.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert said.count("| declined |") == 2
    assert (bot.pulls[1].pull.base, rows(bot.pulls[1])) == ("main", ["1.2 Write six.md"])


@on(notes(BESIDE, **TABLE, **SINGLE))
async def test_a_failed_task_leaves_its_proposal(bot: Bot) -> None:
    """The others go on; approved, the edit is a commit like theirs and the proposal is closed."""
    bot.model.when(contains="1.2 Write `three.md`").says(note("three.md"))
    asked = await decomposed(bot)
    shared = bot.pulls[-1]
    assert rows(shared) == ["1.2 Write three.md"]
    script_new_tasks(bot)

    await bot.reply(asked, f"/approve {id_of(bot, asked)}")

    bot.says()
    told = "".join(bot.proposes())
    assert "it was applied in a commit of" in told
    assert f"/{REPOSITORY}/pull/{shared.number}" in told
    assert (asked.state, asked.pull.merged, len(bot.pulls)) == ("closed", None, 2)
    assert [title.partition(" ")[0] for title in commits(bot, shared)] == [
        "1.2",
        "decompose:",
        "1.1.1",
        "1.1.2",
    ]
    assert [name.partition(" ")[0] for name in rows(shared)] == ["1.2", "1.1", "1.1.1", "1.1.2"]
