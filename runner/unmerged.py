"""The roadmap as it stands: the newest of the base branch, with what open pull requests change.

A run builds its code on the tip of the stack, which may be older than the base branch. The roadmap
it reads is never older, so that a task that was added an hour ago can be worked on while pull
requests wait for review.
"""

from __future__ import annotations

from collections.abc import Collection

from runner.ports import Repository, Stack
from runner.roadmap.edit import tick_all, untick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replay import RoadmapEdits, Unmerged, with_unmerged
from runner.snapshot import EXECUTABLE, FILE
from runner.state import RunState, Status

_DONE = {Status.COMPLETED, Status.IN_REVIEW}


async def roadmap_now(repository: Repository, stack: Stack, path: str) -> Unmerged | None:
    """Return the roadmap a run reads; None when the base branch has no such file.

    On a checkout nothing is unmerged, so that it is the file at the tip. Raises ``Outage`` and
    ``TaskError``.
    """
    newest = await _read(repository, stack.base or stack.tip, path)
    if newest is None or not stack.members:
        return None if newest is None else Unmerged(newest)
    edits = []
    for member in stack.members:
        mine = await _read(repository, member.commit, path)
        old = await _read(repository, member.fork, path) if member.fork else newest
        if mine is not None and old is not None:
            edits.append(RoadmapEdits(old, mine))
    return with_unmerged(path, newest, edits)


def roadmap_for(state: RunState, mine: bytes, keys: Collection[str]) -> bytes:
    """Return the bytes that a commit about some tasks edits, on a branch whose roadmap is ``mine``.

    These are the branch's own, so that a pull request shows its own tick and no more. Where the
    branch does not have a task, for it was added to the base branch since, they are the newest of
    the base branch with what this branch changes: the pull request shows the added lines as well,
    and once what is below it is merged they are part of its base and its diff is one tick again.
    """
    there = parse_roadmap(state.request.roadmap, mine)
    now = state.roadmap
    if now is None or not state.base or set(keys) <= {task.key for task in there.tasks}:
        return mine
    ticked = {task.key for task in there.tasks if task.checked}
    others = [
        task.key
        for task in now.tasks
        if task.checked and task.key not in ticked and state.status(task) is Status.IN_REVIEW
    ]
    ours = [
        task.key
        for task in now.tasks
        if not task.checked and task.key in ticked and state.status(task) in _DONE
    ]
    return tick_all(now.path, untick_all(now.path, now.content, others), ours)


async def _read(repository: Repository, commit: str, path: str) -> bytes | None:
    entry = (await repository.snapshot(commit)).entries.get(path)
    if entry is None or entry.mode not in (FILE, EXECUTABLE):
        return None
    return (await repository.blobs([entry.sha]))[entry.sha]
