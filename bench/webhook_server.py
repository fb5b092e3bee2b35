"""The servers that are measured, each in a process of its own.

``python -m bench.webhook_server cairn|bare FOLDER`` prints its port and serves until its
standard input ends.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from app.logs import set_up_logging
from app.server.http import build_app
from app.server.webhook import LIMIT, signed
from app.store.database import open_store
from app.store.deliveries import Deliveries
from runner.ports import SystemClock
from tests.app.server.webhooks import SECRET


@asynccontextmanager
async def cairn(folder: Path) -> AsyncIterator[web.Application]:
    """The real application on a real database; nothing works on what was stored."""
    set_up_logging("info", secrets=[SECRET])
    store = await open_store(f"sqlite:///{folder}/cairn.db")
    yield build_app(
        secret=SECRET,
        deliveries=Deliveries(store, SystemClock()),
        on_delivery=lambda: None,
        events={"issue_comment"},
        readiness={"database": store.check},
    )
    await store.close()


@asynccontextmanager
async def bare(folder: Path) -> AsyncIterator[web.Application]:
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
        rows.execute("INSERT INTO deliveries VALUES (?, ?)", row)
        return web.Response(status=202)

    app = web.Application(client_max_size=LIMIT)
    app.router.add_post("/webhook", receive)
    yield app
    rows.close()


async def main(which: str, folder: Path) -> None:
    """Serve until standard input ends."""
    async with {"cairn": cairn, "bare": bare}[which](folder) as app:
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
