"""``cairn history``: what the runs of this folder did."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
import time
from dataclasses import replace
from pathlib import Path

from app.local.compose import kept_in, repository_in
from app.local.options import FOLDER
from app.local.runs import MOST_ENDED, LocalStore, record_results
from app.terminal import any_encoding, printable, say
from runner.errors import PortError
from runner.history.inquiry import HistoryQuery, asked
from runner.history.records import for_programs
from runner.history.statistics import as_json
from runner.people.history_answer import HistoryAnswer, HistoryTopic, answered, plain

_HINT = "\n`cairn show RUN` shows a run, `cairn history stats` statistics of all runs."


def command(folder: Path, topic: HistoryTopic, *, days: int = 0, json: bool = False) -> int:
    """Print what is asked for; 2 if the history cannot be read."""
    any_encoding()
    kept = kept_in(folder / FOLDER)
    query = asked(now=time.time(), days=days, failed=topic == "errors")
    try:
        answer = asyncio.run(_answered(folder, kept, topic, query))
    except PortError as error:
        print(error.message, file=sys.stderr)
        return 2
    if json:
        say(jsonlib.dumps(_object(answer), ensure_ascii=False))
        return 0
    for line in plain(answer):
        say(printable(line))
    if answer.statistics.attempts.tally.seen:
        say(_HINT)
    return 0


async def _answered(
    folder: Path, kept: LocalStore, topic: HistoryTopic, query: HistoryQuery
) -> HistoryAnswer:
    """Ask the history, once it knows what people said about the newest changes."""
    newest = kept.runs.all()[:MOST_ENDED]
    await record_results(newest, kept, await repository_in(folder), folder)
    return await answered(kept.history, topic, query)


def _object(answer: HistoryAnswer) -> dict[str, object]:
    data: dict[str, object] = {"asked": answer.topic, "statistics": as_json(answer.statistics)}
    if answer.topic != "stats":
        listed = [for_programs(replace(e, nodes=())) for e in answer.found.executions]
        data |= {"executions": listed, "left_out": answer.found.left_out}
    if answer.topic == "recent":
        data["newest_run"] = [for_programs(each) for each in answer.newest.executions]
    return data
