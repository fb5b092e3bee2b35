"""What becomes of the stack when people merge, close and delete its parts, in whatever way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes
from tests.scenarios.pushing import push, undelivered
from tests.scenarios.stacks import (
    LINES,
    METHODS,
    WORDS,
    body,
    changed_lines,
    check_own,
    merge,
    merged_by_hand,
    one_commit,
    own_lines,
    stacked,
    ticks,
    unread_comments,
)


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES)


@pytest.mark.nightly("test_a_checkpoint_says_its_place_in_the_stack")
async def test_each_says_on_what_it_stands(bot: Bot) -> None:
    """Whoever opens any of them sees which one to merge first."""
    one, two, six = await stacked(bot)

    first = "**Merge this one first.** This pull request is number 1 of"
    assert f"{first} 3 in its stack. #{two.number} builds on it." in body(one)
    assert f"**Stacked on #{one.number}.** Merge #{one.number} first." in body(two)
    assert f"#{six.number} builds on this one." in body(two)
    order = f"Merge #{one.number}, then #{two.number} first. This pull request is number 3 of 3"
    assert f"**Stacked on #{two.number}.** {order} in its stack." in body(six)

    await merge(bot, one)

    assert f"{first} 2 in its stack. #{six.number} builds on it." in body(two)
    order = f"Merge #{two.number} first. This pull request is number 2 of 2 in its stack."
    assert order in body(six)
    assert "Stacked on" not in body(two)


@pytest.mark.sample(1, "a run for each kind of merge")
@METHODS
@pytest.mark.parametrize("delete", [True, False], ids=["deleting", "keeping"])
async def test_merged_from_the_bottom_all_of_it_arrives(
    bot: Bot, method: str, delete: bool
) -> None:
    """After each merge the next one is made against the default branch and shows its own change."""
    bot.view.state.delete_branch_on_merge = delete
    pulls = await stacked(bot)

    for number, pull in enumerate(pulls, 1):
        check_own(bot, pull, number)
        if (method, number) == ("rebase", 3):
            await one_commit(bot, pull)  # GitHub replays commits below it, which conflict by now
        await merge(bot, pull, method)
        for above in pulls[number:]:
            unread_comments(bot, above)

    assert ticks(bot) == "xxx"
    assert {f"{word}.md" for word in WORDS} <= bot.view.files("main").keys()
    await bot.comment("/execute")
    (said,) = bot.says()
    assert "no open task" in said


def trust_of(bot: Bot, pull: Issue) -> list[dict[str, Any]]:
    """The checks on the head of a pull request that say how far it is verified."""
    wanted = (pull.pull.sha, "cairn/trust")
    return [each for each in bot.view.checks if (each["head_sha"], each["name"]) == wanted]


@pytest.mark.sample(1, "a run for each kind of merge")
@pytest.mark.parametrize("method", ["squash", "rebase"])
async def test_what_was_done_to_a_branch_is_told(bot: Bot, method: str) -> None:
    """Nobody has to guess where a merge commit comes from."""
    one, two, _ = await stacked(bot)
    (before,) = trust_of(bot, two)

    await merge(bot, one, method)

    (now,) = trust_of(bot, two)
    assert (now["conclusion"], now["output"]) == (before["conclusion"], before["output"])
    said = unread_comments(bot, two)
    assert f"#{one.number} was merged" in said
    assert "Its files are the same as before, so the earlier verification still holds." in said
    assert "git reset --soft origin/main" in said


CALLS = [
    ("GET", f"/repos/{REPOSITORY}/compare/*"),
    ("PATCH", f"/repos/{REPOSITORY}/pulls/*"),
    ("POST", f"/repos/{REPOSITORY}/git/commits"),
    ("POST", "/api/graphql"),
    ("POST", f"/repos/{REPOSITORY}/issues/*/comments"),
]


@pytest.mark.sample(1, "a conversation for each call that may fail")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_an_outage_at_any_call_leaves_one_of_each(
    bot: Bot, method: str, path: str, after: bool
) -> None:
    """Each call fails once, before or after its effect: one merge commit and one comment."""
    one, two, _ = await stacked(bot)
    before = two.pull.sha
    bot.github.fail(method, path, status=502, after=after)

    await merge(bot, one, "squash")
    await bot.later(minutes=10)

    check_own(bot, two, 2)
    assert len(bot.github.says(REPOSITORY, two.number)) == 1
    span = f"{before}..{two.pull.sha}"
    assert bot.view.state.bare.text("rev-list", "--count", "--merges", span) == "1"


@MORE
@METHODS
async def test_merged_from_the_top_all_of_it_arrives(bot: Bot, method: str) -> None:
    """What is merged into a branch below comes with that one, and stands there as in review."""
    one, two, six = await stacked(bot)

    await merge(bot, six, method)
    await merge(bot, two, method)

    assert f"#{two.number} was merged into this branch" in body(one)
    await bot.comment("/execute")
    (said,) = bot.says()
    assert "no open task" in said
    await merge(bot, one, method)
    assert ticks(bot) == "xxx"
    assert {f"{word}.md" for word in WORDS} <= bot.view.files("main").keys()


async def test_merged_into_a_dead_branch_is_not_done(bot: Bot) -> None:
    """The bottom is squashed and the next one merged into its branch before the bot sees it."""
    one, two, six = await stacked(bot)
    async with undelivered(bot):
        await bot.github.merge_pull(REPOSITORY, one.number, method="squash")
        await bot.github.merge_pull(REPOSITORY, two.number)
    assert ticks(bot) == "x  "

    await bot.comment("/execute --dry-run")
    (said,) = bot.says()
    assert "1.2" not in said  # the third one brings it as well, and is open
    await bot.comment("/execute")
    unread_comments(bot, six)
    (said,) = bot.says()
    assert "no open task" in said
    assert six.pull.base == "main"

    await merge(bot, six)

    assert ticks(bot) == "xxx"
    assert {f"{word}.md" for word in WORDS} <= bot.view.files("main").keys()


@MORE
async def test_what_only_a_dead_branch_has_is_open_again(bot: Bot) -> None:
    """A merge that never reaches the default branch is told as lost, and the task is done anew."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --max-tasks 2")
    bot.says()
    one, two = bot.pulls
    async with undelivered(bot):
        await bot.github.merge_pull(REPOSITORY, one.number, method="squash")
        await bot.github.merge_pull(REPOSITORY, two.number)
    merged = bot.github.deliveries[-3:]
    for delivery in merged:
        await bot.github.redeliver(delivery)
        await bot.idle()

    said = unread_comments(bot, two)
    assert "is not on `main`" in said
    assert "/execute retry" in said
    bot.model.says(note("two.md"), note("six.md"))
    await bot.comment("/execute")

    (said,) = bot.says()
    assert bot.checkpoints()[2:] == ["1.2 Write two.md", "1.3 Write six.md"]
    assert bot.pulls[2].pull.base == "main"


@pytest.mark.nightly("test_workflow_files_and_a_push_need_people")
async def test_closed_unmerged_below_the_next_is_told(bot: Bot) -> None:
    """A person pushed to it: it stays, says that it holds both, and nothing builds on it."""
    one, two, six = await stacked(bot)
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch=two.pull.head)
    await bot.idle()

    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()

    assert two.pull.base == "main"
    assert f"#{one.number}, which this builds on, was closed without a merge" in unread_comments(
        bot, two
    )
    assert "/execute retry" in body(two)
    assert six.pull.base == two.pull.head
    await push(bot, f"{LINES}- [ ] 1.4 Write `ten.md`\n")
    bot.model.says(note("ten.md"))
    await bot.comment("/execute")
    (said,) = bot.says()
    assert "Write one.md | declined" in said
    assert "Write two.md | in review" in said
    assert bot.pulls[3].pull.base == "main"
    assert bot.changed(bot.pulls[3]).keys() == {"ROADMAP.md", "ten.md"}


@pytest.mark.sample(1, "a run for each kind of merge")
@pytest.mark.parametrize("method", ["merge", "squash"])
async def test_closed_in_the_middle_and_opened_again(bot: Bot, method: str) -> None:
    """What builds on it leaves it and comes back, and shows its own change all the time."""
    one, two, six = await stacked(bot)
    await bot.github.close(REPOSITORY, two.number)
    await bot.idle()
    assert six.pull.base == one.pull.head

    await bot.github.reopen(REPOSITORY, two.number)
    await bot.idle()

    assert six.pull.base == two.pull.head
    assert sorted(changed_lines(bot, six)) == own_lines(3)
    for number, pull in enumerate((one, two, six), 1):
        check_own(bot, pull, number)
        await merge(bot, pull, method)
    for pull in (two, six):
        unread_comments(bot, pull)
    assert ticks(bot) == "xxx"


@MORE
async def test_opened_again_above_a_branch_that_was_merged_meanwhile(bot: Bot) -> None:
    """It goes to the default branch, and what has its change goes back on it."""
    one, two, six = await stacked(bot)
    await bot.github.close(REPOSITORY, two.number)
    await bot.idle()
    async with undelivered(bot):
        await bot.github.reopen(REPOSITORY, two.number)

    await merge(bot, one, "squash")

    check_own(bot, two, 2)
    assert six.pull.base == two.pull.head
    assert sorted(changed_lines(bot, six)) == own_lines(3)
    unread_comments(bot, two)


@pytest.mark.sample(1, "a run for each kind of merge")
@pytest.mark.parametrize("method", ["merge", "squash"])
async def test_a_branch_deleted_by_hand_closes_nothing_for_good(bot: Bot, method: str) -> None:
    """GitHub closes what was made against it (cli/cli#14223): it is opened again, elsewhere."""
    one, two, _ = await stacked(bot)
    async with undelivered(bot):
        await bot.github.merge_pull(REPOSITORY, one.number, method=method)
        await bot.github.delete_branch(REPOSITORY, one.pull.head)
    assert two.state == "closed"

    for delivery in bot.github.deliveries[-4:]:
        await bot.github.redeliver(delivery)
        await bot.idle()

    assert two.state == "open"
    assert one.pull.head not in bot.view.branches
    assert "reopened it" in unread_comments(bot, two)
    check_own(bot, two, 2)


@pytest.mark.sample(0, "a conversation for each call that may fail")
@pytest.mark.parametrize("after", [False, True])
async def test_an_outage_while_one_is_opened_again_leaves_no_branch(bot: Bot, after: bool) -> None:
    """The branch that came back for it is deleted as soon as GitHub answers again."""
    one, two, _ = await stacked(bot)
    async with undelivered(bot):
        await bot.github.merge_pull(REPOSITORY, one.number, method="squash")
        await bot.github.delete_branch(REPOSITORY, one.pull.head)
    bot.github.fail("POST", "/api/graphql", status=502, after=after)

    for delivery in bot.github.deliveries[-4:]:
        await bot.github.redeliver(delivery)
        await bot.idle()
    await bot.later(minutes=10)

    assert two.state == "open"
    assert one.pull.head not in bot.view.branches
    assert "reopening" not in (two.body or "")
    assert unread_comments(bot, two).count("reopened it") == 1
    check_own(bot, two, 2)


@pytest.mark.nightly("test_a_checkpoint_closed_unmerged_is_a_no")
async def test_what_a_person_closed_stays_closed(bot: Bot) -> None:
    """A no is a no, also to the top of a stack whose other parts go on."""
    one, two, six = await stacked(bot)
    await bot.github.close(REPOSITORY, six.number)
    await bot.idle()

    await merge(bot, one, "squash")

    unread_comments(bot, two)
    assert (six.state, two.pull.base) == ("closed", "main")
    await bot.comment("/execute")
    (said,) = bot.says()
    assert "no open task" in said


async def test_workflow_files_and_a_push_need_people(bot: Bot) -> None:
    """The App may not merge new workflow files in, nor rebuild what a person pushed to: it says so.

    Told once; after the person's merge the pull request can be merged.
    """
    one, two, _ = await stacked(bot)
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch=two.pull.head)
    theirs = two.pull.sha
    await bot.github.push(REPOSITORY, {".github/workflows/ci.yml": b"on: push\n"})
    await bot.idle()
    unread_comments(bot, two)

    await merge(bot, one, "squash")

    said = unread_comments(bot, two)
    assert two.pull.sha == theirs
    assert "needs you before it can be merged" in said
    assert "(`.github/workflows/ci.yml`)" in said
    assert f"git switch {two.pull.head}" in said
    assert "*Update branch*" in said
    await push(bot, LINES.replace("[ ] 1.1", "[x] 1.1"), files={"README.md": b"# More\n"})
    assert unread_comments(bot, two) == ""


async def test_where_both_changed_a_file_people_are_told_what_to_type(bot: Bot) -> None:
    """A squash, and a newer change of the same file: Cairn guesses nothing and says what to do."""
    one, two, _ = await stacked(bot)
    async with undelivered(bot):
        config = b"pull_requests: {revisions: 0}\n"  # else the task is worked on again
        files = {"two.md": b"Mine.\n", ".github/cairn.yml": config}
        await bot.github.push(REPOSITORY, files)
    await merge(bot, one, "squash")

    said = unread_comments(bot, two)
    assert two.pull.base == "main"
    assert f"git switch {two.pull.head}" in said
    assert "git merge origin/main" in said
    assert "two.md" in said
    await push(bot, LINES.replace("[ ] 1.1", "[x] 1.1"), files={"README.md": b"# More\n"})
    assert unread_comments(bot, two) == ""


@MORE
async def test_what_went_down_two_branches_is_in_the_one_that_lives(bot: Bot) -> None:
    """The third is squashed into the second, and that into the first: the fourth follows."""
    await push(bot, f"{LINES}- [ ] 1.4 Write `ten.md`\n")
    bot.model.says(*(note(f"{word}.md") for word in (*WORDS, "ten")))
    await bot.comment("/execute")
    bot.says()
    one, two, six, ten = bot.pulls
    for pull in (six, two):
        await merge(bot, pull, "squash")
        await bot.later(minutes=5)

    assert ten.pull.base == one.pull.head
    assert "+A note." in changed_lines(bot, ten)
    assert not [line for line in changed_lines(bot, ten) if re.search(r"1\.[123] ", line)]
    assert "but not into" not in body(ten)
    assert f"#{two.number} was merged by squash or rebase" in unread_comments(bot, ten)
    for pull in (one, ten):
        await merge(bot, pull, "squash")
        unread_comments(bot, ten)
    assert ticks(bot) == "xxxx"


@MORE
async def test_a_conflict_with_what_was_merged_is_told(bot: Bot) -> None:
    """A task is done again in other words, and the first version of its file was revised since."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --max-tasks 2")
    bot.says()
    one, two = bot.pulls
    roadmap = LINES.replace("Write `two.md`", "Write `two.md` in two words")
    await push(bot, roadmap)
    bot.model.says(note("two.md", "Two words."), note("two.md", "A better note."))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    again = bot.pulls[-1]
    await bot.reply(two, "/execute revise say it better")
    config = b"pull_requests:\n  revisions: 0\n"  # else the task is worked on again
    await bot.github.push(REPOSITORY, {".github/cairn.yml": config})
    await bot.idle()

    await merge(bot, one)
    await merge(bot, two)

    unread_comments(bot, two)
    assert again.pull.base == "main"
    assert "needs you before it can be merged" in body(again)
    assert "`main` and this branch both changed `two.md`" in body(again)
    assert "git merge origin/main" in body(again)
    (check,) = [
        each
        for each in bot.view.checks
        if (each["head_sha"], each["name"]) == (again.pull.sha, "cairn/stack")
    ]
    assert check["conclusion"] == "failure"
    assert unread_comments(bot, again) == ""  # GitHub shows the conflict, too

    ticked = roadmap.replace("[ ] 1.1", "[x] 1.1").replace("[ ] 1.2", "[x] 1.2")
    await merged_by_hand(bot, again, {"two.md": "Two words.\n", "ROADMAP.md": ticked})

    assert bot.github.pull_body(REPOSITORY, again.number)["mergeable"]
    await merge(bot, again)
    assert ticks(bot) == "xx "
