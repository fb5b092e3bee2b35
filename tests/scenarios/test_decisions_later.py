"""A decision that comes days later: what people merged and edited meanwhile is there."""

from __future__ import annotations

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes, on
from tests.scenarios.proposing import STUCK, TABLE, TITLES, decomposed, escalated, script_new_tasks

BEHIND = notes(
    "- [ ] 1.0 Write `zero.md`\n- [ ] 1.1 Write `one.md`, `two.md` and `table.json`\n", **TABLE
)


async def resting_behind_a_checkpoint(bot: Bot) -> tuple[Issue, Issue]:
    """A run on top of a checkpoint that waits for a decision."""
    bot.model.says(note("zero.md"))
    await bot.comment("/execute --max-tasks 1")
    proposal = await decomposed(bot)
    return bot.pulls[0], proposal


@pytest.mark.nightly("test_decomposing_rewrites_the_roadmap_on_the_tip")
@on(STUCK)
async def test_what_people_pushed_is_built_upon(bot: Bot) -> None:
    """The approved edit is replayed on the newest commit, and the new tasks see what is there."""
    pull = await decomposed(bot)
    roadmap = bot.view.file("main", "ROADMAP.md") or b""
    await bot.github.push(REPOSITORY, {"new.md": b"New.\n", "ROADMAP.md": b"# Ours\n\n" + roadmap})
    await bot.idle()
    script_new_tasks(bot)

    await bot.reply(pull, "/approve")

    bot.says()
    bot.proposes()
    head = bot.view.state.bare.text("rev-parse", f"{pull.pull.sha}^").strip()
    assert head == bot.view.branches["main"]
    assert (bot.view.file(pull.pull.sha, "ROADMAP.md") or b"").startswith(b"# Ours\n\n- [ ] 1.1.1")
    assert bot.view.file(bot.pulls[-1].pull.sha, "new.md") == b"New.\n"
    assert bot.checkpoints()[-2:] == TITLES


@pytest.mark.sample(0, "a run for each kind of merge")
@pytest.mark.parametrize("method", ["squash", "merge"])
@on(BEHIND)
async def test_a_checkpoint_was_merged_meanwhile(bot: Bot, method: str) -> None:
    """However people merged it: the recovery stands on the default branch as it is then."""
    checkpoint, pull = await resting_behind_a_checkpoint(bot)
    bot.view.state.delete_branch_on_merge = True
    await bot.github.merge_pull(REPOSITORY, checkpoint.number, by="writer", method=method)
    await bot.idle()
    script_new_tasks(bot)

    await bot.reply(pull, "/approve")

    bot.says()
    bot.proposes()
    assert pull.pull.base == "main"
    head = bot.view.state.bare.text("rev-parse", f"{pull.pull.sha}^").strip()
    assert head == bot.view.branches["main"]
    assert bot.checkpoints()[-2:] == TITLES


@MORE
@on(BEHIND)
async def test_a_checkpoint_was_closed_meanwhile(bot: Bot) -> None:
    """What people refused is not built upon, and is told as declined."""
    checkpoint, pull = await resting_behind_a_checkpoint(bot)
    await bot.github.close(REPOSITORY, checkpoint.number, by="writer")
    await bot.idle()
    script_new_tasks(bot)

    await bot.reply(pull, "/approve")

    (said,) = bot.says()
    bot.proposes()
    assert pull.pull.base == "main"
    assert bot.view.file(bot.pulls[-1].pull.sha, "zero.md") is None
    assert "declined" in said


@MORE
@on(STUCK)
async def test_people_did_the_task_themselves(bot: Bot) -> None:
    """A task that is ticked by now needs no recovery: the proposal is closed, the task done."""
    pull = await escalated(bot)
    roadmap = bot.view.file("main", "ROADMAP.md") or b""
    await bot.github.push(REPOSITORY, {"ROADMAP.md": roadmap.replace(b"[ ]", b"[x]")})
    await bot.idle()

    await bot.reply(pull, "/approve")

    (said,) = bot.says()
    assert "already done in the roadmap" in "".join(bot.proposes())
    assert pull.state == "closed"
    assert "✅ | **1.1**" in said


@MORE
@on(STUCK)
async def test_the_roadmap_is_gone(bot: Bot) -> None:
    """Nothing can be applied, and what became of the roadmap is told."""
    pull = await decomposed(bot)
    await bot.github.push(REPOSITORY, {"ROADMAP.md": None})
    await bot.idle()

    await bot.reply(pull, "/approve")

    bot.says()
    assert "no longer has this task" in "".join(bot.proposes())
    assert pull.state == "closed"
