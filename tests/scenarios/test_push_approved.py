"""``pull_requests.push: approved``: no code of a model is pushed before somebody says yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import answer, note, notes, on
from tests.scenarios.proposing import proposal_comment
from tests.scenarios.stacks import LINES, merge
from tests.scenarios.test_failing_checks import check
from tests.scenarios.test_revising import BETTER, request_changes

ASKS = {".github/cairn.yml": b"pull_requests: {push: approved}\n"}
TWO = "".join(LINES.splitlines(keepends=True)[:2])


def check_nothing_is_pushed(bot: Bot) -> None:
    """Every ref of ours has the tree of the default branch, and no content was sent at all."""
    trees = {bot.view.state.bare.resolve(sha, "tree") for sha in bot.view.branches.values()}
    assert len(trees) == 1
    assert bot.sent() == []


@on(notes(TWO, **ASKS))
async def test_each_change_is_pushed_after_a_yes_one_pull_request_at_a_time(bot: Bot) -> None:
    """The patch is shown on no branch; after a click it is pushed, and the next task waits."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute")

    (asked,) = bot.pulls
    said = proposal_comment(bot, asked).body
    id = said.partition("### Proposal ")[2].partition(": needs approval\n")[0]
    assert "/edit" not in said
    assert "To have it done differently, comment `/execute retry 1.1`, and" in said
    assert "code that a model wrote is pushed only after an approval" in said
    assert "### How far this is verified" in said
    assert "diff --git a/one.md b/one.md" in said
    check_nothing_is_pushed(bot)
    assert len(bot.prompts) == 1  # the second task waits
    (check,) = [each for each in bot.view.checks if each["name"] == "cairn/recovery"]

    await bot.github.click(REPOSITORY, int(str(check["id"])), "approve", by="reader")
    await bot.idle()
    check_nothing_is_pushed(bot)

    await bot.github.click(REPOSITORY, int(str(check["id"])), "approve", by="writer")
    await bot.idle()

    _, pull = bot.pulls
    assert asked.state == "closed"
    assert bot.changed(pull).keys() == {"ROADMAP.md", "one.md"}
    assert "is now part of" in "".join(bot.proposes())
    said = bot.says()[-1]
    (tick,) = [line for line in said.splitlines() if "tick in line 1" in line]
    assert tick.endswith(f"/pull/{pull.number}")
    assert "change: approved by writer" in said
    await bot.comment("/execute audit", by="octo")
    assert f"approve {id} (check)" in bot.says()[-1]
    assert "1 pull request of Cairn is open, which is the limit (`pull_requests.push: ap" in said
    assert len(bot.prompts) == 1

    bot.model.says(note("two.md"))
    await merge(bot, pull)
    assert len(bot.prompts) == 2
    *_, asked = bot.pulls
    await bot.reply(asked, "/reject not like this")

    assert asked.state == "closed"
    assert "not like this" in "".join(bot.proposes())
    assert b"- [ ] 1.2" in (bot.view.file("main", "ROADMAP.md") or b"")
    assert "❌ | **1.2**" in bot.says()[-1]


@MORE
@on(notes("- [ ] 1.1 Write `clean.sh`\n", **ASKS))
async def test_who_lets_it_be_run_lets_it_be_pushed_and_is_told_so(bot: Bot) -> None:
    """The question about destructive code has no diff either; its answer is about both."""
    bot.model.says(answer({"clean.sh": "#!/bin/sh\nrm -rf build\n"}))
    await bot.comment("/execute")
    (asked,) = bot.pulls
    said = proposal_comment(bot, asked).body
    assert "+rm -rf build" in said
    assert "and, if they accept it as it is, pushes it to the branch of its pull request" in said
    check_nothing_is_pushed(bot)

    await bot.reply(asked, "/approve")

    assert bot.changed(bot.pulls[1]).keys() == {"ROADMAP.md", "clean.sh"}
    bot.says()
    bot.proposes()


@MORE
@on(notes(TWO, **ASKS))
async def test_a_further_commit_is_asked_about_too(bot: Bot) -> None:
    """What reviewers want is not on their branch before somebody has seen it."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    await bot.reply(bot.pulls[0], "/approve")
    pull = bot.pulls[1]
    head, sent = pull.pull.sha, bot.sent()
    bot.model.says(BETTER)

    await request_changes(bot, pull, "Better, please.")

    *_, asked = bot.pulls
    assert "-A note.\n+A better note." in proposal_comment(bot, asked).body
    assert (pull.pull.sha, bot.sent()) == (head, sent)
    await bot.reply(asked, "/approve")
    assert bot.view.file(pull.pull.sha, "one.md") == b"A better note.\n"
    assert asked.state == "closed"
    bot.says()
    bot.proposes()
    bot.github.says(REPOSITORY, pull.number)


@MORE
@pytest.mark.parametrize("how", ["pushed", "merged", "closed"])
@on(notes(TWO, **ASKS))
async def test_a_pull_request_moves_on_while_its_further_commit_waits(bot: Bot, how: str) -> None:
    """The question is closed and says why; the row says what became of the pull request."""
    bot.model.says(note("one.md"), BETTER)
    await bot.comment("/execute --max-tasks 1")
    await bot.reply(bot.pulls[0], "/approve")
    pull = bot.pulls[1]
    await request_changes(bot, pull, "Better, please.")
    *_, asked = bot.pulls
    assert asked.state == "open"

    if how == "pushed":
        await bot.github.push(REPOSITORY, {"one.md": b"Mine.\n"}, branch=pull.pull.head)
    elif how == "merged":
        await bot.github.merge_pull(REPOSITORY, pull.number)
    else:
        await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()

    assert asked.state == "closed"
    why, row = {
        "pushed": ("has a newer commit than the change that waited", "👀 | **1.1**"),
        "merged": ("was merged before Cairn could add anything", "✅ | **1.1**"),
        "closed": ("was closed before Cairn could add anything", "🚫 | **1.1**"),
    }[how]
    assert why in "".join(bot.proposes())
    said = "".join(bot.github.says(REPOSITORY, pull.number))
    assert why in said
    assert row in said
    bot.says()


@MORE
@on(notes(TWO, **ASKS))
async def test_the_repair_of_a_pull_request_belongs_to_who_started_its_run(bot: Bot) -> None:
    """A check fails, and nobody asked for the repair: the writer may approve it all the same."""
    bot.model.says(note("one.md"), BETTER)
    await bot.comment("/execute --max-tasks 1")
    await bot.reply(bot.pulls[0], "/approve")
    pull = bot.pulls[1]
    await check(bot, pull.pull.sha)
    *_, asked = bot.pulls
    assert "-A note.\n+A better note." in proposal_comment(bot, asked).body
    bot.github.add_user("second")
    bot.github.set_role(REPOSITORY, "second", "write")

    await bot.reply(asked, "/approve", by="second")
    assert bot.view.file(pull.pull.sha, "one.md") == b"A note.\n"
    await bot.reply(asked, "/approve")

    assert bot.view.file(pull.pull.sha, "one.md") == b"A better note.\n"
    bot.says()
    bot.proposes()
    bot.github.says(REPOSITORY, pull.number)


@MORE
@on(notes(TWO, **ASKS))
async def test_two_runs_at_once_make_no_stack(bot: Bot) -> None:
    """Each asks about a change of the default branch, and that is what is pushed."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --task 1.1")
    other = bot.github.open_issue(REPOSITORY, "Another", by="writer")
    await bot.github.comment(REPOSITORY, other.number, "/execute --task 1.2", by="writer")
    await bot.idle()
    first, second = bot.pulls

    await bot.reply(first, "/approve")
    await bot.reply(second, "/approve")

    *_, one, two = bot.pulls
    assert [(each.title, each.pull.base) for each in (one, two)] == [
        ("1.1 Write one.md", "main"),
        ("1.2 Write two.md", "main"),
    ]
    assert bot.changed(two).keys() == {"ROADMAP.md", "two.md"}
    bot.says()
    bot.proposes()
    bot.github.says(REPOSITORY, other.number)


@MORE
async def test_an_approval_survives_a_stop_and_a_moved_base(tmp_path: Path) -> None:
    """What was approved is pushed once, though the server ends and the base moves meanwhile."""
    async with conversation(tmp_path, notes("- [ ] 1.1 Write `one.md`\n", **ASKS)) as bot:
        bot.model.says(note("one.md"))
        async with bot.started():
            await bot.comment("/execute")
        (asked,) = bot.pulls
        await bot.github.push(REPOSITORY, {"other.md": b"Theirs.\n"})
        fault = bot.holds("POST", "*/git/refs")
        async with bot.started():
            await bot.github.comment(REPOSITORY, asked.number, "/approve", by="writer")
            await fault.reached.wait()
        fault.release()
        async with bot.started():
            await bot.idle()

        assert bot.checkpoints() == ["needs approval: 1.1 Write one.md", "1.1 Write one.md"]
        assert bot.changed(bot.pulls[1]).keys() == {"ROADMAP.md", "one.md"}
        bot.says()
        bot.proposes()
        bot.check()
