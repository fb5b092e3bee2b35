"""A tree as one tar, and the list of what must be in the workspace after it was unpacked."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import PurePosixPath

from runner.changes import ChangeSet
from runner.snapshot import EXECUTABLE, SUBMODULE, SYMLINK, Snapshot

# git mode and content; a symlink's content is its target, a submodule's is not looked at
File = tuple[str, bytes]


def tree_files(
    base: Snapshot, blobs: Mapping[str, bytes], changes: ChangeSet | None = None
) -> dict[str, File]:
    """Return base tree + change set with contents; ``blobs`` holds those of ``base`` by sha.

    Raises ``KeyError`` when a content of the base is not among the blobs.
    """
    changes = changes or ChangeSet()
    written = {path: write.content for path, write in changes.files.items() if write is not None}
    files: dict[str, File] = {}
    for path, entry in changes.entries(base).items():
        if entry.mode == SUBMODULE:
            files[path] = (SUBMODULE, b"")
        else:
            files[path] = (entry.mode, written[path] if path in written else blobs[entry.sha])
    return files


def build_tar(files: Mapping[str, File]) -> bytes:
    """Pack a tree; the same tree gives the same bytes. Submodules become empty folders."""
    buffer = io.BytesIO()
    # the GNU format writes names as they are, the POSIX one re-codes those that are not UTF-8
    with tarfile.open(
        fileobj=buffer,
        mode="w",
        format=tarfile.GNU_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    ) as tar:
        for path, (mode, content) in sorted(files.items()):
            member = _member(path, mode, content)
            tar.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return buffer.getvalue()


def manifest(files: Mapping[str, File]) -> list[bytes]:
    """List what the workspace must hold, as ``find`` and ``sha256sum`` would tell it.

    Records end in NUL: first ``d PATH``, ``f MODE PATH`` and ``l PATH -> TARGET`` in byte order,
    then ``SHA256  PATH`` of every file in order of its path.
    """
    entries = [b"d " + _found(path) for path in _folders(files)]
    sums: list[tuple[bytes, bytes]] = []
    for path, (mode, content) in files.items():
        if mode == SYMLINK:
            entries.append(b"l " + _found(path) + b" -> " + content)
        elif mode != SUBMODULE:
            entries.append(b"f %o " % _permissions(mode) + _found(path))
            sums.append((_found(path), hashlib.sha256(content).hexdigest().encode()))
    records = sorted(entries) + [digest + b"  " + path for path, digest in sorted(sums)]
    return [record + b"\0" for record in records]


def _member(path: str, mode: str, content: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.mode = _permissions(mode)
    if mode == SYMLINK:
        member.type = tarfile.SYMTYPE
        member.linkname = content.decode("utf-8", "surrogateescape")
    elif mode == SUBMODULE:
        member.type = tarfile.DIRTYPE
    else:
        member.size = len(content)
    return member


def _permissions(mode: str) -> int:
    return 0o755 if mode in (EXECUTABLE, SUBMODULE) else 0o644


def _folders(files: Mapping[str, File]) -> set[str]:
    above = {str(p) for path in files for p in PurePosixPath(path).parents if str(p) != "."}
    return above | {path for path, (mode, _) in files.items() if mode == SUBMODULE}


def _found(path: str) -> bytes:
    return b"./" + path.encode("utf-8", "surrogateescape")
