"""Take back a finished task: the inverse of its commit on the newest state, and its tick."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from runner.errors import TaskError
from runner.ports import Repository
from runner.roadmap.edit import EditRefused, untick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task
from runner.state.changes import ChangeSet, Snapshot, TreeEntry, Write

Merge = Callable[[bytes, bytes, bytes], Awaitable[bytes | None]]
"""Merges ours, base and theirs; None for a conflict."""

CLASH = "What {task} wrote in {paths} was changed since, so it cannot be taken back on its own."


@dataclass(frozen=True, slots=True)
class FinishedTask:
    """A task whose change was made, and the commit that did it: the trees before and after it.

    ``others`` are the keys of tasks that the commit did as well and did not tick.
    """

    task: Task
    roadmap: str
    before: Snapshot
    after: Snapshot
    others: tuple[str, ...] = ()


async def inverse(
    done: FinishedTask, now: Snapshot, repository: Repository, merge: Merge
) -> ChangeSet:
    """Return what takes the task back on ``now``, its checkbox cleared.

    Where others changed the same file since, both are merged. Raises ``TaskError`` that names the
    files where that is not possible.
    """
    paths = sorted({**done.before.entries, **done.after.entries})
    changed = [p for p in paths if done.before.entries.get(p) != done.after.entries.get(p)]
    files: dict[str, Write | None] = {}
    clashes = []
    for path in changed:
        if path == done.roadmap or now.entries.get(path) == done.before.entries.get(path):
            continue
        try:
            files[path] = await _back(path, done, now, repository, merge)
        except TaskError:
            clashes.append(path)
    if clashes:
        raise TaskError("conflict", CLASH.format(task=done.task.name, paths=", ".join(clashes)))
    roadmap = await _content(now.entries.get(done.roadmap), repository)
    try:
        if keys := await _ticked(done, roadmap, repository):
            files[done.roadmap] = Write(untick_all(done.roadmap, roadmap, keys))
    except EditRefused as refused:
        raise TaskError("file", str(refused)) from refused
    return ChangeSet(files)


async def _ticked(done: FinishedTask, now: bytes, repository: Repository) -> list[str]:
    """The keys of all tasks that its commit did, as far as they are ticked."""
    trees = (done.before, done.after)
    old, new = [await _content(each.entries.get(done.roadmap), repository) for each in trees]
    before, after, here = [_checked(done.roadmap, content) for content in (old, new, now)]
    return sorted(({done.task.key, *done.others} | (after - before)) & here)


def _checked(path: str, content: bytes) -> set[str]:
    return {task.key for task in parse_roadmap(path, content).tasks if task.checked}


async def _back(
    path: str, done: FinishedTask, now: Snapshot, repository: Repository, merge: Merge
) -> Write | None:
    """One file as it was before the task, with what came after. Raises ``TaskError``."""
    before, after = done.before.entries.get(path), done.after.entries.get(path)
    here = now.entries.get(path)
    if here == after:
        return Write(await _content(before, repository), before.mode) if before else None
    if here is None or after is None or before is None:
        raise TaskError("conflict", path)
    ours, base, theirs = [await _content(entry, repository) for entry in (here, after, before)]
    content = await merge(ours, base, theirs)
    if content is None:
        raise TaskError("conflict", path)
    return Write(content, here.mode)


async def _content(entry: TreeEntry | None, repository: Repository) -> bytes:
    return (await repository.blobs([entry.sha]))[entry.sha] if entry else b""
