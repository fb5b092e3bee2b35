"""A person turns Cairn's chain into a stack of GitHub: whatever happens, Cairn does no harm."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import notes
from tests.scenarios.pushing import push
from tests.scenarios.stacks import (
    LINES,
    body,
    changed_lines,
    check_own,
    own_lines,
    place_check,
    stacked,
    ticks,
    unread_comments,
)


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES)


async def linked(bot: Bot) -> list[Issue]:
    """Three pull requests, each on the one before, in a stack of GitHub."""
    pulls = await stacked(bot)
    await bot.github.link(REPOSITORY, *(pull.number for pull in pulls))
    await bot.idle()
    return pulls


def linear(bot: Bot, pull: Issue) -> bool:
    """Whether GitHub would merge it with its stack."""
    return str(bot.github.pull_body(REPOSITORY, pull.number)["mergeable_state"]) == "clean"


async def test_what_merging_does_is_said_as_long_as_it_is_true(bot: Bot) -> None:
    """Joining is told, leaving is not: the next event without a stack tells. Twice changes none."""
    one, two, six = await linked(bot)

    also = f"Merging this one also merges #{one.number} and #{two.number} below it."
    assert also in body(six)
    assert f"Merge #{one.number}" not in body(six)
    assert [place_check(bot, pull) for pull in (one, two, six)] == ["success"] * 3
    await bot.reply(six, "/execute status")
    assert also in unread_comments(bot, six)
    count = len(bot.github.requests)
    for delivery in [d for d in bot.github.deliveries if d.action == "stacked"][::-1]:
        await bot.github.redeliver(delivery)
    await bot.idle()
    assert [r for r in bot.github.requests[count:] if r.method == "PATCH"] == []

    bot.github.unstack(REPOSITORY, one.number)
    await bot.github.ready(REPOSITORY, six.number, draft=True)
    await bot.idle()

    assert f"Merge #{one.number}, then #{two.number} first." in body(six)
    assert "also merges" not in body(six)
    assert place_check(bot, six) == "None"


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
async def test_github_rebases_what_is_left(bot: Bot, method: str) -> None:
    """Cairn waits for it and touches no branch; the rebased commit is still known as its own."""
    one, two, six = await linked(bot)
    count = len(bot.github.requests)

    await bot.github.merge_stack(REPOSITORY, two.number, method=method)
    await bot.idle()
    await bot.later(minutes=2)

    check_own(bot, six, 3)
    assert linear(bot, six)
    moves = [r for r in bot.github.requests[count:] if "updateRefs" in str(r.body)]
    assert moves == []
    assert unread_comments(bot, one) + unread_comments(bot, two) + unread_comments(bot, six) == ""
    assert (place_check(bot, six), ticks(bot)) == ("success", "xx ")
    trusted = [c for c in bot.view.checks if c["name"] == "cairn/trust"]
    assert trusted[-1]["head_sha"] == six.pull.sha

    await push(bot, LINES.replace("[ ] 1.1", "[x] 1.1").replace("[ ] 1.2", "[x] 1.2") + "\nMore.\n")
    await bot.github.rebase_stack(REPOSITORY, six.number)
    await bot.idle()
    check_own(bot, six, 3)
    await bot.github.merge_stack(REPOSITORY, six.number)
    await bot.idle()
    assert ticks(bot) == "xxx"


def moved_by_us(bot: Bot, since: int) -> bool:
    """Whether Cairn moved a branch since so many requests."""
    return any("updateRefs" in str(each.body) for each in bot.github.requests[since:])


async def test_only_where_github_does_not_rebase_cairn_does(bot: Bot) -> None:
    """It waits a minute, then rebuilds all that is left, each as one commit on the one below."""
    one, two, six = await linked(bot)
    count = len(bot.github.requests)

    await bot.github.merge_stack(REPOSITORY, one.number, rebase=False)
    await bot.idle()

    assert not moved_by_us(bot, count)
    assert "GitHub is rebasing this branch" in body(two)
    assert place_check(bot, two) == "None"
    await push(bot, LINES.replace("[ ] 1.1", "[x] 1.1"), files={"README.md": b"# More\n"})
    assert not moved_by_us(bot, count)

    await bot.later(minutes=2)

    check_own(bot, two, 2)
    assert sorted(changed_lines(bot, six)) == own_lines(3)
    assert linear(bot, two)
    assert linear(bot, six)
    assert "GitHub is rebasing" not in body(two)
    assert f"#{one.number} was merged" in unread_comments(bot, two)
    await bot.github.merge_stack(REPOSITORY, six.number)
    await bot.idle()
    assert ticks(bot) == "xxx"
    assert not [r for r in bot.github.requests if r.method == "PATCH" and "base" in (r.body or {})]


async def test_above_a_closed_one_people_are_told_and_unstacking_ends_it(bot: Bot) -> None:
    """Nothing is moved or rewritten while GitHub would refuse it; afterwards all is as ever."""
    one, two, six = await linked(bot)
    heads = two.pull.sha, six.pull.sha

    await bot.github.close(REPOSITORY, two.number)
    await bot.idle()

    assert (two.pull.sha, six.pull.sha, six.pull.base) == (*heads, two.pull.head)
    assert place_check(bot, six) == "failure"
    said = unread_comments(bot, six)
    assert f"#{two.number} below it was closed" in said
    assert "*Unstack*" in said
    assert "*Unstack*" in body(six)

    bot.github.unstack(REPOSITORY, one.number)
    await bot.github.ready(REPOSITORY, six.number, draft=True)
    await bot.idle()

    assert six.pull.base == one.pull.head
    assert "*Unstack*" not in body(six)
    await bot.github.ready(REPOSITORY, six.number)
    await bot.github.merge_pull(REPOSITORY, one.number, method="squash")
    await bot.idle()
    unread_comments(bot, six)
    check_own(bot, six, 3)
    assert "two.md" not in bot.view.files(six.pull.sha)
