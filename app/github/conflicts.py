"""What a branch changed, put on a newer tree as git merges it; and what is in conflict then."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Literal

from app.github.place import Place
from runner.state.changes import EXECUTABLE, FILE, Snapshot, TreeEntry, Write
from runner.state.revising import Point
from runner.text.compared import comparable
from runner.text.mask import NOT_SHOWN, is_secret_file
from runner.text.sanitize import cut_middle

MOST = 30
"""Files in conflict that a new attempt is made for."""

_LONGEST = 4_000
"""Characters of one difference."""

_LARGEST = 500_000
"""Bytes of a file of which the difference is shown."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The tree that a branch was made on, the tree of the branch, and the newer tree."""

    old: Snapshot
    mine: Snapshot
    new: Snapshot


@dataclass(frozen=True, slots=True)
class Merge:
    """What came of it: ``tree``, whose ``files`` the newer tree has not.

    ``odd`` are changed and no ordinary files, ``conflicts`` are changed on both sides in the same
    place; the path ``apart`` is in none of these, and ``clashes`` says whether git finds a conflict
    there. ``both`` are all paths that both sides changed, ``applied`` those that only the branch
    did.
    """

    tree: Snapshot
    files: Mapping[str, TreeEntry | None] = field(default_factory=dict)
    odd: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    clashes: bool = False
    both: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()


async def merge(at: Place, trees: Versions, *, apart: str = "") -> Merge:
    """Merge all files of a branch but the one ``apart``. Raises ``Outage``."""
    merged, found = await at.mirror.merge(trees.old, trees.mine, trees.new)
    old, mine, new, made = (each.entries for each in (trees.old, trees.mine, trees.new, merged))
    changed = {path for path in {*made, *new} - {apart} if made.get(path) != new.get(path)}
    files = {path: made.get(path) for path in sorted(changed)}
    touched = {path for path in {*old, *mine} - {apart} if old.get(path) != mine.get(path)}
    both = {p for p in touched if old.get(p) != new.get(p) != mine.get(p)}
    alone = {path for path in changed - both - found if made.get(path) == mine.get(path)}
    return Merge(
        merged,
        files,
        odd=tuple(path for path, each in files.items() if each and not _is_file(each)),
        conflicts=tuple(sorted(found - {apart})),
        clashes=apart in found,
        both=tuple(sorted(both)),
        applied=tuple(sorted(alone)),
    )


async def written(at: Place, found: Merge) -> dict[str, Write | None]:
    """Return the files of a merge without conflicts, with their contents."""
    known = await at.blobs([each.sha for each in found.files.values() if each])
    return {p: Write(known[e.sha], e.mode) if e else None for p, e in found.files.items()}


async def hinders(at: Place, trees: Versions, found: Merge) -> Literal["none", "opaque", "many"]:
    """Say what keeps a model from resolving a conflict: links, submodules, what is no text."""
    sides = [tree.entries.get(path) for tree in (trees.mine, trees.new) for path in found.conflicts]
    entries = [each for each in sides if each]
    if found.odd or not all(map(_is_file, entries)):
        return "opaque"
    known = await at.blobs([each.sha for each in entries])
    if any(b"\0" in content for content in known.values()):
        return "opaque"
    return "many" if len(found.both) > MOST else "none"


def _is_file(entry: TreeEntry) -> bool:
    return entry.mode in (FILE, EXECUTABLE)


def name_of(paths: Sequence[str], tree: Snapshot) -> str:
    """Name what a tree has in some paths: two with the same name are in the same conflict."""
    there = ((path, tree.entries.get(path)) for path in paths)
    lines = (f"{path}\0{entry.mode} {entry.sha}" if entry else path for path, entry in there)
    return hashlib.sha256("\n".join(lines).encode(errors="surrogateescape")).hexdigest()


async def conflicting(at: Place, trees: Versions) -> tuple[Merge | None, tuple[Point, ...]]:
    """Return what is in conflict, and for each path of both sides what the pull request did there.

    Nothing where nothing is in conflict, or where no attempt would help. Raises ``Outage``.
    """
    found = await merge(at, trees, apart=at.roadmap)
    if found.odd or not found.conflicts or len(found.both) > MOST:
        return None, ()
    points = []
    for path in found.both:
        text = NOT_SHOWN if is_secret_file(path) else await _difference(path, trees, at)
        points.append(Point(text=cut_middle(text, _LONGEST), by="", rest=text, path=path))
    return found, tuple(points)


async def _difference(path: str, trees: Versions, at: Place) -> str:
    """What the pull request did to a file, as people read it."""
    entries = [tree.entries.get(path) for tree in (trees.old, trees.mine)]
    known = await at.blobs([each.sha for each in entries if each])
    before, after = [known[each.sha] if each else None for each in entries]
    if after is None:
        return "The file was deleted."
    old, new = ((each or b"").decode("utf-8", "replace").splitlines() for each in (before, after))
    large = any(b"\0" in each or len(each) > _LARGEST for each in (before or b"", after))
    if large or not await asyncio.to_thread(comparable, old, new):
        return "The file was changed. It is no text, or too large to be shown."
    return "\n".join(unified_diff(old, new, "before", "after", lineterm=""))


def differ(one: Snapshot, other: Snapshot, path: str) -> bool:
    """Say whether two trees have another entry at a path."""
    return one.entries.get(path) != other.entries.get(path)
