"""The change between two trees as numbered hunks, any of which can be applied alone."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``start:end`` of the old file become ``lines``; a new or deleted file is one hunk."""

    path: str
    number: int
    start: int
    end: int
    lines: tuple[bytes, ...]
    deletes: bool = False

    @property
    def id(self) -> str:
        """The path and the number, as the catalogue names it."""
        return f"{self.path}#{self.number}"


def hunks(old: Files, new: Files, paths: Collection[str]) -> tuple[Hunk, ...]:
    """Return what differs in these files, in the order of paths and lines."""
    return tuple(hunk for path in sorted(paths) for hunk in _of_file(path, old, new))


def _of_file(path: str, old: Files, new: Files) -> Iterator[Hunk]:
    before = old.get(path, b"").splitlines(keepends=True)
    if path not in new:
        yield Hunk(path, 0, 0, len(before), (), deletes=True)
        return
    after = new[path].splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changed = (code for code in matcher.get_opcodes() if code[0] != "equal")
    for number, (_, start, end, first, last) in enumerate(changed):
        yield Hunk(path, number, start, end, tuple(after[first:last]))


def applied(files: Files, chosen: Collection[Hunk]) -> dict[str, bytes]:
    """Return the tree with these hunks applied."""
    result = dict(files)
    for path in sorted({hunk.path for hunk in chosen}):
        mine = sorted((h for h in chosen if h.path == path), key=lambda h: h.start, reverse=True)
        if any(hunk.deletes for hunk in mine):
            result.pop(path, None)
            continue
        lines = files.get(path, b"").splitlines(keepends=True)
        for hunk in mine:
            lines[hunk.start : hunk.end] = hunk.lines
        result[path] = b"".join(lines)
    return result
