"""What was learned, asked for in a comment."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from app.local.analyze import command
from runner.files.history_file import NAME, FileHistory
from runner.people.analysis_sentences import Topic
from tests.scenarios.bot import Bot
from tests.scenarios.learning import (
    CONFIG,
    CONFIGURED,
    FILE,
    history,
    recorded,
    works,
)
from tests.scenarios.projects import on


@on(CONFIGURED)
async def test_comment_and_command_line_agree_to_the_digit(
    bot: Bot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same records give the same numbers, whoever asks and wherever."""
    executions = history(bot)
    await recorded(bot, executions)
    kept = FileHistory(tmp_path / ".executor" / NAME)
    for execution in executions:
        await kept.record(replace(execution, place=replace(execution.place, repository_id=0)))
    kept.close()
    (tmp_path / ".github").mkdir()
    (tmp_path / FILE).write_text(CONFIG)

    for topic in get_args(Topic):
        await bot.comment(f"/execute analyze {topic}", by="reader")
        (comment,) = bot.says()
        code = await asyncio.to_thread(command, tmp_path, topic)

        assert code == 0
        assert _words(comment.partition("<!--")[0]) == _words(capsys.readouterr().out)


def _words(text: str) -> list[str]:
    """The words and numbers of a text, however it is laid out."""
    return [word for word in re.findall(r"[^\s|]+", text) if word not in ("---", "###")]


@on(CONFIGURED)
async def test_what_was_learned_from_a_run_can_be_read_and_forgotten(bot: Bot) -> None:
    """Readers see the notes; only writers clear them."""
    await works(bot, 1)

    await bot.comment("/execute memory", by="reader")
    (notes_shown,) = bot.says()
    await bot.comment("/execute memory clear", by="writer")
    (cleared,) = bot.says()

    assert "- files: `n1.md`: written for: 1.1" in notes_shown
    assert "now empty" in cleared
    kept = bot.files("memory.json")
    assert [each.parent.parent.name for each in kept] == ["runs"]  # what that run itself was told
