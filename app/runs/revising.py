"""What reviewers are told when a run has worked on their pull request again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.github.review_threads import ThreadReply
from app.runs.begun import RunPorts
from runner.errors import STOP_REQUEST, TaskError
from runner.loop.deps import Deps
from runner.loop.reading import contents
from runner.loop.task_pool import Ended
from runner.people.texts import revision_texts
from runner.state.changes import Snapshot
from runner.state.revising import Point, Revision, RevisionRequest
from runner.state.run_state import RunState
from runner.text.compared import Compared

_NEAR = 3
"""Lines around a comment that count as what it is about."""


@dataclass(frozen=True)
class RevisionOutcome:
    """``commit`` is what was added ('': nothing, and ``why``; ``again`` if it may be tried again).

    ``changed`` are its paths, each with the ranges of old lines (first, last) that it changes; none
    where all of it changed.
    """

    commit: str = ""
    why: str = ""
    again: bool = True
    changed: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)

    def is_about(self, point: Point) -> bool:
        """Say whether it changes the lines that a thread is about."""
        if point.path not in self.changed:
            return False
        ranges = self.changed[point.path]
        if not (point.end and ranges):
            return True
        first, last = point.start - _NEAR, point.end + _NEAR
        return any(start <= last and end >= first for start, end in ranges)


async def answered(ended: Ended, asked: RevisionRequest, ports: RunPorts) -> str:
    """Answer the reviewers who asked for a revision; what there is to say about the whole."""
    revision = ended.state.revision or await _not_begun(ended, asked, ports.deps)
    stopped = ended.status in ("ended", "cancelled") or ended.kind == STOP_REQUEST
    if asked.conflict and stopped:
        # if the conflict is still there, this says what to do
        await ports.repository.catch_up(anew=True, stopped=True)
    if revision is None or revision.fixes or ended.status not in ("ended", "cancelled"):
        return ""
    replies, said = await _answers(ended, revision, asked, ports.deps)
    await ports.repository.reviews.answer(revision.pull, replies)
    return said


async def _answers(
    ended: Ended, revision: Revision, asked: RevisionRequest, deps: Deps
) -> tuple[list[ThreadReply], str]:
    """What a revision that ended or was cancelled answers: in threads, and in its comment.

    The comment of one that could not begin says why by itself. Raises ``Outage``.
    """
    state = ended.state
    if state.problem:
        outcome = RevisionOutcome(why=state.problem)
        return replies_in(revision, outcome, asked), ""
    outcome = await _outcome(state, revision, deps)
    if ended.status == "cancelled" and not outcome.commit:
        if asked.conflict or asked.failing:
            return [], ""
        outcome = RevisionOutcome(why="the run was cancelled before it was done")
        said = [revision_texts.cancelled(), revision_texts.counted(asked) if state.attempts else ""]
        return replies_in(revision, outcome, asked), "\n\n".join(filter(None, said))
    return replies_in(revision, outcome, asked), _said(outcome, asked, revision)


async def _not_begun(ended: Ended, asked: RevisionRequest, deps: Deps) -> Revision | None:
    """Return the review of a run that was cancelled before it read it. Raises ``Outage``."""
    if ended.status != "cancelled" or not asked.review:
        return None
    try:
        return await deps.reviews.asked(asked)
    except TaskError:  # the pull request is closed, or its branch is gone
        return None


async def _outcome(state: RunState, revision: Revision, deps: Deps) -> RevisionOutcome:
    """Read what came of a revision. Raises ``Outage``."""
    attempt = next(iter(state.attempts.values()), None)
    if attempt is None or not attempt.published.commit:
        failure = attempt.failure if attempt else None
        if failure is None:
            return RevisionOutcome(why="the run ended before it was done")
        # what GitHub refuses is no fault of the answer
        again = failure.type not in ("github", "merged", "closed")
        return RevisionOutcome(why=failure.message, again=again)
    now = attempt.planned.revision or revision
    old = await deps.repository.snapshot(now.head)
    new = await deps.repository.snapshot(attempt.published.commit)
    return RevisionOutcome(attempt.published.commit, changed=await _changed(old, new, deps))


async def _changed(
    old: Snapshot, new: Snapshot, deps: Deps
) -> dict[str, Sequence[tuple[int, int]]]:
    entries = (old.entries, new.entries)
    paths = {
        path
        for path in {*old.entries, *new.entries}
        if entries[0].get(path) != entries[1].get(path)
    }
    before, after = await contents(deps, old, paths), await contents(deps, new, paths)
    return {
        path: await asyncio.to_thread(_ranges, before[path], after[path])
        if path in before and path in after
        else ()
        for path in sorted(paths)
    }


def _ranges(old: bytes, new: bytes) -> Sequence[tuple[int, int]]:
    """The lines of the old content that are changed, or between which new ones are."""
    before, after = old.split(b"\n"), new.split(b"\n")
    return tuple(
        (first + 1, max(first, last))
        for tag, first, last, _, _ in Compared(before, after).get_opcodes()
        if tag != "equal"
    )


def replies_in(
    revision: Revision, outcome: RevisionOutcome, asked: RevisionRequest
) -> list[ThreadReply]:
    """What is answered in each thread: resolved where its lines were changed, else why not."""
    replies = []
    for point in revision.points:
        if point.thread:
            text, about = revision_texts.thread_failed(outcome.why), outcome.is_about(point)
            if outcome.commit and about:
                text = revision_texts.thread_done(outcome.commit)
            elif outcome.commit:
                text = revision_texts.elsewhere(outcome.commit, point.path, sorted(outcome.changed))
            resolves = bool(outcome.commit) and about
            replies.append(ThreadReply(point.thread, text, resolves=resolves))
    for each in revision.left_out:
        if each.path:
            replies.append(ThreadReply(each.thread, revision_texts.thread_never_written(each.path)))
        else:
            replies.append(
                ThreadReply(each.thread, revision_texts.thread_unread(asked), kind="unread")
            )
    return replies


def _said(outcome: RevisionOutcome, asked: RevisionRequest, revision: Revision) -> str:
    """What the comment of the run says."""
    if asked.conflict:
        tried = (
            revision_texts.redone(outcome.commit, revision)
            if outcome.commit
            else revision_texts.not_redone(outcome.why)
        )
        return f"{tried}\n\n{revision_texts.counted(asked)}"
    nothing = revision_texts.not_revised(outcome.why, again=outcome.again)
    what = revision_texts.revised(outcome.commit) if outcome.commit else nothing
    parts = (what, revision_texts.read_in_part(revision, asked), revision_texts.counted(asked))
    return "\n\n".join(filter(None, parts))
