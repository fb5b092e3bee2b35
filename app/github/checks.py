"""Check runs of our App: the buttons of a proposal, and how far a pull request is verified.

GitHub shows buttons only when the run is completed, three at most, and tells only this App who
clicked (https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol
from urllib.parse import urlencode

from app.github.api import BestEffort, RepositoryApi
from runner.errors import Outage
from runner.people.trust import trust_json, trust_summaries, trust_title
from runner.state.trust import Trusts

_log = logging.getLogger(__name__)

RECOVERY, TRUST = "cairn/recovery", "cairn/trust"
"""The names of our check runs."""

CHECK_TITLE = "A proposal is waiting for a decision"
CHECK_SUMMARY = (
    "Cairn could not finish a task and proposes what to do about it: [the proposal]({url}) says "
    "what and why. Decide with the buttons, a reaction, a reply or a review."
)
CHECK_ENDED = "The proposal has been decided."

APPROVE, REJECT, SKIP = "approve", "reject", "skip"
"""Identifiers of the buttons, as ``check_run.requested_action`` returns them."""

_BUTTONS = (
    {"label": "Approve", "description": "Let Cairn do what it proposes", "identifier": APPROVE},
    {"label": "Reject", "description": "Do not apply the proposal", "identifier": REJECT},
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
    """Used if check runs cannot be written, or nobody would receive a click."""

    async def ask(self, commit: str, fingerprint: str, *, url: str) -> None:
        """Reactions, replies and reviews decide."""

    async def end(self, commit: str, conclusion: Conclusion) -> None:
        """There were none."""


class CheckRuns:
    """The check runs of our App (``bot_login``) in one repository."""

    def __init__(self, api: RepositoryApi, *, bot_login: str) -> None:
        self._api = api
        self._bot_login = bot_login

    async def find(self, name: str, commit: str) -> Any:
        """Return our newest check run of this name on a commit, or None."""
        query = urlencode({"check_name": name, "per_page": 100})
        doing = f"list the checks of {commit}"
        found = await self._api.get(f"commits/{commit}/check-runs?{query}", doing)
        runs = found["check_runs"]
        return next((run for run in runs if self._wrote(run)), None)

    async def make(self, commit: str, data: dict[str, Any]) -> None:
        """Make a check run on a commit."""
        doing = f"make the check {data['name']}"
        await self._api.post("check-runs", data | {"head_sha": commit}, doing)

    async def change(self, run: Any, data: dict[str, Any]) -> None:
        """Change an existing check run."""
        await self._api.change(f"check-runs/{run['id']}", data, f"change the check {run['name']}")

    def _wrote(self, run: Any) -> bool:
        return f"{(run['app'] or {}).get('slug')}[bot]" == self._bot_login


class RecoveryButtons:
    """The buttons as check runs; what a refusal does is ``effort``'s to say."""

    def __init__(self, runs: CheckRuns, effort: BestEffort) -> None:
        self._runs = runs
        self._effort = effort

    async def ask(self, commit: str, fingerprint: str, *, url: str) -> None:
        """Show the buttons of a proposal on a commit; ``url`` is where it can be read."""
        data = {
            "name": RECOVERY,
            "external_id": fingerprint,
            "details_url": url,
            "conclusion": "action_required",
            "output": {"title": CHECK_TITLE, "summary": CHECK_SUMMARY.format(url=url)},
            "actions": list(_BUTTONS),
        }
        with self._effort():
            there = await self._runs.find(RECOVERY, commit)
            if there is None:
                await self._runs.make(commit, data)
            elif there["external_id"] != fingerprint:
                await self._runs.change(there, data)

    async def end(self, commit: str, conclusion: Conclusion) -> None:
        """Take the buttons away: what was proposed on a commit is decided."""
        with self._effort():
            there = await self._runs.find(RECOVERY, commit)
            if there and there["conclusion"] == "action_required":
                output = {"title": CHECK_ENDED, "summary": CHECK_ENDED}
                done: dict[str, Any] = {"conclusion": conclusion, "output": output, "actions": []}
                await self._runs.change(there, done)


_LONGEST = 60_000
"""Characters of a text in a check run; GitHub stores 65,535."""

_TOO_LONG = "The summary for programs is too long for GitHub. It is in `report.json`."


QUEUE_TITLE = "Checked on the pull requests"
QUEUE_SUMMARY = (
    "Cairn checks pull requests and no commits of a merge queue. How far a change is verified is "
    "in this check on its pull request; whether all of them work together is for your CI to say."
)


async def answer_queue(runs: CheckRuns, commit: str) -> None:
    """Give a merge queue the check that it may wait for: neutral, so that it holds nothing up."""
    if await runs.find(TRUST, commit) is None:
        output = {"title": QUEUE_TITLE, "summary": QUEUE_SUMMARY}
        await runs.make(commit, {"name": TRUST, "conclusion": "neutral", "output": output})


class TrustChecks:
    """How far pull requests are verified, as the check run ``cairn/trust`` on their commits.

    Without ``runs``, or where an owner has not granted check runs, nothing is shown: the pull
    request itself says the same.
    """

    def __init__(self, runs: CheckRuns | None, effort: BestEffort) -> None:
        self._runs = runs
        self._effort = effort

    async def show(self, commit: str, trusts: Trusts) -> None:
        """Show how far tasks are verified on a commit; doing it twice leaves one."""
        if not trusts:
            return
        await self._tried(lambda runs: self._show(runs, commit, _check(trusts)))

    async def carry(self, old: str, new: str) -> None:
        """Show on a commit what is shown on another one of the same files."""
        await self._tried(lambda runs: self._carry(runs, old, new))

    async def _tried(self, write: Callable[[CheckRuns], Awaitable[None]]) -> None:
        if self._runs is None:
            return
        with self._effort():
            try:
                await write(self._runs)
            except Outage as outage:
                if outage.kind != "permission":
                    raise
                self._runs = None
                _log.info("The check %s is not shown: %s", TRUST, outage.message)

    async def _carry(self, runs: CheckRuns, old: str, new: str) -> None:
        there = await runs.find(TRUST, old)
        if there and await runs.find(TRUST, new) is None:
            output = {key: there["output"][key] for key in ("title", "summary", "text")}
            made = {"name": TRUST, "conclusion": there["conclusion"], "output": output}
            await runs.make(new, made)

    async def _show(self, runs: CheckRuns, commit: str, data: dict[str, Any]) -> None:
        there = await runs.find(TRUST, commit)
        if there is None:
            await runs.make(commit, data)
        elif there["output"]["summary"] != data["output"]["summary"]:
            await runs.change(there, data)


def _check(trusts: Trusts) -> dict[str, Any]:
    """The check run: neutral where anything is in doubt, so that it blocks no merge."""
    every = [trust for _, trust in trusts]
    sure = all(trust.result == "verified" for trust in every)
    as_json = json.dumps([trust_json(trust) for trust in every], indent=2, ensure_ascii=False)
    text = f"```json\n{as_json}\n```"
    summary, title = trust_summaries(trusts), trust_title(every)
    return {
        "name": TRUST,
        "conclusion": "success" if sure else "neutral",
        "output": {
            "title": title,
            "summary": summary if len(summary) <= _LONGEST else title,
            "text": text if len(text) <= _LONGEST else _TOO_LONG,
        },
    }
