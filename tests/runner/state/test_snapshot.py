"""Names of blobs and trees: what git itself would say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings

from runner.state.changes import SUBMODULE, SYMLINK, TreeEntry, blob_sha, object_sha, tree_sha
from tests.runner.trees import contents, trees


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Path:
    """Make an empty bare repository."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
    return folder


def git(bare: Path, *arguments: str, stdin: bytes = b"", index: Path | None = None) -> str:
    """Run git in the bare repository and return its one word."""
    environment = {**os.environ, **({"GIT_INDEX_FILE": str(index)} if index else {})}
    command = ["git", "--git-dir", str(bare), *arguments]
    done = subprocess.run(command, input=stdin, env=environment, check=True, capture_output=True)
    return done.stdout.decode().strip()


def gits_tree(bare: Path, entries: dict[str, TreeEntry]) -> str:
    """Let git build the tree of some entries."""
    index = bare / "index-under-test"
    index.unlink(missing_ok=True)
    lines = [
        f"{entry.mode} {entry.sha}\t{path}".encode("utf-8", "surrogateescape")
        for path, entry in entries.items()
    ]
    git(bare, "update-index", "-z", "--index-info", stdin=b"\0".join([*lines, b""]), index=index)
    return git(bare, "write-tree", "--missing-ok", index=index)


@pytest.mark.parametrize("content", [b"", b"a\n", b"\r\n\0\xff"])
def test_blob(bare, content):
    """A blob has the name git gives it."""
    assert blob_sha(content) == git(bare, "hash-object", "--stdin", stdin=content)


def test_empty_tree(bare):
    """The empty tree has the name git gives it."""
    assert tree_sha({}) == git(bare, "hash-object", "-t", "tree", "--stdin")


@settings(max_examples=40, deadline=None)
@given(tree=trees)
def test_tree(bare, tree):
    """Any tree has the name git gives it, whatever its names, modes and folders."""
    entries = {
        path: TreeEntry(mode, blob_sha(text), len(text)) for path, (mode, text) in tree.items()
    }
    # git knows no path that is a file and a folder at once, and the names here make none
    assert tree_sha(entries) == gits_tree(bare, entries)


def test_tree_with_links(bare):
    """Symlinks and submodules are part of a tree's name."""
    entries = {
        "link": TreeEntry(SYMLINK, blob_sha(b"a"), 1),
        "module": TreeEntry(SUBMODULE, object_sha("commit", b"x"), 0),
    }

    assert tree_sha(entries) == gits_tree(bare, entries)


@given(trees)
def test_order(tree):
    """The order in which paths are given does not change a tree's name."""
    entries = {
        path: TreeEntry(mode, blob_sha(text), len(text)) for path, (mode, text) in tree.items()
    }

    assert tree_sha(entries) == tree_sha(dict(reversed(entries.items())))


@given(contents, contents)
def test_blobs_differ(one, other):
    """Two contents have one name exactly when they are equal."""
    assert (blob_sha(one) == blob_sha(other)) == (one == other)
