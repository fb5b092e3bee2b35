"""Check runs of our App: the buttons of a proposal, and what a merge queue waits for.

GitHub shows buttons only when the run is completed, three at most, and tells only this App who
clicked (https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal
from urllib.parse import urlencode

from app.github.api import BestEffort, RepositoryApi
from runner.errors import Outage

_log = logging.getLogger(__name__)

RECOVERY, STACK, TRUST = "cairn/recovery", "cairn/stack", "cairn/trust"
"""The names of our check runs."""

CHECK_TITLE = "A proposal is waiting for a decision"
CHECK_SUMMARY = (
    "Cairn asks what to do about a task: [the proposal]({url}) says what and why. Decide with the "
    "buttons, a reaction, a reply or a review."
)
CHECK_ENDED = "The proposal has been decided."

APPROVE, REJECT, SKIP = "approve", "reject", "skip"
"""Identifiers of the buttons, as ``check_run.requested_action`` returns them."""

_BUTTONS = (
    {"label": "Approve", "description": "Let Cairn do what it proposes", "identifier": APPROVE},
    {"label": "Reject", "description": "Do not apply the proposal", "identifier": REJECT},
    {"label": "Skip", "description": "Leave the task out of this run", "identifier": SKIP},
)
_NOTE = ("path", "start_line", "end_line", "annotation_level", "title", "message")


class CheckRuns:
    """The check runs of our App (``bot_login``) in one repository.

    None is ``made`` by an account that is no App. What a refusal does is ``effort``'s to say; where
    an owner has not granted check runs, nothing is ``shown`` any more: the pull request itself says
    the same.
    """

    def __init__(
        self,
        api: RepositoryApi,
        effort: BestEffort | None = None,
        *,
        bot_login: str,
        made: bool = True,
    ) -> None:
        self._api, self._effort, self._bot_login = api, effort or BestEffort(), bot_login
        self._made = self.shown = made

    async def tried(self, write: Callable[[], Awaitable[Any]]) -> Any:
        """Read or write check runs beside the work; None where that is not possible."""
        if not self.shown:
            return None
        with self._effort():
            try:
                return await write()
            except Outage as outage:
                if outage.kind != "permission":
                    raise
                self.shown = False
                _log.info("No checks are shown: %s", outage.message)
        return None

    async def find(self, name: str, commit: str) -> Any:
        """Return our newest check run of this name on a commit, or None."""
        query = urlencode({"check_name": name, "per_page": 100})
        doing = f"list the checks of {commit}"
        found = await self._api.get(f"commits/{commit}/check-runs?{query}", doing)
        slug = self._bot_login.removesuffix("[bot]")
        ours = (run for run in found["check_runs"] if (run["app"] or {}).get("slug") == slug)
        return next(ours, None)

    async def annotations(self, run: Any) -> list[dict[str, Any]]:
        """Return the notes on lines that a check run has, in the form that makes them again."""
        if not run["output"]["annotations_count"]:
            return []
        path = f"check-runs/{run['id']}/annotations?per_page=100"
        items = self._api.items(path, f"read the check {run['name']}")
        return [{key: item[key] for key in _NOTE} async for item in items]

    async def make(self, commit: str, data: dict[str, Any]) -> Any:
        """Make a check run on a commit, and return it."""
        doing = f"make the check {data['name']}"
        return await self._api.post("check-runs", data | {"head_sha": commit}, doing)

    async def change(self, run: Any, data: dict[str, Any]) -> Any:
        """Change an existing check run, and return it; notes are added to those it has."""
        return await self._api.change(
            f"check-runs/{run['id']}", data, f"change the check {run['name']}"
        )

    async def ask(self, commit: str, fingerprint: str, *, url: str) -> None:
        """Show the buttons of a proposal on a commit; ``url`` is where it can be read.

        Where there are none, reactions, replies and reviews decide.
        """
        data = {
            "name": RECOVERY,
            "external_id": fingerprint,
            "details_url": url,
            "conclusion": "action_required",
            "output": {"title": CHECK_TITLE, "summary": CHECK_SUMMARY.format(url=url)},
            "actions": list(_BUTTONS),
        }
        with self._effort():
            there = await self.find(RECOVERY, commit) if self._made else None
            if self._made and there is None:
                await self.make(commit, data)
            elif there and there["external_id"] != fingerprint:
                await self.change(there, data)

    async def end(self, commit: str, conclusion: Literal["success", "neutral"]) -> None:
        """Take the buttons away: what was proposed on a commit is decided."""
        with self._effort():
            there = await self.find(RECOVERY, commit) if self._made else None
            if there and there["conclusion"] == "action_required":
                output = {"title": CHECK_ENDED, "summary": CHECK_ENDED}
                done: dict[str, Any] = {"conclusion": conclusion, "output": output, "actions": []}
                await self.change(there, done)
