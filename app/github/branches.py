"""Branches of ours: made, found again, rebuilt. What a person pushed is never moved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.github.commits import Commit, Commits
from runner.errors import Outage, TaskError
from runner.ports import Checkpoint
from runner.snapshot import Snapshot


class Branches:
    """``snapshot`` reads the tree of a commit."""

    def __init__(
        self,
        commits: Commits,
        *,
        snapshot: Callable[[str], Awaitable[Snapshot]],
    ) -> None:
        self._commits = commits
        self._snapshot = snapshot

    async def head(self, branch: str) -> str | None:
        """Return the commit a branch points to, None when there is no such branch."""
        head = await self._commits.head(branch)
        return head.sha if head else None

    async def settled(self, checkpoint: Checkpoint) -> str:
        """Return the checkpoint's commit, on its branch; a branch that is there must hold it.

        Raises ``TaskError`` when it holds anything else.
        """
        there = await self._commits.head(checkpoint.branch)
        if there is None:
            made = await self._made(checkpoint)
            if await self._commits.point(checkpoint.branch, made):
                return made
            there = await self._commits.head(checkpoint.branch)
        if there is None:
            raise _restless(checkpoint.branch)
        while len(there.parents) > 1 and not there.holds(
            checkpoint
        ):  # it may have been brought up to date since
            there = await self._commits.show(there.parents[0])
        if not there.holds(checkpoint):
            raise TaskError(
                "github",
                f"Branch {checkpoint.branch} is there already and holds another tree; Cairn takes"
                " nothing over. Delete or rename it, then run the task again.",
            )
        return there.sha

    async def rebuilt(self, checkpoint: Checkpoint) -> str | None:
        """Return the checkpoint's commit, on its branch; an older one of ours makes place for it.

        None when a person pushed to the branch: it stays as they left it. What is put on top of
        their push by name (``onto``) stays on top of it, so nothing of theirs is lost.
        """
        there = await self._commits.head(checkpoint.branch)
        if there is None or there.holds(checkpoint):
            return await self.settled(checkpoint)
        onto = checkpoint.onto if checkpoint.onto in (there.sha, *there.parents) else ""
        if not (onto or await self._commits.ours(there)):
            return None
        made = await self._made(checkpoint, onto)
        if await self._commits.move(checkpoint.branch, old=there.sha, new=made):
            return made
        raise _restless(checkpoint.branch)

    async def grown(self, checkpoint: Checkpoint, head: Commit | None) -> str:
        """Return the checkpoint's commit, added to its branch, whose ``head`` it builds on."""
        if head and head.holds(checkpoint):
            return head.sha
        made = await self._made(checkpoint)
        if head is None:
            there = await self._commits.point(checkpoint.branch, made)
        else:
            there = await self._commits.move(checkpoint.branch, old=head.sha, new=made)
        if not there:
            raise _restless(checkpoint.branch)
        return made

    async def delete(self, branch: str) -> bool:
        """Delete a branch that nobody pushed to; False when somebody did."""
        there = await self._commits.head(branch)
        if there is None:
            return True
        ours = await self._commits.ours(there)
        return ours and await self._commits.move(branch, old=there.sha, new=None)

    async def _made(self, checkpoint: Checkpoint, onto: str = "") -> str:
        base = await self._snapshot(checkpoint.parent)
        return (await self._commits.create(checkpoint, base, onto=onto)).sha


def _restless(branch: str) -> Outage:
    """Whoever moves it at this moment will have done so when we look again."""
    return Outage("github", f"Branch {branch} was moved while it was published; try again.")
