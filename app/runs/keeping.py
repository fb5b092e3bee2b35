"""Takes away what is older than the operator keeps it: at the start, and then every night."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Collection
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Final

from app.background import BackgroundWork
from app.runs.parts import ServerParts
from app.settings import WorkSettings
from app.store.database import Store
from app.store.retention import Retention
from runner.errors import Outage
from runner.ports import Clock

log = logging.getLogger(__name__)

PURGE: Final = "purge"
"""The topic of what the leader tells when it has taken rows away."""

NIGHT = time(3, tzinfo=UTC)


def retention_of(store: Store, clock: Clock, settings: WorkSettings) -> Retention:
    """How long the settings say that things are kept."""
    return Retention(
        store,
        clock,
        deliveries=settings.cairn_keep_deliveries_days,
        results=settings.cairn_keep_results_days,
        audit=settings.cairn_keep_audit_days,
    )


class Keeping(BackgroundWork):
    """The leader's nightly work on the database; each process looks after its own folder."""

    def __init__(self, parts: ServerParts) -> None:
        super().__init__("The removal of what is old", parts.around.on_bug)
        self._parts, self._clock = parts, parts.around.clock
        self._retention = retention_of(parts.store, self._clock, parts.settings)

    async def start(self) -> None:
        """Begin."""
        self.begin(self._work())

    async def _work(self) -> None:
        while True:
            self.quiet.clear()
            try:
                gone = {
                    table: rows for table, rows in (await self._retention.purge()).items() if rows
                }
                if gone:
                    log.info("Removed because they were old: %s", gone)
                await self._parts.others.tell(PURGE)
                await self.purge_folder()
            except Outage as outage:
                log.warning("What is old is removed later: %s", outage.message)
            self.quiet.set()
            now = self._clock.now().astimezone(UTC)
            night = datetime.combine(now.date(), NIGHT)
            night += timedelta(days=1) if night <= now else timedelta()
            await self._parts.around.rest((night - now).total_seconds())

    async def purge_folder(self, _: object = None) -> None:
        """Remove from this process's folder what old runs left behind. Raises ``Outage``."""
        settings, keep = self._parts.settings, await self._retention.unfinished()
        oldest = self._clock.now() - timedelta(days=settings.cairn_keep_results_days)
        await asyncio.to_thread(purge_folder, settings.cairn_data_dir, oldest, keep)


def purge_folder(data: Path, oldest: datetime, keep: Collection[str]) -> int:
    """Remove what runs left behind in a data folder before a time; return how many runs."""
    runs = data.glob("executor/*/runs/*")
    old = [run for run in runs if run.name not in keep and run.stat().st_mtime < oldest.timestamp()]
    for run in old:
        shutil.rmtree(run, ignore_errors=True)
    return len(old)
