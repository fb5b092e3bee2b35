"""``cairn audit`` and ``cairn purge``: what a server keeps, on the machine with its settings."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from app.settings import ServerSettings
    from app.store.database import Store

T = TypeVar("T")
MOST = 1_000_000


def audit(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
    repository: Annotated[str, typer.Option(help="Only this repository, as owner/name.")] = "",
    newest: Annotated[int, typer.Option(min=1, help="Only the newest N entries.")] = MOST,
) -> None:
    """Print who started, decided, merged and configured what, and every write to GitHub.

    Reads the server's database, with its settings; the server may run meanwhile.
    """
    from app.store.audit import AuditEntry, AuditLog
    from app.store.database import StoreError
    from app.terminal import one_line, say
    from runner.ports import SystemClock

    async def read(store: Store, _: ServerSettings) -> list[tuple[str, AuditEntry]]:
        log = AuditLog(store, SystemClock())
        names = await log.repositories()
        asked = next((id for id, name in names.items() if name.lower() == repository.lower()), None)
        if repository and asked is None:
            raise StoreError(f"This server knows no repository {repository}.")
        found = await log.newest(newest, repository_id=asked, writes=True)
        return [(names.get(each.repository_id or 0, ""), each) for each in found]

    found = _with_store(read)
    if not found and not json:
        say(f"The audit log has no entry{f' about {repository}' if repository else ''} yet.")
    for name, each in found:
        at = each.at.isoformat(timespec="seconds")
        line = f"{at}  {name}  {each.by or 'Cairn'}  {each.action}  {each.what}  {each.run}"
        row = asdict(each) | {"at": at, "repository": name}
        say(jsonlib.dumps(row) if json else one_line(line))


def purge() -> None:
    """Remove what the server's settings no longer keep, as the server does every night."""
    from app.runs.keeping import purge_folder, retention_of
    from app.terminal import say
    from runner.ports import SystemClock

    async def remove(store: Store, settings: ServerSettings) -> dict[str, int]:
        retention = retention_of(store, clock := SystemClock(), settings)
        oldest = clock.now() - timedelta(days=settings.cairn_keep_results_days)
        keep, gone = await retention.unfinished(), await retention.purge()
        return {**gone, "folders": purge_folder(settings.cairn_data_dir, oldest, keep)}

    rows = (f"{_REMOVED[what]:<24}{number:>8}" for what, number in _with_store(remove).items())
    say("\n".join(["Removed:", *rows]))


_REMOVED = {
    "deliveries": "webhooks",
    "answers": "answers of models",
    "files": "files of runs",
    "audit": "entries of the audit log",
    "spending": "records of spending",
    "folders": "folders of runs",
}
"""What people call the tables that lose rows."""


def _with_store(work: Callable[[Store, ServerSettings], Awaitable[T]]) -> T:
    """Do something with the server's database; what keeps it from that is told; exit code 2."""
    from app.settings import SettingsError, load_server_settings
    from app.store.database import StoreError, open_current
    from runner.errors import Outage

    async def done() -> T:
        settings = load_server_settings()
        store = await open_current(settings.database_url.get_secret_value())
        try:
            return await work(store, settings)
        finally:
            await store.close()

    try:
        return asyncio.run(done())
    except (SettingsError, StoreError, Outage) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error
