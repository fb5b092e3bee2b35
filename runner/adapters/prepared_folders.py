"""Folders that hold what setup commands made, by project and key, and are removed when old.

A folder's time of change says when it was used last, a file in it that it is complete. A host that
deletes one never follows a link in it
(https://docs.python.org/3/library/shutil.html#shutil.rmtree).
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from runner.adapters.setup_commands import KEEP, KEEP_DAYS, project_key
from runner.errors import Outage

_COMPLETE, _MADE = "complete", "prepared"
_DAY = 86_400


class PreparedFolders:
    """What is kept below ``folder``; one process uses it at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, project: str, key: str) -> Path | None:
        """Return what was kept, and note that it is used; None when there is nothing."""
        kept = self._path(project, key)
        if not self.holds(kept):
            return None
        os.utime(kept)
        return kept

    def holds(self, path: Path) -> bool:
        """Say whether a path is one of those that were kept."""
        return path.parent == self._folder and (path / _COMPLETE).is_file()

    @contextmanager
    def making(self, project: str, key: str, about: str = "") -> Iterator[Path]:
        """Yield a new folder to fill below ``made``; unless all goes well it is removed again.

        ``about`` is kept with it. Raises ``Outage`` when the disk refuses.
        """
        kept = self._path(project, key)
        with ExitStack() as undo:
            undo.callback(remove_tree, kept)
            try:
                remove_tree(kept)
                made(kept).mkdir(parents=True)
                yield kept
                (kept / _COMPLETE).write_text(about)
            except OSError as error:
                message = f"What sandbox.setup makes cannot be kept in {self._folder}: {error}"
                raise Outage("sandbox", message) from error
            undo.pop_all()
        for old in self._by_age(f"{project_key(project)}-*")[KEEP:]:
            remove_tree(old)

    def about(self, kept: Path) -> str:
        """Return what was noted when it was made."""
        return (kept / _COMPLETE).read_text()

    def tidy(self) -> None:
        """Remove what was not finished or not used for long; call it at the start."""
        for old in self._by_age("*"):
            unused = time.time() - old.stat().st_mtime > KEEP_DAYS * _DAY
            if unused or not self.holds(old):
                remove_tree(old)

    def _path(self, project: str, key: str) -> Path:
        return self._folder / f"{project_key(project)}-{key}"

    def _by_age(self, pattern: str) -> list[Path]:
        found = self._folder.glob(pattern)
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def made(kept: Path) -> Path:
    """Return the folder inside that the setup commands fill."""
    return kept / _MADE


def remove_tree(folder: Path) -> None:
    """Remove a folder, also where its owner has taken away their own permissions."""
    with suppress(OSError):
        for path in folder.rglob("*"):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
