"""Which commits are ours although somebody else committed them: GitHub rebases those of its stacks.

Such a commit has our author, message and trailers, another committer, and no signature
(https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/
incorporating-changes-from-a-pull-request/about-pull-request-merges). That is easily imitated, so
the change decides: a commit of ours that was on the branch before, put on the new parent, must give
exactly this tree. Then nothing in it is anybody else's, and replacing it loses nobody's work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlencode

from app.github.commits import Commit
from app.github.place import Place
from runner.errors import TaskError

_FURTHEST = 50
"""Commits of ours that are looked at below each head that a branch had."""


@dataclass(frozen=True)
class RebasedCommits:
    """Those of one repository; what is on no branch now is read as well."""

    at: Place

    async def __call__(self, commit: Commit, branch: str) -> bool:
        """Say whether a commit of a branch is one of ours, rebased. Raises ``Outage``."""
        if len(commit.parents) != 1 or not (commit.run or commit.tasks):
            return False
        async for original in self._originals(branch):
            moved = original.parents != commit.parents  # else somebody only committed it again
            same = moved and original.message == commit.message
            if same and await self._gives(original, commit):
                return True
        return False

    async def _originals(self, branch: str) -> AsyncIterator[Commit]:
        """Yield the commits of ours that the branch had before it was moved, the newest first.

        https://docs.github.com/en/rest/repos/repos#list-repository-activities
        """
        query = urlencode({"ref": f"refs/heads/{branch}", "per_page": 100})
        found = await self.at.api.find(f"activity?{query}", f"list what moved {branch}")
        seen = set[str]()
        for each in found or []:
            at = str(each["before"])
            for _ in range(_FURTHEST):
                if at in seen or not at.strip("0"):
                    break
                seen.add(at)
                try:
                    original = await self.at.commits.show(at)
                except TaskError:  # GitHub keeps what is on no branch only for a while
                    break
                if not await self.at.commits.ours(original):
                    break
                if len(original.parents) == 1:
                    yield original
                at = next(iter(original.parents), "")

    async def _gives(self, original: Commit, commit: Commit) -> bool:
        """Say whether the change of one, put on the parent of the other, gives that one's tree."""
        try:
            shas = (original.parents[0], original.sha, commit.parents[0])
            old, mine, new = [await self.at.snapshot(sha) for sha in shas]
        except TaskError:
            return False
        merged, conflicts = await self.at.mirror.merge(old, mine, new)
        return not conflicts and merged.tree == commit.tree
