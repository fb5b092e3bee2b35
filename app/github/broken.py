"""Anybody's pull request on which checks fail: what is needed to propose a repair of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.github.api import RepositoryApi
from app.github.failing import FailingChecks
from app.github.one_pull import OfferedPulls
from handlers.ports import Fixing
from runner.errors import Outage
from runner.people.fix_sentences import fix_branch


@dataclass(frozen=True, slots=True)
class BrokenPull:
    """A pull request: the branch it comes from and its ``head`` commit, the branch it is for.

    ``fork`` says that its branch is in another repository, where we may not push.
    """

    number: int
    url: str
    open: bool
    fork: bool
    branch: str
    head: str
    base: str


def broken_pull(found: Any) -> BrokenPull:
    """Read GitHub's form of a pull request."""
    head, base = found["head"], found["base"]
    return BrokenPull(
        number=found["number"],
        url=found["html_url"],
        open=found["state"] == "open",
        fork=(head["repo"] or {}).get("id") != base["repo"]["id"],
        branch=head["ref"],
        head=head["sha"],
        base=base["ref"],
    )


class BrokenPulls:
    """``failing`` reads checks, ``offered`` knows the repairs that wait for people."""

    def __init__(self, api: RepositoryApi, failing: FailingChecks, offered: OfferedPulls) -> None:
        self._api, self._failing, self._offered = api, failing, offered

    async def look(self, number: int) -> tuple[Fixing, str]:
        """Say whether a repair of a pull request can be started, and of which commit.

        Raises ``Outage``.
        """
        found = await self._api.find(f"pulls/{number}", f"show #{number}", refused=Outage)
        if found is None:
            return Fixing("no_pull"), ""
        pull = broken_pull(found)
        if not pull.open:
            return Fixing("closed"), pull.head
        if pull.fork:
            return Fixing("fork"), pull.head
        known = await self._offered.known(fix_branch(number))
        if known and known.state == "open":
            return Fixing("offered", url=known.url), pull.head
        return await self._checked(pull), pull.head

    async def _checked(self, pull: BrokenPull) -> Fixing:
        try:
            seen = await self._failing.seen(pull.head, pull.base, asked=True)
        except Outage as outage:
            if outage.kind != "permission":
                raise
            return Fixing("unreadable")
        if seen.running:
            return Fixing("running", names=seen.running)
        if seen.failed:
            return Fixing("started", names=tuple(each.name for each in seen.failed))
        if seen.below:
            return Fixing("below", names=seen.below)
        return Fixing("green" if seen.some else "none")
