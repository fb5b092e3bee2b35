"""Make a folder of this machine equal to a tree, writing only what is not as it should be.

This is for sessions without isolation: what runs in them can do all that Cairn can, so Cairn gains
nothing by leaving the writing to a command in there. No link in the folder is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from runner.sandbox.prepared import remove_tree
from runner.state.changes import EXECUTABLE, SUBMODULE, SYMLINK, folders_of

File = tuple[str, bytes]
"""A git mode and a content: of a link its target, of a submodule nothing."""

_FOLDER = 0o755


def make_equal(folder: Path, files: Mapping[str, File]) -> list[str]:
    """Write, change and remove until the folder holds this tree; return what is still not so.

    Everything is read, before or after it is written. A file that commands left there counts only
    if its content, its mode and the number of its names are right. Raises ``OSError``.
    """
    folders = folders_of({path: mode for path, (mode, _) in files.items()})
    there = set(_kept(folder, files, folders))
    for path in sorted(folders - there):
        (folder / path).mkdir(_FOLDER)
    for path, (mode, content) in files.items():
        if path in there or mode == SUBMODULE:
            continue
        if mode == SYMLINK:
            (folder / path).symlink_to(os.fsdecode(content))
            continue
        with open(folder / path, "xb") as file:  # noqa: PTH123 # 'x': never through a link
            os.fchmod(file.fileno(), _permissions(mode))
            file.write(content)
    written = files.keys() - there - folders
    return sorted(path for path in written if not _is_equal(str(folder / path), *files[path]))


def empty(folder: Path) -> None:
    """Remove all that a folder holds, also what its owner locked."""
    remove_tree(folder)
    folder.mkdir(_FOLDER)


def _kept(folder: Path, files: Mapping[str, File], folders: set[str]) -> Iterator[str]:
    """Remove what is not part of the tree; yield the paths of what is."""
    for path, right in list(_looked_at(folder, files, folders)):
        if right:
            yield path
        elif (folder / path).is_symlink() or not (folder / path).is_dir():
            (folder / path).unlink(missing_ok=True)
        else:
            remove_tree(folder / path)


def _looked_at(
    folder: Path, files: Mapping[str, File], folders: set[str], below: str = ""
) -> Iterator[tuple[str, bool]]:
    """Yield each path, and whether it is as the tree has it; folders that are not end there."""
    with os.scandir(folder / below) as found:
        inside = list(found)
    for entry in inside:
        path = f"{below}{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            yield path, path in files and _is_equal(entry.path, *files[path])
        elif path in folders:
            if stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode) != _FOLDER:
                os.chmod(entry.path, _FOLDER)  # noqa: PTH101 # a test may have locked it
            yield path, True
            yield from _looked_at(folder, files, folders, f"{path}/")
        else:
            yield path, False


def _is_equal(place: str, mode: str, content: bytes) -> bool:
    found = os.lstat(place)
    if stat.S_ISLNK(found.st_mode):
        return mode == SYMLINK and os.readlink(os.fsencode(place)) == content  # noqa: PTH115
    if mode in (SYMLINK, SUBMODULE) or not stat.S_ISREG(found.st_mode):
        return False
    # a file with a second name would change with it
    expected = (_permissions(mode), 1, len(content))
    if (stat.S_IMODE(found.st_mode), found.st_nlink, found.st_size) != expected:
        return False
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return os.read(descriptor, len(content) + 1) == content
    finally:
        os.close(descriptor)


def _permissions(mode: str) -> int:
    return 0o755 if mode == EXECUTABLE else 0o644
