"""Checkpoints that are worked on again: what reviews and checks ask for, and one more commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.github.comments import section
from app.github.commits import Commit
from app.github.conflicts import Versions, conflicting
from app.github.failing import ChecksRead
from app.github.owned import in_form, line_of
from app.github.place import Place
from app.github.pulls import Pull, checkpoint_markers, read_pull
from app.github.review_threads import ReviewThreads, ThreadReply
from runner.errors import Outage, TaskError
from runner.people.sentences import shared_branch
from runner.people.texts import revision_texts
from runner.state.publishing import Checkpoint
from runner.state.revising import (
    Conflict,
    Revision,
    RevisionRequest,
    UnclearChecks,
)


class ReviewedPulls:
    """The ``Reviews`` port on GitHub, for one run."""

    def __init__(self, at: Place) -> None:
        self._at, self._threads = at, ReviewThreads(at)

    async def asked(self, request: RevisionRequest) -> Revision:
        """Return what a revision is about, as it is now.

        Raises ``TaskError`` if the pull request cannot be revised, ``Outage``.
        """
        pull = await self._pull(request.pull)
        if request.conflict:
            return await self._in_conflict(pull, request)
        found = await self._now(pull)
        if request.failing:
            read = await self._read(found, pull.base, request)
            found = replace(found, repairs=True, unclear=UnclearChecks(read.silent, read.unread))
            return replace(found, points=read.points, by=request.by)
        points, left_out = await self._threads.asked(pull, request)
        return replace(found, points=points, left_out=left_out, by=request.by)

    async def _in_conflict(self, pull: Pull, request: RevisionRequest) -> Revision:
        """What is in conflict with the newest base; no points if a person pushed to the branch.

        What this run made of the head already is not another one. Another attempt may have changed
        the branch since this one was asked for, and the base once more: that is its conflict then.
        """
        head, below = await self._at.commits.head(pull.head), await self._at.commits.head(pull.base)
        if head is None or below is None:
            raise TaskError("github", revision_texts.branch_gone(pull.head))
        found = Revision(
            pull=pull.number,
            tasks=pull.tasks,
            branch=pull.head,
            head=request.conflict,
            fork=below.sha,
            below=pull.base,
            base=await self._at.tip(),
        )
        start = request.start
        if head.sha != request.conflict and head.run != self._at.run:
            if not await self._at.commits.ours(head, pull.head):
                return found
            found = replace(found, head=head.sha)
            start = await self._start(pull, below.sha, head.sha)
        old, mine = await self._at.snapshot(start), await self._at.snapshot(found.head)
        trees = Versions(old, mine, await self._at.snapshot(below.sha))
        now, points = await conflicting(self._at, trees)
        conflict = Conflict(now.both, now.applied, request.rebuild) if now else None
        return replace(found, points=points, conflict=conflict)

    async def _start(self, pull: Pull, base: str, head: str) -> str:
        """Return the commit on which the change of a pull request is now."""
        doing = f"compare {base[:10]} with {head[:10]}"
        return line_of(
            await self._at.api.get(f"compare/{base}...{head}", doing), head, pull.tasks
        ).start

    async def _read(self, found: Revision, base: str, request: RevisionRequest) -> ChecksRead:
        """What failing checks say; nothing if the branch has another head than they are about."""
        if self._at.failing is None or request.failing != found.head:
            return ChecksRead(())
        failing = await self._at.failing()
        failed = await failing.on(found.head, base)
        return await failing.read(await failing.new_since(failed, found.fork))

    async def as_it_is(self, number: int) -> Revision:
        """Return an open checkpoint as it is now: nothing is asked. Raises as ``asked``."""
        return await self._now(await self._pull(number))

    async def _now(self, pull: Pull) -> Revision:
        head, fork, kept = await self._branch(pull)
        return Revision(
            pull=pull.number,
            tasks=pull.tasks,
            branch=pull.head,
            head=head,
            fork=fork,
            below=pull.base,
            base=await self._at.tip(),
            kept=kept,
        )

    async def moved(self, revision: Revision) -> Revision:
        """Return the same revision on the newest commit of its branch. Raises as ``asked``."""
        pull = await self._pull(revision.pull)
        head, fork, kept = await self._branch(pull)
        return replace(revision, head=head, fork=fork, below=pull.base, kept=kept)

    async def publish(self, checkpoint: Checkpoint) -> tuple[str, Pull]:
        """Add the commit to the branch of its pull request, and describe the new head there.

        Doing it twice leaves one. Raises ``BranchMoved`` if somebody pushed to it, ``TaskError`` if
        the pull request was merged or closed.
        """
        pull = await self._at.pulls.newest(checkpoint.branch)
        if pull is None:
            raise TaskError("github", revision_texts.branch_gone(checkpoint.branch))
        self._must_be_open(pull)
        commit = await self._at.branches.revised(in_form(checkpoint, pull.title))
        if not pull.head.startswith(shared_branch(pull.head.split("/")[1])):
            markers = checkpoint_markers(pull.tasks, self._at.roadmap, on=pull.on)
            pull = await self._at.pulls.describe(pull, checkpoint, markers)
        if checkpoint.onto:  # it was put on a newer base: so much for the news
            redone, line = (
                section(pull.body, "redone"),
                revision_texts.redone_line(commit, pull.base),
            )
            redone = redone if commit in redone else f"{redone}\n\n{line}".strip()
            parts = {"redone": redone, "done": "", "held": "", "news": ""}
        else:
            revisions = section(pull.body, "revisions")
            line = revision_texts.revised_line(commit, len(revisions.splitlines()) + 1)
            revisions = revisions if commit in revisions else f"{revisions}\n{line}".strip()
            parts = {"revisions": revisions}
        return commit, await self._at.pulls.annotate(pull, **parts)

    async def answer(self, number: int, replies: Sequence[ThreadReply]) -> None:
        """Reply in threads, each once, and resolve those that are done. Raises ``Outage``."""
        if replies:
            await self._threads.answer(await self._pull(number, closed=True), replies)

    async def _pull(self, number: int, *, closed: bool = False) -> Pull:
        found = await self._at.api.find(f"pulls/{number}", f"show #{number}", refused=Outage)
        pull = read_pull(found, self._at.bot_login) if found else None
        if pull is None or pull.kind != "checkpoint":
            raise TaskError("github", revision_texts.not_ours(number))
        if not closed:
            self._must_be_open(pull)
        return pull

    def _must_be_open(self, pull: Pull) -> None:
        """Raise ``TaskError`` with a kind that says what became of its task, where that is sure."""
        if pull.open:
            return
        elsewhere = pull.merged and pull.base != self._at.base
        kind = "github" if elsewhere else pull.state
        raise TaskError(kind, revision_texts.ended(pull.number, merged=pull.merged))

    async def _branch(self, pull: Pull) -> tuple[str, str, tuple[str, ...]]:
        """Return head and fork of its branch, and the paths that a revision keeps.

        A commit that this run added already is no part of what it builds on.
        """
        head, base = await self._at.commits.head(pull.head), await self._at.commits.head(pull.base)
        if head is None or base is None:
            raise TaskError("github", revision_texts.branch_gone(pull.head))
        fork, commits = await self._at.commits.between(base.sha, head.sha)
        while head.run == self._at.run and head.parents:
            if not await self._at.commits.ours(head, pull.head):
                break
            commits = tuple(each for each in commits if each.sha != head.sha)
            head = await self._at.commits.show(head.parents[0])
        kept = {self._at.roadmap}
        for commit in commits:
            if not await self._at.commits.ours(commit, pull.head):
                kept |= await self._changed(commit)
        return head.sha, fork, tuple(sorted(kept))

    async def _changed(self, commit: Commit) -> set[str]:
        new = (await self._at.snapshot(commit.sha)).entries
        old = (await self._at.snapshot(commit.parents[0])).entries if commit.parents else {}
        return {path for path in {*old, *new} if old.get(path) != new.get(path)}
