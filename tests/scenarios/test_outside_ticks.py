"""Ticks in the dashboard as browsers and people make them: stale, several at once, taken back."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.marks import OUTSIDE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, on
from tests.scenarios.proposing import STUCK, decomposed
from tests.scenarios.pushing import plan, plan_comments, plans, push, triggered
from tests.scenarios.test_dashboard import LINES, boxes, shown, tick

pytestmark = OUTSIDE

NEWER = LINES.replace("six", "ten")
NEW_TASK = "- [ ] 2.2 Write `eleven.md`\n"


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write, in two phases."""
    return triggered("plan", LINES)


async def edit(bot: Bot, body: str) -> None:
    """Give the dashboard another text, and wait until the bot has done all it can."""
    await bot.github.edit_issue(REPOSITORY, plans(bot)[0].number, body, by="writer")
    await bot.idle()


def with_ticks(text: str, *words: str) -> str:
    """The text with the boxes of these lines ticked."""
    for each in words:
        (line,) = [line for line in text.split("\n") if each in line and "- [ ] <!--" in line]
        text = text.replace(line, line.replace("- [ ]", "- [x]"))
    return text


async def test_a_browser_sends_other_line_ends(bot: Bot) -> None:
    """A text that comes back with CRLF is the same text with one tick."""
    await push(bot, NEWER)
    bot.model.says(note("ten.md"))

    await tick(bot, plan(bot).replace("\n", "\r\n"), "**2.1**")
    await bot.idle()

    assert bot.checkpoints() == ["2.1 Write ten.md"]
    assert boxes(await shown(bot)) == []
    plan_comments(bot)


async def test_another_bot_ticks(bot: Bot) -> None:
    """A bot starts nothing, whatever it may do on the repository; its tick is left alone."""
    await push(bot, NEWER)
    bot.github.add_user("helper[bot]", type="Bot")
    bot.github.set_role(REPOSITORY, "helper[bot]", "admin")

    await tick(bot, plan(bot), "**2.1**", by="helper[bot]")
    await bot.idle()

    assert bot.prompts == []
    assert plan_comments(bot) == []


async def test_the_ticked_task_is_gone(bot: Bot) -> None:
    """Somebody's page is older than the roadmap: they are told what became of the task."""
    await push(bot, NEWER)
    old = plan(bot)
    await push(bot, LINES.replace("- [ ] 2.1 Write `six.md`\n", "- [ ] 3.1 Write `new.md`\n"))

    await tick(bot, old, "**2.1**")
    await bot.idle()

    (said,) = plan_comments(bot)
    assert bot.prompts == []
    assert "- 1 task is no longer in the roadmap" in said
    assert "**3.1**" in await shown(bot)


async def test_the_ticked_task_is_done_already(bot: Bot) -> None:
    """They are told so, by the name of the task."""
    await push(bot, NEWER)
    old = plan(bot)
    await push(bot, NEWER.replace("- [ ] 2.1", "- [x] 2.1"))

    await tick(bot, old, "**2.1**")
    await bot.idle()

    (said,) = plan_comments(bot)
    assert bot.prompts == []
    assert "- `2.1` (line 10) Write ten.md: completed" in said


async def test_all_and_one_are_ticked_in_one_edit(bot: Bot) -> None:
    """All tasks are worked on, each once."""
    await push(bot, NEWER)
    bot.model.says(note("one.md"), note("two.md"), note("ten.md"))

    await edit(bot, with_ticks(plan(bot), "Start all open tasks", "**2.1**"))

    assert [title.split()[0] for title in bot.checkpoints()] == ["1.1", "1.2", "2.1"]
    assert len(bot.prompts) == 3
    assert len(plan_comments(bot)) == 1


async def test_two_are_ticked_in_one_edit(bot: Bot) -> None:
    """They share a run, with one comment."""
    await push(bot, NEWER)
    bot.model.says(note("one.md"), note("ten.md"))

    await edit(bot, with_ticks(plan(bot), "**1.1**", "**2.1**"))

    assert len(plan_comments(bot)) == 1
    assert sorted(bot.checkpoints()) == ["1.1 Write one.md", "2.1 Write ten.md"]


async def test_a_tick_is_taken_back_while_its_run_works(bot: Bot) -> None:
    """It has started a run already: that goes on, and nothing is done twice."""
    await push(bot, NEWER)
    held = Held(note("ten.md"))
    bot.model.says(held)
    before = plan(bot)
    await tick(bot, before, "**2.1**")
    await held.asked.wait()

    await bot.github.edit_issue(REPOSITORY, plans(bot)[0].number, before, by="writer")
    held.go.set()
    await bot.idle()

    assert bot.checkpoints() == ["2.1 Write ten.md"]
    assert len(plan_comments(bot)) == 1


async def test_a_tick_on_a_closed_dashboard(bot: Bot) -> None:
    """It counts, and its box is cleared; the issue stays closed."""
    await push(bot, NEWER)
    await bot.github.close(REPOSITORY, plans(bot)[0].number)
    await bot.idle()
    bot.model.says(note("ten.md"))

    await tick(bot, plan(bot), "**2.1**")
    await bot.idle()

    assert bot.checkpoints() == ["2.1 Write ten.md"]
    assert plans(bot)[0].state == "closed"
    assert boxes(plan(bot)) == []
    plan_comments(bot)


async def test_a_command_on_the_dashboard(bot: Bot) -> None:
    """Its run reports there, and the text shows what it did and what that cost."""
    await push(bot, NEWER)
    bot.model.says(note("ten.md"))

    await bot.github.comment(REPOSITORY, plans(bot)[0].number, "/execute --task 2.1", by="writer")
    await bot.idle()

    (said,) = plan_comments(bot)
    assert "is done" in said
    text = await shown(bot)
    assert f"- 👀 **2.1** Write ten.md (in review: #{bot.pulls[0].number})" in text
    assert re.search(r"newest run: \d+ tokens; cost: unknown; 1 call without a known price\.", text)


async def test_a_task_that_nobody_can_decide_about_is_tried_again(bot: Bot) -> None:
    """A run that only reports leaves a proposal without a decision: a tick tries the task again."""
    await push(bot, NEWER)
    bot.model.otherwise = lambda _: "I cannot."
    await bot.comment("/execute --task 2.1 --approval-mode review_only")
    bot.says()
    bot.proposes()
    (proposal,) = bot.proposals
    text = await shown(bot)
    assert f"❌ **2.1** Write ten.md (failed: #{proposal.number}; tick to try it again)" in text
    bot.model.otherwise = None
    bot.model.says(note("ten.md"))

    await tick(bot, text, "**2.1**")
    await bot.idle()

    assert bot.checkpoints()[-1] == "2.1 Write ten.md"
    plan_comments(bot)
    bot.proposes()


@on(STUCK)
async def test_who_did_not_start_the_run_approves(bot: Bot) -> None:
    """To write is not enough for that: the box is cleared and a comment says who may."""
    bot.github.set_role(REPOSITORY, "second", "write")
    pull = await decomposed(bot)
    text = await shown(bot)
    bot.says()

    await tick(bot, text, "Approve `", by="second")
    await bot.idle()

    assert pull.state == "open"
    (said,) = plan_comments(bot)
    assert "you need the *maintain* permission" in said
    assert boxes(plan(bot)) == []


@on(STUCK)
async def test_a_proposal_that_was_rejected_meanwhile_is_approved(bot: Bot) -> None:
    """The first decision counts; a comment says which it was."""
    pull = await decomposed(bot)
    text = await shown(bot)
    bot.says()
    await bot.reply(pull, "/reject not like that")
    bot.says()
    bot.proposes()

    await tick(bot, text, "Approve `")
    await bot.idle()

    (said,) = plan_comments(bot)
    assert "was rejected by `writer` (reply). Only the first decision counts" in said
    assert boxes(await shown(bot)) == []
