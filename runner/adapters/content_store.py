"""Contents in files named by their git blob sha: written once, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from runner.adapters.durable import telling, write_file
from runner.errors import Outage
from runner.snapshot import blob_sha


class ContentStore:
    """A folder of contents: ``ab/cdef…`` holds the blob ``abcdef…``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, sha: str, content: bytes) -> None:
        """Store a content durably (nothing to do when it is there). Raises ``Outage``."""
        if blob_sha(content) != sha:
            raise ValueError(f"{sha} is not the blob sha of the content given with it")
        file = self._file(sha)
        with telling(f"save a content of the run in {self._folder}"):
            if not file.exists():
                write_file(file, content)

    def keep(self, sha: str, content: bytes) -> None:
        """Store a content that can be had again elsewhere: whole, but a crash may lose it."""
        file = self._file(sha)
        with telling(f"save a content of the folder in {self._folder}"):
            if file.exists() and file.stat().st_size == len(content):
                return
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_name(f".new-{os.getpid()}-{file.name}")
            temporary.write_bytes(content)
            temporary.replace(file)

    def get(self, sha: str) -> bytes:
        """Return a content. Raises ``Outage`` when it is missing or damaged."""
        with telling(f"read content {sha} of the run"):
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
