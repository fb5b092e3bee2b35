"""A tree as a value: path → (mode, blob sha, size), exactly as git has it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

FILE, EXECUTABLE, SYMLINK, SUBMODULE = "100644", "100755", "120000", "160000"
_TREE = "40000"


@dataclass(frozen=True, slots=True)
class Entry:
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
    entries: Mapping[str, Entry]


def object_sha(kind: str, body: bytes) -> str:
    """Name a git object (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects)."""
    return hashlib.sha1(
        b"%s %d\0" % (kind.encode(), len(body)) + body, usedforsecurity=False
    ).hexdigest()


def blob_sha(content: bytes) -> str:
    """Name the blob that holds ``content``."""
    return object_sha("blob", content)


def tree_sha(entries: Mapping[str, Entry]) -> str:
    """Name the git tree that holds ``entries``; the same word git and GitHub would give it."""
    here: list[tuple[bytes, str, str]] = []
    below: dict[str, dict[str, Entry]] = {}
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
