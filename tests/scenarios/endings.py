"""How a run of one small note may end, whatever happened on the way."""

from __future__ import annotations

from tests.fake_github.state import Issue
from tests.scenarios.bot import Bot
from tests.scenarios.projects import note, notes, on

NOTE = notes("# Roadmap\n\n- [ ] 1.1 Write `one.md`\n")
ANSWER = note("one.md")
ONE_NOTE = on(NOTE)
TICKED = b"# Roadmap\n\n- [x] 1.1 Write `one.md`\n"


def progress(said: list[str]) -> str:
    """The one progress comment among what was said."""
    (found,) = [text for text in said if text.startswith("### Cairn run")]
    return found


def check_paused(bot: Bot, why: str) -> str:
    """The run's one comment says that it is paused and why; no task is blamed."""
    said = progress(bot.says())
    assert "is paused" in said.split("\n")[0], said
    assert why in said
    assert "| failed |" not in said
    return said


def check_finished(bot: Bot) -> str:
    """One comment, one ref, one pull request, one tick; returns all that was said."""
    said = bot.says()
    (pull,) = bot.pulls
    assert "is done" in progress(said).split("\n")[0]
    assert sorted(bot.view.branches) == sorted(["main", pull.pull.head])
    assert bot.changed(pull) == {"ROADMAP.md": TICKED, "one.md": b"A note.\n"}
    return "\n".join(said)


async def stopped_after_checkpoint(bot: Bot) -> Issue:
    """The task as an open pull request, made by a server that was stopped then."""
    bot.model.says(ANSWER)
    async with bot.started():
        await bot.comment("/execute")
    bot.says()
    return bot.pulls[0]
