"""What a new attempt is shown of a conflict: what the pull request did where its base did, too."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff

from app.github.three_way import Blobs, Versions, three_way
from runner.state.changes import Snapshot
from runner.state.revising import Point
from runner.text.mask import NOT_SHOWN, is_secret_file
from runner.text.sanitize import cut_middle

MOST = 30
"""Files in conflict that a new attempt is made for."""

_LONGEST = 4_000
"""Characters of one difference."""

_LARGEST = 500_000
"""Bytes of a file of which the difference is shown."""


@dataclass(frozen=True, slots=True)
class Conflicting:
    """``paths`` are what both sides changed, ``applied`` what only the pull request did.

    A point says of each of the paths what the pull request did to it.
    """

    points: tuple[Point, ...] = ()
    paths: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()


async def conflicting(trees: Versions, blobs: Blobs, *, roadmap: str) -> Conflicting:
    """Return what is in conflict; nothing where nothing is, or where no attempt would help.

    Raises ``Outage``.
    """
    found = await three_way(trees, blobs, apart=roadmap)
    if not found.conflicts or len(found.both) > MOST:
        return Conflicting()
    points = [await _point(path, trees, blobs) for path in found.both]
    return Conflicting(tuple(points), found.both, tuple(sorted(found.files.keys() - {*found.both})))


async def _point(path: str, trees: Versions, blobs: Blobs) -> Point:
    text = NOT_SHOWN if is_secret_file(path) else await _difference(path, trees, blobs)
    return Point(text=cut_middle(text, _LONGEST), by="", rest=text, path=path)


async def _difference(path: str, trees: Versions, blobs: Blobs) -> str:
    """What the pull request did to a file, as people read it."""
    before = await _content(path, trees.old, blobs)
    after = await _content(path, trees.mine, blobs)
    if after is None:
        return "The file was deleted."
    if any(b"\0" in each or len(each) > _LARGEST for each in (before or b"", after)):
        return "The file was changed. It is no text, or too large to be shown."
    old, new = ((each or b"").decode("utf-8", "replace").splitlines() for each in (before, after))
    return "\n".join(unified_diff(old, new, "before", "after", lineterm=""))


async def _content(path: str, tree: Snapshot, blobs: Blobs) -> bytes | None:
    entry = tree.entries.get(path)
    return (await blobs([entry.sha]))[entry.sha] if entry else None
