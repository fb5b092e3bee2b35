"""Put together what tells the operator's own systems of events: a file, a webhook, or neither."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import aiohttp

from app.github.pulls import PREFIX
from app.jobs.event_sender import EventSender, EventWebhook
from app.jobs.notices import Notices, addresses
from app.settings import RunSettings, ServerSettings
from app.store.database import Store
from app.store.outbox import Outbox
from app.store.runs import RunRequest
from handlers.events import PullClosed
from runner.files.events_file import EventsFile
from runner.loop.announcing import Announcer, EventSink
from runner.loop.recorder import Isolated
from runner.ports import Clock, Events, Fanout
from runner.state.events import CheckpointMerged, RunChanged, RunQueued

_RUN = re.compile(rf"{PREFIX}([0-9a-f]+)/")


def events_file(settings: RunSettings) -> tuple[EventSink, ...]:
    """The file that the settings name, if they do."""
    return (EventsFile(settings.cairn_events_file),) if settings.cairn_events_file else ()


@dataclass(frozen=True)
class Outward:
    """Tells the operator's own systems what happens; ``on_bug`` gets exceptions that are bugs."""

    clock: Clock
    mask: Callable[[str], str]
    sinks: tuple[EventSink, ...] = ()
    on_bug: Callable[[Exception], None] | None = None
    kept: dict[str, Events] = field(default_factory=dict)

    def of_run(self, repository: str) -> Events:
        """The listener of one run."""
        if not self.sinks:
            return Fanout()
        return Isolated(Announcer(self.sinks, repository, self.clock, mask=self.mask), self.on_bug)

    async def queued(self, run: RunRequest) -> None:
        """A run was asked for; told twice it is sent once."""
        by = str(run.request.get("by") or "")
        event = RunQueued(run.id, "", run.roadmap, by, run.issue or 0)
        await self._of(run.repository.full_name).emit(event)

    async def ready(self, run: RunRequest) -> None:
        """The first turn of a run has come; told twice it is sent once."""
        await self._of(run.repository.full_name).emit(RunChanged(run.id, "", "ready"))

    async def merged(self, event: PullClosed) -> None:
        """A pull request from a branch of ours was merged; told twice it is sent once."""
        run = found[1] if (found := _RUN.match(event.branch)) else ""
        told = CheckpointMerged(run, "", event.issue, event.branch, event.sender.login)
        await self._of(event.repository.full_name).emit(told)

    def _of(self, repository: str) -> Events:
        """The listener of what no run tells itself: it stays, so that nothing it holds is lost."""
        return self.kept.setdefault(repository, self.of_run(repository))


@asynccontextmanager
async def with_senders(
    outward: Outward,
    settings: ServerSettings,
    store: Store,
    rest: Callable[[float], Awaitable[None]],
    pass_on: Callable[[str], Awaitable[bool]],
) -> AsyncIterator[tuple[Outward, tuple[EventSender, ...]]]:
    """Let events go to the webhook of the settings, too, and notices to their addresses.

    No sender is started: only when the engine works may something else write. The engine makes its
    tables in the thread of the event loop, and a transaction left open there would wait for it.
    """
    url, secret, clock = settings.cairn_events_url, settings.cairn_events_secret, outward.clock
    sender = partial(EventSender, clock=clock, rest=rest, pass_on=pass_on, on_bug=outward.on_bug)
    async with aiohttp.ClientSession() as session:
        senders: list[EventSender] = []
        sinks: list[EventSink] = []
        if url and secret:
            known = url.get_secret_value(), secret.get_secret_value()
            webhook = EventWebhook(session, *known, clock)
            senders.append(sender(Outbox(store, clock), webhook.send))
            sinks.append(senders[0])
        for each in await asyncio.to_thread(addresses, settings.cairn_notify):
            kept = Outbox(store, clock, channel=each.channel)
            senders.append(sender(kept, each.send, receiver=each.name))
            sinks.append(Notices(senders[-1]))
        yield replace(outward, sinks=(*outward.sinks, *sinks), kept={}), tuple(senders)
