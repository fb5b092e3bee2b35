"""Deciding about a proposal on the page of its task, by whoever has the admin token."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, cast

from aiohttp import web

from app.pages import answers
from app.pages.answers import FORM, problem
from app.pages.door import Door, moved
from app.pages.view import task_page
from app.store.proposals import StoredProposals
from app.store.runs import OVER, StoredRuns
from handlers.events import User
from handlers.ports import ProposalView, Vote
from runner.ports import Clock

_ADMIN = User(id=0, login="the server's admin")


@dataclass(frozen=True)
class Deciding:
    """``decide`` stores a decision unless another was first, and returns the proposal after it."""

    runs: StoredRuns
    stored: StoredProposals
    decide: Callable[[ProposalView, Vote], Awaitable[ProposalView]]
    clock: Clock

    async def take(self, request: web.Request) -> web.StreamResponse:
        """Take a decision from the form of a task's page; raises ``Outage``."""
        form, run = request[FORM], await self.runs.get(request.match_info["id"])
        verdict = form.get("verdict", "")
        if verdict not in ("approve", "reject"):
            return problem(request, answers.NO_VERDICT, status=400)
        named = request.match_info["proposal"]
        known = await self.stored.named(run.repository.id, named) if run else []
        proposal = next((each for each in known if run and each.run == run.id), None)
        if run is None or proposal is None or proposal.fingerprint != named:
            return problem(request, answers.NO_PROPOSAL, status=404)
        vote = Vote(
            delivery=f"page:{secrets.token_hex(16)}",
            by=_ADMIN,
            at=self.clock.now(),
            channel="page",
            verdict=cast(Literal["approve", "reject"], verdict),
            why=form.get("why", "").strip(),
        )
        if proposal.state == "open" and proposal.run_status not in OVER:
            proposal = await self.decide(proposal, vote)
        if proposal.decision is None or proposal.decision.delivery != vote.delivery:
            return problem(request, answers.TOO_LATE, status=409)
        return moved(task_page(run.id, proposal.task))

    def routes(self, door: Door) -> list[web.RouteDef]:
        """Return the route, for who has the admin token or a session made from it."""
        place = "/runs/{id}/proposals/{proposal}"
        return [web.post(place, door.guarded_form(self.take))]
