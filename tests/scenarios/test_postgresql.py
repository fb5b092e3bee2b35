"""The main job with PostgreSQL in the place of the SQLite file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.model_server import Held
from tests.postgresql import Cluster, postgresql
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import ANSWER, NOTE, check_finished
from tests.scenarios.left_behind import leaks
from tests.scenarios.process import serving
from tests.scenarios.projects import note, notes

pytestmark = pytest.mark.long("starts PostgreSQL and kills it")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this module's own."""
    with postgresql() as cluster:
        yield cluster


@pytest.fixture
async def talk(tmp_path: Path, cluster: Cluster) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, NOTE, DATABASE_URL=cluster.database()) as bot:
        yield bot
        bot.check()
        assert leaks(bot) == []


async def test_a_killed_server_goes_on_from_postgresql(talk: Bot, cluster: Cluster) -> None:
    """Killed while the model answers and started again, after the database crashed as well."""
    kept = Held(ANSWER)
    talk.model.says(kept, ANSWER)
    async with serving(talk) as server:
        await talk.github.comment(REPOSITORY, talk.issue.number, "/execute", by="writer")
        await kept.asked.wait()
        await server.end()
    kept.go.set()
    cluster.crash()

    async with serving(talk) as server:
        await server.until(": ended")

    check_finished(talk)
    assert len(talk.model.requests) == 2


async def test_zero_bytes_are_no_fault_of_ours(tmp_path: Path, cluster: Cluster) -> None:
    """PostgreSQL keeps none in a text; people, the roadmap and the model may write some."""
    files = notes("- [ ] 1.1 Write `one.md` a\0b\n")
    async with conversation(tmp_path, files, DATABASE_URL=cluster.database()) as bot, bot.started():
        bot.model.when(contains="one.md").says(note("one.md", "x\0y"), repeat_last=True)
        for text in ("/execute a\0b.md", "/execute --model a\0b", "/execute retry 1\0"):
            await bot.comment(text)
            assert len(bot.says()) == 1
        (pull,) = bot.proposals
        await bot.reply(pull, "/reject a\0b")

        assert "is rejected" in "".join(bot.proposes())
        bot.says()
        bot.check()
