"""The contract of the ``Decisions`` port, for the file and for the database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.store.database import open_store
from app.store.proposals import StoredDecisions
from app.store.queue import Queue
from app.store.wakeups import Wakeups
from runner.files.decisions import FileDecisions
from runner.ports import Decision, Decisions, SystemClock
from runner.roadmap.task import NewTask

YES = Decision("t1", "approve", by="Ada", at="2026-08-01T12:00:00+00:00", fingerprint="aa")
NO = Decision("t1", "reject", by="Bob", why="nöt now", fingerprint="bb")
EDIT = Decision("t2", "edit", by="Ada", fingerprint="cc", tasks=(NewTask("Do it", "1.1", ("d",)),))

Say = Callable[[Decision], Awaitable[None]]


@asynccontextmanager
async def in_file(folder: Path) -> AsyncIterator[tuple[Decisions, Say]]:
    """The command line's."""
    inbox = FileDecisions(folder / "decisions.jsonl")

    async def say(decision: Decision) -> None:
        assert inbox.store("r1", decision) is None

    yield inbox, say


@asynccontextmanager
async def in_database(folder: Path) -> AsyncIterator[tuple[Decisions, Say]]:
    """The server's."""
    store = await open_store(f"sqlite:///{folder}/cairn.db")
    clock = SystemClock()
    queue = Queue(store, clock, Wakeups(clock, lambda connection, order: None, at_once=2))
    said: list[Decision] = []

    async def say(decision: Decision) -> None:
        said.append(decision)
        assert await queue.answer("r1", f"d{len(said)}", decision)

    yield StoredDecisions(store), say
    await store.close()


@pytest.fixture(params=[in_file, in_database], ids=["file", "database"])
async def inbox(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[tuple[Decisions, Say]]:
    """An empty inbox, and how something gets into it."""
    async with request.param(tmp_path) as made:
        yield made


async def test_nothing_was_said(inbox: tuple[Decisions, Say]) -> None:
    """An empty inbox has nothing for anybody."""
    decisions, _ = inbox

    assert await decisions.waiting("r1") == ()
    assert await decisions.take("r1", "t1", "1.5") is None


async def test_a_step_always_gets_its_own(inbox: tuple[Decisions, Say]) -> None:
    """A step that is repeated after a crash gets the same, another step the next one."""
    decisions, say = inbox
    for each in (YES, NO):
        await say(each)

    taken = [await decisions.take("r1", "t1", step) for step in ("1.5", "1.5", "1.9", "2.1")]

    assert taken == [YES, YES, NO, None]


async def test_what_waits_is_told_in_its_order(inbox: tuple[Decisions, Say]) -> None:
    """Tasks with a decision that no step took, the oldest first, of one run only."""
    decisions, say = inbox
    for each in (EDIT, YES, NO):
        await say(each)

    assert await decisions.waiting("r1") == ("t2", "t1")
    assert await decisions.waiting("r2") == ()

    assert await decisions.take("r1", "t2", "1.5") == EDIT
    assert await decisions.waiting("r1") == ("t1",)


async def test_no_step_of_another_task_takes_it(inbox: tuple[Decisions, Say]) -> None:
    """A decision is about one task of one run."""
    decisions, say = inbox
    await say(YES)

    assert await decisions.take("r1", "t2", "1.5") is None
    assert await decisions.take("r2", "t1", "1.5") is None
    assert await decisions.take("r1", "t1", "1.5") == YES
