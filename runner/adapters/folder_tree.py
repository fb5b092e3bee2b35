"""A plain folder as a tree: path → (mode, blob sha, size), the shape git would give it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

from runner.errors import Outage
from runner.snapshot import EXECUTABLE, FILE, SYMLINK, Entry, blob_sha

MOST_FILES, MOST_BYTES = 20_000, 500 << 20

_NEVER = frozenset({".executor", ".git", "__pycache__", "node_modules", ".venv", ".tox"})
"""Folders that tools make. Where no git is, there is seldom a ``.gitignore`` that says so."""
_ENVIRONMENT = "pyvenv.cfg"
_IGNORE = ".gitignore"

Known = dict[str, tuple[tuple[int, ...], Entry]]
"""What was hashed before, by path: its stamp then, and what it was."""


class FolderTree:
    """Hashes a folder; a file that did not change is not read again.

    What ``.gitignore`` files name is left out, and so are folders that tools make.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: Known = {}

    def entries(self, found: Callable[[str, bytes], None]) -> dict[str, Entry]:
        """Return the tree as it is now; ``found`` is handed each content that was read.

        Raises ``Outage`` for a folder that is too large for this, ``OSError``.
        """
        entries: dict[str, Entry] = {}
        size = 0
        for path in _paths(self._root, "", ()):
            entry = self._entry(path, found)
            if entry is None:
                continue
            entries[path] = entry
            size += entry.size
            if len(entries) > MOST_FILES or size > MOST_BYTES:
                raise Outage("file", _too_large(self._root))
        return entries

    def now(self, path: str) -> Entry | None:
        """Return what is at one path now, None when there is no file."""
        status = self._status(path)
        return _entry_of(status, self.read(path)) if status else None

    def read(self, path: str) -> bytes:
        """Return the content at a path: of a link where it leads to. Raises ``OSError``."""
        place = self._root / path
        if place.is_symlink():
            return os.fsencode(place.readlink())
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MOST_BYTES + 1)

    def _entry(self, path: str, found: Callable[[str, bytes], None]) -> Entry | None:
        status = self._status(path)
        if status is None:
            return None
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        known = self._known.get(path)
        if known and known[0] == stamp:
            return known[1]
        content = self.read(path)
        entry = _entry_of(status, content)
        found(entry.sha, content)
        self._known[path] = (stamp, entry)
        return entry

    def _status(self, path: str) -> os.stat_result | None:
        """Of a file or link; None for what is neither, or not there."""
        try:
            status = (self._root / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if status.st_size > MOST_BYTES:
            raise Outage("file", _too_large(self._root))
        kinds = (stat.S_ISREG(status.st_mode), stat.S_ISLNK(status.st_mode))
        return status if any(kinds) else None


def _entry_of(status: os.stat_result, content: bytes) -> Entry:
    return Entry(_mode(status.st_mode), blob_sha(content), len(content))


def _mode(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return SYMLINK
    return EXECUTABLE if mode & stat.S_IXUSR else FILE


def _paths(root: Path, folder: str, specs: tuple[tuple[str, GitIgnoreSpec], ...]) -> Iterator[str]:
    """Every path below a folder that is not left out; a link to a folder is a link."""
    ignore = root / folder / _IGNORE
    if ignore.is_file() and not ignore.is_symlink():
        lines = ignore.read_text(encoding="utf-8", errors="replace").splitlines()
        specs = (*specs, (folder, GitIgnoreSpec.from_lines(lines)))
    with os.scandir(root / folder) as found:
        inside = sorted(found, key=lambda entry: entry.name)
    for entry in inside:
        path = f"{folder}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            made = entry.name in _NEVER or (root / path / _ENVIRONMENT).exists()
            if not made and not _ignored(f"{path}/", specs):
                yield from _paths(root, f"{path}/", specs)
        elif not _ignored(path, specs):
            yield path


def _ignored(path: str, specs: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """The innermost file that says something about a path decides."""
    for folder, spec in reversed(specs):
        said = spec.check_file(path.removeprefix(folder)).include
        if said is not None:
            return said
    return False


def _too_large(root: Path) -> str:
    return (
        f"{root} has more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MB. Name what tools made"
        " in a .gitignore, or make it a git repository: git init && git add . && git commit"
    )
