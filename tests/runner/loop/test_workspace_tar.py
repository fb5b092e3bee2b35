"""The tar of a tree and the list of what it must become."""

from __future__ import annotations

import io
import tarfile

import pytest

from runner.loop.workspace import build_tar, manifest, tree_files
from runner.state.changes import ChangeSet, Snapshot, TreeEntry, Write, blob_sha, tree_sha

OLD, NEW = b"old\n", b"new\n"
ENTRIES = {
    "keep.sh": TreeEntry("100755", blob_sha(OLD), len(OLD)),
    "gone.py": TreeEntry("100644", blob_sha(OLD), len(OLD)),
    "lib": TreeEntry("160000", "0" * 40, 0),
}
BASE = Snapshot("", tree_sha(ENTRIES), ENTRIES)


def test_a_tree_is_base_plus_change_set() -> None:
    """Changed files are new, deleted ones gone, modes inherited, submodules without content."""
    changes = ChangeSet({"keep.sh": Write(NEW), "gone.py": None, "more.py": Write(NEW)})

    assert tree_files(BASE, {blob_sha(OLD): OLD}, changes) == {
        "keep.sh": ("100755", NEW),
        "lib": ("160000", b""),
        "more.py": ("100644", NEW),
    }


def test_without_a_change_set_a_tree_is_its_base() -> None:
    """The base alone gives the base's files."""
    assert tree_files(BASE, {blob_sha(OLD): OLD})["gone.py"] == ("100644", OLD)


def test_a_content_that_is_missing_is_a_bug_that_shows() -> None:
    """A blob that was not fetched is never replaced by something else."""
    with pytest.raises(KeyError):
        tree_files(BASE, {})


def test_the_same_tree_is_the_same_tar() -> None:
    """Neither the order of the files nor the time changes a byte."""
    files = {"b": ("100644", OLD), "a": ("100755", NEW)}

    assert build_tar(files) == build_tar(dict(reversed(files.items())))


def test_a_tar_names_nobody() -> None:
    """No user, group or time of the worker is in the tar."""
    with tarfile.open(fileobj=io.BytesIO(build_tar({"a": ("100644", OLD)}))) as tar:
        member = tar.getmember("a")

    assert (member.uid, member.gid, member.uname, member.gname, member.mtime) == (0, 0, "", "", 0)


def test_the_manifest_lists_folders_files_links_and_sums() -> None:
    """Each entry has its record, folders above files as well."""
    files = {"d/x": ("100755", b""), "l": ("120000", b"d/x"), "s": ("160000", b"")}
    empty = b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    assert manifest(files) == [
        b"d ./d\0",
        b"d ./s\0",
        b"f 755 1 ./d/x\0",
        b"l ./l -> d/x\0",
        empty + b"  ./d/x\0",
    ]
