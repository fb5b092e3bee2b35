"""The change set: the only thing that is validated, written, verified and committed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from runner.snapshot import FILE, Entry, Snapshot, blob_sha, tree_sha


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
        """Return this change set with ``later`` on top; what ``later`` names wins."""
        return ChangeSet({**self.files, **later.files})

    def effective(self, base: Snapshot) -> ChangeSet:
        """Drop what changes nothing: equal contents and deletions of what is not there."""
        after = self.entries(base)
        return ChangeSet(
            {p: w for p, w in self.files.items() if after.get(p) != base.entries.get(p)}
        )

    def entries(self, base: Snapshot) -> dict[str, Entry]:
        """Return the whole tree after the change."""
        after = dict(base.entries)
        for path, write in self.files.items():
            if write is None:
                after.pop(path, None)
                continue
            old = base.entries.get(path)
            mode = write.mode or (old.mode if old else FILE)
            after[path] = Entry(mode, blob_sha(write.content), len(write.content))
        return after

    def tree(self, base: Snapshot) -> str:
        """Name the tree after the change, as git does."""
        return tree_sha(self.entries(base))

    @property
    def digest(self) -> str:
        """A name for this change set that only an equal one has (hex)."""
        parts = [
            f"{p}\0{'-' if w is None else f'{w.mode}:{blob_sha(w.content)}'}"
            for p, w in sorted(self.files.items())
        ]
        text = "\n".join(parts).encode("utf-8", "surrogateescape")
        return hashlib.sha256(text).hexdigest()
