"""What a person has installed in a checkout: the packages in its ``node_modules`` folders.

Git does not have them, so no workspace has them either. They are copied, once for each state they
are in: tests get links to the copy, so that nothing they write reaches the person's own folders.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.sandbox.prepared import MODULES, PreparedFolders, made

log = logging.getLogger(__name__)

MOST_FILES = 250_000
"""Folders with more files than this are not copied."""

_PROJECT, _KEY = "checkout", "node_modules"
_NAME = "node_modules"
_DEEPEST = 6
# what tools keep there between two runs
_CACHES = frozenset({".cache", ".vite", ".vite-temp", ".vitest"})
_READ_ONLY = ~0o222


class _TooMuch(Exception):
    """There is more than should be copied."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file (size and time), a link (where it leads) or a folder, by its path below the top."""

    path: str
    kind: str
    target: str = ""


def copy_of_installed(
    checkout: Path, folders: PreparedFolders, *, most: int = MOST_FILES
) -> Path | None:
    """Return the folder that holds a copy of what is installed; or None.

    It is made again if the person has installed something else, or if somebody has written into the
    copy. More than ``most`` files are not copied. Raises ``Outage`` when the disk refuses.
    """
    found = sorted(folders_of_node(checkout))
    try:
        entries = _all(checkout, found, most)
    except _TooMuch:
        log.warning(
            "node_modules has more than %s files, so it is not copied: the tests run without it. "
            "Install what they need with sandbox.setup.",
            f"{most:,}",
        )
        return None
    if not entries:
        return None
    state = _digest(entries)
    kept = folders.find(_PROJECT, _KEY)
    if kept and folders.about(kept) == state and _unchanged(made(kept), found, state):
        return kept
    with folders.making(_PROJECT, _KEY, about=state) as kept:
        for entry in entries:
            _copy(checkout, entry, made(kept))
        (made(kept) / MODULES).write_text("".join(f"./{folder}\n" for folder in found))
    return kept


def folders_of_node(checkout: Path) -> Iterator[str]:
    """The ``node_modules`` folders of a checkout, without those inside of one."""
    for top, names, _ in os.walk(checkout):
        here = os.path.relpath(top, checkout)
        if _NAME in names:
            yield _NAME if here == "." else f"{here}/{_NAME}"
        deep = here.count(os.sep) >= _DEEPEST
        names[:] = () if deep else [n for n in names if n != _NAME and not n.startswith(".")]


def _all(top: Path, folders: Sequence[str], most: int) -> list[_Entry]:
    """What the folders hold, in a fixed order. Raises ``_TooMuch``."""
    entries: list[_Entry] = []
    for folder in folders:
        for entry in _entries(top, folder):
            entries.append(entry)
            if len(entries) > most:
                raise _TooMuch
    return entries


def _entries(top: Path, folder: str) -> Iterator[_Entry]:
    """All below a folder, each folder before what is in it; caches are left out."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        yield _Entry(here, "folder")
        for found in sorted(os.scandir(top / here), key=lambda each: each.name):
            path = f"{here}/{found.name}"
            if found.is_symlink():
                yield _Entry(path, "link", _target(top, path))
            elif found.is_dir():
                if here != folder or found.name not in _CACHES:
                    waiting.append(path)
            elif found.is_file():
                about = found.stat()
                yield _Entry(path, "file", f"{about.st_size} {about.st_mtime_ns}")


def _target(top: Path, path: str) -> str:
    """Where a link leads: seen from the workspace as from the checkout, else by its full path."""
    target = (top / path).readlink()
    leads = Path(os.path.normpath(top / Path(path).parent / target))
    relative = leads.is_relative_to(top) and not target.is_absolute()
    return str(target if relative else leads)


def _digest(entries: Sequence[_Entry]) -> str:
    listing = "\0".join(f"{entry.path}\0{entry.kind}\0{entry.target}" for entry in entries)
    return hashlib.sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()


def _unchanged(copy: Path, folders: Sequence[str], state: str) -> bool:
    """Whether nobody has written into the copy."""
    there = all((copy / folder).is_dir() for folder in folders)
    try:
        return there and _digest(_all(copy, folders, MOST_FILES)) == state
    except _TooMuch:
        return False


def _copy(top: Path, entry: _Entry, to: Path) -> None:
    target = to / entry.path
    if entry.kind == "folder":
        target.mkdir(parents=True)
    elif entry.kind == "link":
        target.symlink_to(entry.target)
    else:
        shutil.copy2(top / entry.path, target)
        target.chmod(target.stat().st_mode & _READ_ONLY)
