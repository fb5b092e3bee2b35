"""Trees and change sets for property tests, and git's own word on them."""

from __future__ import annotations

from hypothesis import strategies as st

from runner.state.changes import (
    EXECUTABLE,
    FILE,
    ChangeSet,
    Snapshot,
    TreeEntry,
    Write,
    blob_sha,
    tree_sha,
)

# few names, so that paths meet; the last is no UTF-8
FILES = ["a", "a.b", "a-b", "z.py", "caf\udce9"]
PATHS = [*FILES, *(f"d/{name}" for name in FILES), *(f"d/e/{name}" for name in FILES), "é/ü.md"]

paths = st.sampled_from(PATHS)
contents = st.sampled_from([b"", b"one\n", b"two\r\n", bytes(range(256))])
modes = st.sampled_from([FILE, EXECUTABLE])
trees = st.dictionaries(paths, st.tuples(modes, contents))
writes = st.one_of(st.none(), st.builds(Write, contents, st.one_of(st.none(), modes)))
change_sets = st.builds(ChangeSet, st.dictionaries(paths, writes))


def snapshot(tree: dict[str, tuple[str, bytes]]) -> Snapshot:
    """Make a snapshot of path → (mode, content)."""
    entries = {
        path: TreeEntry(mode, blob_sha(content), len(content))
        for path, (mode, content) in tree.items()
    }
    return Snapshot(commit="", tree=tree_sha(entries), entries=entries)


snapshots = st.builds(snapshot, trees)
