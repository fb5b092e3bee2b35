"""What people pushed to branches of our proposals: found for a retry, closed once used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from app.github.place import Place
from app.github.pulls import Pull
from app.github.texts import proposal_texts
from runner.errors import Outage
from runner.state.publishing import HumanCommits

_MOST = 5
"""Proposals of one task that are looked at, the newest first."""

_MAIL = re.compile(r"[^<>\s]+@[^<>\s]+")


@dataclass(frozen=True)
class HumanCommitFinder:
    """The work of people in one repository. What was used once is not found again."""

    at: Place

    async def find(self, task: str, tip: str) -> HumanCommits | None:
        """Return the newest work on a task. Raises ``Outage``."""
        for pull in (await self.at.pulls.recoveries(task))[:_MOST]:
            head = await self.at.commits.head(pull.head)
            if head is None or await self.at.commits.ours(head, pull.head):
                continue
            if await self.at.comments.find(pull.number, "taken", head.sha):
                return None
            return await self._read(pull, head.sha, tip)
        return None

    async def close(self, human_commits: HumanCommits, by: Pull) -> None:
        """Say that a checkpoint took the work over, and close the pull request it was on."""
        pull = await self.at.pulls.newest(human_commits.branch)
        if pull is None or pull.merged:
            return
        await self.at.comments.ensure(
            pull.number, "taken", human_commits.commit, proposal_texts.taken(by.number)
        )
        await self.at.pulls.close(pull)
        await self.at.checks.end(pull.sha, "neutral")

    async def _read(self, pull: Pull, head: str, tip: str) -> HumanCommits | None:
        """Ask for the three-dot comparison, which names where the branch left the line.

        https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        path = f"compare/{tip}...{head}"
        found = await self.at.api.find(path, f"compare {pull.head}", refused=Outage)
        if found is None or not found["ahead_by"]:
            return None
        base = found["merge_base_commit"]["sha"]
        return HumanCommits(pull.head, head, base, tuple(self._people(found["commits"])), pull.url)

    def _people(self, commits: Iterable[Any]) -> Iterator[str]:
        """Who made the commits, our App aside, each once and as trailers name them."""
        seen = set()
        for each in commits:
            author = each["commit"]["author"] or {}
            name = " ".join(re.sub(r"[<>]", "", author.get("name") or "").split())
            mail = author.get("email") or ""
            if name and name != self.at.bot_login and _MAIL.fullmatch(mail) and mail not in seen:
                seen.add(mail)
                yield f"{name} <{mail}>"
