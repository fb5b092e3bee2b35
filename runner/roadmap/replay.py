"""Make the edits of a branch again on a newer roadmap: ticks by task key, other edits by line.

Two boxes one below the other are a conflict to git as soon as one of them is ticked elsewhere, so
roadmaps are never merged as text together with their ticks.

"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.roadmap.edit import EditRefused, tick_all, untick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.text.compared import Compared


@dataclass(frozen=True, slots=True)
class RoadmapEdits:
    """What a branch did to a roadmap: ``old`` where it left what is below it, ``mine`` its head."""

    old: bytes
    mine: bytes


@dataclass(frozen=True, slots=True)
class Unmerged:
    """A roadmap with edits that are not merged yet; ``ticked`` are the keys only they tick."""

    content: bytes
    ticked: frozenset[str] = frozenset()


def replayed(path: str, edit: RoadmapEdits, new: bytes) -> bytes | None:
    """Return ``new`` with an edit; the tick of a task that is not in ``new`` any more is left out.

    None where the edit does not fit any more: both changed the same lines.
    """
    keys = _ticks(path, edit)
    try:
        plain = _with_text(path, edit, keys, new)
        if plain is None:
            return None
        there = parse_roadmap(path, plain)
        kept = [task.key for task in there.tasks if task.key in keys]
        also = form_of(path).also_done(there, kept)  # with what others did meanwhile
        return tick_all(path, plain, [*kept, *also])
    except EditRefused:
        return None


def only_ticks(path: str, edit: RoadmapEdits) -> bool:
    """Say whether an edit changes no word of a roadmap."""
    try:
        return untick_all(path, edit.mine, _ticks(path, edit)) == edit.old
    except EditRefused:
        return False


def ticked_again(path: str, edit: RoadmapEdits, new: bytes) -> bytes | None:
    """Return ``new`` with the ticks of an edit and nothing else of it; None where it has no boxes.

    The tick of a task that is not in ``new`` any more is left out.
    """
    there = {task.key for task in parse_roadmap(path, new).tasks}
    try:
        return tick_all(path, new, [key for key in _ticks(path, edit) if key in there])
    except EditRefused:
        return None


def with_unmerged(path: str, newest: bytes, edits: Iterable[RoadmapEdits]) -> Unmerged:
    """Return ``newest`` with edits, as far as they fit: what does not is left out."""
    content, ticks = newest, list[str]()
    for edit in edits:
        keys = _ticks(path, edit)
        ticks += keys
        try:
            content = _with_text(path, edit, keys, content) or content
        except EditRefused:
            continue
    open_ones = {task.key for task in parse_roadmap(path, content).tasks if not task.checked}
    ticked = frozenset(key for key in ticks if key in open_ones)
    try:
        return Unmerged(tick_all(path, content, sorted(ticked)), ticked)
    except EditRefused:
        return Unmerged(content)


def _ticks(path: str, edit: RoadmapEdits) -> list[str]:
    """The tasks that an edit ticks, which may have come with it."""
    if edit.old == edit.mine:
        return []
    before = {task.key for task in parse_roadmap(path, edit.old).tasks if task.checked}
    now = (task.key for task in parse_roadmap(path, edit.mine).tasks if task.checked)
    return [key for key in now if key not in before]


def _with_text(path: str, edit: RoadmapEdits, keys: Sequence[str], new: bytes) -> bytes | None:
    """Return ``new`` with what an edit changed besides its ticks; None where that does not fit."""
    plain = untick_all(path, edit.mine, keys)
    if plain == edit.old:
        return new
    merged = _merged(edit.old, plain, new)
    return merged if merged is not None and _has_tasks(path, edit.old, plain, new, merged) else None


def _has_tasks(path: str, old: bytes, mine: bytes, new: bytes, merged: bytes) -> bool:
    """Say whether a merged roadmap has the tasks both sides want, and no other ones."""
    was, ours, theirs, found = (
        {task.key for task in parse_roadmap(path, content).tasks}
        for content in (old, mine, new, merged)
    )
    return found == (theirs - (was - ours)) | (ours - was)


def _merged(old: bytes, mine: bytes, new: bytes) -> bytes | None:
    """Merge line by line; None where both changed the same lines in different ways."""
    was, *sides = (content.splitlines(keepends=True) for content in (old, mine, new))
    changes = [
        _Change(first, end, tuple(side[start:stop]))
        for side in sides
        for tag, first, end, start, stop in Compared(was, side).get_opcodes()
        if tag != "equal"
    ]
    kept = _apart(sorted(changes, key=lambda change: (change.first, change.end)))
    if kept is None:
        return None
    lines, at = list[bytes](), 0
    for change in kept:
        lines += [*was[at : change.first], *change.lines]
        at = change.end
    return b"".join((*lines, *was[at:]))


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines ``first`` up to ``end`` (from 0, ``end`` not among them) become ``lines``."""

    first: int
    end: int
    lines: tuple[bytes, ...]


def _apart(changes: Iterable[_Change]) -> list[_Change] | None:
    """Changes that do not meet; of two at the same place the one that has the other in it."""
    found: list[_Change] = []
    for change in changes:
        last = found[-1] if found else None
        if last is None or (last.first, last.end) != (change.first, change.end):
            if last and change.first < last.end:
                return None
            found.append(change)
        elif _is_within(last.lines, change.lines):
            found[-1] = change
        elif not _is_within(change.lines, last.lines):
            return None
    return found


def _is_within(few: Sequence[bytes], many: Sequence[bytes]) -> bool:
    """Say whether some lines occur among others, in the same order."""
    rest = iter(many)
    return all(line in rest for line in few)
