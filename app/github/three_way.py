"""Put what a branch changed on a newer tree, each file by itself, and say what is in conflict."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from runner.git.objects import merged
from runner.state.changes import EXECUTABLE, FILE, Snapshot, TreeEntry, Write

Blobs = Callable[[Sequence[str]], Awaitable[dict[str, bytes]]]


@dataclass(frozen=True, slots=True)
class Versions:
    """The tree that a branch was made on, the tree of the branch, and the newer tree."""

    old: Snapshot
    mine: Snapshot
    new: Snapshot

    def changed(self) -> set[str]:
        """Return the paths that the branch changed and the newer tree has not the same way."""
        old, mine = self.old.entries, self.mine.entries
        paths = (path for path in {*old, *mine} if old.get(path) != mine.get(path))
        return {path for path in paths if differ(self.mine, self.new, path)}

    def both(self, paths: set[str]) -> set[str]:
        """Return those of the paths that the newer tree changed as well."""
        return {path for path in paths if differ(self.old, self.new, path)}


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """What came of it: ``files`` for the newer tree, or why not.

    ``odd`` are no ordinary files, ``conflicts`` are changed on both sides in the same place.
    ``both`` are all paths that both sides changed. Of what is in conflict, ``theirs`` names what
    the newer tree has there: two newer trees with the same name are in the same conflict. Those of
    it that no model can write again are ``opaque``: links, submodules, and what is no text.
    """

    files: Mapping[str, Write | None]
    odd: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    both: tuple[str, ...] = ()
    theirs: str = ""
    opaque: tuple[str, ...] = ()


async def three_way(trees: Versions, blobs: Blobs, *, apart: str) -> ThreeWay:
    """Merge all files of a branch but the one ``apart``. Raises ``Outage``."""
    paths = trees.changed() - {apart}
    entries = {path: trees.mine.entries.get(path) for path in paths}
    if odd := sorted(path for path, each in entries.items() if each and not _is_file(each)):
        return ThreeWay({}, odd=tuple(odd))
    known = await blobs([each.sha for each in entries.values() if each])
    files = {p: Write(known[e.sha], e.mode) if e else None for p, e in entries.items()}
    both = trees.both(paths)
    made = {path: await _merged(path, files[path], trees, blobs) for path in both}
    conflicts = tuple(sorted(path for path, write in made.items() if write is None))
    theirs = _name(conflicts, trees.new) if conflicts else ""
    opaque = tuple([path for path in conflicts if await _is_opaque(path, trees, blobs)])
    return ThreeWay(files | made, (), conflicts, tuple(sorted(both)), theirs, opaque)


async def _is_opaque(path: str, trees: Versions, blobs: Blobs) -> bool:
    sides = [tree.entries.get(path) for tree in (trees.mine, trees.new)]
    entries = [each for each in sides if each]
    if not all(map(_is_file, entries)):
        return True
    known = await blobs([each.sha for each in entries])
    return any(b"\0" in known[each.sha] for each in entries)


async def _merged(path: str, mine: Write | None, trees: Versions, blobs: Blobs) -> Write | None:
    """Merge one file line by line; None where that is a conflict."""
    base, theirs = trees.old.entries.get(path), trees.new.entries.get(path)
    if not (mine and base and theirs and _is_file(base) and _is_file(theirs)):
        return None
    known = await blobs([base.sha, theirs.sha])
    text = await merged(known[theirs.sha], known[base.sha], mine.content)
    return None if text is None else Write(text, theirs.mode)


def _is_file(entry: TreeEntry) -> bool:
    return entry.mode in (FILE, EXECUTABLE)


def _name(paths: Sequence[str], tree: Snapshot) -> str:
    there = ((path, tree.entries.get(path)) for path in paths)
    lines = (f"{path}\0{entry.mode} {entry.sha}" if entry else path for path, entry in there)
    return hashlib.sha256("\n".join(lines).encode(errors="surrogateescape")).hexdigest()


def differ(one: Snapshot, other: Snapshot, path: str) -> bool:
    """Say whether two trees have another entry at a path."""
    return one.entries.get(path) != other.entries.get(path)
