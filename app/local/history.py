"""``cairn history``: what the runs of this folder did."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
import time
from dataclasses import replace
from pathlib import Path

from app.local.options import FOLDER
from app.terminal import any_encoding, printable, say
from runner.errors import PortError
from runner.files.history_file import NAME, FileHistory
from runner.history.inquiry import asked
from runner.history.records import for_programs
from runner.history.statistics import as_json
from runner.people.history_answer import HistoryAnswer, HistoryTopic, answered, plain

_HINT = "\n`cairn show RUN` shows a run, `cairn history stats` statistics of all runs."


def command(folder: Path, topic: HistoryTopic, *, days: int = 0, json: bool = False) -> int:
    """Print what is asked for; 2 if the history cannot be read."""
    any_encoding()
    history = FileHistory(folder / FOLDER / NAME)
    query = asked(now=time.time(), days=days, failed=topic == "errors")
    try:
        answer = asyncio.run(answered(history, topic, query))
    except PortError as error:
        print(error.message, file=sys.stderr)
        return 2
    finally:
        history.close()
    if json:
        say(jsonlib.dumps(_object(answer), ensure_ascii=False))
        return 0
    for line in plain(answer):
        say(printable(line))
    if answer.statistics.attempts.tally.seen:
        say(_HINT)
    return 0


def _object(answer: HistoryAnswer) -> dict[str, object]:
    data: dict[str, object] = {"asked": answer.topic, "statistics": as_json(answer.statistics)}
    if answer.topic != "stats":
        listed = [for_programs(replace(e, nodes=(), tools=())) for e in answer.found.executions]
        data |= {"executions": listed, "left_out": answer.found.left_out}
    if answer.topic == "recent":
        data["newest_run"] = [for_programs(each) for each in answer.newest.executions]
    return data
