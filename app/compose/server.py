"""The composition root of the server: names the concrete classes and puts them together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

import aiohttp
from aiohttp import web

from app.compose.pages import run_links
from app.compose.parts import open_parts
from app.compose.work import Working, working
from app.github.client import Connection
from app.github.deliveries import HookDeliveries
from app.github.identity import AppIdentity
from app.jobs.event_sender import OUTBOX
from app.jobs.inbox import CatchUp, Inbox
from app.jobs.member import Duty, Membership
from app.jobs.worker import Worker
from app.proposals.polling import Poller
from app.runs.limits import Ceilings
from app.runs.outward import with_senders
from app.runs.parts import ROLE, Role, Surroundings
from app.runs.places import Places
from app.server.http import build_app
from app.settings import ServerSettings
from app.traces import traced
from handlers.webhooks import WEBHOOKS
from runner.ports import SystemClock
from runner.sandbox.choose import SandboxChoice
from runner.text.mask import Mask

WORKED = tuple(each.name for each in WEBHOOKS)
"""The events that have work here."""

__all__ = ["Server", "Surroundings", "server"]


@dataclass(frozen=True)
class Server:
    """Everything that runs: the web application, the inbox of deliveries and the worker."""

    app: web.Application
    inbox: Inbox
    worker: Worker
    poller: Poller
    catch_up: CatchUp
    places: Places
    sandbox: SandboxChoice
    slots: int
    idle: Callable[[], Awaitable[None]]
    """Waits until every delivery is handled, no poll is due and no run can continue."""


@asynccontextmanager
async def server(
    settings: ServerSettings, around: Surroundings | None = None, role: Role = ROLE
) -> AsyncIterator[Server]:
    """Build the server, take up what an earlier process left, and close it in order.

    Raises ``StoreError`` when the database cannot be used, ``Outage`` when no sandbox works.
    """
    around = around or Surroundings(SystemClock())

    def identify(session: aiohttp.ClientSession, mask: Mask, others: Membership) -> AppIdentity:
        return AppIdentity(
            Connection(
                session,
                settings.github_api_url,
                around.clock,
                around.sleep,
                mask,
                retry=Ceilings(settings).of_github,
            ),
            app_id=str(settings.github_app_id),
            private_key=settings.github_app_private_key.get_secret_value(),
            certain=others.certain,
        )

    async with AsyncExitStack() as stack:
        links = run_links(settings, around.clock)
        parts = await open_parts(settings, around, stack, identify, links, role)
        sending = with_senders(
            parts.outward, settings, parts.store, around.rest, parts.others.pass_on
        )
        outward, senders = await stack.enter_async_context(sending)
        parts = replace(parts, outward=outward)
        identity = parts.identity
        if not isinstance(identity, AppIdentity):
            raise TypeError("only an App has deliveries")
        found: list[CatchUp] = []

        def duties(work: Working) -> Iterator[Duty]:
            """What the leader does besides the work itself."""
            for sender in senders:
                yield Duty(sender.start, sender.stop, OUTBOX, sender.look)
            found.append(
                CatchUp(
                    HookDeliveries(identity.app),
                    work.deliveries,
                    take=work.inbox.look,
                    events=WORKED,
                    clock=around.clock,
                    rest=around.rest,
                    on_bug=around.on_bug,
                )
            )
            yield Duty(found[0].start, found[0].stop)

        also = await stack.enter_async_context(traced(settings, parts.mask))
        work = await stack.enter_async_context(working(parts, also, duties))
        (catch_up,) = found
        app = build_app(
            secret=settings.github_webhook_secret,
            deliveries=work.deliveries,
            on_delivery=work.inbox.look,
            handles=work.handles,
            readiness={
                "database": parts.store.check,
                "engine": work.engine.check,
                "sandbox": parts.sandbox.sandbox.check,
                "disk": parts.folders.check,
            },
            routes=work.watch.routes,
        )
        app.on_shutdown.append(work.watch.on_shutdown)

        async def idle() -> None:
            await catch_up.idle()
            await work.idle()
            for sender in senders:
                await sender.idle()

        slots = parts.others.slots or settings.cairn_concurrency
        sandbox, own = parts.sandbox, (work.inbox, work.worker, work.poller)
        yield Server(app, *own, catch_up, work.places, sandbox, slots, idle)
