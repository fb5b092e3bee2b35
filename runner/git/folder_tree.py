"""A plain folder as a tree (path → mode, blob sha, size), written without losing changes."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from runner.errors import Outage, TaskError
from runner.files.durable import translating_errors, write_file
from runner.files.journal import ContentStore
from runner.state.changes import EXECUTABLE, FILE, SYMLINK, TreeEntry, blob_sha, object_sha

MOST_FILES, MOST_BYTES = 20_000, 500 << 20

_NEVER = frozenset({".executor", ".git", "__pycache__", "node_modules", ".venv", ".tox"})
"""Folders that tools make. Where no git is, there is seldom a ``.gitignore`` that says so."""
_ENVIRONMENT = "pyvenv.cfg"
_IGNORE = ".gitignore"

Known = dict[str, tuple[tuple[int, ...], TreeEntry]]
"""What was hashed before, by path: its stamp then, and what it was."""


class FolderTree:
    """Hashes a folder; a file that did not change is not read again.

    What ``.gitignore`` files name is left out, and so are folders that tools make.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: Known = {}

    def entries(self, found: Callable[[str, bytes], None]) -> dict[str, TreeEntry]:
        """Return the tree as it is now; ``found`` is handed each content that was read.

        Raises ``Outage`` for a folder that is too large for this, ``OSError``.
        """
        entries: dict[str, TreeEntry] = {}
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

    def now(self, path: str) -> TreeEntry | None:
        """Return what is at one path now, or None."""
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

    def _entry(self, path: str, found: Callable[[str, bytes], None]) -> TreeEntry | None:
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


def _entry_of(status: os.stat_result, content: bytes) -> TreeEntry:
    return TreeEntry(_mode(status.st_mode), blob_sha(content), len(content))


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
        ignored = spec.check_file(path.removeprefix(folder)).include
        if ignored is not None:
            return ignored
    return False


def _too_large(root: Path) -> str:
    return (
        f"{root} has more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MB. List generated files"
        " in a .gitignore, or make it a git repository: git init && git add . && git commit"
    )


Entries = Mapping[str, TreeEntry]


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
        """Apply the difference; leave alone what somebody has changed since."""
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

    def _put(self, path: str, entry: TreeEntry) -> None:
        """Write a file completely or not at all; keep its rights, except the executable bit."""
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


NONE = "0" * 40


@dataclass(frozen=True)
class FolderCommit:
    """One state of the folder; ``run`` made it, '' for what the user made of it."""

    id: str
    parent: str
    tree: str
    run: str
    message: str
    entries: Mapping[str, TreeEntry]


def commit_of(
    entries: Mapping[str, TreeEntry], tree: str, *, parent: str, run: str = "", message: str = ""
) -> FolderCommit:
    """Make a commit; the same one again has the same id."""
    about = json.dumps([parent, tree, run, message]).encode()
    return FolderCommit(object_sha("commit", about), parent, tree, run, message, entries)


class FolderCommits:
    """Commits and contents in a folder. Methods raise ``Outage``.

    ``pending`` is a commit whose files are being written: a crash in between is made good.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.contents = ContentStore(folder / "contents")

    @property
    def head(self) -> str:
        """The newest commit, or ``NONE``."""
        return self._word("head") or NONE

    @head.setter
    def head(self, commit: str) -> None:
        write_file(self._folder / "head", commit.encode())

    @property
    def pending(self) -> str:
        """The commit that is being written, ''."""
        return self._word("pending")

    @pending.setter
    def pending(self, commit: str) -> None:
        write_file(self._folder / "pending", commit.encode())

    def put(self, commit: FolderCommit) -> None:
        """Keep a commit."""
        write_file(self._file(commit.id), json.dumps(asdict(commit)).encode())

    def get(self, id: str) -> FolderCommit:
        """Return a commit. Raises ``TaskError`` when there is none."""
        try:
            data = json.loads(self._file(id).read_bytes())
            entries = {path: TreeEntry(**entry) for path, entry in data.pop("entries").items()}
            return FolderCommit(**data, entries=entries)
        except FileNotFoundError:
            raise TaskError("file", f"There is no state {id} of this folder.") from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Outage("file", f"{self._file(id)} cannot be read: {error}. Remove it.") from error

    def back_to(self, commit: str) -> list[FolderCommit] | None:
        """The commits made since one, the newest first; None when HEAD does not build on it."""
        since, at = [], self.head
        while at not in (commit, NONE):
            since.append(self.get(at))
            at = since[-1].parent
        return since if at == commit else None

    def _word(self, name: str) -> str:
        with translating_errors(f"read {self._folder / name}"):
            file = self._folder / name
            return file.read_text().strip() if file.exists() else ""

    def _file(self, id: str) -> Path:
        return self._folder / "commits" / f"{id}.json"
