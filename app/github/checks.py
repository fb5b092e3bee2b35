"""The check run of a proposal: its buttons decide on it.

GitHub shows buttons only when the run is completed, three at most, and tells this App alone who
clicked (https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks).
"""

from __future__ import annotations

from typing import Any, Literal, Protocol
from urllib.parse import urlencode

from app.github.proposal_text import CHECK_ENDED, CHECK_SUMMARY, CHECK_TITLE
from app.github.refusals import Effort
from app.github.repository_api import RepositoryApi

NAME = "cairn/recovery"
APPROVE, REJECT, SKIP = "approve", "reject", "skip"
"""Identifiers of the buttons, as ``check_run.requested_action`` brings them back."""

_BUTTONS = (
    {"label": "Approve", "description": "Do what is proposed", "identifier": APPROVE},
    {"label": "Reject", "description": "Leave the task as it is", "identifier": REJECT},
    {"label": "Skip", "description": "Leave the task out of this run", "identifier": SKIP},
)
Conclusion = Literal["success", "neutral"]


class Buttons(Protocol):
    """The buttons of a proposal, where there can be some."""

    async def ask(self, commit: str, fingerprint: str, *, url: str) -> None:
        """Show them on a commit; ``url`` is where the proposal can be read."""

    async def end(self, commit: str, conclusion: Conclusion) -> None:
        """Take them away: what was proposed on a commit is decided."""


class NoButtons:
    """Stands where check runs cannot be written, or nobody would hear of a click."""

    async def ask(self, commit: str, fingerprint: str, *, url: str) -> None:
        """Reactions, replies and reviews decide."""

    async def end(self, commit: str, conclusion: Conclusion) -> None:
        """There were none."""


class Checks:
    """Check runs of our App (``bot_login``); what a refusal does is ``effort``'s to say."""

    def __init__(self, api: RepositoryApi, *, bot_login: str, effort: Effort) -> None:
        self._api = api
        self._effort = effort
        self._bot_login = bot_login

    async def ask(self, commit: str, fingerprint: str, *, url: str) -> None:
        """Show the buttons of a proposal on a commit; ``url`` is where it can be read."""
        data = {
            "name": NAME,
            "external_id": fingerprint,
            "details_url": url,
            "conclusion": "action_required",
            "output": {"title": CHECK_TITLE, "summary": CHECK_SUMMARY.format(url=url)},
            "actions": list(_BUTTONS),
        }
        with self._effort():
            there = await self._find(commit)
            if there is None:
                doing = f"make the check {NAME}"
                await self._api.post("check-runs", data | {"head_sha": commit}, doing)
            elif there["external_id"] != fingerprint:
                await self._change(there, data)

    async def end(self, commit: str, conclusion: Conclusion) -> None:
        """Take the buttons away: what was proposed on a commit is decided."""
        with self._effort():
            there = await self._find(commit)
            if there and there["conclusion"] == "action_required":
                output = {"title": CHECK_ENDED, "summary": CHECK_ENDED}
                done: dict[str, Any] = {"conclusion": conclusion, "output": output, "actions": []}
                await self._change(there, done)

    async def _find(self, commit: str) -> Any:
        query = urlencode({"check_name": NAME, "per_page": 100})
        doing = f"list the checks of {commit}"
        found = await self._api.get(f"commits/{commit}/check-runs?{query}", doing)
        runs = found["check_runs"]
        return next((run for run in runs if self._wrote(run)), None)

    async def _change(self, run: Any, data: dict[str, Any]) -> None:
        await self._api.change(f"check-runs/{run['id']}", data, f"change the check {NAME}")

    def _wrote(self, run: Any) -> bool:
        return f"{(run['app'] or {}).get('slug')}[bot]" == self._bot_login
