"""Change sets as values: what they do to a tree, and when they are the same."""

from __future__ import annotations

from hypothesis import given

from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Snapshot, Write, blob_sha
from tests.runner.trees import change_sets, snapshot, snapshots


def after(changes: ChangeSet, base: Snapshot) -> Snapshot:
    """Apply a change set."""
    return Snapshot(commit="", tree=changes.tree(base), entries=changes.entries(base))


@given(snapshots)
def test_no_change(base):
    """The empty change set leaves every tree as it is, and is false."""
    assert after(ChangeSet(), base) == base
    assert not ChangeSet()


@given(change_sets, snapshots)
def test_effective_changes_the_same(changes, base):
    """Dropping what changes nothing changes nothing."""
    assert after(changes.effective(base), base) == after(changes, base)


@given(change_sets, snapshots)
def test_effective_is_the_difference(changes, base):
    """What is left is exactly the paths that differ afterwards."""
    then = changes.entries(base)
    differing = {p for p in {*then, *base.entries} if then.get(p) != base.entries.get(p)}

    assert set(changes.effective(base).files) == differing


@given(change_sets, snapshots)
def test_applied_again(changes, base):
    """A change set that was applied has nothing left to do."""
    assert not changes.effective(after(changes, base))


@given(change_sets, change_sets)
def test_merged(first, second):
    """What the later change set names wins, the rest stays, also a mode that it leaves open."""
    merged = first.merged(second)

    assert set(merged.files) == set(first.files) | set(second.files)
    for path, write in second.files.items():
        found, earlier = merged.files[path], first.files.get(path)
        assert (found and found.content) == (write and write.content)
        if write and found:
            assert found.mode == write.mode or (not write.mode and found.mode == earlier.mode)


@given(change_sets, change_sets, change_sets)
def test_merging_is_associative(first, second, third):
    """However a chain of repairs is put together, the same change set comes out."""
    assert first.merged(second).merged(third) == first.merged(second.merged(third))


@given(change_sets)
def test_merged_with_itself(changes):
    """A repair that says the same again changes nothing."""
    assert changes.merged(changes) == changes


@given(change_sets, change_sets)
def test_digest(one, other):
    """Two change sets have one digest exactly when they are equal."""
    assert (one.digest == other.digest) == (one == other)


@given(change_sets)
def test_digest_and_order(changes):
    """The order in which files were named does not matter."""
    assert ChangeSet(dict(reversed(changes.files.items()))).digest == changes.digest


def test_mode_is_inherited():
    """A new content keeps the mode of the file it replaces; a new file is a plain one."""
    base = snapshot({"run.sh": (EXECUTABLE, b"old")})
    entries = ChangeSet({"run.sh": Write(b"new"), "new.sh": Write(b"x")}).entries(base)

    assert (entries["run.sh"].mode, entries["new.sh"].mode) == (EXECUTABLE, FILE)
    assert entries["run.sh"].sha == blob_sha(b"new")


def test_mode_alone_is_a_change():
    """A file that only becomes executable is a change."""
    base = snapshot({"run.sh": (FILE, b"x")})

    assert ChangeSet({"run.sh": Write(b"x", EXECUTABLE)}).effective(base)


def test_deletion_of_nothing():
    """Deleting what is not there is no change."""
    assert not ChangeSet({"gone": None}).effective(snapshot({}))
