"""What the disk can do at most: the smallest durable writes, one at a time."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from time import perf_counter

_COUNT = 200


def rows_a_second(file: Path, content: bytes = b"") -> float:
    """Commit rows to a new SQLite file (WAL, synced), each in a transaction of its own."""
    with closing(sqlite3.connect(file, isolation_level=None)) as rows:
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            rows.execute(f"PRAGMA {pragma}")
        rows.execute("CREATE TABLE rows (content BLOB)")
        began = perf_counter()
        for _ in range(_COUNT):
            rows.execute("INSERT INTO rows VALUES (?)", (content,))
        return _COUNT / (perf_counter() - began)


def appends_a_second(file: Path, content: bytes) -> float:
    """Append to a new file and sync it after each time."""
    with file.open("ab", buffering=0) as out:
        began = perf_counter()
        for _ in range(_COUNT):
            out.write(content)
            os.fsync(out.fileno())
        return _COUNT / (perf_counter() - began)
