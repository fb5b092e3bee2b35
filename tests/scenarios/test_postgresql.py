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
