"""The composition root of the server: names the concrete classes and puts them together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

import aiohttp
from aiohttp import web

from app.compose.pages import run_links
from app.compose.parts import open_parts
from app.compose.work import working
from app.github.deliveries import HookDeliveries
from app.github.identity import AppIdentity
from app.jobs.inbox import CatchUp, Inbox
from app.jobs.worker import Worker
from app.proposals.polling import Poller
from app.runs.outward import with_webhook
from app.runs.parts import Surroundings
from app.server.http import build_app
from app.settings import ServerSettings
from handlers.webhooks import WEBHOOKS
from runner.ports import SystemClock
from runner.sandbox.choose import SandboxChoice
from runner.text.mask import Mask

WORKED = tuple(each.name for each in WEBHOOKS)
"""The events that have work here; others are stored as ignored."""

__all__ = ["Server", "Surroundings", "server"]


@dataclass(frozen=True)
class Server:
    """Everything that runs: the web application, the inbox of deliveries and the worker."""

    app: web.Application
    inbox: Inbox
    worker: Worker
    poller: Poller
    catch_up: CatchUp
    sandbox: SandboxChoice
    idle: Callable[[], Awaitable[None]]
    """Waits until every delivery is handled, no poll is due and no run can continue."""


@asynccontextmanager
async def server(
    settings: ServerSettings, around: Surroundings | None = None
) -> AsyncIterator[Server]:
    """Build the server, take up what an earlier process left, and close it in order.

    Raises ``StoreError`` when the database cannot be used, ``Outage`` when no sandbox works.
    """
    around = around or Surroundings(SystemClock())

    def identify(session: aiohttp.ClientSession, mask: Mask) -> AppIdentity:
        return AppIdentity(
            app_id=str(settings.github_app_id),
            private_key=settings.github_app_private_key.get_secret_value(),
            api_url=settings.github_api_url,
            session=session,
            clock=around.clock,
            sleep=around.sleep,
            mask=mask,
        )

    async with AsyncExitStack() as stack:
        links = run_links(settings, around.clock)
        parts = await open_parts(settings, around, stack, identify, links)
        sending = with_webhook(parts.outward, settings, parts.store, around.rest)
        outward, sender = await stack.enter_async_context(sending)
        parts = replace(parts, outward=outward)
        work = await stack.enter_async_context(working(parts))
        if sender:
            await sender.start()
        app = build_app(
            secret=settings.github_webhook_secret,
            deliveries=work.deliveries,
            on_delivery=work.inbox.put,
            events=WORKED,
            readiness={
                "database": parts.store.check,
                "engine": work.engine.check,
                "sandbox": parts.sandbox.sandbox.check,
            },
            routes=work.watch.routes,
        )
        app.on_shutdown.append(work.watch.on_shutdown)
        identity = parts.identity
        if not isinstance(identity, AppIdentity):
            raise TypeError("only an App has deliveries")
        catch_up = CatchUp(
            HookDeliveries(identity.app),
            work.deliveries,
            take=work.inbox.put,
            events=WORKED,
            clock=around.clock,
            rest=around.rest,
            on_bug=around.on_bug,
        )
        stack.push_async_callback(catch_up.stop)
        catch_up.start()

        async def idle() -> None:
            await catch_up.idle()
            await work.idle()
            if sender:
                await sender.idle()

        yield Server(app, work.inbox, work.worker, work.poller, catch_up, parts.sandbox, idle)
