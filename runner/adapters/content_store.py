"""Contents in files named by their git blob sha: written once, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from runner.adapters.durable import make_folder, sync_folder, telling, write_all
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
                self._write(file, content)

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

    def _write(self, file: Path, content: bytes) -> None:
        make_folder(file.parent)
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
        temporary = Path(name)
        try:
            try:
                write_all(descriptor, content)
            finally:
                os.close(descriptor)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(file.parent)
