"""A run of a server is played again on the operator's machine; nothing of the server changes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.warm import PROJECT, start
from tests.postgresql import Cluster, postgresql
from tests.runner.git.scratch_git import ENVIRONMENT
from tests.scenarios.bot import Bot, conversation, run_of
from tests.scenarios.process import environment
from tests.scenarios.projects import NOTES, note

BROKEN = "one.json\n```json\n{\n```\n"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this module's own."""
    with postgresql() as cluster:
        yield cluster


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Where the operator types."""
    folder = tmp_path / "operator"
    folder.mkdir()
    return folder


async def cairn(bot: Bot, folder: Path, *words: str) -> tuple[int, str, str]:
    """A command of the operator, with the server's settings."""
    more = {**ENVIRONMENT, "PYTHONPATH": str(PROJECT), "HOME": str(folder)}
    process = await start(words, folder, {**environment(bot.settings), **more})
    out, err = await process.communicate()
    return await process.wait(), out.decode(), err.decode()


async def two_runs(bot: Bot) -> str:
    """Let two runs end; return the id of the second, which knew of the first."""
    bot.model.says(note("one.md"), BROKEN, note("two.md"))
    await bot.comment("/execute --max-tasks 1")
    await bot.comment("/execute")
    return run_of(bot.says()[-1])


async def test_a_run_of_a_server_ends_as_it_did(tmp_path: Path, here: Path) -> None:
    """The whole run, and one task from a node on; what it knew of the project is known again."""
    async with conversation(tmp_path, NOTES) as bot:
        async with bot.started():
            run = await two_runs(bot)
        data = bot.settings.cairn_data_dir
        before = {f: f.read_bytes() for f in data.rglob("*") if f.is_file() and ".db" not in f.name}
        asked = len(bot.model.requests), len(bot.github.requests)

        code, out, err = await cairn(bot, here, "replay", run)
        verify = await cairn(bot, here, "replay", run[:6], "1.2", "--from", "validate")

        assert code == 0, (out, err)
        assert "2 recorded answers, 0 new ones.\n1.2: completed, untested (the same)\n" in out
        assert f"server/{run}, then cairn show " in " ".join(out.split())
        assert (verify[0], "(the same)" in verify[1]) == (0, True), verify
        assert before == {f: f.read_bytes() for f in before}
        shown = await cairn(bot, copy := here / ".executor/server" / run, "show", run, "1.2")
        assert "two.md" in shown[1]

        for folder in (data / "executor", copy):
            for file in folder.rglob(f"{run}/memory.json"):
                file.unlink()
        missed = await cairn(bot, here, "replay", run, "--json")
        assert (missed[0], json.loads(missed[1])["same"]) == (4, False)
        assert f"What the project memory knew when run {run} began is not kept" in missed[2]

        none = await cairn(bot, here, "replay", "nope")
        assert (none[0], "The database of the server has no such run, either." in none[2]) == (
            2,
            True,
        )
        shutil.rmtree(data / "mirrors")
        gone = await cairn(bot, here, "replay", run)
        assert gone[0] == 2
        assert asked == (len(bot.model.requests), len(bot.github.requests))
        fetch = gone[2].strip().rpartition("replay again: ")[2].split()
        assert (fetch[:2], fetch[3:6]) == (["git", "-C"], ["fetch", "--depth=1", "origin"])


@pytest.mark.long("starts PostgreSQL")
async def test_a_run_in_postgresql(tmp_path: Path, here: Path, cluster: Cluster) -> None:
    """What it left behind comes from the database where this machine has no files of it."""
    url = cluster.database()
    async with conversation(tmp_path, NOTES, DATABASE_URL=url) as bot:
        async with bot.started():
            run = await two_runs(bot)
        shutil.rmtree(bot.settings.cairn_data_dir / "executor")

        code, out, err = await cairn(bot, here, "replay", run)

        assert code == 0, (out, err)
        assert "2 recorded answers, 0 new ones." in out
        kept = here / f".executor/server/{run}/.executor/runs/{run}/memory.json"
        assert ("one.md" in kept.read_text(), "two.md" in kept.read_text()) == (True, False)
