"""A real SQLite file for each test, and a clock that moves only when told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.store.database import open_store


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


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/data/cairn.db"


@pytest.fixture
async def store(url):
    store = await open_store(url)
    yield store
    await store.close()
