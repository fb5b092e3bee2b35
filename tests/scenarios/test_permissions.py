"""Who may cause work, and what is no command at all."""

from __future__ import annotations

import pytest

from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, on

pytestmark = on(NOTES)

NO_COMMANDS = {
    "quoted": "> /execute",
    "fenced": "```\n/execute\n```",
    "indented": "    /execute",
    "commented": "<!--\n/execute\n-->",
    "inline": "Write `/execute` to begin.",
    "listed": "- /execute",
    "within": "please /execute",
    "longer": "/executed",
    "separated": "> \u2028/execute",
}


async def test_a_reader_is_refused_politely(bot: Bot) -> None:
    """Without write permission nothing starts; the reply says what is needed and who may help."""
    await bot.comment("/execute", by="reader")

    (said,) = bot.says()
    assert "needs the *write* permission" in said
    assert "has the *read* permission" in said
    assert bot.view.comments(bot.issue.number)[0].reactions == []
    assert bot.pulls == []


async def test_a_refusal_is_said_once(bot: Bot) -> None:
    """The same delivery again, even stored anew, brings no second refusal."""
    await bot.comment("/execute", by="reader")
    await bot.github.redeliver(bot.github.deliveries[0])
    await bot.idle()

    assert len(bot.says()) == 1


async def test_an_outsider_is_refused(bot: Bot) -> None:
    """On a public repository anybody can comment, but not cause work."""
    await bot.comment("/execute", by="outsider")

    (said,) = bot.says()
    assert "needs the *write* permission" in said
    assert bot.pulls == []


async def test_a_permission_that_was_taken_away_counts_no_more(bot: Bot) -> None:
    """The role is asked from GitHub at that moment, not read from the comment."""
    bot.github.set_role(REPOSITORY, "writer", "read")

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "needs the *write* permission" in said


async def test_a_bot_is_not_listened_to(bot: Bot) -> None:
    """Another bot's comment does nothing, whatever it may do on the repository."""
    bot.github.add_user("robot[bot]", type="Bot")
    bot.github.set_role(REPOSITORY, "robot[bot]", "admin")

    await bot.comment("/execute", by="robot[bot]")

    assert bot.says() == []


async def test_an_edited_comment_is_not_a_command(bot: Bot) -> None:
    """Only a new comment asks for something."""
    await bot.comment("Nice work.")
    (comment,) = bot.view.comments(bot.issue.number)

    await bot.github.edit_comment(comment, "/execute")
    await bot.idle()

    assert bot.says() == []


@pytest.mark.sample(3, "a conversation for each text")
@pytest.mark.parametrize("body", NO_COMMANDS.values(), ids=NO_COMMANDS.keys())
async def test_talk_about_a_command_is_none(bot: Bot, body: str) -> None:
    """Quoted, fenced, indented, hidden or inside a sentence it does nothing, not even 👀."""
    await bot.comment(body)

    assert bot.says() == []
    assert bot.view.comments(bot.issue.number)[0].reactions == []


async def test_help_is_for_everybody(bot: Bot) -> None:
    """Help lists the commands that there are, also to people who may not use them."""
    await bot.comment("/execute help", by="outsider")

    (said,) = bot.says()
    for command in ("/execute status", "/execute cancel", "--dry-run", "--max-tasks"):
        assert command in said


async def test_status_before_any_run(bot: Bot) -> None:
    """Status says that there was no run, and how to start one."""
    await bot.comment("/execute status", by="reader")

    (said,) = bot.says()
    assert "No run has been started" in said


async def test_status_after_a_run(bot: Bot) -> None:
    """Status shows each task with its state and its pull request."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")
    bot.says()

    await bot.comment("/execute status", by="reader")

    (said,) = bot.says()
    assert "**ended**" in said
    assert said.count("| completed |") == 2
    assert f"/pull/{bot.pulls[0].number})" in said


async def test_an_unknown_command_gets_a_suggestion(bot: Bot) -> None:
    """A slip is answered with the command that is probably meant."""
    await bot.comment("/execute stauts")

    (said,) = bot.says()
    assert "neither a command nor a Markdown file" in said
    assert "Try `/execute status`" in said


async def test_an_unknown_option_gets_a_suggestion(bot: Bot) -> None:
    """A slip in an option is answered likewise, and nothing starts."""
    await bot.comment("/execute --max-task 1")

    (said,) = bot.says()
    assert "has no option `--max-task`" in said
    assert "--max-tasks" in said
    assert bot.pulls == []


async def test_two_commands_in_one_comment(bot: Bot) -> None:
    """Both are obeyed, and their replies come in one comment."""
    await bot.comment("/execute status\n\n/execute help")

    (said,) = bot.says()
    assert "No run has been started" in said
    assert "Write one of these" in said


async def test_two_runs_in_one_comment(bot: Bot) -> None:
    """Two runs of one comment are two runs, one after the other on one stack."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute --max-tasks 1\n/execute --max-tasks 1")

    said = bot.says()
    first, second = bot.pulls
    assert second.pull.base == first.pull.head
    assert len({text.split("`")[1] for text in said if text.startswith("### Cairn run")}) == 2


async def test_a_run_whose_starter_may_write_no_more_stops_at_its_next_task(bot: Bot) -> None:
    """What is done stays; somebody else who may write continues it."""
    bot.github.set_role(REPOSITORY, "colleague", "write")
    first = Held(note("one.md"))
    bot.model.says(first, note("two.md"))
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await first.asked.wait()
    bot.github.set_role(REPOSITORY, "writer", "read")
    first.go.set()
    await bot.idle()

    assert "writer, who started this run, may no longer write" in "".join(bot.says())
    assert len(bot.pulls) == 1

    await bot.comment("/execute resume", by="colleague")

    bot.says()
    assert len(bot.pulls) == 2
