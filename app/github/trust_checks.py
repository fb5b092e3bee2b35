"""The check run ``cairn/trust``: how far a pull request of ours is verified.

https://docs.github.com/en/rest/checks/runs
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from app.github.api import BestEffort
from app.github.checks import TRUST, CheckRuns
from runner.errors import Outage
from runner.people.trust import trust_json, trust_summaries, trust_title
from runner.state.trust import Trusts

_log = logging.getLogger(__name__)

_LONGEST = 60_000
"""Characters of a text in a check run; GitHub stores 65,535."""

VERIFYING = "Cairn verifies this commit again"
NOT_KNOWN = "Cairn could not verify this commit again"
_NOTHING = "There is no summary for programs."
_TOO_LONG = "The summary for programs is too long for GitHub. It is in `report.json`."


class TrustChecks:
    """How far pull requests are verified, as the check run ``cairn/trust`` on their commits.

    Without ``runs``, or where an owner has not granted check runs, nothing is shown: the pull
    request itself says the same.
    """

    def __init__(self, runs: CheckRuns | None, effort: BestEffort) -> None:
        self._runs = runs
        self._effort = effort

    async def show(self, commit: str, trusts: Trusts, *, red: bool = False) -> None:
        """Show how far tasks are verified on a commit; doing it twice leaves one.

        ``red`` says that tests fail there because of the change.
        """
        if not trusts:
            return
        data = _check(trusts) | ({"conclusion": "failure"} if red else {})
        await self._tried(lambda runs: self._show(runs, commit, data))

    async def begin(self, commit: str) -> None:
        """Show that a commit is verified again."""
        output = {"title": VERIFYING, "summary": f"{VERIFYING}.", "text": _NOTHING}
        data = {"name": TRUST, "status": "in_progress", "output": output}
        await self._tried(lambda runs: self._show(runs, commit, data))

    async def explain(self, commit: str, why: str) -> None:
        """Show why nobody knows how far a commit is verified (Markdown); that blocks no merge."""
        output = {"title": NOT_KNOWN, "summary": why, "text": _NOTHING}
        data = {"name": TRUST, "conclusion": "neutral", "output": output}
        await self._tried(lambda runs: self._show(runs, commit, data))

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
