"""First steps of people who have not read the documentation: ``/execute setup`` and its answers."""

from __future__ import annotations

from tests.marks import OUTSIDE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import notes, on
from tests.scenarios.pushing import CONFIG
from tests.scenarios.test_dashboard import LINES

pytestmark = OUTSIDE

README = {"README.md": b"# x\n"}


async def answered(bot: Bot, command: str) -> str:
    """What a command on the issue is answered in the end."""
    await bot.comment(command)
    (said,) = bot.says()
    return said


@on(README)
async def test_there_is_nothing_to_begin_with(bot: Bot) -> None:
    """Each answer says what to do next."""
    said = await answered(bot, "/execute")
    assert "There is no file `ROADMAP.md`" in said
    said = await answered(bot, "/execute setup")
    assert "Write it, with a checkbox for each task" in said
    assert bot.pulls == []


@on(dict.fromkeys(("docs/ROADMAP.md", "archive/ROADMAP.md"), b"- [ ] 1 Write `one.md`\n") | README)
async def test_the_roadmap_is_elsewhere(bot: Bot) -> None:
    """It is found by its name, and nobody is told to write a second one."""
    assert "Did you mean `/execute docs/ROADMAP.md`?" in await answered(bot, "/execute")

    said = await answered(bot, "/execute setup")

    assert "`roadmap.path: docs/ROADMAP.md`" in said
    assert "Write it" not in said


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
