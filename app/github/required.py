"""Merge rules that require a check of ours, and the pull requests that never get one.

Our checks are on the pull requests that show our work. A rule applies to all, so what people open
would wait for ever: there the checks that are required are made as neutral ones.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from app.github.api import RepositoryApi
from app.github.checks import RECOVERY, STACK, TRUST, CheckRuns
from app.github.comments import first_kind
from handlers.events import PullHead
from runner.errors import Outage, TaskError

_OURS = (TRUST, STACK, RECOVERY)
_OWN: dict[str | None, frozenset[str]] = {
    "checkpoint": frozenset(_OURS),
    "recovery": frozenset({STACK, RECOVERY}),
}
"""The checks that our pull requests have anyway, by the kind of what they show."""

_TITLE = "Nothing for Cairn to check"
_SUMMARY = (
    "A merge rule of the base branch requires this check. Cairn makes it for its own work only, "
    "and this pull request is not Cairn's work, so the check is neutral here and blocks nothing."
)


def missing(shown: PullHead, own: str) -> frozenset[str]:
    """Name the checks of ours that a pull request never gets by itself; ``own`` is our login."""
    ours = shown.author.lower() == own.lower()
    return frozenset(_OURS) - (_OWN.get(first_kind(shown.body), frozenset()) if ours else set())


async def answer_rules(
    api: RepositoryApi, runs: CheckRuns, shown: PullHead, names: frozenset[str]
) -> None:
    """Make those of these checks that the base branch requires; doing it twice leaves one.

    ``api`` may read branches. Raises ``Outage`` and ``TaskError``.
    """
    place, branch = quote(shown.base, safe=""), shown.base
    found = await api.find(f"branches/{place}", f"show the branch {branch}") or {}
    protection = (found.get("protection") or {}).get("required_status_checks") or {}
    required = set(protection.get("contexts") or ())
    for rule in await _rules(api, place, branch):
        if rule["type"] == "required_status_checks":
            each_check = rule["parameters"]["required_status_checks"]
            required |= {check["context"] for check in each_check}
    for name in sorted(names & required):
        if await runs.find(name, shown.head) is None:
            output = {"title": _TITLE, "summary": _SUMMARY}
            made = {"name": name, "conclusion": "neutral", "output": output}
            await runs.make(shown.head, made)


async def _rules(api: RepositoryApi, place: str, branch: str) -> Any:
    """The rules of a branch; a plan without rulesets refuses to list them."""
    doing = f"list the rules of {branch}"
    try:
        return await api.find(f"rules/branches/{place}?per_page=100", doing) or []
    except TaskError:
        return []
    except Outage as outage:
        if outage.kind != "permission":
            raise
        return []
