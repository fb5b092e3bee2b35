"""The ``Repository`` port where nothing is written to GitHub (``github_mode: disabled``)."""

from __future__ import annotations

from collections.abc import Sequence

from app.github.mirror import Mirror
from runner.ports import Checkpoint, Handed, Proposed, Published, Repository, Stack
from runner.snapshot import Snapshot


class Unwritten:
    """Reads as ``inner`` does; checkpoints are commits of the mirror that later tasks build on."""

    def __init__(self, inner: Repository, mirror: Mirror) -> None:
        self._inner = inner
        self._mirror = mirror

    async def stack(self) -> Stack:
        """Find where to start. Raises ``Outage``."""
        return await self._inner.stack()

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit of GitHub or of ours."""
        return await self._inner.snapshot(commit)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha."""
        return await self._inner.blobs(shas)

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Commit to the mirror alone. Raises ``TaskError`` when the tree is another one."""
        base = await self._inner.snapshot(checkpoint.parent)
        return Published(await self._mirror.commit(checkpoint, base), checkpoint.branch)

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Show nothing: the report and the run's comment tell of it."""
        return Published("", proposed.shown.branch)

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Nothing was shown, so nothing is to be ended."""

    async def handed(self, task: str, tip: str) -> Handed | None:
        """Return what people pushed."""
        return await self._inner.handed(task, tip)
