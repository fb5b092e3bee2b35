"""The check ``cairn/stack``, and what is verified again after a branch was brought up to date."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import notes
from tests.scenarios.stacks import LINES, body, merge, stacked, unread_comments

NEXT = "Nothing has to be merged first"


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES)


def check(bot: Bot, pull: Issue, name: str) -> dict[str, Any]:
    """The check of this name on the head of a pull request."""
    here = [c for c in bot.view.checks if (c["head_sha"], c["name"]) == (pull.pull.sha, name)]
    assert len(here) == 1, [c["name"] for c in here]
    return here[0]


def shown(bot: Bot, pull: Issue) -> tuple[str | None, str]:
    """Conclusion (None: pending) and title of ``cairn/stack`` on a pull request."""
    found = check(bot, pull, "cairn/stack")
    return found["conclusion"], found["output"]["title"]


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("method", ["merge", "squash"])
async def test_only_the_bottom_of_a_stack_may_be_merged(bot: Bot, method: str) -> None:
    """A rule that requires the check lets the others wait, and lets each go when its turn comes."""
    one, two, six = await stacked(bot)
    assert shown(bot, one) == ("success", NEXT)
    assert shown(bot, two) == (None, f"Waits for #{one.number}")
    assert shown(bot, six) == (None, f"Waits for #{two.number}")
    ours = "/pulls?q=is%3Apr+is%3Aopen+author%3Aapp%2Fcairn"
    assert check(bot, one, "cairn/stack")["details_url"].endswith(f"/{REPOSITORY}{ours}")
    waits = check(bot, two, "cairn/stack")["details_url"]
    assert waits.endswith(f"/{REPOSITORY}/pull/{one.number}")
    assert f"Merge #{one.number} first." in check(bot, two, "cairn/stack")["output"]["summary"]

    await merge(bot, one, method)

    unread_comments(bot, two)
    assert shown(bot, two) == ("success", NEXT)
    assert shown(bot, six) == (None, f"Waits for #{two.number}")
    await merge(bot, two, method)
    unread_comments(bot, six)
    assert shown(bot, six) == ("success", NEXT)


async def test_what_needs_people_fails_the_check(bot: Bot) -> None:
    """Merging it would bring in what was declined; somebody pushed, so nothing is rewritten."""
    one, two, _ = await stacked(bot)
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch=two.pull.head)
    await bot.idle()

    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()

    assert f"closing #{one.number}" not in unread_comments(bot, two)
    assert shown(bot, two) == ("failure", "This branch needs you before it can be merged")


async def test_files_that_nobody_verified_are_verified_again(bot: Bot) -> None:
    """The default branch moved, so what is brought up to date is a tree that is new."""
    one, two, _ = await stacked(bot)
    await bot.github.push(REPOSITORY, {"README.md": b"# More notes\n"})
    await bot.idle()
    asked = len(bot.prompts)

    await merge(bot, one, "squash")

    assert "Cairn runs the tests again: the check `cairn/trust` shows the result." in body(two)
    unread_comments(bot, two)
    trust = check(bot, two, "cairn/trust")
    assert (trust["status"], trust["conclusion"]) == ("completed", "neutral")
    assert trust["output"]["text"] != "There is no summary for programs."
    assert len(bot.prompts) == asked


async def test_files_that_were_verified_are_not_verified_again(bot: Bot) -> None:
    """A squash merge of what is below leaves the same files."""
    one, two, _ = await stacked(bot)
    before = check(bot, two, "cairn/trust")

    await merge(bot, one, "squash")

    unread_comments(bot, two)
    now = check(bot, two, "cairn/trust")
    assert now["id"] != before["id"]
    assert (now["conclusion"], now["output"]) == (before["conclusion"], before["output"])
    assert "Its files are the same as before" in body(two)


@pytest.mark.nightly("test_files_that_were_verified_are_not_verified_again")
async def test_the_details_of_a_verified_tree_stay_its_page(tmp_path: Path) -> None:
    """A new commit of the same files leads to the page of the task, as the old one did."""
    more = {"CAIRN_PUBLIC_URL": "http://cairn.example"}
    async with conversation(tmp_path, notes(LINES), **more) as bot, bot.started():
        one, two, six = await stacked(bot)
        before = check(bot, two, "cairn/trust")["details_url"], two.pull.sha

        await merge(bot, one, "squash")

        unread_comments(bot, two)
        unread_comments(bot, six)
        after = check(bot, two, "cairn/trust")["details_url"], two.pull.sha
        await bot.idle()
        bot.check()

    assert after[0] == before[0]
    assert "/tasks/" in after[0]
    assert after[1] != before[1]
