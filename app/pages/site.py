"""The routes of the pages: the runs, one run, one task of it, and the files it left."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web

from app.pages import answers
from app.pages.answers import answer, asset, problem
from app.pages.door import Door
from app.pages.stream import Streams
from app.pages.task_view import task_view
from app.pages.timeline import MOST, worked
from app.pages.view import Listing, RunFilter, Sight, run_line, run_view
from app.progress.waiting import WaitEstimate
from app.runs.live import OVER, Hub
from app.store.runs import Run, SavedStep, StoredRuns
from app.store.wakeups import WORKING
from runner.files.kept import KeptFiles
from runner.money import Usage, total
from runner.people.report import markdown, report, todos
from runner.people.run_view import usage_by_node
from runner.people.task_detail import TaskDetail
from runner.state.run_state import RunState
from runner.text.mask import masked

TIMELINE = 50
"""Events a page shows."""

_REMEMBERED = 1_000


@dataclass(frozen=True, kw_only=True)
class Pages:
    """The handlers of ``/runs``. ``recall`` folds the journal of a run, None when it has none.

    ``steps`` are a run's saved steps, at most so many; ``kept`` are the files of its repository's
    runs; ``detail`` is a task (by its key) that the run took up. ``server_url`` is GitHub's, for
    links; ``mask`` hides secrets in whatever is shown.
    """

    stored: StoredRuns
    listing: Listing
    waiting: WaitEstimate
    hub: Hub
    recall: Callable[[Run], Awaitable[RunState | None]]
    steps: Callable[[str, int], Awaitable[list[SavedStep]]]
    kept: Callable[[Run], Awaitable[KeptFiles]]
    detail: Callable[[Run, RunState, str], Awaitable[TaskDetail]]
    server_url: str
    mask: Callable[[str], str]
    used: OrderedDict[tuple[str, datetime], Usage | None] = field(default_factory=OrderedDict)

    async def runs(self, request: web.Request) -> web.StreamResponse:
        """List the runs newest first, as filtered."""
        status, repository = (request.query.get(key, "") for key in ("status", "repository"))
        before = request.query.get("before", "")
        if status and status not in answers.STATUSES:
            return problem(request, answers.NO_STATUS, status=400)
        if before and not (before.isascii() and before.isdigit() and len(before) < 19):
            return problem(request, answers.NO_NUMBER, status=400)
        wanted = RunFilter(status, repository, int(before) if before else None)
        found = await self.listing.find(wanted)
        data = {
            "runs": [await self._line(run) for run in found.runs],
            "filter": {"status": status, "repository": repository},
            "repositories": await self.listing.repositories(),
            "first_page": not before,
            "older": _older(wanted, found.older),
        }
        return answer(request, "runs", masked(data, self.mask))

    async def run(self, request: web.Request) -> web.StreamResponse:
        """Show one run as it is now."""
        row = await self.stored.get(request.match_info["id"])
        if row is None:
            return problem(request, answers.NO_RUN, status=404)
        hub = self.hub
        messages = tuple(hub.newest(row.id, TIMELINE))  # before the state: none is missed
        sight = Sight(
            run=row,
            status=self._status(row),
            state=await self._state(row),
            turn=await self.waiting.turn(row.id),
            messages=messages,
            steps=tuple(worked(await self.steps(row.id, MOST))),
        )
        kept = await self.kept(row)
        names = await asyncio.to_thread(kept.names, row.id)
        data = run_view(sight, self.server_url) | {"artifacts": _artifacts(sight, names)}
        return answer(request, "run", masked(data, self.mask))

    async def task(self, request: web.Request) -> web.StreamResponse:
        """Show one task of a run in full."""
        row = await self.stored.get(request.match_info["id"])
        state = await self._state(row) if row else None
        key = request.match_info["key"]
        if row is None or state is None or key not in state.attempts:
            return problem(request, answers.NO_TASK, status=404)
        sight = Sight(run=row, status=self._status(row), state=state)
        detail = await self.detail(row, state, key)
        data = task_view(sight, detail, self.server_url)
        # a change may be large, and masking it take seconds
        return answer(request, "task", await asyncio.to_thread(masked, data, self.mask))

    async def artifact(self, request: web.Request) -> web.StreamResponse:
        """Send one file of a run as text or JSON, whatever asks."""
        row, name = await self.stored.get(request.match_info["id"]), request.match_info["name"]
        found = await self._content(row, name) if row else None
        if found is None:
            return problem(request, answers.NO_FILE, status=404)
        kind = "application/json" if name.endswith(".json") else "text/plain"
        return web.Response(
            text=await asyncio.to_thread(self.mask, found), content_type=kind, charset="utf-8"
        )

    async def _content(self, row: Run, name: str) -> str | None:
        """A file of a run: what it wrote, or a report of how it stands."""
        if name not in REPORTS:
            kept = await self.kept(row)
            content = await asyncio.to_thread(kept.read, row.id, name)
            return None if content is None else content.decode(errors="replace")
        state = await self._state(row)
        if state is None:
            return None
        files = await self.kept(row)
        return REPORTS[name](await asyncio.to_thread(files.referenced, state))

    async def _line(self, run: Run) -> dict[str, Any]:
        sight = Sight(run=run, status=self._status(run), state=None)
        return run_line(sight, self.server_url, await self._usage(run))

    async def _usage(self, run: Run) -> Usage | None:
        """What a run used; journals of runs that rest are read once."""
        if state := self.hub.state(run.id):
            return total(usage_by_node(state).values())
        key = run.id, run.updated_at
        if key not in self.used:
            state = await self.recall(run)
            self.used[key] = total(usage_by_node(state).values()) if state else None
            while len(self.used) > _REMEMBERED:
                self.used.popitem(last=False)
        return self.used[key]

    async def _state(self, run: Run) -> RunState | None:
        return self.hub.state(run.id) or await self.recall(run)

    def _status(self, run: Run) -> str:
        """The row's word, but the run's own last word where that is newer than the row."""
        status = self.hub.status(run.id)
        ended = status in OVER or status == "paused"
        return status if ended and run.status in WORKING else run.status


def routes(pages: Pages, door: Door, *, heartbeat: float = 15.0) -> list[web.RouteDef]:
    """Return the routes; ``heartbeat`` is seconds of silence in a stream of events."""
    streams = Streams(pages.hub, pages.stored, heartbeat=heartbeat)
    return [
        web.get("/", door.home),
        web.get("/runs", door.guarded(pages.runs)),
        web.get("/runs/{id}", door.of_run(pages.run)),
        web.get("/runs/{id}/tasks/{key}", door.of_run(pages.task)),
        web.get("/runs/{id}/artifacts/{name}", door.of_run(pages.artifact)),
        web.get("/runs/{id}/events", door.of_run(streams.events), allow_head=False),
        web.get("/login", door.form),
        web.post("/login", door.login),
        web.post("/logout", door.logout),
        web.get("/static/{name}", asset),
    ]


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


REPORTS: Mapping[str, Callable[[RunState], str]] = {
    "report.md": markdown,
    "report.json": lambda state: _json(report(state)),
    "todos.json": lambda state: _json(todos(state)),
}
"""The reports of a run as it stands, by the name of their file."""


def _artifacts(sight: Sight, names: list[str]) -> list[dict[str, str]]:
    """The files of a run, each with its address."""
    place = f"/runs/{quote(sight.run.id, safe='')}/artifacts"
    every = [*(REPORTS if sight.state else ()), *names]
    return [{"name": name, "url": f"{place}/{name}"} for name in every]


def _older(wanted: RunFilter, before: int | None) -> str | None:
    if before is None:
        return None
    query = {"status": wanted.status, "repository": wanted.repository, "before": str(before)}
    return "/runs?" + urlencode({key: value for key, value in query.items() if value})
