"""The roadmap as it is now: the newest of the base branch, with what open pull requests change.

A run builds its code on the tip of the stack, which may be older than the base branch. The roadmap
it reads is never older, so that Cairn can work on a task that was added an hour ago while pull
requests wait for review.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from runner.loop.applied import edited
from runner.loop.deps import Deps
from runner.ports import Repository
from runner.roadmap.edit import EditRefused, tick_all, untick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans.choosing import plan_at
from runner.roadmap.replay import RoadmapEdits, Unmerged, with_unmerged
from runner.roadmap.reviewed import ReviewedPull, reviewed
from runner.roadmap.task import Roadmap, Task
from runner.state.changes import EXECUTABLE, FILE, SYMLINK
from runner.state.publishing import Stack
from runner.state.run_state import ReplacedTasks, RunState, Status

_DONE = {Status.COMPLETED, Status.IN_REVIEW}


async def roadmap_now(repository: Repository, stack: Stack, path: str) -> Unmerged | None:
    """Return the roadmap a run reads; None when the base branch has no such file.

    On a checkout nothing is unmerged, so that it is the file at the tip. Raises ``Outage`` and
    ``TaskError``.
    """
    newest = await content_at(repository, stack.base or stack.tip, path)
    if newest is None or not stack.members:
        return None if newest is None else Unmerged(newest)
    edits = []
    for member in stack.members:
        mine = await content_at(repository, member.commit, path)
        old = await content_at(repository, member.fork, path) if member.fork else newest
        if mine is not None and old is not None:
            edits.append(RoadmapEdits(old, mine))
    return await asyncio.to_thread(with_unmerged, path, newest, edits)


async def plan_now(deps: Deps, stack: Stack, path: str) -> Unmerged | None:
    """Return what ``roadmap_now`` does; a plan that is no file stays as the run was given it."""
    if path in deps.apart:
        return Unmerged(deps.apart[path])
    return await roadmap_now(deps.repository, stack, path)


async def plan_of(
    repository: Repository, commit: str, setting: str, projects: Iterable[str] = ()
) -> str:
    """Return the plan that is meant by a configured path or pattern, where links in it lead.

    ``projects`` are the plans of projects, one of which may be meant. Raises ``Outage`` and
    ``TaskError``.
    """
    entries = (await repository.snapshot(commit)).entries
    files = {path for path, entry in entries.items() if entry.mode in (FILE, EXECUTABLE)}

    async def read(paths: Sequence[str]) -> dict[str, bytes]:
        blobs = await repository.blobs([entries[path].sha for path in paths])
        return {path: blobs[entries[path].sha] for path in paths}

    path = setting if setting in entries else await plan_at(setting, files, read, projects)
    return await linked(repository, commit, path)


async def linked(repository: Repository, commit: str, path: str) -> str:
    """Return the file that a path leads to: links inside the repository are followed.

    The path itself where it is no link, or one that leads nowhere or out of the repository. Raises
    ``Outage`` and ``TaskError``.
    """
    entries, at = (await repository.snapshot(commit)).entries, path
    for _ in range(_MOST_LINKS):
        entry = entries.get(at)
        if entry is None or entry.mode != SYMLINK:
            return at if entry else path
        target = (await repository.blobs([entry.sha]))[entry.sha].decode("utf-8", "surrogateescape")
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), target))
    return path


_MOST_LINKS = 8


async def left_behind(repository: Repository, stack: Stack, path: str) -> tuple[ReviewedPull, ...]:
    """Return the open pull requests whose task the newest roadmap does not have in these words.

    Raises ``Outage``.
    """
    newest = await content_at(repository, stack.base or stack.tip, path) if stack.shown else None
    if newest is None:
        return ()
    roadmap = parse_roadmap(path, newest)
    found = (
        ReviewedPull(each.number, each.title, reviewed(roadmap, each.tasks, each.title))
        for each in stack.shown
    )
    return tuple(each for each in found if each.task.fate != "in review")


def roadmap_for(state: RunState, mine: bytes, keys: Collection[str]) -> bytes:
    """Return the bytes that a commit about some tasks edits, on a branch whose roadmap is ``mine``.

    These are the branch's own, so that a pull request shows only its own tick. If the branch does
    not have a task, because it was added to the base branch since, they are the newest of the base
    branch with what this branch changes: the pull request also shows the added lines. Once what is
    below it is merged, they are part of its base and its diff is one tick again.
    """
    there = parse_roadmap(state.request.roadmap, mine)
    now = state.roadmap
    if now is None or not state.stack.base or set(keys) <= {task.key for task in there.tasks}:
        return mine
    ticked = {task.key for task in there.tasks if task.checked}
    others = [
        task.key
        for task in now.tasks
        if task.checked
        and task.key not in ticked
        # only an open pull request ticks it, which may be one of the run itself
        and Status.IN_REVIEW in (state.statuses.get(task.key), state.status(task))
    ]
    ours = [
        task.key
        for task in now.tasks
        if not task.checked and task.key in ticked and state.status(task) in _DONE
    ]
    return tick_all(now.path, untick_all(now.path, now.content, others), ours)


async def content_at(repository: Repository, commit: str, path: str) -> bytes | None:
    """Return a file as it is in a commit; None where there is none."""
    entry = (await repository.snapshot(commit)).entries.get(path)
    if entry is None or entry.mode not in (FILE, EXECUTABLE):
        return None
    return (await repository.blobs([entry.sha]))[entry.sha]


def reread(state: RunState, roadmap: Roadmap, statuses: Mapping[str, Status]) -> RunState:
    """Return the run with the roadmap as it is now, and which tasks people see or decided.

    A task that was removed keeps its record. If people put the proposed tasks in its place
    themselves, by a merge or by hand, these count as its replacements.
    """
    there = {task.key for task in roadmap.tasks}
    known = there | {task.key for task in state.replaced.tasks}
    touched = {
        key
        for a in state.attempts.values()
        for key in (a.task, *a.planned.members, *a.planned.former)
    }
    gone = [task for task in state.tasks if task.key in touched and task.key not in known]
    new = {key: task.key for task in gone for key in _proposed(state, task) if key in there}
    return replace(
        state,
        roadmap=roadmap,
        statuses=dict(statuses),
        replaced=ReplacedTasks(
            (*state.replaced.tasks, *gone), origins={**new, **state.replaced.origins}
        ),
    )


def stands(state: RunState, key: str) -> bool:
    """Say whether what was proposed for a task has taken its place already."""
    return key in state.replaced.origins.values()


def _proposed(state: RunState, task: Task) -> Iterator[str]:
    """The keys that the tasks proposed for one would have in its place."""
    attempt = state.attempts.get(task.key)
    if state.roadmap is None or attempt is None or attempt.proposal is None:
        return
    if not attempt.proposal.replacements:
        return
    try:
        after = edited(replace(state, current=task.key), state.roadmap.content)
    except EditRefused:
        return
    old = {each.key for each in state.tasks}
    for each in parse_roadmap(state.roadmap.path, after).tasks:
        if each.key not in old:
            yield each.key
