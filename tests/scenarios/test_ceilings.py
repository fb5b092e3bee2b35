"""What the operator allows at most, whatever a repository's file or a command asks for."""

from __future__ import annotations

from pathlib import Path

from tests.scenarios.bot import conversation
from tests.scenarios.projects import NOTES, note

GREEDY = b"limits: {tokens_per_task: 5000000}\nsandbox: {memory: 16g, network: setup}\n"


async def test_what_a_repository_asks_for_is_cut_and_that_is_said(tmp_path: Path) -> None:
    """The run keeps to the operator's ceilings."""
    settings = {
        "CAIRN_MAX_TOKENS_PER_TASK": 9_000,
        "CAIRN_MAX_MEMORY": "512m",
        "CAIRN_MAX_PIDS": 300,  # more than was asked for
        "CAIRN_ALLOW_SETUP_NETWORK": "0",
    }
    files = {**NOTES, ".github/cairn.yml": GREEDY}
    async with conversation(tmp_path, files, **settings) as bot, bot.started():
        bot.model.says(note("one.md"))
        await bot.comment("/execute --max-tasks 1")

        (said,) = bot.says()
        assert "The operator of this server allows at most `limits.tokens_per_task: 9000`, " in said
        assert "`sandbox.memory: 512m`, `sandbox.network: none`; this run keeps to that." in said
        assert len(bot.pulls) == 1
        bot.github.verify()


async def test_a_model_that_the_operator_does_not_allow_is_not_asked(tmp_path: Path) -> None:
    """Neither by the command nor for a role in the file; what is allowed works."""
    files = {**NOTES, ".github/cairn.yml": b"model: {repairing: grand-1}\n"}
    settings = {"CAIRN_ALLOWED_MODELS": "gpt-6*,small"}
    async with conversation(tmp_path, files, **settings) as bot, bot.started():
        await bot.comment("/execute --model huge-2")

        (said,) = bot.says()
        assert "The operator of this server does not allow `huge-2`, `grand-1`." in said
        assert "Allowed: `scripted`, `gpt-6*`, `small`. Nothing was started." in said
        assert bot.prompts == []
        bot.github.verify()
