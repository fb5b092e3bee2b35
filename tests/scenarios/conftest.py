"""The ``bot`` fixture: a conversation that fails on anything left unsaid, unread or unasked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.scenarios.bot import Bot, conversation
from tests.scenarios.left_behind import disagreements, leaks
from tests.scenarios.projects import CALC


@pytest.fixture
def files() -> Mapping[str, object]:
    """What the repository holds; ``projects.on`` puts something else in its place."""
    return CALC


@pytest.fixture
async def bot(
    tmp_path: Path, files: Mapping[str, object], caplog: pytest.LogCaptureFixture
) -> AsyncIterator[Bot]:
    """A running bot on a small project; what it said must be read in the end."""
    async with conversation(tmp_path, files) as bot, bot.started():
        yield bot
        await bot.idle()
        bot.check()
        assert leaks(bot, log=caplog.text) == []
        assert disagreements(bot) == []
