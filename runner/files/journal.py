"""The journal and answers ports in plain files, for the command line.

``<folder>/<run>/journal.jsonl`` holds the rows, one JSON line each; ``<folder>/contents/`` holds
what they refer to, in files named by git blob sha. A crash can damage only the last line, which was
never reported as saved: readers ignore it, and opening the run for writing cuts it off.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from runner.errors import Outage
from runner.files.durable import (
    lock,
    make_folder,
    sync_folder,
    translating_errors,
    write_all,
    write_file,
)
from runner.ports import Journal, JournalRow
from runner.prompts.questions import Answer
from runner.state.changes import blob_sha
from runner.text.mask import masked


class AnswerFiles:
    """One file an answer: ``<folder>/<run>/answers/<name>.json``.

    ``mask`` hides the process's own secrets, by value alone: an answer must stay exact.
    """

    def __init__(self, folder: Path, *, mask: Callable[[str], str] = str) -> None:
        self._folder = folder
        self._mask = mask

    async def recall(self, run: str, question: str) -> Answer | None:
        """Return the answer to a question of the run, if there was one."""
        return await asyncio.to_thread(self._read, self._file(run, question))

    async def keep(self, run: str, question: str, answer: Answer) -> None:
        """Store an answer durably, once. Raises ``Outage`` when the disk refuses."""
        await asyncio.to_thread(self._write, self._file(run, question), answer)

    async def paid(self, run: str = "*", *, since: float = 0.0) -> list[Answer]:
        """Return every answer of the run, or of all, that was kept since a time; in no order."""

        def read() -> list[Answer | None]:
            files = self._folder.glob(f"{run}/answers/*.json")
            return [self._read(file) for file in files if file.stat().st_mtime >= since]

        return [answer for answer in await asyncio.to_thread(read) if answer]

    def _file(self, run: str, question: str) -> Path:
        name = hashlib.sha256(question.encode()).hexdigest()[:20]
        return self._folder / run / "answers" / f"{name}.json"

    def _write(self, file: Path, answer: Answer) -> None:
        if not file.exists():
            # in ASCII: a model may say half of a surrogate pair, which UTF-8 cannot hold
            write_file(file, json.dumps(masked(asdict(answer), self._mask)).encode())

    def _read(self, file: Path) -> Answer | None:
        try:
            return Answer(**json.loads(file.read_bytes()))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, TypeError) as error:
            raise Outage("journal", f"{file} cannot be read: {error}. Remove it.") from error


class ContentStore:
    """A folder of contents: ``ab/cdef…`` holds the blob ``abcdef…``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, sha: str, content: bytes) -> None:
        """Store a content durably (nothing to do if it exists). Raises ``Outage``."""
        if blob_sha(content) != sha:
            raise ValueError(f"{sha} is not the blob sha of the content given with it")
        file = self._file(sha)
        with translating_errors(f"save a content of the run in {self._folder}"):
            if not file.exists():
                write_file(file, content)

    def keep(self, sha: str, content: bytes) -> None:
        """Store a content that can be found elsewhere: never partly, but a crash may lose it."""
        file = self._file(sha)
        with translating_errors(f"save a content of the folder in {self._folder}"):
            if file.exists() and file.stat().st_size == len(content):
                return
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_name(f".new-{os.getpid()}-{file.name}")
            temporary.write_bytes(content)
            temporary.replace(file)

    def get(self, sha: str) -> bytes:
        """Return a content. Raises ``Outage`` when it is missing or damaged."""
        with translating_errors(f"read content {sha} of the run"):
            content = self._file(sha).read_bytes()
        if blob_sha(content) != sha:
            raise Outage(
                "journal",
                f"{self._file(sha)} is damaged: it is not what was saved. Restore it, or start a "
                "new run",
            )
        return content

    def _file(self, sha: str) -> Path:
        return self._folder / sha[:2] / sha[2:]


_FILE, _LOCK = "journal.jsonl", "lock"


class RunLog:
    """A run opened for writing by this process alone. Raises ``Outage`` when another has it."""

    def __init__(self, folder: Path, run: str) -> None:
        self._file = folder / _FILE
        with translating_errors(f"open the journal of run {run} in {folder}"):
            make_folder(folder)
            self._lock = lock(
                folder / _LOCK,
                busy=f"run {run} is already being worked on; wait for it or stop it",
            )
            try:
                self.rows, self._good = _read(self._file, run)
                self._descriptor = self._open()
            except (OSError, Outage):
                os.close(self._lock)
                raise

    def append(self, row: JournalRow) -> JournalRow:
        """Store a row durably, unless its key is taken; return the row that is stored."""
        key = row.task, row.seq
        if key not in self.rows:
            line = _line(row)
            with translating_errors(f"save a step of run {row.run} in {self._file}"):
                # cuts off what an append before this one left behind when it failed half-way
                os.ftruncate(self._descriptor, self._good)
                write_all(self._descriptor, line)
            self._good += len(line)
            self.rows[key] = _row(row.run, line)
        return self.rows[key]

    def close(self) -> None:
        """Give the run back."""
        os.close(self._descriptor)
        os.close(self._lock)

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self._file, flags, 0o600)
        os.ftruncate(descriptor, self._good)
        os.fsync(descriptor)
        sync_folder(self._file.parent)
        return descriptor


def read_rows(folder: Path, run: str) -> list[JournalRow]:
    """Read the newest row of every cursor of a run that may be worked on right now.

    For showing only: takes no lock and changes nothing. Raises ``Outage`` for a damaged file.
    """
    with translating_errors(f"read the journal of run {run} in {folder}"):
        return newest(_read(folder / _FILE, run)[0])


def every_row(folder: Path, run: str) -> list[JournalRow]:
    """Read all rows of a run, as they were saved one after another. Raises ``Outage``."""
    with translating_errors(f"read the journal of run {run} in {folder}"):
        return list(_read(folder / _FILE, run)[0].values())


def newest(rows: dict[tuple[str, int], JournalRow]) -> list[JournalRow]:
    """Return the newest row of every cursor."""
    return list({row.task: row for _, row in sorted(rows.items())}.values())


def _read(file: Path, run: str) -> tuple[dict[tuple[str, int], JournalRow], int]:
    """Return the rows and how many bytes of the file they take."""
    content = file.read_bytes() if file.exists() else b""
    lines = content.split(b"\n")[:-1]  # what follows the last line end is torn
    rows: dict[tuple[str, int], JournalRow] = {}
    good = 0
    for number, line in enumerate(lines, 1):
        try:
            row = _row(run, line)
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):  # a power cut can leave zeros where the last line was
                break
            raise Outage(
                "journal",
                f"{file}: line {number} is damaged ({error}). Restore the file, or start a new run",
            ) from error
        rows.setdefault((row.task, row.seq), row)
        good += len(line) + 1
    return rows, good


def _line(row: JournalRow) -> bytes:
    record = {"task": row.task, "seq": row.seq, "node": row.node, "data": row.data}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _row(run: str, line: bytes) -> JournalRow:
    record = json.loads(line)
    return JournalRow(
        run, str(record["task"]), int(record["seq"]), record["node"], dict(record["data"])
    )


_CONTENTS = "contents"
_RUN = re.compile(r"(?!contents$)[A-Za-z0-9][A-Za-z0-9._-]*")


class FileJournal(Journal):
    """Rows and contents of runs in a folder; a run belongs to one process until ``close``.

    Saving or recalling a run takes it: a second process gets an ``Outage`` at once, before anything
    is asked or written twice. ``mask`` hides the process's own secrets in rows (by value alone,
    because a row must stay exact). ``JournalView`` looks at one that another works on.
    """

    def __init__(self, folder: Path, *, mask: Callable[[str], str] = str) -> None:
        self._folder = folder
        self._mask = mask
        self._contents = ContentStore(folder / _CONTENTS)
        self._logs: dict[str, RunLog] = {}
        # a thread's lock, not a coroutine's: a cancelled save goes on writing in its thread
        self._turn = threading.Lock()

    async def save(self, row: JournalRow, contents: dict[str, bytes]) -> JournalRow:
        """Store the row (once) and, before it, its contents. Raises ``Outage``."""
        return await asyncio.to_thread(self._save, row, contents)

    async def recall(self, run: str) -> list[JournalRow]:
        """Return the newest row of every cursor of the run. Raises ``Outage``."""
        return await asyncio.to_thread(self._recall, run)

    async def content(self, sha: str) -> bytes:
        """Return a content that was saved. Raises ``Outage`` when it is missing or damaged."""
        return await asyncio.to_thread(self._contents.get, sha)

    async def close(self) -> None:
        """Give all runs back; doing it twice is harmless."""
        await asyncio.to_thread(self._close)

    def _save(self, row: JournalRow, contents: dict[str, bytes]) -> JournalRow:
        with self._turn:
            log = self._log(row.run)
            for sha, content in contents.items():
                self._contents.put(sha, content)
            return log.append(replace(row, data=masked(row.data, self._mask)))

    def _recall(self, run: str) -> list[JournalRow]:
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

    async def save(self, row: JournalRow, contents: dict[str, bytes]) -> JournalRow:
        """Refuse."""
        raise AssertionError("a view of a journal stores nothing")

    def _recall(self, run: str) -> list[JournalRow]:
        return read_rows(self._folder / run, run)
