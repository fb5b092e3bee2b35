"""The journal port in plain files: for the command line, which must not pay for a database.

``<folder>/<run>/journal.jsonl`` holds the rows, ``<folder>/contents/`` what they refer to.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from runner.adapters.content_store import ContentStore
from runner.adapters.run_log import RunLog, newest, read_rows
from runner.masking import masked
from runner.ports import Journal, Row

_CONTENTS = "contents"
_RUN = re.compile(r"(?!contents$)[A-Za-z0-9][A-Za-z0-9._-]*")


class FileJournal(Journal):
    """Rows and contents of runs in a folder; a run belongs to one process until ``close``.

    Saving or recalling a run takes it: whoever comes second gets an ``Outage`` at once, before
    anything is asked or written twice. ``mask`` hides the process's own secrets in rows (by value
    alone, for a row must stay exact). ``JournalView`` looks at one that another works on.
    """

    def __init__(self, folder: Path, *, mask: Callable[[str], str] = str) -> None:
        self._folder = folder
        self._mask = mask
        self._contents = ContentStore(folder / _CONTENTS)
        self._logs: dict[str, RunLog] = {}
        # a thread's lock, not a coroutine's: a cancelled save goes on writing in its thread
        self._turn = threading.Lock()

    async def save(self, row: Row, contents: dict[str, bytes]) -> Row:
        """Store the row (once) and, before it, its contents. Raises ``Outage``."""
        return await asyncio.to_thread(self._save, row, contents)

    async def recall(self, run: str) -> list[Row]:
        """Return the newest row of every cursor of the run. Raises ``Outage``."""
        return await asyncio.to_thread(self._recall, run)

    async def content(self, sha: str) -> bytes:
        """Return a content that was saved. Raises ``Outage`` when it is missing or damaged."""
        return await asyncio.to_thread(self._contents.get, sha)

    async def close(self) -> None:
        """Give all runs back; doing it twice is harmless."""
        await asyncio.to_thread(self._close)

    def _save(self, row: Row, contents: dict[str, bytes]) -> Row:
        with self._turn:
            log = self._log(row.run)
            for sha, content in contents.items():
                self._contents.put(sha, content)
            return log.append(replace(row, data=masked(row.data, self._mask)))

    def _recall(self, run: str) -> list[Row]:
        with self._turn:
            return newest(self._log(run).rows)

    def _close(self) -> None:
        with self._turn:
            while self._logs:
                self._logs.popitem()[1].close()

    def _log(self, run: str) -> RunLog:
        if not _RUN.fullmatch(run):
            raise ValueError(f"a run is named by letters, digits, '.', '_' and '-', not {run!r}")
        if run not in self._logs:
            self._logs[run] = RunLog(self._folder / run, run)
        return self._logs[run]


class JournalView(FileJournal):
    """The same journal to look at only: it takes no run, and stores nothing."""

    async def save(self, row: Row, contents: dict[str, bytes]) -> Row:
        """Refuse."""
        raise AssertionError("a view of a journal stores nothing")

    def _recall(self, run: str) -> list[Row]:
        return read_rows(self._folder / run, run)
