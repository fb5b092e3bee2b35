"""Our side of a conversation on an issue or pull request, and what a person may do there.

``author_association`` in a payload is unreliable and never used. An installation token acts with
the App's rights, so we check the person ourselves, by user id.
(https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user)
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from gidgethub import BadRequest
from gidgethub.abc import GitHubAPI

from handlers.events import InstalledRepository, User
from handlers.grammar import Need
from handlers.texts import replies
from runner.text.fit import fit

_LOG = logging.getLogger(__name__)

_COMMENTS = "/repos/{+full_name}/issues/{issue}/comments"


async def always_writable() -> bool:
    """Comments are allowed everywhere."""
    return False


class Refusals(Protocol):
    """Who was already refused something; anybody can comment on anything."""

    async def first(self, *, repository_id: int, issue: int, user_id: int, delivery: str) -> bool:
        """Say whether a delivery is the first to refuse a person something on an issue.

        The same delivery worked again is the first again. Raises ``Outage``.
        """

    def may_answer(self, *, repository_id: int, user_id: int) -> bool:
        """Say whether a person without *write* may be answered again in this hour; counts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueThread:
    """Where we speak, and as whom: ``own_login`` is our App's bot account.

    ``refusals`` remembers who was refused; ``read_only`` says whether the repository wants no
    comments.
    """

    github: GitHubAPI
    repository: InstalledRepository
    issue: int
    own_login: str
    refusals: Refusals
    read_only: Callable[[], Awaitable[bool]] = always_writable

    async def react(self, comment: int, *, on: Literal["issues", "pulls"] = "issues") -> None:
        """Show 👀 on a comment; doing it twice leaves one (GitHub answers 200 instead of 201).

        Comments on lines of a pull request are ``pulls``, all others ``issues``.
        """
        path = f"/repos/{{+full_name}}/{on}/comments/{{comment}}/reactions"
        where = {"full_name": self.repository.full_name, "comment": str(comment)}
        try:
            if not await self.read_only():
                await self.github.post(path, where, data={"content": "eyes"})
        except BadRequest as refusal:
            # the comment may be deleted or the conversation locked; the work goes ahead anyway
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
        where = {"full_name": self.repository.full_name, "issue": str(self.issue)}
        try:
            if not (await self.read_only() or await self._written(mark, since)):
                await self.github.post(_COMMENTS, where, data={"body": f"{fit(text)}\n\n{mark}"})
        except BadRequest as refusal:
            _LOG.warning("no reply to %s: %s", to, refusal)

    async def stand(self, text: str, *, name: str) -> None:
        """Say something in the one comment that this issue has for it: make it, or edit it."""
        mark = replies.standing_marker(name)
        where = {"full_name": self.repository.full_name, "issue": str(self.issue)}
        try:
            if await self.read_only():
                return
            body = {"body": f"{fit(text)}\n\n{mark}"}
            if known := await self._written(mark, None):
                one = "/repos/{+full_name}/issues/comments/{comment}"
                await self.github.patch(one, where | {"comment": str(known)}, data=body)
            else:
                await self.github.post(_COMMENTS, where, data=body)
        except BadRequest as refusal:
            _LOG.warning("no comment about %s: %s", name, refusal)

    async def _written(self, mark: str, since: datetime | None) -> int | None:
        """Look for our mark; it counts only on comments our own App wrote."""
        path = _COMMENTS + "{?since,per_page}"
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
                return int(comment["id"])
        return None


Role = Literal["none", "read", "triage", "write", "maintain", "admin"]

_RANKS: tuple[Role, ...] = ("none", "read", "triage", "write", "maintain", "admin")
_BASE: dict[str, Role] = {
    "none": "none",
    "read": "read",
    "triage": "read",
    "write": "write",
    "maintain": "write",
    "admin": "admin",
}


async def may_write(github: GitHubAPI, full_name: str, user: User) -> bool:
    """Say whether somebody may write to a repository. Raises ``Outage`` of the client."""
    return suffices(await role_of(github, full_name, user), "write")


async def role_of(github: GitHubAPI, full_name: str, user: User) -> Role:
    """Return the user's role; ``none`` if GitHub does not know them or names another user.

    On a public repository everybody has ``read``. Raises ``Outage`` of the client.
    """
    path = "/repos/{+full_name}/collaborators/{login}/permission"
    try:
        answer = await github.getitem(path, {"full_name": full_name, "login": user.login})
    except BadRequest:
        return "none"
    # a login can change hands between the comment and now
    account = answer.get("user") or {}
    if account.get("id") != user.id:
        return "none"
    return _role(str(answer.get("permission")), str(answer.get("role_name")))


def suffices(role: Role, need: Need) -> bool:
    """Say whether a role includes what a command needs."""
    return need == "anyone" or _RANKS.index(role) >= _RANKS.index(need)


def _role(permission: str, role_name: str) -> Role:
    """Prefer the finer word, if it agrees with the base role: custom roles have any name."""
    best = role_name if _BASE.get(role_name) == permission else permission
    return next((role for role in _RANKS if role == best), "none")
