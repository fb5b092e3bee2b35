"""The simulated day decides as the database does."""

from __future__ import annotations

import random
from itertools import count

import pytest
from sqlalchemy import text
from sqlalchemy.dialects import sqlite

from app.store.database import open_store
from app.store.wakeups import _next
from bench.simulation import Rule, Work, simulate
from tests.app.store.bench import Bench
from tests.app.store.conftest import HandClock


@pytest.mark.parametrize("seed", range(3))
async def test_the_rule_is_that_of_the_database(tmp_path, seed):
    """Runs are asked for, give way and end at random: both give each place to the same run."""
    draw, number = random.Random(seed), count()  # noqa: S311
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    bench, rule = Bench(store, HandClock(), at_once=3), Rule(3)
    names, at_work, chosen = {}, [], []
    try:
        for _ in range(120):
            what = draw.choice(["ask", "ask", "give way", "end"])
            if what == "ask":
                work = Work(draw.randrange(5), priority=draw.choice([0, 0, 7]))
                names[work] = f"r{next(number)}"
                await bench.start(
                    names[work], repository_id=work.repository, priority=work.priority
                )
                rule.ask(work)
            elif at_work and what == "end":
                work = at_work.pop(draw.randrange(len(at_work)))
                await bench.end(names[work])
                rule.end(work)
            elif at_work:
                work = draw.choice(at_work)
                bench.clock.forward(1)
                order = await bench.order_of(names[work])
                gives_way = rule.give_way(work)
                assert await bench.queue.give_way(order, names[work]) == gives_way
                if gives_way:
                    at_work.remove(work)
            while (going := rule.next()) is not None:
                at_work.append(going)
                chosen.append(names[going])
            assert [sent.rsplit("-", 1)[0] for sent in bench.sent.wakeups] == chosen
    finally:
        await store.close()
    assert len(chosen) > 30
    assert rule.waiting > 0


def test_a_day_is_played_to_its_end():
    """Every run gets its turn, and who is urgent waits less where there are too few places."""
    day = simulate(1.5, repositories=1_000)

    asked, ended = sum(day.hours["asked"].values()), sum(day.hours["end"].values())
    assert asked == ended == sum(map(len, day.waits.values())) + day.others_first
    late = {priority: sorted(waits)[-1 - len(waits) // 50] for priority, waits in day.waits.items()}
    assert late[100] < late[0]
    assert late[50] < late[0]


async def test_who_goes_next_is_found_by_indexes(tmp_path):
    """What is over does not count: on the rows of such a day it took half a minute each time."""
    query = _next(3).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    try:
        plan = await store.rows(text(f"EXPLAIN QUERY PLAN {query}".replace(":", "\\:")))
        steps = [row.detail for row in plan if row.detail.startswith(("SCAN", "SEARCH"))]
    finally:
        await store.close()

    assert len(steps) >= 4
    assert [step for step in steps if "USING" not in step] == []
