"""Read a roadmap from a file or standard input, and put a new one in its place.

Remember which bases' tests were seen to start, and keep git from seeing Cairn's own folder.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from runner.errors import PortError
from runner.files.durable import take_folder
from runner.roadmap.source import MOST_BYTES, too_large

STDIN = "-"


_MOST_STARTED = 200


@contextmanager
def started_bases(file: Path) -> Iterator[set[str]]:
    """Yield the bases that a file lists, and write it when there are more; a bad file has none."""
    found: list[str] = []
    with suppress(OSError, ValueError):
        listed = json.loads(file.read_text())
        found = [key for key in listed if isinstance(key, str)] if isinstance(listed, list) else []
    known = set(found)
    yield known
    if new := sorted(known - set(found)):
        with suppress(OSError):  # it is only to save time
            file.write_text(json.dumps([*found, *new][-_MOST_STARTED:]))


class UnusableRoadmap(Exception):
    """What was asked for cannot be done; the message says why and what to do.

    ``code`` is the exit code: 2 for wrong use, settings and files.
    """

    code = 2


class NoModel(UnusableRoadmap):
    """No model could be asked, for now."""

    code = 4


def read_roadmap(name: str) -> bytes:
    """Return the bytes of a file (``-``: of standard input); its encoding does not matter.

    Raises ``UnusableRoadmap``: not there, a folder, not readable, larger than roadmaps are read.
    """
    content = sys.stdin.buffer.read(MOST_BYTES + 1) if name == STDIN else _read(name)
    if len(content) > MOST_BYTES and name == STDIN:
        raise UnusableRoadmap(
            f"Standard input has more than {MOST_BYTES:,} bytes, which is too large."
        )
    return content


def beside(folder: Path) -> list[str]:
    """Markdown files a roadmap could be: at the top of a folder and one level below."""
    found = [*folder.glob("*.[mM][dD]"), *folder.glob("*/*.[mM][dD]")]
    return [file.relative_to(folder).as_posix() for file in found if file.is_file()]


def replace_unless_changed(name: str, before: bytes, after: bytes) -> None:
    """Write ``after`` to a file that still has the bytes ``before``, all or nothing.

    A link stays one, and the mode is kept. Raises ``UnusableRoadmap``.
    """
    target = Path(name).resolve()
    if _read(name) != before:
        raise UnusableRoadmap(
            f"{name} changed in the meantime, so it was left as it is. Run the same command again "
            "to use the file as it is now."
        )
    try:
        _replace(target, after)
    except OSError as error:
        raise UnusableRoadmap(f"{name} cannot be written: {error.strerror}.") from error


def write_new(name: str, content: bytes) -> None:
    """Write a file that is not there yet. Raises ``UnusableRoadmap``."""
    try:
        with Path(name).open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise UnusableRoadmap(f"{name} already exists; name a new file, or use --write.") from None
    except (OSError, ValueError) as error:
        raise UnusableRoadmap(f"{name} cannot be written: {_reason(error)}.") from error


def _read(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if why := too_large(size):
                raise UnusableRoadmap(f"{name} cannot be used: {why}")
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise UnusableRoadmap(
            f"{name} does not exist; name another file, or - for standard input."
        ) from None
    except IsADirectoryError:
        raise UnusableRoadmap(f"{name} is a folder; name a file in it.") from None
    except (OSError, ValueError) as error:
        raise UnusableRoadmap(f"{name} cannot be read: {_reason(error)}.") from error
    if why := too_large(len(content)):
        raise UnusableRoadmap(f"{name} cannot be used: {why}")
    return content


def _reason(error: OSError | ValueError) -> str:
    return str(getattr(error, "strerror", None) or error)


def _replace(target: Path, content: bytes) -> None:
    mode = target.stat().st_mode & 0o7777
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def hide_from_git(folder: Path) -> None:
    """Keep git from seeing what Cairn leaves in its own folder. Raises ``OSError``."""
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")


def take(folder: Path) -> int:
    """Let one command at a time change the checkout, and keep git from seeing what it leaves.

    Returns the lock, to be closed. Raises ``PortError``.
    """
    taken = take_folder(folder, name=str(folder))
    try:
        hide_from_git(folder)
    except OSError as error:
        os.close(taken)
        why = f"{folder / '.gitignore'} cannot be written: {error.strerror}"
        raise PortError("file", why) from error
    return taken
