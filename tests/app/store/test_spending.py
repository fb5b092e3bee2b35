"""Money for a day: no limit is exceeded, however many calls are made at the same time."""

from __future__ import annotations

import asyncio
import random

import sqlalchemy as sa

from app.store.runs import RunRequest
from app.store.schema import spending
from app.store.spending import FullDay, Spender, StoredSpending
from handlers.events import InstalledRepository
from tests.app.store.rows import put_run
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH


async def test_two_hundred_calls_at_once_exceed_no_limit(store):
    """Reserved at the worst case, settled at less; what was refused cost nothing."""
    chance, paid = random.Random(7), {1: 0.0, 2: 0.0}  # noqa: S311
    theirs = dict.fromkeys(range(3), 0.0)
    kept = StoredSpending(store)

    async def call(installation):
        most = chance.uniform(0.01, 0.4)
        cost = most * chance.uniform(0.2, 1)
        spender = Spender("2026-11-29", installation, repository := chance.randrange(3))
        used = await kept.reserve(spender, most, together=9.0, own=6.0, here=4.0)
        if used is None:
            held = await store.value(sa.select(sa.func.sum(spending.c.cost)))
            assert held <= 9.0 + 1e-9
            await kept.settle(spender, most, cost)
            paid[installation] += cost
            theirs[repository] += cost

    await asyncio.gather(*(call(1 + (number % 3 == 0)) for number in range(200)))

    assert 3 < sum(paid.values()) <= 9.0
    assert max(paid.values()) <= 6.0
    assert max(theirs.values()) <= 4.0
    total = sa.func.sum(spending.c.cost)
    rows = await store.rows(
        sa.select(spending.c.installation_id, total).group_by(spending.c.installation_id)
    )
    assert {id: round(cost, 6) for id, cost in rows} == {
        id: round(cost, 6) for id, cost in paid.items()
    }


async def test_another_day_begins_with_nothing(store):
    """What was spent the day before does not count."""
    kept = StoredSpending(store)
    today, tomorrow = (Spender(f"2026-11-{day}", 1, 7) for day in (29, 30))
    assert await kept.reserve(today, 5.0, together=5.0, own=None) is None
    full = await kept.reserve(today, 0.1, together=5.0, own=None)
    assert full == FullDay(5.0, 5.0, 5.0, "operator")
    full = await kept.reserve(today, 0.1, together=None, own=None, here=5.0)
    assert full == FullDay(5.0, 5.0, 5.0, "repository")
    assert await kept.reserve(tomorrow, 0.1, together=5.0, own=None) is None


async def test_what_calls_under_way_hold_is_told_apart(store):
    """Once they are over, only what they cost is in the way."""
    kept, today = StoredSpending(store), Spender("2026-11-29", 1, 7)
    await kept.reserve(today, 4.0, together=5.0, own=None)
    full = await kept.reserve(today, 2.0, together=5.0, own=None)
    assert full == FullDay(5.0, 4.0, 4.0, "operator")

    await kept.settle(today, 4.0, 1.0)

    assert await kept.reserve(today, 2.0, together=5.0, own=None) is None
    full = await kept.reserve(today, 2.5, together=5.0, own=None)
    assert full == FullDay(5.0, 3.0, 2.0, "operator")


async def test_who_installs_the_app_again_is_nobody_else(store, clock):
    """The limit of an account is that of the repositories' owner, in whatever installation."""
    kept = StoredSpending(store)
    for installation, id, name in ((1, 7, "octo/a"), (2, 8, "Octo/b"), (3, 9, "acme/c")):
        place = InstalledRepository(id, name, installation, "main")
        run = {"id": f"r{id}", "delivery": None, "issue": 1, "roadmap": "ROADMAP.md", "request": {}}
        await put_run(store, clock, RunRequest(repository=place, **run))
    first, again, other = (Spender("2026-11-29", n, n + 6) for n in (1, 2, 3))

    assert await kept.reserve(first, 5.0, together=None, own=5.0) is None

    full = await kept.reserve(again, 0.1, together=None, own=5.0)
    assert full == FullDay(5.0, 5.0, 5.0, "account")
    assert await kept.reserve(other, 0.1, together=None, own=5.0) is None
