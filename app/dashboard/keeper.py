"""Keeps the dashboard issues of repositories true: after pushes, runs and ticks, and not too often.

GitHub has no way to change a text only if it is still what was read: the last writer wins. So the
issue is read again just before it is written, boxes that are ticked there and were not handled yet
stay ticked, and what people ticked is taken from the events about their edits
(``handlers/ticks.py``). A tick that is overwritten in between is lost to the eye, but not to us.

What is due is stored: a server that ends before it is written leaves it to the next one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from cachetools import LRUCache
from gidgethub import GitHubException

from app.plan_issue.board import Board
from app.plan_issue.issue import TITLE, PlanIssue, ShownIssue, is_plan
from app.plan_issue.text import board_text, plan_of, plan_texts
from app.store.boards import DueBoard, StoredBoards
from handlers.events import InstalledRepository, IssueEdited, IssueReopened
from handlers.issue_thread import IssueThread
from handlers.ports import Proposals, Runs
from handlers.ticks import Tick, handle_ticks
from runner.config.model import RepositoryConfig
from runner.errors import Outage, TaskError
from runner.ports import Clock

log = logging.getLogger(__name__)

SOON = 20.0
"""Seconds from the first change to the write that shows it, and all that follow in between."""

EVERY = 60.0
"""Seconds between two writes because of runs, at least."""

_MOST_KNOWN = 10_000
BOARDS = "boards"
"""The topic of what other processes tell the one that writes dashboards."""


@dataclass(frozen=True)
class BoardSources:
    """Where a dashboard comes from; all raise ``Outage`` or ``TaskError``.

    ``config_of`` returns None while the configuration has errors, ``board_of`` a board for each
    plan and the name of what they show, or None where the default branch has no plan.
    """

    issue_of: Callable[[InstalledRepository], Awaitable[PlanIssue]]
    config_of: Callable[[InstalledRepository], Awaitable[RepositoryConfig | None]]
    board_of: Callable[
        [InstalledRepository, RepositoryConfig, str], Awaitable[tuple[Sequence[Board], str] | None]
    ]


class Dashboards:
    """The dashboards of all repositories. ``rest`` waits (seconds); ``on_bug`` hears of bugs.

    ``stored`` keeps what is due. ``pass_on`` leaves the writing to the process that leads,
    ``turn`` makes a lock that all processes share.
    """

    def __init__(
        self,
        sources: BoardSources,
        stored: StoredBoards,
        *,
        clock: Clock,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pass_on: Callable[[str], Awaitable[bool]],
        turn: Callable[[str], AbstractAsyncContextManager[object]],
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._pass_on = pass_on
        self._sources = sources
        self._stored = stored
        self._clock = clock
        self._rest = rest
        self._on_bug = on_bug
        self._due: dict[int, DueBoard] = {}
        self._waiting: dict[int, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._written: LRUCache[int, float] = LRUCache(_MOST_KNOWN)
        self._unreachable: LRUCache[int, bool] = LRUCache(_MOST_KNOWN)
        self._turn = turn
        self._turns: dict[int, AbstractAsyncContextManager[object]] = {}
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def start(self) -> None:
        """Write what an earlier process left. Raises ``Outage``."""
        for due in await self._stored.all():
            self._schedule(due)

    async def mark(self, place: InstalledRepository, *, asked: bool = False) -> None:
        """Write it soon: something changed. ``asked`` brings back one that people closed."""
        due = DueBoard(repository=place, asked=asked)
        before = self._due.get(place.id)
        if before and replace(before, version=0) in (due, replace(due, asked=True)):
            return  # it is stored already
        try:
            due = await self._stored.mark(due)
            if await self._pass_on(BOARDS):
                return
        except Outage as outage:  # it is still written, unless this process ends before
            log.warning("%s", outage.message)
        self._schedule(due)

    def _schedule(self, due: DueBoard, *, after: float = SOON) -> None:
        id = due.repository.id
        self._due[id] = due
        if id not in self._waiting:
            task = self._waiting[id] = asyncio.create_task(self._write_later(id, after))
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def reach(self, installation_id: int, *, active: bool) -> None:
        """Write none of an installation as long as it is not active."""
        if active:
            self._unreachable.pop(installation_id, None)
        else:
            self._unreachable[installation_id] = True

    async def idle(self) -> None:
        """Wait until none is being written."""
        await self._idle.wait()

    async def stop(self) -> None:
        """Stop; what is due is written after the next start."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._waiting.clear()
        self._due.clear()

    async def text_of(
        self, place: InstalledRepository, config: RepositoryConfig, note: str
    ) -> tuple[str, str] | None:
        """Return the text for now and where the rest is; None where there is no roadmap.

        Where people turned the dashboard off, it is a plan without boxes and without runs.
        """
        found = await self._sources.board_of(place, config, note)
        if found is None:
            return None
        return _written(found[0], board_text if config.dashboard else plan_of, place)

    async def ticked(
        self, event: IssueEdited, *, thread: IssueThread, runs: Runs, proposals: Proposals
    ) -> None:
        """Do what somebody ticked, and clear the boxes. Raises ``Outage``."""
        ours = event.author.login.lower() == thread.own_login.lower()
        if not ours or not (is_plan(event.body) or is_plan(event.before)):
            return
        place, here = event.repository, ShownIssue(event.issue, event.body, True)
        config = await self._sources.config_of(place)
        if config is None or config.github_mode == "disabled":
            return
        try:
            if not config.dashboard:
                if config.triggers.push != "execute":  # then it is the plan of what pushes start
                    await (await self._sources.issue_of(place)).write(here, plan_texts.off())
                return
            handled = await handle_ticks(event, thread=thread, runs=runs, proposals=proposals)
            await self._refresh(place, config, handled=handled, here=here)
        except TaskError as error:
            log.warning("The dashboard of %s is not written: %s", place.full_name, error.message)

    async def back(self, place: InstalledRepository) -> None:
        """Write one that is out of date, or was due, as its repository can be reached again.

        ``place`` is its place now. Raises ``Outage`` or ``TaskError``.
        """
        due = place.id in {each.repository.id for each in await self._stored.all()}
        if not due:
            found = await (await self._sources.issue_of(place)).find()
            due = bool(found and found.open)
        if due:
            await self.mark(place)

    async def reopened(self, event: IssueReopened, *, own: str) -> None:
        """Write a dashboard that people opened again as it is now; we may have left it alone."""
        accounts = (event.author.login.lower(), event.sender.login.lower())
        if is_plan(event.body) and own.lower() == accounts[0] != accounts[1]:
            await self.mark(event.repository)

    async def _write_later(self, id: int, after: float) -> None:
        last = self._written.get(id)
        passed = EVERY if last is None else self._clock.monotonic() - last
        await self._rest(max(after, EVERY - passed))
        self._waiting.pop(id)
        due = self._due.pop(id)
        place = due.repository
        if place.installation_id in self._unreachable:
            return
        self._busy += 1
        self._idle.clear()
        try:
            config = await self._sources.config_of(place)
            if config is not None and _wanted(config):
                await self._refresh(place, config, asked=due.asked)
                self._written[id] = self._clock.monotonic()
            await self._stored.written(due)
        except (Outage, TaskError, GitHubException) as error:
            log.warning("The dashboard of %s is not written: %s", place.full_name, error)
            if isinstance(error, Outage) and error.until and id not in self._due:
                self._schedule(due, after=EVERY)  # time heals it
        finally:
            self._busy -= 1
            if not self._busy:
                self._idle.set()

    async def _refresh(
        self,
        place: InstalledRepository,
        config: RepositoryConfig,
        *,
        asked: bool = False,
        handled: frozenset[Tick] = frozenset(),
        here: ShownIssue | None = None,
    ) -> None:
        """Write it as it is now; make it if there is none. A closed one is left alone.

        ``here`` is the issue that is known to be it, though somebody may have lost its mark.
        """
        id = place.id
        async with self._turns.setdefault(id, self._turn(f"dashboard {id}")):
            issue = await self._sources.issue_of(place)
            found = here or await issue.find()
            if found and not found.open and not asked:
                return
            shown = await self._sources.board_of(place, config, found.note if found else "")
            if shown is None:
                return
            boards, planned = shown
            text, rest = _written(boards, board_text, place)
            if found is None:
                await issue.show(TITLE, text, planned=planned, rest=rest)
                return
            if asked:
                await issue.reopen(found)
            await issue.write(found, text, planned=planned, rest=rest, handled=handled)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A bug must not pass unseen: nobody waits for this task."""
        self._tasks.discard(task)
        bug = None if task.cancelled() else task.exception()
        if isinstance(bug, Exception):
            log.error("A dashboard was not written because of a bug", exc_info=bug)
            if self._on_bug:
                self._on_bug(bug)


def _written(
    boards: Sequence[Board], render: Callable[[Board], str], place: InstalledRepository
) -> tuple[str, str]:
    """The text of the issue, a section for each plan, and where the rest of it is."""
    rest = plan_texts.where_the_rest_is(boards[0].roadmap.path, place.default_branch)
    return "\n\n".join(map(render, boards)), rest


def _wanted(config: RepositoryConfig) -> bool:
    return config.dashboard and config.github_mode != "disabled"
