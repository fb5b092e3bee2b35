"""What operators' programs read: metrics, the queue, and single wakeups; for the admin token."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from aiohttp import web

from app.pages import answers
from app.pages.answers import problem
from app.pages.door import Door
from app.progress.waiting import WaitEstimate
from app.server.metrics import CONTENT_TYPE, RunMetrics, exposition
from app.store.counts import Counting, StoreCounts, WakeupRow
from app.version import version_of_cairn
from runner.ports import Clock


@dataclass(frozen=True)
class Operations:
    """The handlers; ``at_once`` is how many runs work side by side."""

    counting: Counting
    metrics: RunMetrics
    waiting: WaitEstimate
    clock: Clock

    async def prometheus(self, request: web.Request) -> web.StreamResponse:
        """Send the metrics."""
        counts = await self.counting.now()
        text = exposition(self.metrics, counts, self.clock, version_of_cairn())
        return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})

    async def queue(self, request: web.Request) -> web.StreamResponse:
        """Send how long the queue is, and how long a run takes."""
        stats = self._stats(await self.counting.now(), await self.waiting.places())
        return _json(stats | {"shares": [asdict(each) for each in await self.counting.shares()]})

    def _stats(self, counts: StoreCounts, places: int) -> dict[str, object]:
        since = counts.waits_since
        waited = (self.clock.now() - since).total_seconds() if since else None
        return {
            "waiting": counts.wakeups.get("waiting", 0),
            "at_work": counts.wakeups.get("sent", 0),
            "at_once": places,
            "oldest_waiting_seconds": None if waited is None else round(max(0.0, waited)),
            "run_seconds": self.waiting.typical,
            "runs": dict(sorted(counts.runs.items())),
            "deliveries": dict(sorted(counts.deliveries.items())),
            "open_proposals": counts.open_proposals,
        }

    async def wakeup(self, request: web.Request) -> web.StreamResponse:
        """Send one wakeup of a run."""
        found = await self.counting.wakeup(request.match_info["id"])
        if found is None:
            return problem(request, answers.NO_WAKEUP, status=404)
        return _json(_plain(found))

    async def position(self, request: web.Request) -> web.StreamResponse:
        """Send where a wakeup stands in the queue; 0 when it does not wait."""
        found = await self.counting.wakeup(request.match_info["id"])
        if found is None:
            return problem(request, answers.NO_WAKEUP, status=404)
        return _json({"id": found.id, "status": found.status, "position": found.position})

    def routes(self, door: Door) -> list[web.RouteDef]:
        """Return the routes, for who has the admin token."""
        return [
            web.get("/metrics", door.guarded(self.prometheus)),
            web.get("/queue/stats", door.guarded(self.queue)),
            web.get("/work-orders/{id}", door.guarded(self.wakeup)),
            web.get("/work-orders/{id}/position", door.guarded(self.position)),
        ]


def _json(data: dict[str, object]) -> web.Response:
    return web.json_response(data)


def _plain(wakeup: WakeupRow) -> dict[str, object]:
    data = asdict(wakeup)
    return {
        key: value.isoformat(timespec="seconds") if isinstance(value, datetime) else value
        for key, value in data.items()
    }
