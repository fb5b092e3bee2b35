"""Ask GitHub what a person may do on a repository, at the moment it matters.

``author_association`` of a payload is unreliable and never used. An installation token acts with
the App's rights, so the person is checked by us, by user id.
(https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user)
"""

from __future__ import annotations

from typing import Literal

from gidgethub import BadRequest
from gidgethub.abc import GitHubAPI

from handlers.events import Repo, User
from handlers.table import Need

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


async def role_of(github: GitHubAPI, *, repository: Repo, user: User) -> Role:
    """Return the user's role; ``none`` for whoever GitHub does not know or name as that user.

    On a public repository everybody has ``read``. Raises ``Outage`` of the client.
    """
    path = "/repos/{+full_name}/collaborators/{login}/permission"
    try:
        answer = await github.getitem(
            path, {"full_name": repository.full_name, "login": user.login}
        )
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
