"""Write the difference of two trees into a folder, never over what somebody changed there."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from runner.adapters.content_store import ContentStore
from runner.adapters.folder_tree import FolderTree
from runner.snapshot import EXECUTABLE, SYMLINK, Entry

Entries = Mapping[str, Entry]


class FolderFiles:
    """The files of a folder whose contents come from a store. Methods raise ``OSError``."""

    def __init__(self, root: Path, tree: FolderTree, contents: ContentStore) -> None:
        self._root = root
        self._tree = tree
        self._contents = contents

    def in_the_way(self, before: Entries, after: Entries) -> list[str]:
        """Return the paths of the difference that are neither as before nor as after."""
        return [path for path in _changed(before, after) if not self._is_free(path, before, after)]

    def write(self, before: Entries, after: Entries) -> None:
        """Make the difference; what somebody changed meanwhile stays as it is."""
        changed = [path for path in _changed(before, after) if self._is_free(path, before, after)]
        for path in sorted(changed, key=lambda path: path in after):  # what goes makes room
            if path not in after:
                self._remove(path)
            elif self._tree.now(path) != after[path]:
                self._put(path, after[path])

    def _is_free(self, path: str, before: Entries, after: Entries) -> bool:
        place = self._root / path
        if (entry := after.get(path)) and entry.mode == SYMLINK:
            return False
        if place.is_dir() and not place.is_symlink():
            return False
        parents = [self._root / each for each in Path(path).parents]
        if any(each.is_symlink() for each in parents[:-1]):
            return False  # it would be written elsewhere
        if any(each.exists() and not each.is_dir() for each in parents[:-1]):
            return any(
                str(each) in before and str(each) not in after for each in Path(path).parents
            )
        return self._tree.now(path) in (before.get(path), after.get(path))

    def _put(self, path: str, entry: Entry) -> None:
        """Write a file whole or not at all; the rights it had stay, but for being a program."""
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        rights = stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o644
        rights = rights | 0o111 if entry.mode == EXECUTABLE else rights & ~0o111
        with tempfile.NamedTemporaryFile(dir=place.parent, prefix=".cairn-", delete=False) as file:
            temporary = Path(file.name)
            try:
                file.write(self._contents.get(entry.sha))
                file.flush()
                temporary.chmod(rights)
                temporary.replace(place)
            finally:
                temporary.unlink(missing_ok=True)

    def _remove(self, path: str) -> None:
        """Remove a file, and the folders that are empty then."""
        (self._root / path).unlink(missing_ok=True)
        for parent in list(Path(path).parents)[:-1]:
            place = self._root / parent
            if not place.is_dir() or any(place.iterdir()):
                return
            place.rmdir()


def _changed(before: Entries, after: Entries) -> Iterator[str]:
    return (path for path in {**before, **after} if before.get(path) != after.get(path))
