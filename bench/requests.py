"""How many requests to GitHub a run of one task makes, from the command to its last word."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

from bench.finding import Finding
from tests.scenarios.bot import conversation
from tests.scenarios.projects import ADD
from tests.scenarios.test_requests import MOST, ONE_TASK


async def measure(folder: Path) -> AsyncIterator[Finding | str]:
    """Let a run finish one task; say how many requests there were, and of which kind."""
    async with conversation(folder, ONE_TASK) as bot, bot.started():
        bot.model.says(ADD)
        before = len(bot.github.requests)
        await bot.comment("/execute")
        asked = bot.github.requests[before:]
        bot.says()
    yield Finding(
        what="requests to GitHub for a run of one task",
        value=len(asked),
        unit="requests",
        goal=f"<= {MOST}",
        ok=len(asked) <= MOST,
    )
    methods = Counter(each.method for each in asked)
    yield "   " + ", ".join(f"{count} {method}" for method, count in methods.most_common())
