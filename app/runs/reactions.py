"""Reactions to proposals: where they come from, and who may decide by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from cachetools import LRUCache

from app.github.comments import read_reactions
from app.github.token_identity import CONVERSE, REACTIONS
from app.proposals.service import ProposalService
from app.runs.parts import ServerParts
from handlers.decisions import Reacted, Refused, rule_on_reactions
from handlers.issue_thread import IssueThread
from handlers.ports import ProposalView
from handlers.texts import decision_replies

_MOST_REFUSED = 10_000


class Reactions:
    """Asks GitHub for reactions, and rules on each by who gave it."""

    def __init__(self, parts: ServerParts, proposals: ProposalService) -> None:
        self._parts = parts
        self._proposals = proposals
        self._refused: Refused = LRUCache(_MOST_REFUSED)
        self._unread: LRUCache[int, bool] = LRUCache(_MOST_REFUSED)

    async def ask(
        self, installation: int, nodes: Sequence[str]
    ) -> tuple[Mapping[str, Reacted | None], int]:
        """Return what is on comments of any repository of an installation. Raises ``Outage``."""
        client = self._parts.identity.client_of_all(installation, REACTIONS)
        return await read_reactions(client, nodes)

    async def judge(self, stored: ProposalView, comment: Reacted | None) -> None:
        """Rule on the reactions on one proposal. Raises ``Outage``."""
        await rule_on_reactions(
            stored,
            comment,
            thread=await self._thread(stored),
            proposals=self._proposals,
            refused=self._refused,
        )

    async def unread(self, stored: ProposalView) -> None:
        """Tell people once that reactions to a proposal cannot be read. Raises ``Outage``."""
        if stored.seq in self._unread:
            return
        problem = decision_replies.unread_reactions(stored)
        await (await self._thread(stored)).reply(problem, to=f"unread-{stored.fingerprint[:8]}")
        self._unread[stored.seq] = True

    async def _thread(self, stored: ProposalView) -> IssueThread:
        """The conversation on a proposal's pull request."""
        return IssueThread(
            github=self._parts.identity.client(stored.repository, CONVERSE),
            repository=stored.repository,
            issue=stored.place.number or 0,
            own_login=await self._parts.identity.bot_login(),
            refusals=self._parts.refusals,
            read_only=partial(self._parts.read_only, stored.repository),
        )
