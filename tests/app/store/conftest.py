"""A real database for each test, and a clock that moves only when told."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from app.store.database import open_store
from tests.postgresql import emptied, postgresql


class HandClock:
    """A clock that a test turns by hand."""

    def __init__(self):
        self.time = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def now(self):
        return self.time

    def monotonic(self):
        return self.time.timestamp()

    def forward(self, seconds):
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture(scope="session")
def cluster():
    """PostgreSQL; whoever asks for it is skipped where there is none."""
    with postgresql() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def migrated(cluster):
    """A PostgreSQL database with our tables."""
    url = cluster.database()
    asyncio.run(_migrate(url))
    return url


async def _migrate(url):
    await (await open_store(url)).close()


@pytest.fixture
def url(request, tmp_path):
    """SQLite, unless the test is one of ``ON_BOTH`` and it is PostgreSQL's turn."""
    if getattr(request, "param", "sqlite") == "postgresql":
        return emptied(request.getfixturevalue("migrated"))
    return f"sqlite:///{tmp_path}/data/cairn.db"


@pytest.fixture
async def store(url):
    store = await open_store(url)
    yield store
    await store.close()
