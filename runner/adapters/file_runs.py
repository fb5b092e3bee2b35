"""Which runs there were in a folder and how they stand: one small file beside each journal."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from runner.adapters.durable import telling, write_file

State = Literal["working", "interrupted", "paused", "resting", "ended", "cancelled"]
OVER: frozenset[State] = frozenset({"ended", "cancelled"})
_NAME = "run.json"


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run of the folder. ``began`` is a time stamp; ``reason`` and ``until`` are of a pause.

    ``sandbox``, ``max_cost`` (USD) and ``max_tokens`` are what it was asked for with, which going
    on with it keeps.
    """

    id: str
    roadmap: str = ""
    state: State = "working"
    began: float = 0.0
    sandbox: str = ""
    max_cost: float | None = None
    max_tokens: int | None = None
    reason: str = ""
    until: datetime | None = None


_KNOWN = TypeAdapter(KnownRun)


class FileRuns:
    """The runs below a folder of journals. Methods raise ``Outage``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, run: KnownRun) -> None:
        """Say how a run stands now."""
        data = _KNOWN.dump_python(run, mode="json")
        write_file(self._folder / run.id / _NAME, json.dumps(data).encode())

    def all(self) -> list[KnownRun]:
        """Return the runs that have begun, the newest first."""
        with telling(f"read the runs in {self._folder}"):
            journals = list(self._folder.glob("*/journal.jsonl"))
            found = [_read(path.parent) for path in journals if path.stat().st_size]
        return sorted(found, key=lambda run: run.began, reverse=True)

    def showed(self, fingerprint: str) -> str:
        """Return a run that once had a proposal whose fingerprint begins so, '' for none."""
        words = f'"fingerprint":"{fingerprint}'.encode("utf-8", "replace")
        for run in self.all():
            with telling(f"read the journal of run {run.id}"):
                if words in (self._folder / run.id / "journal.jsonl").read_bytes():
                    return run.id
        return ""


def _read(folder: Path) -> KnownRun:
    """A run that says it works without a process that holds its lock was interrupted."""
    try:
        run = _KNOWN.validate_json((folder / _NAME).read_bytes())
    except (FileNotFoundError, ValidationError):
        run = KnownRun(folder.name, began=(folder / "journal.jsonl").stat().st_mtime)
    run = replace(run, id=folder.name)
    if run.state == "working" and not _is_held(folder / "lock"):
        return replace(run, state="interrupted")
    return run


def _is_held(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
