"""A checkout as it was at a commit: what is made there moves no branch and no file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from runner.errors import Outage, TaskError
from runner.git.local_repository import LocalRepository
from runner.git.objects import write_commit
from runner.state.changes import Snapshot
from runner.state.publishing import Checkpoint, Published, Stack
from runner.state.run_state import RunStack


class PastRepository(LocalRepository):
    """Continues the history of ``here`` from where a run stood; its commits belong to no branch.

    git removes them with what else nothing refers to, after two weeks at the earliest. ``gone``
    says that a commit of the run is not there.
    """

    def __init__(self, here: LocalRepository, then: RunStack, gone: Callable[[str], str]) -> None:
        super().__init__(here._root)
        self._git, self._user, self._objects = here._git, here._user, here._objects
        self._then, self._tip, self._gone = then, then.tip, gone

    async def stack(self) -> Stack:
        """Where the run stood, and what was committed since; pull requests are those of then."""
        then = self._then
        return replace(
            await super().stack(),
            base=then.base,
            base_branch=then.branch if then.base else "",
            members=tuple(then.members.values()),
            open=then.open,
        )

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit. Raises ``Outage``: without it nothing is as it was."""
        try:
            return await super().snapshot(commit)
        except TaskError as error:
            raise Outage("git", self._gone(commit)) from error

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Commit it, unsigned: that could ask somebody for a password."""
        base = await self.snapshot(checkpoint.parent)
        self._tip = await write_commit(self._git, self._user, checkpoint=checkpoint, base=base)
        return Published(self._tip, checkpoint.branch)

    async def _look(self) -> tuple[str, str | None]:
        return self._tip, self._then.branch

    async def _head(self) -> str:
        return self._tip
