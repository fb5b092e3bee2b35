"""The servers that are measured, each in a process of its own.

``python -m bench.webhook_server cairn|silent|bare|plain FOLDER`` prints its port and serves until
its standard input ends. The silent and the plain one store nothing.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from aiohttp import web

from app.dispatch import has_work
from app.features import COMMANDS
from app.logs import set_up_logging
from app.server.http import build_app
from app.server.webhook import LIMIT, signed
from app.store.database import open_store
from app.store.deliveries import Deliveries
from app.store.proposals import StoredProposals
from runner.ports import SystemClock
from tests.app.server.webhooks import SECRET


async def _always(_name: str, _payload: object) -> bool:
    return True


@asynccontextmanager
async def cairn(folder: Path, *, stores: bool = True) -> AsyncIterator[web.Application]:
    """The real application on a real database; nothing works on what was stored."""
    set_up_logging("info", secrets=[SECRET])
    store = await open_store(f"sqlite:///{folder}/cairn.db")
    proposals = StoredProposals(store, SystemClock())
    yield build_app(
        secret=SECRET,
        deliveries=Deliveries(store, SystemClock()),
        on_delivery=lambda: None,
        handles=_always if stores else partial(has_work, COMMANDS, proposals),
        readiness={"database": store.check},
    )
    await store.close()


@asynccontextmanager
async def bare(folder: Path, *, stores: bool = True) -> AsyncIterator[web.Application]:
    """The least that could be right: check the signature, write one synced row, answer."""
    rows = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        rows.execute(f"PRAGMA {pragma}")
    rows.execute("CREATE TABLE deliveries (id TEXT PRIMARY KEY, payload BLOB)")

    async def receive(request: web.Request) -> web.Response:
        body = await request.read()
        if not signed(body, request.headers["X-Hub-Signature-256"], SECRET):
            raise web.HTTPForbidden
        row = (request.headers["X-GitHub-Delivery"], body)
        if stores:
            rows.execute("INSERT INTO deliveries VALUES (?, ?)", row)
        return web.Response(status=202)

    app = web.Application(client_max_size=LIMIT)
    app.router.add_post("/webhook", receive)
    yield app
    rows.close()


async def main(which: str, folder: Path) -> None:
    """Serve until standard input ends."""
    make = cairn if which in ("cairn", "silent") else bare
    async with make(folder, stores=which in ("cairn", "bare")) as app:
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
