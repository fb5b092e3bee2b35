"""A task that cannot be finished, and the proposal the bot makes of it."""

from __future__ import annotations

import json

from tests.fake_github.state import Comment, Issue
from tests.scenarios.bot import Bot
from tests.scenarios.projects import note, notes

_TASK = "Write `one.md`, `two.md` and `table.json`"
_CALLS = 4
"""One plan, the first answer, its repair and a fresh answer that fails in the same way."""
TABLE = {"table.json": b'{"a": 0}\n'}
STUCK = notes(f"- [ ] 1.1 {_TASK}\n", **TABLE)
BESIDE = f"- [ ] 1.1 {_TASK}\n- [ ] 1.2 Write `three.md`\n"
"""The same task, and one that has nothing to do with it."""
BROKEN = 'table.json\n```json\n{"a": 1,\n```\n'
PARTS = ["Write `one.md` with a note", "Write `two.md` with a note on `table.json`"]
TITLES = ["1.1.1 Write one.md with a note", "1.1.2 Write two.md with a note on table.json"]


async def decomposed(bot: Bot, command: str = "/execute", *, then: str = "") -> Issue:
    """Let the run propose to divide the task; return the pull request that asks.

    ``then`` is what the model says to the task after it failed once.
    """
    return await _proposed(bot, "task_too_complex\nIt is several files.", command, then)


async def escalated(bot: Bot, *, then: str = "", plans: int = 1) -> Issue:
    """Let the run hand the task over to people; return the pull request that asks.

    ``then`` is what the model says after ``plans`` more plans.
    """
    return await _proposed(bot, "unknown\nNobody can say.", "/execute", then, plans)


def script_new_tasks(bot: Bot) -> None:
    """Line up what the model says to the tasks that were proposed."""
    bot.model.says(note("one.md"), note("two.md"))


def proposal_comment(bot: Bot, pull: Issue) -> Comment:
    """The newest comment that people react to."""
    return [c for c in bot.view.comments(pull.number) if "fingerprint" in c.body][-1]


def id_of(bot: Bot, pull: Issue) -> str:
    """What people type to name a proposal."""
    return proposal_comment(bot, pull).body.split("### Proposal ")[1].split(":")[0]


async def _proposed(bot: Bot, reason: str, command: str, then: str, plans: int = 1) -> Issue:
    parts = [{"title": title, "acceptance": []} for title in PARTS]
    bot.model.when(contains="A programmer could not finish").says(reason)
    if "complex" in reason:
        bot.model.when(contains="because it is too much at once").says(json.dumps(parts))
    turns = [*[BROKEN] * (_CALLS + plans), then] if then else [BROKEN]
    about = bot.model.when(contains=_TASK, without=("1.1.1", "three.md"))
    about.says(*turns, repeat_last=not then)
    await bot.comment(command)
    bot.says()
    bot.proposes()
    (pull,) = bot.proposals
    return pull
