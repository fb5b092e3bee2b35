"""The dashboard issue: what it shows, and what becomes of its checkboxes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import note, notes, on
from tests.scenarios.proposing import STUCK, TITLES, decomposed, script_new_tasks
from tests.scenarios.pushing import (
    CONFIG,
    plan,
    plan_comments,
    plans,
    push,
    triggered,
    undelivered,
)

LINES = (
    "# Plan\n\n## First\n\n- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md` (depends on 1.1)\n"
    "\n## Then\n\n- [ ] 2.1 Write `six.md`\n"
)


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write, in two phases."""
    return triggered("plan", LINES)


async def shown(bot: Bot) -> str:
    """Wait until the dashboard is written, and return its text."""
    await bot.later(seconds=61)
    return plan(bot)


async def tick(bot: Bot, text: str, words: str, *, by: str = "writer") -> None:
    """Tick the box of the line with these words, in the text that somebody has before them."""
    (line,) = [line for line in text.split("\n") if words in line and "- [ ] <!--" in line]
    ticked = text.replace(line, line.replace("- [ ]", "- [x]"))
    await bot.github.edit_issue(REPOSITORY, plans(bot)[0].number, ticked, by=by)


def boxes(text: str) -> list[str]:
    """The boxes that are ticked."""
    return re.findall(r"- \[x\] .*", text)


async def test_it_shows_the_plan_and_the_first_run_makes_it(bot: Bot) -> None:
    """One issue, with phases, states, places in the stack, what was used and a graph."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    assert plans(bot) == []

    text = await shown(bot)

    assert "3 tasks: 2 to do, 1 in review, 0 done." in text
    assert text.index("#### First") < text.index("1.1") < text.index("#### Then")
    assert f"- 👀 **1.1** Write one.md (in review: #{bot.pulls[0].number})" in text
    assert re.search(r"- \[ \] <!-- cairn:do:start:\S+ --> \*\*2.1\*\* Write six.md", text)
    assert "```mermaid\nflowchart LR" in text
    assert "Open pull requests of Cairn: 1 of at most 5." in text
    assert "Used by the newest run:" in text
    await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number)
    await bot.idle()
    assert "3 tasks: 2 to do, 0 in review" not in await shown(bot)
    assert "- ✅ **1.1**" in plan(bot)


async def test_a_tick_starts_its_task_once(bot: Bot) -> None:
    """The run reports on the dashboard's issue, the box is empty again, a redelivery is nothing."""
    await push(bot, LINES.replace("six", "ten"))
    bot.model.says(note("ten.md"))

    await tick(bot, plan(bot), "**2.1**")
    await bot.idle()

    assert bot.checkpoints() == ["2.1 Write ten.md"]
    (progress,) = plan_comments(bot)
    assert "is done" in progress
    assert boxes(plan(bot)) == []
    (edited,) = [d for d in bot.github.deliveries if _is_tick(d.payload)]
    await bot.github.redeliver(edited)
    await bot.idle()
    assert len(bot.pulls) == 1


def _is_tick(payload: Mapping[str, object]) -> bool:
    sender = payload["sender"]
    assert isinstance(sender, dict)
    return "changes" in payload and sender["login"] == "writer"


async def test_no_tick_is_lost_when_two_people_tick_the_same_text(bot: Bot) -> None:
    """The second one's page was older: it wipes the first one's tick off the issue, no more."""
    await push(bot, LINES.replace("six", "ten"))
    bot.model.when(contains="Write `one.md`").says(note("one.md"))
    bot.model.when(contains="Write `ten.md`").says(note("ten.md"))
    before = plan(bot)

    await tick(bot, before, "**1.1**")
    await tick(bot, before, "**2.1**", by="writer")
    await bot.idle()

    assert sorted(bot.checkpoints()) == ["1.1 Write one.md", "2.1 Write ten.md"]
    assert boxes(plan(bot)) == []
    plan_comments(bot)


async def test_a_tick_between_our_reading_and_writing_stays(bot: Bot) -> None:
    """Its event comes later; until then nobody unticks it."""
    await push(bot, LINES.replace("six", "ten"))
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await tick(bot, plan(bot), "**2.1**")
    bot.github.webhook_url = url

    await push(bot, LINES.replace("six", "ten") + "- [ ] 2.2 Write `eleven.md`\n")

    assert len(boxes(plan(bot))) == 1
    assert "**2.2**" in plan(bot)
    bot.model.says(note("ten.md"))
    (edited,) = [d for d in bot.github.deliveries if _is_tick(d.payload)]
    await bot.github.redeliver(edited)
    await bot.idle()
    assert bot.checkpoints() == ["2.1 Write ten.md"]
    assert boxes(plan(bot)) == []
    plan_comments(bot)


async def test_who_may_not_is_told_once_and_the_box_is_cleared(bot: Bot) -> None:
    """The permission is asked at that moment: who could write an hour ago cannot any more."""
    await push(bot, LINES.replace("six", "ten"))
    async with undelivered(bot):
        await tick(bot, plan(bot), "Start all open tasks")
    bot.github.set_role(REPOSITORY, "writer", "triage")
    (edited,) = [d for d in bot.github.deliveries if _is_tick(d.payload)]
    await bot.github.redeliver(edited)
    await bot.idle()

    (why,) = plan_comments(bot)
    assert "Cairn has cleared the checkbox again." in why
    assert "needs the *write* permission" in why
    assert boxes(plan(bot)) == []
    assert bot.pulls == []


@on(STUCK)
async def test_a_tick_approves_a_proposal(bot: Bot) -> None:
    """Whoever started the run may; the proposal is applied as after a 👍."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    text = await shown(bot)
    assert "#### Waiting for your decision" in text
    bot.says()

    await tick(bot, text, "Approve `")
    await bot.idle()

    assert "#### Waiting for your decision" not in await shown(bot)
    assert [each.title for each in bot.pulls][-2:] == TITLES
    assert "Approved-by: writer" in bot.message(pull)
    bot.says()
    bot.proposes()


async def test_a_declined_task_is_tried_again_by_a_tick(bot: Bot) -> None:
    """Closing its pull request was a no; a tick takes that back."""
    bot.model.says(note("one.md"), note("one.md", "Another one."))
    await bot.comment("/execute --task 1.1")
    bot.says()
    await bot.github.close(REPOSITORY, bot.pulls[0].number)
    await bot.idle()
    text = await shown(bot)
    assert f"**1.1** Write one.md (declined: #{bot.pulls[0].number}; tick to try it" in text

    await tick(bot, text, "**1.1**")
    await bot.idle()

    assert [pull.state for pull in bot.pulls] == ["closed", "open"]
    plan_comments(bot)


async def test_a_repository_can_do_without(bot: Bot) -> None:
    """``dashboard: false``: neither pushes nor runs make one."""
    await push(bot, LINES.replace("six", "ten"), files={CONFIG: b"dashboard: false\n"})
    bot.model.says(note("one.md"))
    await bot.comment("/execute --task 1.1")
    bot.says()
    await bot.later(minutes=3)

    assert plans(bot) == []


async def test_runs_write_it_at_most_once_a_minute(bot: Bot) -> None:
    """A run of three tasks is one write."""
    await push(bot, LINES.replace("six", "ten"))
    answer = Held(note("one.md"))
    bot.model.says(answer, note("two.md"), note("ten.md"))
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await answer.asked.wait()
    answer.go.set()
    await bot.idle()
    bot.says()
    before = len(bot.calls("PATCH", f"/issues/{plans(bot)[0].number}"))

    await shown(bot)

    assert len(bot.calls("PATCH", f"/issues/{plans(bot)[0].number}")) <= before + 1


async def test_what_was_due_when_the_server_ended_is_written_by_the_next(tmp_path: Path) -> None:
    """No push and no run is needed: the first start after it shows what had changed."""
    async with conversation(tmp_path, notes(LINES)) as bot:
        bot.model.says(note("one.md"))
        async with bot.started():
            await bot.comment("/execute --max-tasks 1")
            bot.says()
        assert plans(bot) == []

        async with bot.started():
            text = await shown(bot)
            asked = len(bot.github.requests)
            await bot.later(minutes=3)
        assert "3 tasks: 2 to do, 1 in review, 0 done." in text
        assert len(bot.github.requests) == asked  # it is written once
        bot.check()
