"""A push that changes the roadmap, where pushes only plan or do nothing."""

from __future__ import annotations

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, on
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

PLANNED = triggered("plan")


@on(NOTES)
async def test_a_repository_where_nobody_asked_for_anything_is_left_alone(bot: Bot) -> None:
    """The App is new there, and has neither a command nor a configuration: no issue, no run.

    A reader's command changes nothing; after a writer's the next push shows the plan.
    """
    await bot.comment("/execute", by="reader")
    bot.says()
    before = write_requests(bot)
    await push(bot, NEW)
    assert write_requests(bot) == before
    bot.model.says(note("one.md"))

    await bot.comment("/execute --task 1.1")
    bot.says()
    await push(bot, f"{NEW}- [ ] 1.4 Write `four.md`\n")

    assert "4 tasks: " in plan(bot)


@on(PLANNED)
async def test_one_issue_is_edited_in_place(bot: Bot) -> None:
    """The first push that changes tasks opens it, the next ones rewrite it; nothing is started."""
    await push(bot, NEW)
    (issue,) = plans(bot)
    assert issue.title == "Cairn: plan of the roadmap"
    assert "3 tasks: 3 to do, 0 done." in plan(bot)
    assert "`/execute --task ID`" in plan(bot)

    await push(bot, f"{NEW}- [ ] 1.4 Write `four.md` (depends on 1.5)\n- [ ] 1.5 Write `five.md`\n")

    assert plans(bot) == [issue]
    rows = [line for line in plan(bot).split("\n") if line.startswith("| ") and "**" in line]
    assert [row.split("**")[1] for row in rows] == ["1.1", "1.2", "1.3", "1.5", "1.4"]
    assert bot.pulls == []
    assert plan_comments(bot) == []


@on(PLANNED)
async def test_the_plan_can_be_executed_where_it_stands(bot: Bot) -> None:
    """The issue is a place to command like any other."""
    await push(bot, NEW)
    bot.model.says(note("two.md"))

    number = plans(bot)[0].number
    await bot.github.comment(REPOSITORY, number, "/execute --task 1.2", by="writer")
    await bot.idle()

    assert bot.checkpoints() == ["1.2 Write two.md"]
    (progress,) = plan_comments(bot)
    assert "is done" in progress


@on(PLANNED)
async def test_a_redelivery_and_disorder_leave_the_newest_plan(bot: Bot) -> None:
    """An older push that comes late, or again, rewrites nothing."""
    async with undelivered(bot):
        await push(bot, NEW)
        await push(bot, f"{NEW}- [ ] 1.4 Write `four.md`\n")
    first, second = bot.github.deliveries

    for delivery in (second, first, first, second):
        await bot.github.redeliver(delivery)
        await bot.idle()

    assert "4 tasks: 4 to do" in plan(bot)
    assert [call.split("/")[-1] for call in write_requests(bot)] == ["issues"]


@on(PLANNED)
async def test_a_push_that_follows_at_once_loses_no_plan(bot: Bot) -> None:
    """When the first push is worked, the branch has moved on already, by a file that is no plan."""
    async with undelivered(bot):
        await push(bot, NEW)
        await push(bot, NEW, files={"README.md": b"# More\n"})

    for delivery in bot.github.deliveries[:2]:
        await bot.github.redeliver(delivery)
        await bot.idle()

    assert "3 tasks: 3 to do" in plan(bot)


@on(PLANNED)
async def test_a_push_that_was_not_heard_of_is_planned_with_the_next(bot: Bot) -> None:
    """Its delivery is lost; the next push leaves the roadmap alone, and the plan is true again."""
    await push(bot, NEW)
    async with undelivered(bot):
        await push(bot, f"{NEW}- [ ] 1.4 Write `four.md`\n")

    await push(bot, "# More\n", path="README.md")

    assert "4 tasks: 4 to do" in plan(bot)


@on(PLANNED)
async def test_ticks_and_other_text_open_no_issue(bot: Bot) -> None:
    """They say nothing new; a plan that is there is kept true."""
    await push(bot, OLD.replace("[ ]", "[x]"))
    await push(bot, f"# Plan\n\n{OLD}")
    assert write_requests(bot) == []

    await push(bot, NEW)
    await push(bot, NEW.replace("[ ] 1.1", "[x] 1.1"))

    assert "3 tasks: 2 to do, 1 done." in plan(bot)


@on(PLANNED)
async def test_pushes_that_leave_the_roadmap_alone_do_nothing(bot: Bot) -> None:
    """Code is pushed all day long."""
    await push(bot, NEW)
    before = write_requests(bot)

    await push(bot, NEW, files={"README.md": b"# More\n"})

    assert write_requests(bot) == before


@on({"README.md": b"# No roadmap\n"})
async def test_a_repository_without_roadmap_is_left_alone(bot: Bot) -> None:
    """Nothing to plan, nothing said; a finished roadmap is no plan either."""
    await push(bot, "print()\n", path="app.py")
    await push(bot, "- [x] Done\n")
    await push(bot, "")

    assert write_requests(bot) == []


@on(PLANNED)
async def test_a_deleted_roadmap_is_told(bot: Bot) -> None:
    """The plan that is there says that the file is gone; where there is none nothing is said."""
    await push(bot, None)
    assert write_requests(bot) == []
    await push(bot, NEW)

    await push(bot, None)

    assert "The default branch no longer has a `ROADMAP.md`." in plan(bot)


@on(triggered("off"))
async def test_off_does_nothing(bot: Bot) -> None:
    """No issue, no run, whatever is pushed."""
    await push(bot, NEW)
    await deliver_push(bot, None)

    assert write_requests(bot) == []


@on(triggered("off"))
async def test_the_trigger_is_read_as_it_was_pushed(bot: Bot) -> None:
    """A push that switches the trigger on with new tasks is worked by what it says itself."""
    bot.model.says(note("two.md"), note("three.md"))

    await push(bot, NEW, files={CONFIG: b"triggers:\n  push: execute\n"})

    assert bot.checkpoints() == ["1.2 Write two.md", "1.3 Write three.md"]
    plan_comments(bot)


@on(PLANNED)
async def test_a_roadmap_configured_elsewhere_is_planned(bot: Bot) -> None:
    """The issue is one of the repository: it follows the configuration to another file."""
    await push(bot, NEW, files={"docs/PLAN.md": b"- [ ] 2.1 Write `other.md`\n"})
    (issue,) = plans(bot)

    await push(bot, NEW, files={CONFIG: b"roadmap:\n  path: docs/PLAN.md\n"})

    assert plans(bot) == [issue]
    assert "### Plan of `docs/PLAN.md`" in plan(bot)
    assert "**2.1**" in plan(bot)


@on(PLANNED)
async def test_a_configuration_with_a_mistake_is_told_on_the_plan(bot: Bot) -> None:
    """It is named with its line, and the next good push shows the plan again."""
    await push(bot, NEW)

    await push(bot, NEW, files={CONFIG: b"triggers:\n  push: sometimes\n"})
    assert "`.github/cairn.yml` has errors" in plan(bot)
    assert "line 2" in plan(bot)
    await push(bot, NEW, files={CONFIG: b"triggers:\n  push: plan\n"})

    assert "3 tasks: " in plan(bot)


@on(PLANNED)
async def test_a_folder_in_place_of_the_configuration_is_told_on_the_plan(bot: Bot) -> None:
    """The defaults do not take its place silently, and a file brings the plan back."""
    await push(bot, NEW)

    await push(bot, NEW, files={CONFIG: None, f"{CONFIG}/notes.txt": b"a folder\n"})
    assert "`.github/cairn.yml` has errors" in plan(bot)
    assert "is a folder" in plan(bot)
    await push(bot, NEW, files={f"{CONFIG}/notes.txt": None, CONFIG: b"triggers: {push: plan}\n"})

    assert "3 tasks: " in plan(bot)


@on(triggered("sometimes"))
async def test_a_configuration_with_a_mistake_opens_no_issue(bot: Bot) -> None:
    """Perhaps it was meant to say off."""
    await push(bot, NEW)

    assert write_requests(bot) == []


@on(PLANNED)
async def test_hostile_titles_do_nothing(bot: Bot) -> None:
    """The plan of a roadmap full of mentions and markup notifies nobody and breaks nothing."""
    await push(bot, "- [ ] 1.1 @octo fixes #1 </details> | <!-- cairn:plan:roadmap --> `x\n")

    text = plan(bot)
    assert "@octo" not in text
    assert "#1 " not in text
    assert text.count("<!-- cairn:plan:") == 1
    assert text.count("<!-- cairn:") == 4  # what the issue is, what it shows, and two checkboxes
    await push(bot, NEW)
    assert len(plans(bot)) == 1


@on(PLANNED)
async def test_where_issues_are_switched_off_nothing_breaks(bot: Bot) -> None:
    """Nobody can be told; the push is done with all the same."""
    gone = {"message": "Issues has been disabled in this repository."}
    bot.github.fail("GET", f"/repos/{REPOSITORY}/issues", status=410, body=gone, times=9)

    await push(bot, NEW)

    assert write_requests(bot) == []
