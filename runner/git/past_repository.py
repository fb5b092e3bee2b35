"""A checkout as it was at a commit: what is made there moves no branch and no file."""

from __future__ import annotations

from dataclasses import replace

from runner.git.command import Finished
from runner.git.local_repository import LocalRepository
from runner.git.own_settings import OwnSettings


class PastRepository(LocalRepository):
    """Continues the history of ``here`` from ``tip`` on; its commits belong to no branch.

    git removes them with what else nothing refers to, after two weeks at the earliest.
    """

    def __init__(self, here: LocalRepository, tip: str, branch: str) -> None:
        super().__init__(here._root)
        self._git, self._user, self._objects = here._git, here._user, here._objects
        self._tip, self._name = tip, branch

    async def own_settings(self) -> OwnSettings:
        """Sign nothing: that could ask somebody for a password."""
        return replace(await super().own_settings(), signing=())

    async def _fast_forward(self, commit: str) -> Finished:
        self._tip = commit
        return Finished(0, b"", "")

    async def _look(self) -> tuple[str, str | None]:
        return self._tip, self._name

    async def _head(self) -> str:
        return self._tip
