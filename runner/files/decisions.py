"""The ``Decisions`` port in one file that only grows, and the list of runs in a folder.

Each line of ``decisions.jsonl`` is a decision, or says which step took one. A line that is not a
record (a crash, an editor) is ignored and reported.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from runner.errors import Outage
from runner.files.durable import make_folder, sync_folder, translating_errors, write_all, write_file
from runner.ports import Decision

MOST_BYTES = 8 << 20
"""Of the entire file; years of decisions need a hundredth of it."""
LONGEST_LINE = 256 << 10

log = logging.getLogger(__name__)
_checked = cache(TypeAdapter)  # made when there is something to read: that takes a while


@dataclass(frozen=True, slots=True)
class Stored:
    """A decision about a task of ``run``; ``step`` took it ('' as long as none has)."""

    id: str
    run: str
    decision: Decision
    step: str = ""


class FileDecisions:
    """The inbox of a folder, for any number of processes. Methods raise ``Outage``."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._reported: set[bytes] = set()

    async def waiting(self, run: str) -> tuple[str, ...]:
        """Return the tasks with a decision not applied yet, the oldest first."""
        found = await asyncio.to_thread(self.stored)
        return tuple(
            dict.fromkeys(each.decision.task for each in found if each.run == run and not each.step)
        )

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        """Hand the oldest open decision to a step; a step that asks again gets the same."""
        return await asyncio.to_thread(self._take, run, task, step)

    def stored(self) -> list[Stored]:
        """Return every decision, the oldest first."""
        with translating_errors(f"read {self._file}"):
            content = self._read()
        found: dict[str, Stored] = {}
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.strip() and not _fold(found, line) and line not in self._reported:
                self._reported.add(line)
                log.warning("%s: line %d is not a decision and is ignored", self._file, number)
        return list(found.values())

    def store(self, run: str, decision: Decision) -> Decision | None:
        """Store a decision; if this proposal already has one, return that one instead."""
        with self._alone() as descriptor:
            for each in self.stored():
                same = each.decision.fingerprint == decision.fingerprint
                if same and (each.run, each.decision.task) == (run, decision.task):
                    return each.decision
            self._append(descriptor, id=secrets.token_hex(6), run=run, decision=asdict(decision))
        return None

    def _take(self, run: str, task: str, step: str) -> Decision | None:
        if not self._file.exists():
            return None
        with self._alone() as descriptor:
            about = [s for s in self.stored() if (s.run, s.decision.task) == (run, task)]
            mine = next((s for s in about if s.step == step), None)
            if mine is None and (mine := next((s for s in about if not s.step), None)):
                self._append(descriptor, taken=mine.id, step=step)
        return mine.decision if mine else None

    def _read(self) -> bytes:
        if not self._file.exists():
            return b""
        if self._file.stat().st_size > MOST_BYTES:
            raise Outage(
                "file", f"{self._file} has more than {MOST_BYTES >> 20} MB. Move it away and retry"
            )
        return self._file.read_bytes()

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """Open the file for appending; a second process waits for its turn."""
        with translating_errors(f"write {self._file}"):
            make_folder(self._file.parent)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            descriptor = os.open(self._file, flags, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield descriptor
            finally:
                os.close(descriptor)

    def _append(self, descriptor: int, **record: object) -> None:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        line = json.dumps(record, separators=(",", ":")).encode()
        write_all(descriptor, b"\n" * torn + line + b"\n")
        sync_folder(self._file.parent)


def _fold(found: dict[str, Stored], line: bytes) -> bool:
    """Read one record; False if it is not one."""
    if len(line) > LONGEST_LINE:
        return False
    try:
        record: Any = json.loads(line)
        if "taken" in record:
            known = found[record["taken"]]
            found[known.id] = known if known.step else replace(known, step=str(record["step"]))
        else:
            decision = _checked(Decision).validate_python(record["decision"])
            id = str(record["id"])
            found.setdefault(id, Stored(id, str(record["run"]), decision))
    except (ValueError, KeyError, TypeError, RecursionError, ValidationError):
        return False
    return True


State = Literal["working", "interrupted", "paused", "waiting", "ended", "cancelled", "stopped"]
OVER: frozenset[State] = frozenset({"ended", "cancelled", "stopped"})
_NAME = "run.json"

COMPARISON = "comparison"
"""What a run that compares models is a replay of: of nothing that happened."""


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run of the folder. ``began`` is a time stamp; ``reason`` and ``until`` are of a pause.

    ``sandbox``, ``max_cost`` (USD) and ``max_tokens`` are what it was asked for with, which going
    on with it keeps. ``lifted`` are the limits of the repository's file (``cost``, ``tokens``) that
    a limit took the place of when it was continued. ``replay_of`` is the run that it plays again,
    or ``COMPARISON`` ('' for real work); only such a one is ``stopped``.
    """

    id: str
    roadmap: str = ""
    state: State = "working"
    began: float = 0.0
    sandbox: str = ""
    max_cost: float | None = None
    max_tokens: int | None = None
    lifted: tuple[Literal["cost", "tokens"], ...] = ()
    reason: str = ""
    until: datetime | None = None
    replay_of: str = ""


class FileRuns:
    """The runs below a folder of journals. Methods raise ``Outage``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, run: KnownRun) -> None:
        """Store a run's status."""
        data = json.dumps(asdict(run), default=datetime.isoformat)
        write_file(self._folder / run.id / _NAME, data.encode())

    def forget(self, run: str) -> None:
        """Remove a run that did nothing, with its journal."""
        with translating_errors(f"remove run {run}"):
            shutil.rmtree(self._folder / run)

    def all(self, *, replays: bool = False) -> list[KnownRun]:
        """Return the runs that have begun, the newest first; ``replays`` did no work."""
        with translating_errors(f"read the runs in {self._folder}"):
            journals = list(self._folder.glob("*/journal.jsonl"))
            found = [_read(path.parent) for path in journals if path.stat().st_size]
        found = [run for run in found if replays or not run.replay_of]
        return sorted(found, key=lambda run: run.began, reverse=True)

    def showed(self, fingerprint: str) -> str:
        """Return a run that once had a proposal whose fingerprint begins so, '' for none."""
        words = f'"fingerprint":"{fingerprint}'.encode("utf-8", "replace")
        for run in self.all():
            with translating_errors(f"read the journal of run {run.id}"):
                if words in (self._folder / run.id / "journal.jsonl").read_bytes():
                    return run.id
        return ""


def _read(folder: Path) -> KnownRun:
    """A run that says it works without a process that holds its lock was interrupted."""
    try:
        # the word of older versions for a run that waits for people
        text = (folder / _NAME).read_bytes().replace(b'"state": "resting"', b'"state": "waiting"')
        run: KnownRun = _checked(KnownRun).validate_json(text)
    except (FileNotFoundError, ValidationError):
        run = KnownRun(folder.name, began=(folder / "journal.jsonl").stat().st_mtime)
    run = replace(run, id=folder.name)
    if run.state == "working" and not _is_held(folder / "lock"):
        return replace(run, state="interrupted")
    return run


def _is_held(file: Path) -> bool:
    try:
        with suppress(FileNotFoundError), file.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
