"""``/execute history``: what the runs of a repository did, asked in a comment."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from app.store.database import open_store
from app.store.history import StoredHistory
from runner.history.inquiry import asked
from runner.history.statistics import statistics_of
from tests.scenarios.bot import REPOSITORY, Bot, run_of
from tests.scenarios.projects import note, notes
from tests.scenarios.proposing import BROKEN

TWO = "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `table.json`\n"


@pytest.fixture
def files() -> Mapping[str, object]:
    """Two files to write."""
    return notes(TWO)


async def test_the_history_answers_whoever_may_read(bot: Bot) -> None:
    """What a run did, in one comment a question; asked again it is edited, and the digits agree."""
    bot.model.when(contains="Write `one.md`", without=("table.json",)).says(note("one.md"))
    bot.model.when(contains="Write `table.json`", without=("could not finish",)).says(
        BROKEN, repeat_last=True
    )
    bot.model.when(contains="could not finish").says("unknown")
    await bot.comment("/execute")
    (progress,) = bot.says()

    await bot.comment("/execute history", by="reader")
    await bot.comment("/history errors", by="reader")
    recent, errors = bot.says()
    await bot.comment("/history", by="reader")
    again = bot.says()

    bot.github.says(REPOSITORY, bot.proposals[0].number)
    run = run_of(progress)
    assert recent.count(run) == 3
    assert f"**Cost of run {run}: " in recent
    assert "1 answer; completed" in recent
    assert "1.1: Write one.md" in recent
    assert "syntax errors: 1 seen, 0 recovered (0 %)." in errors
    assert len(again) <= 1
    store = await open_store(bot.settings.database_url.get_secret_value())
    try:
        query = asked(now=bot.github.clock.now().timestamp(), repository_id=None)
        found = statistics_of(await StoredHistory(store).totals(query), query)
        (first, _) = (await StoredHistory(store).of_run(run)).executions
    finally:
        await store.close()
    tokens = f"Tokens: {found.attempts.tally.used.tokens:,}."
    assert tokens in recent
    assert tokens in errors
    assert re.search(r"2 attempts at tasks, 1 of \d \(\d+ %\) completed", recent)
    assert (first.started.by, first.started.how) == ("writer", "comment")
    assert first.place.repository == "octo/hello"
