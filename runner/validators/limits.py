"""How much one change set may write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runner.changes import ChangeSet
from runner.findings import Complaint


@dataclass(frozen=True, slots=True)
class Limits:
    """``files`` in one change set (deletions count), bytes of one file, bytes of all together."""

    files: int = 100
    file_bytes: int = 1 << 20
    total_bytes: int = 4 << 20


def check(changes: ChangeSet, limits: Limits) -> Iterator[Complaint]:
    """Yield what is too large."""
    sizes = {path: len(write.content) for path, write in changes.files.items() if write}
    for path, size in sizes.items():
        if size > limits.file_bytes:
            yield _too_large(path, f"The file has {size} bytes; {limits.file_bytes} are allowed.")
    if len(changes.files) > limits.files:
        yield _too_large("", f"{len(changes.files)} files are changed; {limits.files} are allowed.")
    if sum(sizes.values()) > limits.total_bytes:
        total = f"{sum(sizes.values())} bytes are written; {limits.total_bytes} are allowed."
        yield _too_large("", total)


def _too_large(path: str, message: str) -> Complaint:
    return Complaint(path, "TooLarge", message)
