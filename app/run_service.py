"""The runs of this server as handlers see them: start, status, cancel, resume."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from app.store.runs import Run, RunRequest, Runs, Status
from handlers.events import User
from handlers.runs import Queued, RunRequested, RunStatus, Started, TaskLine

_STOPPABLE: tuple[Status, ...] = ("queued", "paused", "running", "cancelling")
_PAUSED: tuple[Status, ...] = ("paused",)
_WORDS = {"running": "working", "cancelling": "working"}


class RunService:
    """Implements ``handlers.runs.Runs`` on the runs table.

    ``wake`` tells the worker to look, ``at_once`` is how many runs it drives side by side.
    """

    def __init__(
        self,
        runs: Runs,
        *,
        roadmap_of: Callable[[RunRequested], Awaitable[str]],
        wake: Callable[[], None],
        at_once: int,
    ) -> None:
        self._runs = runs
        self._roadmap_of = roadmap_of
        self._wake = wake
        self._at_once = at_once

    async def start(self, request: RunRequested) -> Started | Queued:
        """Queue the run once; say its position if others are before it."""
        await self._runs.insert(_row(request, await self._roadmap_of(request)))
        before = await self._before(request.run)
        self._wake()
        return Queued(request.run, before + 1) if before else Started(request.run)

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        """Return the runs of the issue, newest first."""
        return tuple(_status(run) for run in await self._runs.by_issue(repository_id, issue))

    async def cancel(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Stop what waits at once and what works at its next node."""
        stopped = []
        for run in await self._runs.by_issue(repository_id, issue):
            reason = f"cancelled by {by.login}"
            if await self._runs.set_status(run.id, "cancelling", allowed=_STOPPABLE, reason=reason):
                stopped.append(run.id)
        self._wake()
        return tuple(stopped)

    async def resume(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Queue the paused runs of the issue again."""
        resumed = []
        for run in await self._runs.by_issue(repository_id, issue):
            if await self._runs.set_status(run.id, "queued", allowed=_PAUSED):
                resumed.append(run.id)
        self._wake()
        return tuple(resumed)

    async def _before(self, id: str) -> int:
        """How many runs a queued one waits for; 0 when it can start or has done so."""
        unfinished = await self._runs.by_status("running", "cancelling", "queued")
        row = next((run for run in unfinished if run.id == id and run.status == "queued"), None)
        if row is None:
            return 0
        ahead = unfinished[: unfinished.index(row)]
        stack = (row.repository_id, row.roadmap)
        same = sum((run.repository_id, run.roadmap) == stack for run in ahead)
        return same or (len(ahead) if len(ahead) >= self._at_once else 0)


def _row(request: RunRequested, roadmap: str) -> RunRequest:
    return RunRequest(
        id=request.run,
        delivery=request.delivery,
        repository_id=request.repository.id,
        repository=request.repository.full_name,
        installation_id=request.installation_id,
        issue=request.issue,
        roadmap=roadmap,
        base_branch=request.repository.default_branch,
        request={**asdict(request.command), "by": request.by.login, "by_id": request.by.id},
    )


def _status(run: Run) -> RunStatus:
    rows = (run.result or {}).get("tasks", [])
    tasks = tuple(TaskLine(r["name"], r["title"], r["status"], r["url"]) for r in rows)
    word = _WORDS.get(run.status, run.status)
    return RunStatus(run.id, word, run.reason, "", tasks)  # type: ignore[arg-type]
