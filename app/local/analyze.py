"""``cairn analyze``: what the history of this folder teaches about routes, models and settings."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from app.local.options import FOLDER
from app.terminal import any_encoding, printable, say
from runner.analysis.recorded import NEWEST, Analysis, analyse
from runner.config.model import CONFIG_PATH, RepositoryConfig, parse_config
from runner.config.options import todays_settings
from runner.config.reading import ConfigError
from runner.errors import PortError
from runner.files.history_file import NAME, FileHistory
from runner.history.inquiry import asked, at_most
from runner.people.analysis_sentences import Topic, as_json, plain, tables


@dataclass(frozen=True, slots=True)
class AnalyzeOptions:
    """What is asked: a topic, of the newest so many days (0: all)."""

    topic: Topic
    days: int = 0
    json: bool = False


def command(folder: Path, options: AnalyzeOptions) -> int:
    """Print it; 2 if the history or the configuration cannot be read."""
    any_encoding()
    try:
        found = asyncio.run(_analysis(folder, options.days))
    except (PortError, ConfigError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        say(jsonlib.dumps(as_json(options.topic, found), ensure_ascii=False))
    else:
        say(printable(plain(tables(options.topic, found))))
    return 0


async def _analysis(folder: Path, days: int) -> Analysis:
    history = FileHistory(folder / FOLDER / NAME)
    try:
        recalled = await history.recent(at_most(asked(now=time.time(), days=days), NEWEST))
    finally:
        history.close()
    today = todays_settings(_config(folder))
    return analyse(recalled.executions, today, left_out=recalled.left_out)


def _config(folder: Path) -> RepositoryConfig:
    file = folder / CONFIG_PATH
    return parse_config(file.read_bytes()) if file.is_file() else RepositoryConfig()
