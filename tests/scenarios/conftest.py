"""The ``bot`` fixture: a conversation that fails on anything left unsaid, unread or unasked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.scenarios.bot import Bot, conversation
from tests.scenarios.projects import CALC


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    """A running bot on a small Python project; what it said must be read in the end."""
    async with conversation(tmp_path, CALC) as bot, bot.started():
        yield bot
        await bot.idle()
        bot.github.verify()
        bot.model.verify()
        assert bot.bugs == []
