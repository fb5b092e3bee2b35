"""What is known of the pull requests that show our work, put together for the runs of a server."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

from app.compose.parts import ServerParts
from app.github.api import RepositoryApi
from app.github.broken import BrokenPulls
from app.github.config import Contents
from app.github.one_pull import offer_of
from app.github.pulls import Pull, Pulls, read_pull
from app.github.stack import Ties, in_review, place_of
from app.github.token_identity import READ, REVIEW
from app.runs.service import Checkpoints, row_of
from app.store.runs import RunRequest
from handlers.ports import Fixing, InReview, OfferKind, RepairLeft, RunRequested, StackPlace
from runner.config.reading import ConfigError
from runner.errors import Outage
from runner.people.fix_sentences import fix_branch
from runner.roadmap.parse import parse_roadmap


def checkpoints(parts: ServerParts) -> Checkpoints:
    """Return what a server asks about pull requests of ours."""
    asked = _Asked(parts)
    return Checkpoints(
        pull_of=asked.pull_of,
        pull_from=asked.pull_from,
        place_of=asked.place_of,
        offer_of=asked.offer_of,
        in_review=asked.in_review,
        most_of=asked.most_revisions,
        most_repairs=asked.most_repairs,
        fails=asked.fails,
        broken=asked.broken,
        repair_of=asked.repair_of,
    )


async def most_attempts(parts: ServerParts, run: RunRequest) -> int:
    """How often a repository lets a pull request be worked on again. Raises ``Outage``."""
    scope = {"installation_id": run.installation_id, "repository_id": run.repository_id}
    github = parts.identity.client(**scope, permissions=READ)
    try:
        return (await parts.config_at(github, run.repository)).pull_requests.revisions
    except ConfigError:
        return 0  # no run could begin, and people are told why


class _Asked:
    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts

    async def pull_of(self, request: RunRequested) -> Pull | None:
        """The pull request that a request was made on, if it is ours. Raises ``Outage``."""
        found = await self._found(request)
        return read_pull(found, await self._parts.identity.bot_login()) if found else None

    async def offer_of(self, request: RunRequested) -> OfferKind | None:
        """What the open pull request of a request proposes, if it is ours. Raises ``Outage``."""
        found = await self._found(request)
        return offer_of(found, await self._parts.identity.bot_login()) if found else None

    async def _found(self, request: RunRequested) -> Any:
        api = RepositoryApi(self._parts.client(request, REVIEW), request.repository.full_name)
        return await api.find(f"pulls/{request.issue}", f"show #{request.issue}", refused=Outage)

    async def repair_of(self, request: RunRequested) -> RepairLeft | None:
        """The open repair of a pull request. Raises ``Outage``."""
        name, own = request.repository.full_name, await self._parts.identity.bot_login()
        api = RepositoryApi(self._parts.client(request, REVIEW), name)
        head = f"{name.partition('/')[0]}:{fix_branch(request.issue)}"
        query = urlencode({"state": "open", "head": head})
        doing = f"look for a repair of #{request.issue}"
        found = await api.get(f"pulls?{query}", doing, refused=Outage)
        ours = (each for each in found if (each["user"] or {}).get("login") == own)
        return next((RepairLeft(each["number"], each["base"]["ref"]) for each in ours), None)

    async def pull_from(self, request: RunRequested, branch: str) -> Pull | None:
        """Our open pull request from a branch. Raises ``Outage``."""
        return await (await self._pulls(request, "")).newest(branch, state="open")

    async def place_of(self, request: RunRequested, pull: Pull) -> StackPlace:
        """Where a pull request of ours is in its stack. Raises ``Outage``."""
        known = await (await self._pulls(request, pull.roadmap)).all()
        ties = Ties(
            (p for p in known if p.roadmap == pull.roadmap), request.repository.default_branch
        )
        return place_of(pull, ties)

    async def in_review(self, request: RunRequested, roadmap: str) -> tuple[InReview, ...]:
        """Our open pull requests for a roadmap. Raises ``Outage``."""
        known = await (await self._pulls(request, roadmap)).all()
        if not any(pull.open and pull.roadmap == roadmap for pull in known):
            return ()
        base = request.repository.default_branch
        api = RepositoryApi(self._parts.client(request, READ), request.repository.full_name)
        content = await Contents(api).read(roadmap, base)
        newest = await asyncio.to_thread(parse_roadmap, roadmap, content or b"")
        return in_review(known, base=base, newest=newest)

    async def _pulls(self, request: RunRequested, roadmap: str) -> Pulls:
        api = RepositoryApi(self._parts.client(request, REVIEW), request.repository.full_name)
        return Pulls(api, bot_login=await self._parts.identity.bot_login(), roadmap=roadmap)

    async def most_revisions(self, request: RunRequested) -> int:
        """How often a repository lets one pull request be revised. Raises ``Outage``."""
        config = await self._parts.config_of(request)
        return 0 if config.github_mode == "disabled" else config.pull_requests.revisions

    async def most_repairs(self, request: RunRequested) -> int:
        """How often a repository lets Cairn repair the checks of one pull request by itself."""
        config = await self._parts.config_of(request)
        return 0 if config.github_mode == "disabled" else config.pull_requests.ci_repairs

    async def broken(self, request: RunRequested) -> tuple[Fixing, str]:
        """Whether somebody's pull request can be repaired, and its head. Raises ``Outage``."""
        parts, name = self._parts, request.repository.full_name
        if not parts.identity.is_app:
            return Fixing("no_app"), ""
        scope = {
            "installation_id": request.installation_id,
            "repository_id": request.repository.id,
        }
        api = RepositoryApi(parts.client(request, REVIEW), name)
        repository = await parts.repository(row_of(request, ""))
        pulls = BrokenPulls(api, await parts.failing(name, **scope), repository.fixes)
        return await pulls.look(request.issue)

    async def fails(self, request: RunRequested, pull: Pull) -> bool:
        """Whether checks of others fail on a pull request, and not below it. Raises ``Outage``.

        What we may not read does not count.
        """
        scope = {
            "installation_id": request.installation_id,
            "repository_id": request.repository.id,
        }
        failing = await self._parts.failing(request.repository.full_name, **scope)
        try:
            failed = await failing.on(pull.sha, pull.base)
            return bool(failed and await failing.new_since(failed, await self._fork(request, pull)))
        except Outage as outage:
            if outage.kind != "permission":
                raise
            return False

    async def _fork(self, request: RunRequested, pull: Pull) -> str:
        """The commit on which a pull request left its base."""
        api = RepositoryApi(self._parts.client(request, READ), request.repository.full_name)
        doing = f"compare {pull.base} with {pull.sha[:10]}"
        found = await api.get(f"compare/{quote(pull.base, safe='')}...{pull.sha}", doing)
        return str(found["merge_base_commit"]["sha"])
