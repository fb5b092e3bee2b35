"""What people pushed to branches of our proposals: found for a retry, closed once used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from app.github.api import RepositoryApi
from app.github.checks import Buttons
from app.github.comments import Comments
from app.github.commits import Commits
from app.github.proposals import taken
from app.github.pulls import Pull, Pulls
from runner.errors import Outage
from runner.state.publishing import HumanCommits

_MOST = 5
"""Proposals of one task that are looked at, the newest first."""

_MAIL = re.compile(r"[^<>\s]+@[^<>\s]+")


class HumanCommitFinder:
    """The work of people in one repository. What was used once is not found again."""

    def __init__(
        self,
        api: RepositoryApi,
        *,
        pulls: Pulls,
        commits: Commits,
        comments: Comments,
        checks: Buttons,
        bot_login: str,
    ) -> None:
        self._api, self._pulls, self._commits = api, pulls, commits
        self._comments, self._checks = comments, checks
        self._bot_login = bot_login

    async def find(self, task: str, tip: str) -> HumanCommits | None:
        """Return the newest work on a task. Raises ``Outage``."""
        for pull in (await self._pulls.recoveries(task))[:_MOST]:
            head = await self._commits.head(pull.head)
            if head is None or await self._commits.ours(head, pull.head):
                continue
            if await self._comments.find(pull.number, "taken", head.sha):
                return None
            return await self._read(pull, head.sha, tip)
        return None

    async def close(self, human_commits: HumanCommits, by: Pull) -> None:
        """Say that a checkpoint took the work over, and close the pull request it was on."""
        pull = await self._pulls.newest(human_commits.branch)
        if pull is None or pull.merged:
            return
        await self._comments.ensure(pull.number, "taken", human_commits.commit, taken(by.number))
        await self._pulls.close(pull)
        await self._checks.end(pull.sha, "neutral")

    async def _read(self, pull: Pull, head: str, tip: str) -> HumanCommits | None:
        """Ask for the three-dot comparison, which names where the branch left the line.

        https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        path = f"compare/{tip}...{head}"
        found = await self._api.find(path, f"compare {pull.head}", refused=Outage)
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
            if name and name != self._bot_login and _MAIL.fullmatch(mail) and mail not in seen:
                seen.add(mail)
                yield f"{name} <{mail}>"
