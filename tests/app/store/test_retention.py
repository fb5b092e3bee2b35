"""What is old goes, and nothing that is still needed."""

from __future__ import annotations

import sqlalchemy as sa

from app.store.audit import AuditLog
from app.store.deliveries import Deliveries, Worked
from app.store.retention import Retention
from app.store.runs import StoredAnswers
from app.store.schema import answers, audit, deliveries
from app.store.spending import Spender, StoredSpending
from runner.prompts.questions import Answer
from tests.app.store.rows import put_run, set_run
from tests.app.store.test_deliveries import delivery
from tests.app.store.test_runs import REQUEST
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH
DAY = 86_400


async def test_what_is_old_goes(store, clock):
    """Worked deliveries, answers of runs that ended, the audit log, amounts of old days."""
    kept, paid = Deliveries(store, clock), StoredSpending(store)
    retention = Retention(store, clock, deliveries=30, results=60, audit=90)
    for id in ("worked", "waits"):
        await kept.store(**delivery(id))
    await kept.finish([Worked("worked")])
    await AuditLog(store, clock).add("wrote", 1, "", "POST /x")
    await paid.reserve(Spender(clock.now().date().isoformat(), 1, 1), 1.0, together=9, own=None)
    await put_run(store, clock, REQUEST)
    await StoredAnswers(store, clock).keep(REQUEST.id, "q", Answer("yes", "stop", 1, 1, "m"))

    async def left():
        columns = (deliveries.c.id, answers.c.question, audit.c.what)
        return [[value for (value,) in await store.rows(sa.select(each))] for each in columns]

    clock.forward(29 * DAY)
    assert not any((await retention.purge()).values())
    clock.forward(2 * DAY)
    assert (await retention.purge())["deliveries"] == 1
    clock.forward(40 * DAY)
    gone = await retention.purge()
    assert (gone["answers"], gone["spending"]) == (0, 1)
    assert await left() == [["waits"], ["q"], ["POST /x"]]

    await set_run(store, REQUEST.id, "ended", updated_at=clock.now())
    clock.forward(61 * DAY)
    gone = await retention.purge()
    assert (gone["answers"], gone["audit"]) == (1, 1)
    assert await left() == [["waits"], [], []]


async def test_many_rows_go_in_several_transactions(store, clock):
    """More than one transaction takes away."""
    log = AuditLog(store, clock)
    for number in range(450):
        await log.add("wrote", 1, "", f"POST /{number}")
    clock.forward(3 * DAY)

    retention = Retention(store, clock, deliveries=30, results=60, audit=2)
    assert (await retention.purge())["audit"] == 450
