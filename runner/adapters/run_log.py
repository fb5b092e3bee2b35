"""The rows of one run in one file: a JSON line each, appended, never changed.

A crash can tear only the line that was being written, which is the last one and was never
reported as saved: it is cut off when the run is opened for writing again, and ignored by readers.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from runner.adapters.durable import lock, make_folder, sync_folder, telling, write_all
from runner.errors import Outage
from runner.ports import Row

_FILE, _LOCK = "journal.jsonl", "lock"


class RunLog:
    """A run opened for writing by this process alone. Raises ``Outage`` when another has it."""

    def __init__(self, folder: Path, run: str) -> None:
        self._file = folder / _FILE
        with telling(f"open the journal of run {run} in {folder}"):
            make_folder(folder)
            self._lock = lock(
                folder / _LOCK,
                busy=f"run {run} is being worked on already; wait for it or end it",
            )
            try:
                self.rows, self._good = _read(self._file, run)
                self._descriptor = self._open()
            except (OSError, Outage):
                os.close(self._lock)
                raise

    def append(self, row: Row) -> Row:
        """Store a row durably, unless its key is taken; return the row that is stored."""
        key = row.task, row.seq
        if key not in self.rows:
            line = _line(row)
            with telling(f"save a step of run {row.run} in {self._file}"):
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


def read_rows(folder: Path, run: str) -> list[Row]:
    """Read the newest row of every cursor of a run that may be worked on right now.

    For showing only: takes no lock and changes nothing. Raises ``Outage`` for a damaged file.
    """
    with telling(f"read the journal of run {run} in {folder}"):
        return newest(_read(folder / _FILE, run)[0])


def newest(rows: dict[tuple[str, int], Row]) -> list[Row]:
    """Return the newest row of every cursor."""
    return list({row.task: row for _, row in sorted(rows.items())}.values())


def _read(file: Path, run: str) -> tuple[dict[tuple[str, int], Row], int]:
    """Return the rows and how many bytes of the file they take."""
    content = file.read_bytes() if file.exists() else b""
    lines = content.split(b"\n")[:-1]  # what follows the last line end is torn
    rows: dict[tuple[str, int], Row] = {}
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


def _line(row: Row) -> bytes:
    record = {"task": row.task, "seq": row.seq, "node": row.node, "data": row.data}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _row(run: str, line: bytes) -> Row:
    record = json.loads(line)
    return Row(run, str(record["task"]), int(record["seq"]), record["node"], dict(record["data"]))
