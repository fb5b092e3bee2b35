"""Small trees and change sets, written as path → text."""

from __future__ import annotations

from collections.abc import Sequence

from runner.checks.validate import syntax_complaint, validate
from runner.state.changes import FILE, ChangeSet, Snapshot, TreeEntry, Write, blob_sha, tree_sha
from runner.state.findings import Complaint


def snapshot(files: dict[str, str], modes: dict[str, str] | None = None) -> Snapshot:
    entries = {
        path: TreeEntry((modes or {}).get(path, FILE), blob_sha(text.encode()), len(text))
        for path, text in files.items()
    }
    return Snapshot("", tree_sha(entries), entries)


def changes(files: dict[str, str | None]) -> ChangeSet:
    return ChangeSet(
        {
            p: None if t is None else Write(t.encode("utf-8", "surrogatepass"))
            for p, t in files.items()
        }
    )


def complaints(
    files: dict[str, str | None],
    base: dict[str, str] | None = None,
    *,
    modes: dict[str, str] | None = None,
    protect: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """Return (path, error) of every complaint about a change of ``base``."""
    tree = base or {}
    found = validate(
        changes(files),
        snapshot(tree, modes),
        read=lambda path: tree[path].encode() if path in tree else None,
        protect=protect,
    )
    return [(complaint.path, complaint.error) for complaint in found]


def syntax(path: str, text: str) -> Complaint | None:
    return syntax_complaint(path, text.encode())
