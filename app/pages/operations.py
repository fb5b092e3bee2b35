"""What operators' programs read: metrics and the queue; for the admin token."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from aiohttp import web

from app.pages.door import Door
from app.progress.waiting import WaitEstimate
from app.server.metrics import CONTENT_TYPE, RunMetrics, exposition
from app.store.counts import Counting, StoreCounts
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
        return web.json_response(
            stats | {"shares": [asdict(each) for each in await self.counting.shares()]}
        )

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

    def routes(self, door: Door) -> list[web.RouteDef]:
        """Return the routes, for who has the admin token."""
        return [
            web.get("/metrics", door.guarded(self.prometheus)),
            web.get("/queue/stats", door.guarded(self.queue)),
        ]
