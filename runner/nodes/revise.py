"""Work on a checkpoint's pull request again, as reviewers ask: what it starts from, how it ends."""

from __future__ import annotations

import io
import logging
from dataclasses import replace

from runner.checks.paths import protect_file, protection
from runner.errors import TaskError
from runner.loop.deps import Deps
from runner.loop.reading import base_of, contents, seen_of
from runner.loop.schedule import with_blocked
from runner.people.sentences import fix_roadmap
from runner.people.texts import fix_texts, revision_texts
from runner.roadmap.edit import EditRefused, untick_all
from runner.roadmap.parse import parse_roadmap as parse
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Snapshot, Write
from runner.state.revising import (
    Point,
    Revision,
    RevisionRequest,
    SkippedThread,
)
from runner.state.run_state import RunStack, RunState, Step
from runner.text.mask import is_secret_file

log = logging.getLogger(__name__)


async def begin_revision(state: RunState, deps: Deps, asked: RevisionRequest) -> Step:
    """Read what reviewers ask for, and the roadmap of the branch; ``rejected`` if that is nothing.

    The task is open again for the run: on the branch its checkbox is ticked and stays so.
    """
    revision, mask = await deps.reviews.asked(asked), deps.mask
    points = []
    for point in revision.points:  # all of it is stored, and shown to a model
        diff = None if is_secret_file(point.path) else point.diff
        points.append(
            replace(
                point,
                text=mask(point.text),
                rest=mask(point.rest),
                taken_up=mask(point.taken_up),
                diff=replace(diff, text=mask(diff.text)) if diff else None,
            )
        )
    revision = replace(revision, points=tuple(points))
    state = await opened(state, deps, revision)
    if revision.unclear.silent and not revision.points:
        return Step(replace(state, problem=fix_texts.says_nothing(revision)), "rejected")
    if not revision.points:
        nothing = (
            revision_texts.nothing_conflicts if asked.conflict else revision_texts.nothing_asked
        )
        nothing = revision_texts.nothing_fails if asked.failing else nothing
        return Step(replace(state, problem=nothing(revision)), "rejected")
    shown = [each.planned.revision for each in state.attempts.values()]
    asks = state.request.options.push == "approved"
    if asks and any(each and each.head != revision.head for each in shown):
        return Step(replace(state, problem=revision_texts.moved_on(revision)), "rejected")
    if not revision.repairs and not revision.conflict:
        # what is asked about files that are never written is told to people, and no model is asked
        protected = (*state.request.options.approvals.protect, protect_file(state.request.roadmap))
        never = protection(protected)
        about = [point for point in revision.points if never(point.path)]
        left_out = tuple(SkippedThread(point.thread, point.path) for point in about)
        possible = tuple(point for point in revision.points if not never(point.path))
        problem = (
            "" if possible else revision_texts.only_never_written([point.path for point in about])
        )
        left_out = (*left_out, *revision.left_out)
        revision = replace(revision, points=possible, left_out=left_out)
        state = replace(state, revision=revision, problem=problem)
    return Step(with_blocked(state), "rejected" if state.problem else "ok")


async def opened(state: RunState, deps: Deps, revision: Revision) -> RunState:
    """Return the state on a pull request, whose tasks are open again for the run.

    A repair of anybody's pull request is a task of its own, in no roadmap. Raises ``TaskError`` if
    the branch has no roadmap in which the tasks can be.
    """
    path = state.request.roadmap
    if revision.fixes:
        roadmap = parse(path, fix_roadmap(revision.pull).encode())
        return replace(
            state,
            revision=replace(revision, tasks=(roadmap.tasks[0].key,)),
            roadmap=roadmap,
            stack=RunStack(revision.head, revision.branch, revision.head),
        )
    commit, branch = revision.head, revision.branch
    if revision.conflict:
        commit, branch = revision.fork, revision.below
    tree = await deps.repository.snapshot(commit)
    content = (await contents(deps, tree, [path])).get(path)
    if content is None:
        raise TaskError("file", f"{path} does not exist on the branch {branch}")
    try:
        roadmap = parse(path, untick_all(path, content, revision.tasks))
    except EditRefused as refused:
        raise TaskError("file", revision_texts.reworded(path, branch)) from refused
    return replace(
        state,
        revision=revision,
        roadmap=roadmap,
        stack=RunStack(revision.fork, revision.below, revision.base),
    )


async def change_so_far(state: RunState, deps: Deps) -> ChangeSet:
    """Return the change that the pull request has; of any other attempt what was answered.

    Raises ``TaskError`` if it has what is no file.
    """
    if state.attempt.planned.revision is None:
        return state.attempt.answered.changes
    old, new = await base_of(state, deps), await seen_of(state, deps)
    paths = {p for p in {*old.entries, *new.entries} if old.entries.get(p) != new.entries.get(p)}
    there = sorted(path for path in paths if path in new.entries)
    if odd := [path for path in there if new.entries[path].mode not in (FILE, EXECUTABLE)]:
        raise TaskError("file", revision_texts.not_files(odd))
    found = await contents(deps, new, there)
    writes = {p: Write(found[p], new.entries[p].mode) if p in found else None for p in paths}
    return ChangeSet(writes)


async def added_to(state: RunState, deps: Deps, changes: ChangeSet) -> ChangeSet:
    """Return an answer on top of what the pull request has: what it does not name stays so.

    A file keeps its mode unless the answer gives another one.
    """
    now = (await change_so_far(state, deps)).files
    files = dict(changes.files)
    for path, write in files.items():
        there = now.get(path)
        if write and there and write.mode is None:
            files[path] = replace(write, mode=there.mode)
    return ChangeSet({**now, **files})


async def as_suggested(state: RunState, deps: Deps) -> RunState:
    """Return the state with the reviewers' suggestions as its answer, if they ask for nothing else.

    Without ``answers`` a model has to be asked. The pull request as it is counts as tried.
    """
    revision = state.attempt.planned.revision
    assert revision is not None  # noqa: S101 - asked only where there is one
    now = await change_so_far(state, deps)
    state = state.updated(replace(state.attempt.answered, changes=now, tried=(now.digest,)))
    if not all(point.suggestions and not point.rest for point in revision.points):
        return state
    paths = sorted({point.path for point in revision.points})
    old = await contents(deps, await seen_of(state, deps), paths)
    written = {path: applied(old[path], revision.points, path) for path in paths if path in old}
    if len(written) < len(paths) or None in written.values():
        return state
    changes = ChangeSet(
        {p: Write(content) for p, content in written.items() if content is not None}
    )
    log.info("Task [%s]: %d suggestions are applied", state.task.name, len(revision.points))
    return state.put(
        replace(
            state.attempt,
            failure=None,
            answered=replace(state.attempt.answered, answers=1, changes=now.merged(changes)),
            checked=replace(state.attempt.checked, complaints=()),
        )
    )


def applied(content: bytes, points: tuple[Point, ...], path: str) -> bytes | None:
    """Return a file with the suggestions for it; None if they do not fit it, or each other."""
    try:
        # str.splitlines would also break at form feeds and U+2028, which git counts as no line end
        lines = io.StringIO(content.decode(), newline="\n").readlines()
    except UnicodeDecodeError:
        return None
    wanted = sorted(
        (s for point in points if point.path == path for s in point.suggestions),
        key=lambda suggestion: suggestion.start,
    )
    below = len(lines) + 1
    for suggestion in reversed(wanted):
        if not 1 <= suggestion.start <= suggestion.end < below:
            return None
        # with line ends as those they replace have
        last = lines[suggestion.end - 1]
        end = "\r\n" if last.endswith("\r\n") else "\n" if last.endswith("\n") else ""
        new = suggestion.text.removesuffix("\n").split("\n") if suggestion.text else []
        new[:-1] = [f"{line}{end or chr(10)}" for line in new[:-1]]
        new[-1:] = [f"{line}{end}" for line in new[-1:]]
        lines[suggestion.start - 1 : suggestion.end] = new
        below = suggestion.start
    return "".join(lines).encode()


def after_push(
    state: RunState, revision: Revision, trees: tuple[Snapshot, Snapshot, ChangeSet]
) -> RunState:
    """Return the state on what somebody pushed meanwhile; ``revision`` is on the new head.

    ``trees`` are the old head, the new one, and what this attempt did to the old one. What people
    pushed is part of the base then. Raises ``TaskError`` if both changed a file.
    """
    old, new, mine = trees
    pushed = {p for p in {*old.entries, *new.entries} if old.entries.get(p) != new.entries.get(p)}
    if both := sorted(pushed & mine.files.keys()):
        raise TaskError("conflict", revision_texts.both_changed(revision, both))
    files = state.attempt.answered.changes.files
    kept = {path: write for path, write in files.items() if path not in revision.kept}
    return state.put(
        replace(
            state.attempt,
            base=revision.fork,
            planned=replace(state.attempt.planned, revision=revision),
            answered=replace(state.attempt.answered, changes=ChangeSet(kept)),
        )
    )
