"""What runs leave behind, where several processes have data folders of their own.

The database has every file; the folder of a process is a copy of those that it wrote or was asked
for. What is written is masked before.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractAsyncContextManager
from operator import methodcaller
from pathlib import Path

import sqlalchemy as sa
from cachetools import LRUCache

from app.store.database import Store, insert_into
from app.store.schema import files as table
from runner.errors import Outage
from runner.files.results import MEMORY, FileMemory, RunFiles
from runner.ports import MemoryNote
from runner.state.events import Event

log = logging.getLogger(__name__)

_MOST_KNOWN = 50_000


class StoredFiles:
    """The files of one repository; ``folder`` holds the copies."""

    def __init__(self, store: Store, repository_id: int, folder: Path) -> None:
        self._store = store
        self._repository = repository_id
        self._folder = folder
        self._known: LRUCache[str, str] = LRUCache(_MOST_KNOWN)

    async def fetch(self, run: str = "") -> None:
        """Copy what others wrote about a run ('': about none) here. Raises ``Outage``."""
        mine = (table.c.repository_id == self._repository) & (table.c.run == run)
        found = await self._store.rows(sa.select(table.c.name, table.c.sha).where(mine))
        for name in [name for name, sha in found if self._known.get(name) != sha]:
            query = sa.select(table.c.sha, table.c.content).where(mine, table.c.name == name)
            for sha, content in await self._store.rows(query):
                await asyncio.to_thread(self._write, name, content)
                self._known[name] = sha

    async def keep(self, names: Iterable[str], run: str = "") -> None:
        """Store files of the folder. Raises ``Outage`` and ``OSError``."""
        for name in names:
            content = await asyncio.to_thread((self._folder / name).read_bytes)
            sha = hashlib.sha256(content).hexdigest()
            key = {"repository_id": self._repository, "run": run, "name": name}
            values = {"sha": sha, "content": content}
            insert = insert_into(self._store.dialect, table).values(key | values)
            put = insert.on_conflict_do_update(index_elements=list(key), set_=values)
            await self._store.insert(methodcaller("execute", put))
            self._known[name] = sha

    async def drop(self, name: str) -> None:
        """Forget a file that is about no run. Raises ``Outage``."""
        here = (table.c.repository_id == self._repository) & (table.c.run == "")
        await self._store.change(sa.delete(table).where(here, table.c.name == name))
        self._known.pop(name, None)

    def _write(self, name: str, content: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.fetched")
        temporary.write_bytes(content)
        temporary.replace(path)


class SharedMemory:
    """The ``Memory`` port where others remember, too: one writes at a time (``turn``)."""

    def __init__(
        self, own: FileMemory, files: StoredFiles, turn: AbstractAsyncContextManager[object]
    ) -> None:
        self._own, self._files, self._turn = own, files, turn

    async def recall(self, words: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
        """Return what helps."""
        await self._files.fetch()
        return await self._own.recall(words, paths)

    async def notes(self) -> tuple[MemoryNote, ...]:
        """Return every note, the oldest first."""
        await self._files.fetch()
        return await self._own.notes()

    async def remember(self, notes: Collection[MemoryNote]) -> None:
        """Add notes to what all remember."""
        if not notes:
            return
        async with self._turn:
            await self._files.fetch()
            await self._own.remember(list(notes))
            await self._files.keep([MEMORY])

    async def forget(self, about: str = "") -> int:
        """Forget what is known about a subject ('': everything); return how many notes."""
        async with self._turn:
            await self._files.fetch()
            forgotten = await self._own.forget(about)
            await (self._files.keep([MEMORY]) if about else self._files.drop(MEMORY))
        return forgotten


class SharedRunFiles:
    """Writes what a run leaves behind, and stores it; what cannot be stored now is stored later."""

    def __init__(self, own: RunFiles, files: StoredFiles) -> None:
        self._own, self._files = own, files
        self._left: dict[str, str] = {}

    @property
    def files_of(self) -> Callable[[str, int], tuple[str, ...]]:
        """The files about an attempt."""
        return self._own.files_of

    async def emit(self, event: Event) -> None:
        """Write what the event reports."""
        await self._own.emit(event)
        for name in self._own.take_written():
            self._left[name] = event.run if name.startswith("runs/") else ""
        for name, run in list(self._left.items()):
            try:
                await self._files.keep([name], run)
            except (Outage, OSError) as error:
                log.warning("A run file is not stored yet: %s", error)
                return
            del self._left[name]
