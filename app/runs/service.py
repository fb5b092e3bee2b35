"""The runs of this server as handlers see them: start, status, cancel, resume."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from app.proposals.service import ProposalService
from app.runs.tasks import TaskFinder
from app.store.queue import Queue
from app.store.runs import PERSON, Run, RunRequest, Runs, Status
from app.store.skips import Skips
from handlers.payloads import User
from handlers.runs import Ambiguous, NamedTask, RunRequested, RunStatus, TaskLine, Unknown

_STOPPABLE: tuple[Status, ...] = ("queued", "paused", "resting", "running", "pausing", "cancelling")
_WORKING: tuple[Status, ...] = ("queued", "running", "pausing")
_PAUSED: tuple[Status, ...] = ("paused",)
_WORDS = {"running": "working", "cancelling": "working", "pausing": "working"}


class RunService:
    """Implements ``handlers.runs.Runs`` on the runs table.

    ``first_words`` makes the comment of a run, ``look`` tells the worker that something changed.
    """

    def __init__(
        self,
        runs: Runs,
        queue: Queue,
        *,
        roadmap_of: Callable[[RunRequested], Awaitable[str]],
        first_words: Callable[[RunRequest], Awaitable[int | None]],
        look: Callable[[], Awaitable[None]],
        find: TaskFinder,
        skips: Skips,
        proposals: ProposalService,
    ) -> None:
        self._runs = runs
        self._roadmap_of = roadmap_of
        self._first_words = first_words
        self._look = look
        self._queue = queue
        self._find = find
        self._skips = skips
        self._proposals = proposals

    async def start(self, request: RunRequested) -> None:
        """Queue the run once, and say so.

        Its comment comes first: a run that is queued may begin at any moment and make another one.
        """
        await self._start(request)

    async def _start(self, request: RunRequested, *, retry: bool = False) -> None:
        if await self._runs.get(request.run) is None:
            row = row_of(request, await self._roadmap_of(request), retry=retry)
            comment = await self._first_words(row)
            await self._queue.start(row, comment)
        await self._look()

    async def find_task(self, request: RunRequested, name: str) -> NamedTask | Unknown | Ambiguous:
        """Find the task a name means in the roadmap of the issue's newest run."""
        return await self._find(request, name)

    async def retry(self, request: RunRequested) -> tuple[str, ...]:
        """Queue a run for one task, whatever was decided about it; end its open proposals.

        Their runs were there first, so they close what they show before this one looks.
        """
        command, repository = request.command, request.repository.id
        task, roadmap = command.task or "", command.path or ""
        await self._skips.remove(repository, roadmap, task)
        open_ones = await self._proposals.of_task(repository, roadmap, task)
        for each in open_ones:
            delivery = f"{request.run}:{each.id}"
            by, at = request.by.login, request.created_at
            await self._proposals.supersede(each, by=by, at=at, delivery=delivery)
        await self._start(request, retry=True)
        return tuple(each.id for each in open_ones)

    async def skip(self, request: RunRequested, task: NamedTask) -> bool:
        """Leave a task out until it is retried; False when it is left out already."""
        repository = request.repository.id
        return await self._skips.add(repository, task.roadmap, task.key, by=request.by.login)

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        """Return the runs of the issue, newest first."""
        return tuple(_status(run) for run in await self._runs.by_issue(repository_id, issue))

    async def cancel(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Stop what waits at once and what works at its next node."""
        reason = f"cancelled by {by.login}"
        return await self._order(repository_id, issue, "cancelling", _STOPPABLE, reason)

    async def pause(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Let what waits or works rest at its next node until somebody resumes it."""
        reason = f"paused by {by.login}"
        return await self._order(repository_id, issue, "pausing", _WORKING, reason, PERSON)

    async def resume(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Queue the paused runs of the issue again."""
        return await self._order(repository_id, issue, "queued", _PAUSED, "")

    async def _order(
        self,
        repository_id: int,
        issue: int,
        status: Status,
        allowed: tuple[Status, ...],
        why: str,
        cause: str = "",
    ) -> tuple[str, ...]:
        moved = []
        for run in await self._runs.by_issue(repository_id, issue):
            if await self._queue.order(run.id, status, allowed=allowed, reason=why, cause=cause):
                moved.append(run.id)
        await self._look()
        return tuple(moved)


def row_of(request: RunRequested, roadmap: str, *, retry: bool = False) -> RunRequest:
    """The row of a run that is asked for."""
    return RunRequest(
        id=request.run,
        delivery=request.delivery,
        repository_id=request.repository.id,
        repository=request.repository.full_name,
        installation_id=request.installation_id,
        issue=request.issue,
        roadmap=roadmap,
        base_branch=request.repository.default_branch,
        request={
            **asdict(request.command),
            "by": request.by.login,
            "by_id": request.by.id,
            "retry": retry,
        },
        priority=request.command.priority,
    )


def _status(run: Run) -> RunStatus:
    rows = (run.result or {}).get("tasks", [])
    tasks = tuple(TaskLine(r["name"], r["title"], r["status"], r["url"]) for r in rows)
    word = _WORDS.get(run.status, run.status)
    return RunStatus(run.id, word, run.reason, "", tasks)  # type: ignore[arg-type]
