"""First steps of people who have not read the documentation: ``/execute setup`` and its answers."""

from __future__ import annotations

from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes, on
from tests.scenarios.pushing import CONFIG, plan_comments, plans
from tests.scenarios.test_dashboard import LINES

pytestmark = OUTSIDE

README = {"README.md": b"# x\n"}


def labelled(bot: Bot, title: str, *, label: str = "roadmap") -> int:
    """Open an issue that is to become a task; return its number."""
    issue = bot.github.open_issue(REPOSITORY, title)
    issue.labels = [bot.github.world.label(bot.view.state, label)]
    return issue.number


async def answered(bot: Bot, command: str) -> str:
    """What a command on the issue is answered in the end."""
    await bot.comment(command)
    (said,) = bot.says()
    return said


@on(README)
async def test_there_is_nothing_to_begin_with(bot: Bot) -> None:
    """Each answer says what to do next, and the next thing works."""
    said = await answered(bot, "/execute")
    assert "There is no file `ROADMAP.md`" in said
    assert "`/execute setup`" in said

    said = await answered(bot, "/execute setup")
    assert "no open issue has the label `roadmap`" in said
    assert bot.pulls == []

    labelled(bot, "Write `one.md`")
    assert "/pull/3: 1 task, from the open issues" in await answered(bot, "/execute setup")


@on(dict.fromkeys(("docs/ROADMAP.md", "archive/ROADMAP.md"), b"- [ ] 1 Write `one.md`\n") | README)
async def test_the_roadmap_is_elsewhere(bot: Bot) -> None:
    """It is found by its name, and nobody is told to write a second one."""
    assert "Did you mean `/execute docs/ROADMAP.md`?" in await answered(bot, "/execute")

    said = await answered(bot, "/execute setup")

    assert "`roadmap.path: docs/ROADMAP.md`" in said
    assert "write `ROADMAP.md` yourself" not in said


@on(README)
async def test_only_open_issues_become_tasks(bot: Bot) -> None:
    """Labels are compared without case; what is closed is done, and nothing starts by merging."""
    wanted = labelled(bot, "Write `one.md`", label="Roadmap")
    closed = labelled(bot, "Closed")
    await bot.github.close(REPOSITORY, closed)
    await answered(bot, "/execute setup")
    (pull,) = bot.pulls
    roadmap = (bot.view.file(pull.pull.sha, "ROADMAP.md") or b"").decode()
    assert f"- [ ] 1.1 Write one.md ([issue {wanted}](" in roadmap
    assert "Closed" not in roadmap

    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()
    assert bot.prompts == []
    assert len(plans(bot)) == 1
    bot.model.says(note("one.md"))
    assert "is done" in await answered(bot, "/execute")
    assert bot.checkpoints()[-1].startswith("1.1 Write one.md")


@on({**README, CONFIG: b"triggers: {push: execute}\n"})
async def test_what_merging_starts_is_said(bot: Bot) -> None:
    """Where pushes start runs, merging a first roadmap starts one: its description says so."""
    labelled(bot, "Write `one.md`")
    await answered(bot, "/execute setup")
    (pull,) = bot.pulls
    assert pull.body is not None
    assert "nothing starts by merging it" not in pull.body
    assert "`triggers.push: execute`" in pull.body
    bot.model.says(note("one.md"))

    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()

    assert len(bot.pulls) == 2
    plan_comments(bot)


@on(README)
async def test_a_proposal_that_was_closed_is_asked_for_again(bot: Bot) -> None:
    """The answer links to one that is open."""
    labelled(bot, "Write `one.md`")
    await answered(bot, "/execute setup")
    await bot.github.close(REPOSITORY, bot.pulls[0].number)
    await bot.idle()

    said = await answered(bot, "/execute setup")

    (open_one,) = [pull for pull in bot.pulls if pull.state == "open"]
    assert f"/pull/{open_one.number}:" in said


@on(README)
async def test_set_up_already(bot: Bot) -> None:
    """After the merge nothing is proposed once more."""
    labelled(bot, "Write `one.md`")
    await answered(bot, "/execute setup")
    await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number)
    await bot.idle()

    said = await answered(bot, "/execute setup")

    assert "Cairn proposes" not in said
    assert len(bot.pulls) == 1


@on(notes(LINES))
async def test_an_empty_repository(bot: Bot) -> None:
    """An installation on one is silent; commands say that it needs a commit, and then work."""
    bot.github.add_repository("octo/empty", None, roles={"writer": "write"})
    await bot.github.install("octo/empty")
    await bot.idle()
    assert bot.github.repo("octo/empty").issues == {}
    issue = bot.github.open_issue("octo/empty", "Begin")
    await bot.github.comment("octo/empty", issue.number, "/execute setup", by="writer")
    await bot.idle()
    (said,) = bot.github.says("octo/empty", issue.number)
    assert "octo/empty has no branch main. Push a first commit there" in said
    assert "another branch" not in said

    await bot.github.push("octo/empty", README)
    await bot.idle()
    await bot.github.comment("octo/empty", issue.number, "/execute resume", by="writer")
    await bot.idle()

    said = "".join(bot.github.says("octo/empty", issue.number))
    assert "There is no `ROADMAP.md`" in said


@on(notes(LINES, **{CONFIG: b"limits: {tasks: banana}\n"}))
async def test_the_configuration_has_errors(bot: Bot) -> None:
    """They are said with their place, and nothing is proposed beside them."""
    said = await answered(bot, "/execute setup")

    assert "line 1: `limits.tasks`: This should be a whole number" in said
    assert bot.pulls == []
