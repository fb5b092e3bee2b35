"""Writing so that it is still there after a crash: synced files, synced folders, one writer.

A file is only as durable as the folder entry that names it, so both are synced
(https://man7.org/linux/man-pages/man2/fsync.2.html).

"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.errors import Outage


@contextmanager
def translating_errors(doing: str) -> Iterator[None]:
    """Turn the system's errors into an ``Outage`` that says what could not be done."""
    try:
        yield
    except OSError as error:
        name = str(error.filename or "")
        place = f" ({name})" if name and name not in doing else ""
        advice = "Free some space, or give access to it"
        if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError) and name:
            # of a path below a file the system names all, and the file is what is in the way
            there = next(each for each in (Path(name), *Path(name).parents) if each.exists())
            advice = f"Move {there} away"
        raise Outage("file", f"cannot {doing}: {error.strerror}{place}. {advice}") from error


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, durably."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make what was created, renamed or removed in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    """Write and sync all of it."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def write_file(file: Path, content: bytes) -> None:
    """Write a file completely or not at all, durably, its folder too. Raises ``Outage``."""
    with translating_errors(f"write {file}"):
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


def lock(file: Path, *, busy: str) -> int:
    """Take a file's lock and return its descriptor; closing that, or dying, gives the lock back.

    Raises ``Outage`` with ``busy`` and the holder's process id when another one has it.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace")
        os.close(descriptor)
        raise Outage("journal", f"{busy} (process {holder or 'unknown'})") from error
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def take_folder(folder: Path, *, name: str) -> int:
    """Let this process alone work with a folder, made when missing; see ``lock``."""
    with translating_errors(f"use {name}"):
        make_folder(folder)
        return lock(folder / "lock", busy=f"Another Cairn uses {name}; stop it first")
