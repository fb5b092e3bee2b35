"""Trees and change sets as values: path → (mode, blob sha, size), exactly as git has it.

A change set is the only thing that is validated, written, verified and committed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

FILE, EXECUTABLE, SYMLINK, SUBMODULE = "100644", "100755", "120000", "160000"
_TREE = "40000"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of a tree; ``size`` in bytes (0 for a submodule), ``sha`` as git names the blob."""

    mode: str
    sha: str
    size: int


@dataclass(frozen=True)
class Snapshot:
    """A commit's tree. Paths are decoded as UTF-8 with ``surrogateescape``; contents by blob sha.

    ``commit`` is empty for a plain folder.
    """

    commit: str
    tree: str
    entries: Mapping[str, TreeEntry]


def object_sha(kind: str, body: bytes) -> str:
    """Name a git object (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects)."""
    return hashlib.sha1(
        b"%s %d\0" % (kind.encode(), len(body)) + body, usedforsecurity=False
    ).hexdigest()


def blob_sha(content: bytes) -> str:
    """Name the blob that holds ``content``."""
    return object_sha("blob", content)


def folders_of(modes: Mapping[str, str]) -> set[str]:
    """Return all folders of a tree (path → git mode); a submodule is an empty one."""
    found = {path for path, mode in modes.items() if mode == SUBMODULE}
    for path in modes:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found


def tree_sha(entries: Mapping[str, TreeEntry]) -> str:
    """Name the git tree that holds ``entries``; the same word git and GitHub would give it."""
    here: list[tuple[bytes, str, str]] = []
    below: dict[str, dict[str, TreeEntry]] = {}
    for path, entry in entries.items():
        head, slash, rest = path.partition("/")
        if slash:
            below.setdefault(head, {})[rest] = entry
        else:
            here.append((_raw(head), entry.mode, entry.sha))
    here += [(_raw(name), _TREE, tree_sha(inner)) for name, inner in below.items()]
    # git sorts a folder as if its name ended in a slash
    here.sort(key=lambda item: item[0] + b"/" if item[1] == _TREE else item[0])
    return object_sha(
        "tree", b"".join(b"%s %s\0" % (m.encode(), n) + bytes.fromhex(s) for n, m, s in here)
    )


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Write:
    """The new content of one file; ``mode`` is inherited from the base when None (else a file)."""

    content: bytes
    mode: str | None = None


@dataclass(frozen=True)
class ChangeSet:
    """Path → new content, or None for a deletion, relative to a snapshot."""

    files: Mapping[str, Write | None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.files)

    def merged(self, later: ChangeSet) -> ChangeSet:
        """Return this change set with ``later`` on top; what ``later`` names wins.

        A file that ``later`` writes without a mode keeps the one that it has here.
        """
        files = {**self.files, **later.files}
        for path, write in later.files.items():
            earlier = self.files.get(path)
            if write and not write.mode and earlier and earlier.mode:
                files[path] = Write(write.content, earlier.mode)
        return ChangeSet(files)

    def effective(self, base: Snapshot) -> ChangeSet:
        """Drop what changes nothing: equal contents and deletions of what is not there."""
        after = self.entries(base)
        return ChangeSet(
            {p: w for p, w in self.files.items() if after.get(p) != base.entries.get(p)}
        )

    def entries(self, base: Snapshot) -> dict[str, TreeEntry]:
        """Return the tree after the change."""
        after = dict(base.entries)
        for path, write in self.files.items():
            if write is None:
                after.pop(path, None)
                continue
            old = base.entries.get(path)
            mode = write.mode or (old.mode if old else FILE)
            after[path] = TreeEntry(mode, blob_sha(write.content), len(write.content))
        return after

    def tree(self, base: Snapshot) -> str:
        """Name the tree after the change, as git does."""
        return tree_sha(self.entries(base))

    def lines_changed(self, old: Mapping[str, bytes]) -> int:
        """Count lines that are added or taken away; ``old`` are the contents before, by path.

        A line that only moved does not count.
        """
        changed = 0
        for path, write in self.files.items():
            before = Counter(old.get(path, b"").splitlines())
            after = Counter(write.content.splitlines() if write else ())
            changed += (before - after).total() + (after - before).total()
        return changed

    @property
    def digest(self) -> str:
        """A name for this change set that only an equal one has (hex)."""
        parts = [
            f"{p}\0{'-' if w is None else f'{w.mode}:{blob_sha(w.content)}'}"
            for p, w in sorted(self.files.items())
        ]
        text = "\n".join(parts).encode("utf-8", "surrogateescape")
        return hashlib.sha256(text).hexdigest()
