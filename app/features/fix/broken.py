"""Anybody's pull request on which checks fail: whether it can be repaired, and what from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from app.github.failing import ChecksRead
from app.github.place import Place
from runner.errors import BranchMoved, Outage, TaskError
from runner.people.sentences import fix_branch
from runner.people.texts import fix_texts
from runner.state.revising import Revision, RevisionRequest, UnclearChecks


@dataclass(frozen=True, slots=True)
class BrokenPull:
    """A pull request: the branch it comes from and its ``head`` commit, the branch it is for.

    ``fork`` says that its branch is in another repository, where we may not push.
    """

    number: int
    state: Literal["open", "merged", "closed"]
    fork: bool
    branch: str
    head: str
    base: str


async def broken_pull(at: Place, number: int) -> BrokenPull | None:
    """Look at a pull request. Raises ``Outage``."""
    found = await at.api.find(f"pulls/{number}", f"show #{number}", refused=Outage)
    if found is None:
        return None
    head, base = found["head"], found["base"]
    return BrokenPull(
        number=number,
        state="merged" if found["merged_at"] else found["state"],
        fork=(head["repo"] or {}).get("id") != base["repo"]["id"],
        branch=head["ref"],
        head=head["sha"],
        base=base["ref"],
    )


@dataclass(frozen=True)
class BrokenPulls:
    """The ``Reviews`` port of a run that repairs one: its failing checks, which an App can read."""

    at: Place

    async def asked(self, request: RevisionRequest) -> Revision:
        """Return what is to be repaired; no points if the head is another one than asked for.

        Raises ``TaskError`` if the pull request has ended, ``Outage``.
        """
        pull = await self._open(request.pull, request.failing)
        read = ChecksRead(())
        if self.at.failing and request.failing == pull.head:
            failing = await self.at.failing()
            seen = await failing.seen(pull.head, pull.base, asked=True)
            read = await failing.read(() if seen.running else seen.failed)
            read = replace(read, below=seen.below)
        return Revision(
            pull=pull.number,
            tasks=(),
            branch=pull.branch,
            head=pull.head,
            fork=pull.head,
            below=pull.branch,
            base=pull.head,
            points=read.points,
            by=request.by,
            repairs=True,
            fixes=True,
            unclear=UnclearChecks(read.silent, read.unread, read.below),
        )

    async def moved(self, revision: Revision) -> Revision:
        """Return the same while nobody pushed; also where this run proposed a repair already.

        Raises ``BranchMoved`` if somebody did, ``TaskError`` if the pull request has ended.
        """
        offered = await self.at.commits.head(fix_branch(revision.pull))
        if offered and offered.run == self.at.run:
            return revision
        if (await self._open(revision.pull, revision.head)).head != revision.head:
            raise BranchMoved("conflict", fix_texts.moved_on(revision.branch))
        return revision

    async def _open(self, number: int, known: str) -> BrokenPull:
        """The pull request; at the ``known`` commit while its branch still has the same files.

        Whoever approves our question by merging it adds a commit that changes nothing.
        """
        pull = await broken_pull(self.at, number)
        if pull is None or pull.state != "open":
            state = pull.state if pull else "gone"
            raise TaskError("github", fix_texts.not_fixable(number, state))
        if pull.head == known:
            return pull
        now, then = await self.at.commits.show(pull.head), await self.at.commits.show(known)
        return replace(pull, head=known) if now.tree == then.tree else pull
