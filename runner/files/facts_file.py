"""What is known of the contents of files, kept in one file from process to process.

Records are only added. Whatever cannot be read (another version, a cut or damaged record) counts as
not known and is learned again; a file that grew too large is begun anew.
"""

from __future__ import annotations

import fcntl
import logging
import struct
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

from runner.context.facts import FORMAT, FileFacts, unpacked

log = logging.getLogger(__name__)

MOST_BYTES = 400_000_000
"""Of the file; 20,000 files take about 60 MB."""

_HEAD = b"cairn facts %d\n" % FORMAT
_RECORD = struct.Struct("<20s16sII")
"""Blob sha, language, size and checksum of what follows."""

_Key = tuple[str, str]


class FactsFile:
    """A ``FactsStore`` in the file ``path``. Not being able to read or write it fails nothing."""

    def __init__(self, path: Path, *, most: int = MOST_BYTES) -> None:
        self._path = path
        self._most = most
        self._content: bytes | None = None
        self._damaged = False
        self._places: dict[_Key, tuple[int, int, int]] = {}

    def get(self, sha: str, language: str) -> FileFacts | None:
        """Return what was kept of a blob, if it is whole."""
        if self._content is None:
            self._read()
        place = self._places.get((sha, language))
        if place is None or self._content is None:
            return None
        start, size, checksum = place
        record = self._content[start : start + size]
        try:
            return unpacked(record) if crc32(record) == checksum else None
        except ValueError:
            return None

    def put(self, new: Mapping[_Key, FileFacts]) -> None:
        """Add these to the file."""
        records = b"".join(_record(key, facts) for key, facts in new.items())
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # another process may add to it as well
                file.seek(0)
                whole = file.read(len(_HEAD)) == _HEAD
                if not whole or self._damaged or file.seek(0, 2) + len(records) > self._most:
                    file.truncate(0)
                    file.write(_HEAD)
                    self._damaged = False
                file.write(records)
        except OSError as error:
            log.warning("What is known of files could not be kept: %s", error)

    def _read(self) -> None:
        self._content = b""
        try:
            with self._path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                self._content = file.read(self._most + 1)
        except OSError:
            return
        if not self._content.startswith(_HEAD):
            return
        at = len(_HEAD)
        while at + _RECORD.size <= len(self._content):
            sha, language, size, checksum = _RECORD.unpack_from(self._content, at)
            at += _RECORD.size
            name = language.rstrip(b"\0").decode("ascii", "replace")
            self._places[sha.hex(), name] = at, size, checksum
            at += size
        self._damaged = at != len(self._content)


def _record(key: _Key, facts: FileFacts) -> bytes:
    sha, language = key
    content = facts.packed()
    name = language.encode("ascii")
    return _RECORD.pack(bytes.fromhex(sha), name, len(content), crc32(content)) + content
