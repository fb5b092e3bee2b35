"""``/execute history``: what the runs of a repository did, asked in a comment."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.store.database import open_store
from app.store.history import StoredHistory
from runner.files.history_file import NAME, FileHistory
from runner.history.inquiry import asked
from runner.history.records import DAY
from runner.history.statistics import statistics_of
from runner.state.error_types import ErrorType
from tests.app.checkout import checkout
from tests.runner.analysis.histories import flawed
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.learning import TOKEN, page, recorded, records
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

    await bot.comment("/history", by="reader")
    await bot.comment("/execute history errors", by="reader")
    recent, errors = bot.says()
    await bot.comment("/execute history", by="reader")
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


ERRORS: Sequence[tuple[ErrorType, ...]] = (("syntax",), (), ("import", "test"), ("rate_limit",))


async def test_every_place_gives_the_same_digits(tmp_path: Path) -> None:
    """The command line, its JSON, a comment, the page and the page's JSON, over the same records.

    The two clocks may show different days, so the days themselves are left out.
    """
    files = notes(TWO)
    async with conversation(tmp_path / "there", files, CAIRN_ADMIN_TOKEN=TOKEN) as bot:
        now = bot.github.clock.now().timestamp()
        drawn = flawed(now, repository_id=bot.view.state.id, repository=REPOSITORY, number=60)
        executions = [
            replace(each, calls=replace(each.calls, errors=ERRORS[number % len(ERRORS)]))
            for number, each in enumerate(drawn)
        ]
        async with bot.started():
            await recorded(bot, executions)
            bot.model.says(note("one.md"))
            await bot.comment("/execute --task 1.1")
            (progress,) = bot.says()
            executions += await records(bot, run_of(progress))
            await bot.comment("/execute history stats", by="reader")
            (comment,) = bot.says()
            web = await page(bot, "history")
            programs = json.loads(await page(bot, "history", accept="application/json"))
    async with checkout(tmp_path / "here", files) as here:
        later = (int(time.time() // DAY) - int(now // DAY)) * DAY
        kept = FileHistory(here.folder / ".executor" / NAME)
        for each in executions:
            place = replace(each.place, repository_id=0)
            await kept.record(replace(each, place=place, at=each.at + later))
        kept.close()
        told = await here.cairn("history", "stats", "--days", "30")
        data = json.loads((await here.cairn("history", "stats", "--json", "--days", "30")).out)

    said = _undated(told.out.partition("\n`cairn show")[0])
    asked_for, told_there = comment.partition("[A page")[0].split("\n", 1)
    assert "History: stats" in asked_for
    assert _undated(told_there) == said
    assert _same(programs["statistics"]) == _same(data["statistics"])
    shown = " ".join(_undated(web))
    whole = data["statistics"]["attempts"]
    rate = f"{whole['good']} of {whole['over']} ({whole['percent']} %) completed."
    (sums,) = re.findall(r"Tokens: .* on average\.", " ".join(said))
    assert f"Tokens: {whole['tokens']:,}. Cost: " in sums
    assert rate in " ".join(said)
    assert rate in shown
    assert sums in shown
    assert {each["name"] for each in data["statistics"]["errors"]} >= {"rate_limit", "import"}
    for each in data["statistics"]["errors"]:
        name = each["name"].replace("_", " ")
        row = f"{name} {each['seen']} {each['good']} {each['percent_of_seen']} %"
        assert row in shown
        assert row in " ".join(said)


def _undated(text: str) -> list[str]:
    """The words and numbers of a text without its days, however it is laid out."""
    plain = re.sub(r"<[^>]+>|\*\*", " ", text)
    found = re.findall(r"[^\s|]+", re.sub(r"\d{4}-\d\d-\d\d", "", plain))
    return [word for word in found if not re.fullmatch(r"[-:]+", word)]


def _same(statistics: Mapping[str, Any]) -> Mapping[str, object]:
    days = [each | {"name": ""} for each in statistics["days"]]
    return {**statistics, "since": "", "until": "", "days": days}
