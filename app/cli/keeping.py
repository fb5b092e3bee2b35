"""``cairn audit``: what a server keeps of who did what, read where its settings are."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from dataclasses import asdict
from typing import Annotated

import typer

MOST = 1_000_000


def audit(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
    repository: Annotated[str, typer.Option(help="Only this one, as owner/name.")] = "",
    newest: Annotated[int, typer.Option(min=1, help="At most so many entries.")] = MOST,
) -> None:
    """Print who started, decided, merged and configured what, and every write to GitHub.

    Reads the server's database, with its settings; the server may run meanwhile.
    """
    from app.settings import SettingsError, load_server_settings
    from app.store.audit import AuditEntry, AuditLog
    from app.store.database import StoreError, open_current
    from app.terminal import one_line
    from runner.errors import Outage
    from runner.ports import SystemClock

    async def read() -> list[AuditEntry]:
        url = load_server_settings().database_url.get_secret_value()
        store = await open_current(url)
        try:
            log = AuditLog(store, SystemClock())
            return await log.newest(newest, repository=repository, writes=True)
        finally:
            await store.close()

    try:
        entries = asyncio.run(read())
    except (SettingsError, StoreError, Outage) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error
    for each in entries:
        at = each.at.isoformat(timespec="seconds")
        line = f"{at}  {each.by or 'Cairn'}  {each.action}  {each.what}  {each.run}"
        print(jsonlib.dumps(asdict(each) | {"at": at}) if json else one_line(line))
