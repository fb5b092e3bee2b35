"""Comments of people who may do nothing here: cheap to read, refused once, then left alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import thread_time

from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import NOTES, note, on

HOSTILE = "/execute\n\n" + "|a" * 50 + "\n" + "|-" * 50 + "\n" + "b\n" * 32_000
"""A table whose rows a Markdown parser fills up, cell by cell."""


@on(NOTES)
async def test_a_hostile_comment_holds_up_nobody(bot: Bot) -> None:
    """Its text is read beside the event loop, which goes on serving others meanwhile."""
    await bot.comment("/execute help", by="outsider")
    began = thread_time()

    await bot.comment(HOSTILE, by="outsider")

    assert thread_time() - began < 0.5
    assert "needs the *write* permission" in bot.says()[-1]


@on(NOTES)
async def test_a_stranger_is_refused_once(bot: Bot) -> None:
    """However often somebody asks on an issue, and whatever for: one sentence, then silence."""
    for body in ("/execute", "/execute cancel", "/execute stauts", "/approve 1.1", "/reject no"):
        await bot.comment(body, by="outsider")

    (said,) = bot.says()
    assert "needs the *write* permission" in said


@on(NOTES)
async def test_each_person_and_each_issue_has_its_own_refusal(bot: Bot) -> None:
    """Silence towards one does not leave another without an answer."""
    other = bot.github.open_issue(REPOSITORY, "Other", by="writer")
    for by in ("outsider", "reader", "outsider"):
        await bot.comment("/execute", by=by)
    await bot.github.comment(REPOSITORY, other.number, "/execute", by="outsider")
    await bot.idle()

    assert len(bot.says()) == 2
    assert len(bot.github.says(REPOSITORY, other.number)) == 1


@on(NOTES)
async def test_a_restart_forgets_no_refusal(tmp_path: Path, files: Mapping[str, object]) -> None:
    """Silence lasts longer than the server's process."""
    async with conversation(tmp_path, files) as bot:
        for _ in range(2):
            async with bot.started():
                await bot.comment("/execute", by="outsider")

        assert len(bot.says()) == 1
        bot.github.verify()


@on(NOTES)
async def test_what_anybody_may_ask_is_answered_after_a_refusal(bot: Bot) -> None:
    """Silence is about refusals only; and who is given the permission is obeyed."""
    await bot.comment("/execute", by="reader")
    await bot.comment("/execute status", by="reader")
    assert ["No run has been started" in said for said in bot.says()] == [False, True]
    bot.model.says(note("one.md"))
    bot.github.set_role(REPOSITORY, "reader", "write")

    await bot.comment("/execute --max-tasks 1", by="reader")

    assert "is done" in bot.says()[-1]


@on(NOTES)
async def test_a_stranger_is_answered_ten_times_an_hour(bot: Bot) -> None:
    """Whoever may do nothing here cannot make the bot talk for ever; an hour later it answers."""
    for _ in range(12):
        await bot.comment("/execute help", by="outsider")
    await bot.comment("/execute help", by="writer")
    assert len(bot.says()) == 11

    bot.github.clock.advance(3600)
    await bot.comment("/execute help", by="outsider")

    assert len(bot.says()) == 1


@on(
    NOTES
    | {"ROADMAP.md": "# R\n\n- [ ] 1.1 Write a note\U000e0069\U000e0067 \u202eone\u202c\n".encode()}
)
async def test_nobody_is_told_what_readers_do_not_see(bot: Bot) -> None:
    """A character that only programs see is seen by everybody, by the model as well."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute")

    assert "Write a note\ufffd\ufffd \ufffdone\ufffd" in bot.prompts[0]
    assert not {"\u202e", "\U000e0069"} & set("".join(bot.says()))


@on(NOTES)
async def test_a_list_that_is_cut_is_not_taken(bot: Bot) -> None:
    """An edit of more text than is read is answered, and never carried out in part."""
    tasks = "\n".join(f"- Write `file{n}.md` with a note about it" for n in range(600))

    await bot.comment(f"/edit 1.1\n\n{tasks}")

    (said,) = bot.says()
    assert "longer than 20,000 characters" in said


@on(NOTES)
async def test_a_command_below_a_very_long_text_is_answered(bot: Bot) -> None:
    """What is not read is not silently ignored: people learn where to put the command."""
    await bot.comment("A log line.\n" * 3000 + "\n/execute status")

    (said,) = bot.says()
    assert "longer than 20,000 characters" in said
