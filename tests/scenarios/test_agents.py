"""``agent:`` of a repository: ``/execute`` starts a program of its own, and opens pull requests."""

from __future__ import annotations

import json

import pytest

from tests.app.agents.scripted_agent import AGENT
from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, CALC, on

CONFIG = {"agent": {"name": "command", "command": ["python3", "agent.py", "ask", "Do this:"]}}
FILES = {"agent.py": AGENT.encode(), ".github/cairn.yml": json.dumps(CONFIG).encode()}


@pytest.mark.long("test_an_agent_writes_and_cairn_judges shows it on a checkout")
@on(CALC | FILES)
async def test_an_agent_works_on_a_server(bot: Bot) -> None:
    """Its task ends as a pull request, verified like any other."""
    bot.model.says(ADD)

    await bot.comment("/execute --max-tasks 1")

    assert "is done" in bot.says()[-1]
    (pull,) = bot.pulls
    assert "calc/add.py" in bot.changed(pull)
    assert "agent.py" not in bot.changed(pull)
    assert "**Verified by tests" in (pull.body or "")
    [asked] = bot.model.requests
    assert "You are an agent." in asked.prompt
