"""The way in: who we are, what we may do here, and what earlier workflow runs left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gidgethub import BadRequest

from app.action import texts
from app.action.errors import Refused
from app.action.state_branch import StateBranch
from app.github.faults import SUSPENDED
from app.github.repository_api import RepositoryApi
from app.github.token_identity import TokenIdentity
from handlers.payloads import Repo
from runner.errors import Outage, TaskError

_PROBE = "Cairn asks whether it may open pull requests"


@dataclass(frozen=True, slots=True)
class Entry:
    """A repository we may work in; ``shape`` is what the API says of it."""

    identity: TokenIdentity
    api: RepositoryApi
    repository: Repo
    shape: dict[str, Any]
    bot: str
    state: StateBranch


async def enter(identity: TokenIdentity, name: str, *, branch: str) -> Entry:
    """Look whether we may work here before anything is changed. Raises ``Refused``, ``Outage``."""
    api = RepositoryApi(identity.github, name)
    try:
        bot = await identity.bot_login()
        if not bot.endswith("[bot]"):
            raise Refused(texts.PERSON.format(login=bot))
        shape = await identity.github.getitem("/repos/{+name}", {"name": name})
        repository = Repo.model_validate(shape)
        state = StateBranch(api, branch=branch, bot_login=bot)
        await state.probe()
        await _may_open_pulls(identity, repository)
    except TaskError as refused:
        raise Refused(texts.lacks(refused.message)) from refused
    except BadRequest as refused:
        raise Refused(texts.lacks(f"GitHub says: {refused}")) from refused
    except Outage as outage:
        if outage.kind not in ("permission", "credential", SUSPENDED):
            raise
        raise Refused(texts.lacks(outage.message)) from outage
    return Entry(identity, api, repository, shape, bot, state)


async def _may_open_pulls(identity: TokenIdentity, repository: Repo) -> None:
    """Ask for a pull request that cannot be: 422 says that we may, 403 that we may not."""
    branch = repository.default_branch
    data = {"title": _PROBE, "head": branch, "base": branch}
    path = "/repos/{+name}/pulls"
    try:
        await identity.github.post(path, {"name": repository.full_name}, data=data)
    except BadRequest as refusal:
        if refusal.status_code != 422:
            raise Refused(f"{texts.NO_PULLS} (GitHub says: {refusal})") from refusal
