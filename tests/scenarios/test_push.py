"""A push that changes the roadmap, where pushes start work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fake_github import FakeGitHub
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import note, on
from tests.scenarios.pushing import (
    CONFIG,
    NEW,
    OLD,
    deliver_push,
    plan,
    plan_comments,
    plans,
    push,
    triggered,
    undelivered,
    write_requests,
)

EXECUTE = triggered("execute")
TWO = ["1.2 Write two.md", "1.3 Write three.md"]


@on(EXECUTE)
async def test_two_new_open_tasks_run_exactly_those_two(bot: Bot) -> None:
    """The run is bound to what is new; its progress stands on the plan, where it can be asked."""
    bot.model.says(note("two.md"), note("three.md"))

    await push(bot, NEW)

    assert bot.checkpoints() == TWO
    (progress,) = plan_comments(bot)
    assert "is done" in progress
    assert "works on the tasks that are new or changed" in plan(bot)
    await bot.github.comment(REPOSITORY, plans(bot)[0].number, "/execute status", by="writer")
    await bot.idle()
    (status,) = plan_comments(bot)
    assert "**ended**" in status
    assert "two.md" in status


@MORE
@on(triggered("execute", "- [x] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n- [ ] 1.3 Other\n"))
async def test_a_changed_open_task_is_run(bot: Bot) -> None:
    """A task that says something else is work again; its neighbours are not."""
    bot.model.says(note("two.md"))

    await push(
        bot, "- [x] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md` in verse\n- [ ] 1.3 Other\n"
    )

    assert bot.checkpoints() == ["1.2 Write two.md in verse"]
    plan_comments(bot)


@on(EXECUTE)
async def test_a_task_that_waits_for_an_old_one_is_left(bot: Bot) -> None:
    """What it depends on is not part of the run: it is blocked, and says by what."""
    await push(bot, f"{OLD}- [ ] 1.2 Write `two.md` (depends on 1.1)\n")

    (progress,) = plan_comments(bot)
    assert "wait for tasks that are not part of the run" in progress
    assert bot.pulls == []


@MORE
@on(triggered("execute", OLD.replace("\n", "\r\n")))
async def test_line_ends_are_no_change(bot: Bot) -> None:
    """A file with CRLF is compared task by task; its new task is run and its bytes stay."""
    crlf = NEW.replace("\n", "\r\n").encode()
    bot.model.says(note("two.md"), note("three.md"))

    await push(bot, crlf)
    plan_comments(bot)
    ticked = bot.changed(bot.pulls[0])["ROADMAP.md"]
    assert ticked == crlf.replace(b"[ ] 1.2", b"[x] 1.2")
    await push(bot, NEW.encode())

    assert bot.checkpoints() == TWO
    ticked = bot.view.file(bot.pulls[0].pull.sha, "ROADMAP.md")
    assert ticked == NEW.encode().replace(b"[ ] 1.2", b"[x] 1.2")


PLACE = {
    "docs/PLAN.md": OLD.encode(),
    CONFIG: b"roadmap: {path: docs/PLAN.md}\ntriggers: {push: execute}\n",
}


@on(triggered("plan", OLD) | PLACE)
async def test_only_the_configured_roadmap_counts(bot: Bot) -> None:
    """Another file of that name starts nothing; the configured one does."""
    await push(bot, NEW)
    assert plans(bot) == []
    bot.model.says(note("two.md"), note("three.md"))

    await push(bot, NEW, path="docs/PLAN.md")

    assert bot.checkpoints() == TWO
    assert "### Plan of `docs/PLAN.md`" in plan(bot)
    plan_comments(bot)


@on(triggered("execute", "- [ ] Write `one.md`\n- [ ] Write `one.md`\n"))
async def test_what_could_be_old_or_new_is_not_run(bot: Bot) -> None:
    """Of three tasks that say the same one is new, and nobody knows which: the plan says so."""
    await push(bot, "- [ ] Write `one.md`\n" * 3)

    assert bot.pulls == []
    assert "cannot tell which of them are new" in plan(bot)
    assert "lines 1, 2, 3 now" in plan(bot)


@on(EXECUTE)
async def test_pushes_to_other_branches_start_nothing(bot: Bot) -> None:
    """A feature branch may say what it likes."""
    await push(bot, NEW, branch="feature")

    assert write_requests(bot) == []


@on(EXECUTE)
async def test_ticks_by_merging_our_own_pull_requests_start_nothing(bot: Bot) -> None:
    """A merge of a checkpoint changes the roadmap, and says nothing new."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute")
    bot.says()
    (pull,) = bot.pulls

    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()

    assert bot.view.file("main", "ROADMAP.md") == OLD.replace("[ ]", "[x]").encode()
    assert plans(bot) == []
    assert len(bot.pulls) == 1


@on(EXECUTE)
async def test_our_own_ticks_only_refresh_the_plan(bot: Bot) -> None:
    """The plan that is there counts what was merged; no run is started."""
    bot.model.says(note("two.md"), note("three.md"))
    await push(bot, NEW)
    plan_comments(bot)

    await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number)
    await bot.idle()

    assert "3 tasks: 1 to do, 1 in review, 1 done." in plan(bot)
    assert len(bot.pulls) == 2


@MORE
@on(EXECUTE)
async def test_deliveries_come_twice_and_in_disorder(bot: Bot) -> None:
    """Each push runs its own tasks once; the plan is that of the newest."""
    async with undelivered(bot):
        await push(bot, f"{OLD}- [ ] 1.2 Write `two.md`\n")
        await push(bot, NEW)
    first, second = bot.github.deliveries
    bot.model.says(note("three.md"), note("two.md"))

    for delivery in (second, first, second, first):
        await bot.github.redeliver(delivery)
        await bot.idle()

    assert sorted(bot.checkpoints()) == TWO
    assert len(plan_comments(bot)) == 2
    assert "3 to do" in plan(bot)
    assert "**1.3**" in plan(bot).split("To start")[0]


@on(EXECUTE)
async def test_a_late_push_starts_nothing_that_is_gone(bot: Bot) -> None:
    """What a later push took back or ticked is not run when the earlier push arrives."""
    async with undelivered(bot):
        await push(bot, NEW)
        await push(bot, f"{OLD}- [x] 1.2 Write `two.md`\n")
    first, second = bot.github.deliveries

    for delivery in (second, first):
        await bot.github.redeliver(delivery)
        await bot.idle()

    assert bot.pulls == []
    assert plans(bot) == [] or plan_comments(bot) == []


@on(EXECUTE)
async def test_who_may_not_start_runs_starts_none_by_a_push(bot: Bot) -> None:
    """The plan says who pushed, what is missing and what to do."""
    await push(bot, NEW, by="reader")

    assert bot.pulls == []
    assert "**The last push starts nothing:** it came from `reader`" in plan(bot)
    assert "*read* permission" in plan(bot)
    assert plan_comments(bot) == []


@on(EXECUTE)
async def test_the_permission_is_asked_when_it_matters(bot: Bot) -> None:
    """Who lost it between push and work starts nothing."""
    async with undelivered(bot):
        await push(bot, NEW)
    bot.github.set_role(REPOSITORY, "writer", None)

    await bot.github.redeliver(bot.github.deliveries[0])
    await bot.idle()

    assert bot.pulls == []
    assert "*read* permission" in plan(bot)


def _bot_account(github: FakeGitHub, login: str) -> None:
    github.add_user(login, type="Bot")
    github.set_role(REPOSITORY, login, "write")


@on(EXECUTE)
async def test_pushes_of_bots_start_nothing(bot: Bot) -> None:
    """Not even an issue is opened for one; a plan that is there is kept true."""
    _bot_account(bot.github, "merger[bot]")

    await push(bot, NEW, by="merger[bot]")
    assert write_requests(bot) == []
    await push(bot, f"{NEW}- [ ] 1.4 Write `four.md`\n", by="reader")
    await push(bot, f"{NEW}- [ ] 1.5 Write `five.md`\n", by="merger[bot]")

    assert bot.pulls == []
    assert "**1.5**" in plan(bot)
    assert "`merger[bot]`, a bot" in plan(bot)


@MORE
async def test_a_bot_that_the_operator_allows_counts(tmp_path: Path) -> None:
    """A merge queue may push what people approved; it needs the permission like anybody."""
    name = "merger[bot]"
    async with conversation(tmp_path, EXECUTE, CAIRN_ALLOWED_BOTS=name) as bot, bot.started():
        _bot_account(bot.github, name)
        bot.model.says(note("two.md"), note("three.md"))

        await push(bot, NEW, by=name)

        assert bot.checkpoints() == TWO
        plan_comments(bot)
        bot.github.verify()


@MORE
@on(EXECUTE)
async def test_a_push_of_an_installation_that_is_gone_is_worked_for_the_new_one(bot: Bot) -> None:
    """The App was installed again since: the push counts all the same."""
    before = bot.view.branches["main"]
    async with undelivered(bot):
        await push(bot, NEW)
    bot.model.says(note("two.md"), note("three.md"))

    await deliver_push(bot, before, installation={"id": 987, "node_id": "x"})

    assert bot.checkpoints() == TWO
    plan_comments(bot)


@on(EXECUTE)
async def test_a_forced_push_whose_past_is_gone_is_only_planned(bot: Bot) -> None:
    """Nobody knows what is new, so that nothing starts, and the plan says why."""
    await deliver_push(bot, None, before="1" * 40, created=False, forced=True)

    assert bot.pulls == []
    assert "(its commit is gone, as after a force push)" in plan(bot)
    assert plan_comments(bot) == []


@MORE
@on(EXECUTE)
async def test_a_forced_push_is_compared_by_its_files(bot: Bot) -> None:
    """The old commit is still there: what it did not have is new, though it is no ancestor."""
    root = bot.view.branches["main"]
    await push(
        bot, "- [ ] 2.1 Write `other.md`\n", branch="aside", files={"README.md": b"# Aside\n"}
    )
    aside = bot.view.branches["aside"]
    await push(bot, OLD, files={"README.md": b"# Main\n"})
    assert bot.view.branches["main"] != root
    bot.model.says(note("other.md"))

    await bot.github.move_branch(REPOSITORY, "main", aside)
    await bot.idle()

    assert bot.checkpoints() == ["2.1 Write other.md"]
    plan_comments(bot)


@MORE
@on(EXECUTE)
async def test_a_huge_push_is_compared_by_its_files(bot: Bot) -> None:
    """The list of commits is cut at 2,048; nothing is read from it."""
    before = bot.view.branches["main"]
    async with undelivered(bot):
        await push(bot, NEW)
    bot.model.says(note("two.md"), note("three.md"))

    await deliver_push(bot, before, commits=[])

    assert bot.checkpoints() == TWO
    plan_comments(bot)


@on(triggered("execute", "- [ ] 1.1 Write `one.md`\n- [x] 1.2 Write `two.md`\n"))
async def test_the_first_push_of_a_branch_runs_what_is_open(bot: Bot) -> None:
    """Where nothing was before, every open task is new."""
    bot.model.says(note("one.md"))

    await deliver_push(bot, None)

    assert bot.checkpoints() == ["1.1 Write one.md"]
    plan_comments(bot)


CALLS = [
    ("GET", f"/repos/{REPOSITORY}/contents/*"),
    ("GET", f"/repos/{REPOSITORY}/git/ref/*"),
    ("GET", f"/repos/{REPOSITORY}/collaborators/*"),
    ("GET", f"/repos/{REPOSITORY}/issues"),
    ("POST", f"/repos/{REPOSITORY}/issues"),
    ("POST", f"/repos/{REPOSITORY}/issues/*/comments"),
]


@pytest.mark.sample(1, "a run for each call that may fail")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("method", "path"), CALLS)
@on(EXECUTE)
async def test_an_outage_at_any_call_leaves_one_of_each(
    bot: Bot, method: str, path: str, after: bool
) -> None:
    """Each call fails once, before or after its effect: one plan, one run, one comment."""
    bot.github.fail(method, path, status=502, after=after)
    bot.model.says(note("two.md"), note("three.md"))

    await push(bot, NEW)
    await bot.later(minutes=10)

    assert bot.checkpoints() == TWO
    assert len(plan_comments(bot)) == 1
    assert "**1.3**" in plan(bot)
