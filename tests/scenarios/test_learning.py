"""What Cairn learns from what it recorded, and what it does with it."""

from __future__ import annotations

import re
from dataclasses import replace

from runner.history.records import Execution, ExecutionEnd, ExecutionKey
from tests.scenarios.bot import REPOSITORY, Bot, run_of
from tests.scenarios.learning import (
    CONFIGURED,
    FILE,
    history,
    recorded,
    records,
    works,
)
from tests.scenarios.projects import note, on
from tests.scenarios.proposing import STUCK, decomposed


@on(CONFIGURED)
async def test_a_plan_says_what_it_will_probably_take(bot: Bot) -> None:
    """Tokens, money and finished tasks, each with its range, from what was recorded here."""
    await recorded(bot, history(bot))
    plan = '{"likely_files": [], "steps": ["Write it."], "acceptance": [], "complexity": "low"}'
    bot.model.when(contains="Plan the task").says(plan, repeat_last=True)

    await bot.comment("/execute --plan")

    said = " ".join(bot.says())
    number = r"[\d,.]+"
    ranges = rf"{number} tokens \({number} to {number}\), \${number} \(\${number} to \${number}\)"
    assert re.search(rf"Expected for 5 tasks, .*: {ranges}, {number} finished \(\d to 5\)", said)


@on(CONFIGURED)
async def test_what_a_reviewer_asked_for_is_told_to_the_next_task(bot: Bot) -> None:
    """A revision is a lesson: a similar task is told from the start."""
    await works(bot, 1)
    (pull,) = bot.pulls
    bot.model.says(note("n1.md", "Une note."))

    await bot.reply(pull, "/execute revise Write notes such as `n2.md` in French.")
    bot.github.says(REPOSITORY, pull.number)
    bot.says()
    await works(bot, 2)

    assert (
        "people want: a reviewer asked: Write notes such as `n2.md` in French." in bot.prompts[-1]
    )


@on(STUCK)
async def test_why_a_proposal_was_rejected_is_told_to_the_next_attempt(bot: Bot) -> None:
    """The reason that a person gives enters the memory, and the same task is asked with it."""
    pull = await decomposed(bot)
    await bot.reply(pull, "/reject keep `one.md` and `two.md` together")
    bot.proposes()
    bot.says()
    asked = len(bot.prompts)

    await bot.comment("/execute retry 1.1")
    bot.says()
    bot.proposes()

    assert "decompose it: keep `one.md` and `two.md` together" in bot.prompts[asked]


@on(CONFIGURED | {FILE: b"model: oak-1\nadaptive: {auto_adjust: true, advise: false}\n"})
async def test_a_run_follows_what_was_learned_and_stops_when_it_disappoints(bot: Bot) -> None:
    """The loop that did better is used and named; after failures with it, it is not any more."""
    now = bot.github.clock.now().timestamp()
    await recorded(bot, _with_loop(bot, "fixed", now, better=True))

    said = await works(bot, 1)

    assert "`loop: fixed`" in said
    assert [one.route.loop for one in await records(bot, run_of(said))] == ["fixed"]
    await recorded(bot, _with_loop(bot, "fixed", now + 60, better=False))
    after = await works(bot, 2)
    assert "`loop: fixed`" not in after
    assert [one.route.loop for one in await records(bot, run_of(after))] == ["hybrid"]


def _with_loop(bot: Bot, loop: str, now: float, *, better: bool) -> list[Execution]:
    """Attempts with the configured loop and with another one; or only failures of the other."""
    base = history(bot)[0]

    def made(number: int, loop: str, status: str) -> Execution:
        return replace(
            base,
            key=ExecutionKey(f"{loop}{status}{now}", f"t{number}"),
            at=now - 1000 + number,
            route=replace(base.route, loop=loop),
            end=ExecutionEnd(status),
        )

    if not better:
        return [made(number, loop, "failed") for number in range(15)]
    usual = [made(n, "hybrid", "completed" if n % 3 == 0 else "failed") for n in range(60)]
    return [*usual, *(made(n, loop, "failed" if n % 9 == 0 else "completed") for n in range(60))]
