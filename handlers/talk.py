"""Our side of a conversation on an issue or pull request: react, and reply once."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gidgethub import BadRequest
from gidgethub.abc import GitHubAPI

from handlers import replies
from handlers.payloads import Repo, User

_LOG = logging.getLogger(__name__)


async def aloud() -> bool:
    """Everything may be said."""
    return False


class Refusals(Protocol):
    """Who was told already that they may not do something; anybody can comment on anything."""

    async def first(self, *, repository_id: int, issue: int, user_id: int, delivery: str) -> bool:
        """Say whether a delivery is the first to refuse a person something on an issue.

        The same delivery worked again is the first again. Raises ``Outage``.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Where we speak, and as whom: ``own_login`` is our App's bot account.

    ``refusals`` remembers who was refused; ``quiet`` tells whether the repository wants to hear
    nothing.
    """

    github: GitHubAPI
    repository: Repo
    installation_id: int
    issue: int
    own_login: str
    refusals: Refusals
    quiet: Callable[[], Awaitable[bool]] = aloud

    async def react(self, comment: int) -> None:
        """Show 👀 on a comment; doing it twice leaves one (GitHub answers 200 instead of 201)."""
        path = "/repos/{+full_name}/issues/comments/{comment}/reactions"
        where = {"full_name": self.repository.full_name, "comment": str(comment)}
        try:
            if not await self.quiet():
                await self.github.post(path, where, data={"content": "eyes"})
        except BadRequest as refusal:
            # the comment may be deleted or the conversation locked; the work is wanted all the same
            _LOG.warning("no reaction on comment %s: %s", comment, refusal)

    async def may_refuse(self, who: User, *, to: str) -> bool:
        """Say whether a refusal in answer ``to`` something may be said: the first to a person here.

        Raises ``Outage``.
        """
        return await self.refusals.first(
            repository_id=self.repository.id, issue=self.issue, user_id=who.id, delivery=to
        )

    async def reply(self, text: str, *, to: str, since: datetime | None = None) -> None:
        """Leave one comment in answer ``to`` something, however often it is worked.

        It is looked for among the comments made or changed ``since`` a time.
        """
        mark = replies.marker(to)
        path = "/repos/{+full_name}/issues/{issue}/comments"
        where = {"full_name": self.repository.full_name, "issue": str(self.issue)}
        try:
            if not (await self.quiet() or await self._is_written(mark, since)):
                await self.github.post(path, where, data={"body": f"{text}\n\n{mark}"})
        except BadRequest as refusal:
            _LOG.warning("no reply to %s: %s", to, refusal)

    async def _is_written(self, mark: str, since: datetime | None) -> bool:
        """Look for our mark; it counts only on comments our own App wrote."""
        path = "/repos/{+full_name}/issues/{issue}/comments{?since,per_page}"
        where = {
            "full_name": self.repository.full_name,
            "issue": str(self.issue),
            "per_page": "100",
        }
        if since is not None:
            where["since"] = since.strftime("%Y-%m-%dT%H:%M:%SZ")
        async for comment in self.github.getiter(path, where):
            author = comment.get("user") or {}
            if author.get("login") == self.own_login and mark in (comment.get("body") or ""):
                return True
        return False
