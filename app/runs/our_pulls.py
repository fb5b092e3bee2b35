"""What is known of the pull requests of a repository that show our work, for those who ask."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from app.github.config import Contents
from app.github.one_pull import offer_of
from app.github.pulls import Pull, Pulls, read_pull
from app.github.stack import Ties, in_review, place_of
from app.github.token_identity import READ, REVIEW
from app.runs.parts import ServerParts
from handlers.ports import InReview, OfferKind, RunRequested, StackPlace
from runner.errors import Outage
from runner.roadmap.parse import parse_roadmap


@dataclass(frozen=True)
class OurPulls:
    """Those of all repositories of a server."""

    parts: ServerParts

    async def pull_of(self, request: RunRequested) -> Pull | None:
        """The pull request that a request was made on, if it is ours. Raises ``Outage``."""
        found = await self._found(request)
        return read_pull(found, await self.parts.identity.bot_login()) if found else None

    async def offer_of(self, request: RunRequested) -> OfferKind | None:
        """What the open pull request of a request proposes, if it is ours. Raises ``Outage``."""
        found = await self._found(request)
        return offer_of(found, await self.parts.identity.bot_login()) if found else None

    async def _found(self, request: RunRequested) -> Any:
        api, doing = self.parts.api(request.repository, REVIEW), f"show #{request.issue}"
        return await api.find(f"pulls/{request.issue}", doing, refused=Outage)

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
        api = self.parts.api(request.repository, READ)
        content = await Contents(api).read(roadmap, base)
        newest = await asyncio.to_thread(parse_roadmap, roadmap, content or b"")
        return in_review(known, base=base, newest=newest)

    async def _pulls(self, request: RunRequested, roadmap: str) -> Pulls:
        return Pulls(
            self.parts.api(request.repository, REVIEW),
            bot_login=await self.parts.identity.bot_login(),
            roadmap=roadmap,
        )

    async def most_revisions(self, request: RunRequested) -> int:
        """How often a repository lets one pull request be revised. Raises ``Outage``."""
        config = await self.parts.config_or_default(request.repository)
        return 0 if config.github_mode == "disabled" else config.pull_requests.revisions

    async def most_repairs(self, request: RunRequested) -> int:
        """How often a repository lets Cairn repair the checks of one pull request by itself."""
        config = await self.parts.config_or_default(request.repository)
        return 0 if config.github_mode == "disabled" else config.pull_requests.ci_repairs

    async def fails(self, request: RunRequested, pull: Pull) -> bool:
        """Whether checks of others fail on a pull request, and not below it. Raises ``Outage``.

        What we may not read does not count.
        """
        failing = await self.parts.failing(request.repository)
        try:
            failed = await failing.on(pull.sha, pull.base)
            if not failed:
                return False
            doing = f"compare {pull.base} with {pull.sha[:10]}"
            path = f"compare/{quote(pull.base, safe='')}...{pull.sha}"
            found = await self.parts.api(request.repository, READ).get(path, doing)
            return bool(await failing.new_since(failed, str(found["merge_base_commit"]["sha"])))
        except Outage as outage:
            if outage.kind != "permission":
                raise
            return False
