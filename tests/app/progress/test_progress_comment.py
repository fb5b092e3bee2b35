"""The comment of a run: edits beside the run that are never lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from gidgethub.aiohttp import GitHubAPI

from app.progress.comment import Progress
from runner.state.events import Advanced
from tests.app.store.test_runs import asked
from tests.runner.states import at

NOW = datetime(2026, 1, 2, tzinfo=UTC)


class Page:
    """One issue of a GitHub that keeps every text of its only comment; ``hold`` delays edits."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/repos/o/r/issues/1/comments", self._list)
        app.router.add_post("/repos/o/r/issues/1/comments", self._write)
        app.router.add_patch("/repos/o/r/issues/comments/7", self._write)
        return app

    async def _list(self, request: web.Request) -> web.Response:
        return web.json_response([])

    async def _write(self, request: web.Request) -> web.Response:
        if request.method == "PATCH":
            self.asked.set()
            await self.go_on.wait()
        self.texts.append((await request.json())["body"])
        return web.json_response({"id": 7}, status=201)


class Ticking:
    """A clock at a standstill, and waits that end when the test says so."""

    def __init__(self) -> None:
        self.rests: list[float] = []
        self.resting = 0
        self.bug: Exception | None = None
        self.waits, self.over = asyncio.Event(), asyncio.Event()

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0

    async def rest(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.waits.set()
        self.resting += 1
        try:
            await self.over.wait()
        finally:
            self.resting -= 1
        if self.bug:
            raise self.bug


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
def time() -> Ticking:
    return Ticking()


@pytest.fixture
async def progress(page: Page, time: Ticking) -> AsyncIterator[Progress]:
    async with TestServer(page.application()) as server, aiohttp.ClientSession() as session:
        github = GitHubAPI(session, "cairn/test", base_url=str(server.make_url("/")))
        run = asked("r1", repository="o/r", issue=1)
        yield Progress(run, github, bot="cairn[bot]", clock=time, rest=time.rest)


async def moved(progress: Progress, node: str = "plan_task") -> None:
    await progress.emit(Advanced("r1", "k1", at(node)))


async def test_an_edit_waits_for_its_time(progress: Progress, page: Page, time: Ticking) -> None:
    """The next edit is made when the last one is long enough ago, with what is true then."""
    async with progress:
        await moved(progress)
        await time.waits.wait()
        await moved(progress, "execute_task")
        time.over.set()
        await page.asked.wait()

    assert time.rests == [10.0]
    assert "`execute_task`" in page.texts[-1]


async def test_the_last_word_comes_after_an_edit_on_its_way(
    progress: Progress, page: Page, time: Ticking
) -> None:
    """An edit that GitHub is still taking arrives first, and the last word stays."""
    page.go_on.clear()
    time.over.set()
    async with progress:
        await moved(progress)
        await page.asked.wait()
        finished = asyncio.create_task(progress.finish("ended", "All done."))
        await asyncio.wait([finished], timeout=0)
        assert not finished.done()
        page.go_on.set()
        await finished

    assert "`plan_task`" in page.texts[-2]
    assert "All done." in page.texts[-1]


async def test_no_edit_is_left_behind(progress: Progress, time: Ticking) -> None:
    """Whoever leaves the run leaves no task that waits to edit its comment."""
    async with progress:
        await moved(progress)
        await time.waits.wait()

    assert time.resting == 0


async def test_a_bug_beside_the_run_is_not_lost(progress: Progress, time: Ticking) -> None:
    """What an edit raises beside the run is raised in the run, and told as its pause."""
    time.over.set()
    time.bug = KeyError("oh")

    with pytest.raises(KeyError):
        await _ended_after_an_edit(progress, time)


async def _ended_after_an_edit(progress: Progress, time: Ticking) -> None:
    async with progress:
        await moved(progress)
        await time.waits.wait()
        await progress.finish("ended", "All done.")
