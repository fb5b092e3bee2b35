"""``cairn analyze``: what the history of this folder teaches about routes, models and settings."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
import time
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


def command(folder: Path, topic: Topic, *, days: int = 0, json: bool = False) -> int:
    """Print what the newest so many ``days`` teach (0: all); 2 if that cannot be read."""
    any_encoding()
    try:
        found = asyncio.run(_analysis(folder, days))
    except (PortError, ConfigError) as error:
        print(error, file=sys.stderr)
        return 2
    if json:
        say(jsonlib.dumps(as_json(topic, found), ensure_ascii=False))
    else:
        say(printable(plain(tables(topic, found))))
    return 0


async def _analysis(folder: Path, days: int) -> Analysis:
    history = FileHistory(folder / FOLDER / NAME)
    try:
        recalled = await history.recent(at_most(asked(now=time.time(), days=days), NEWEST))
    finally:
        history.close()
    file = folder / CONFIG_PATH
    config = parse_config(file.read_bytes()) if file.is_file() else RepositoryConfig()
    today = todays_settings(config)
    return analyse(recalled.executions, today, left_out=recalled.left_out)
