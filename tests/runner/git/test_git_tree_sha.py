"""``tree_sha`` against git itself, for random trees."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.state.changes import EXECUTABLE, FILE, SYMLINK, TreeEntry, blob_sha, tree_sha
from tests.runner.git.scratch_git import ScratchGit

_NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1, max_size=3
).filter(lambda name: name not in {".", ".."} and name.lower() != ".git")
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map("/".join)
_ENTRIES = st.builds(
    lambda mode, content: TreeEntry(mode, blob_sha(content), len(content)),
    st.sampled_from([FILE, EXECUTABLE, SYMLINK]),
    st.binary(max_size=4),
)


def _consistent(entries: dict[str, TreeEntry]) -> dict[str, TreeEntry]:
    """Drop files that would also have to be folders."""
    folders = {parent for path in entries for parent in _parents(path)}
    return {path: entry for path, entry in entries.items() if path not in folders}


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _git_tree(git: ScratchGit, entries: dict[str, TreeEntry]) -> str:
    lines = (f"{e.mode} {e.sha}\t".encode() + os.fsencode(p) for p, e in entries.items())
    git("read-tree", "--empty")
    git("update-index", "-z", "--index-info", stdin=b"".join(line + b"\0" for line in lines))
    return git("write-tree", "--missing-ok")


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(_PATHS, _ENTRIES, max_size=8).map(_consistent))
def test_tree_sha_is_gits(entries: dict[str, TreeEntry]) -> None:
    """For any tree the computed name is the one git's index would write."""
    with tempfile.TemporaryDirectory() as folder:
        git = ScratchGit(Path(folder))
        assert tree_sha(entries) == _git_tree(git, entries)
