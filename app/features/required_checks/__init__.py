"""Merge rules that require a check of ours, and the pull requests that never get one.

Our checks are on the pull requests that show our work. A rule applies to all, so what people open
would wait for ever: there the checks that are required are made as neutral ones. So are those that
a merge queue may wait for.
"""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

from app.github.api import BestEffort, RepositoryApi
from app.github.checks import RECOVERY, STACK, TRUST, CheckRuns
from app.github.comments import first_kind
from app.github.token_identity import CHECK, READ
from app.runs.feature import Feature
from app.runs.service import RunService
from handlers.events import MergeQueued, PullHead, PullPushed, PullReopened, PullTouched
from runner.errors import Outage, TaskError

log = logging.getLogger(__name__)

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


def _missing(shown: PullHead, own: str) -> frozenset[str]:
    """Name the checks of ours that a pull request never gets by itself; ``own`` is our login."""
    ours = shown.author.lower() == own.lower()
    return frozenset(_OURS) - (_OWN.get(first_kind(shown.body), frozenset()) if ours else set())


async def _answer(
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


async def _changed(service: RunService, event: PullPushed | PullReopened | PullTouched) -> None:
    """Make them on a pull request. Nobody else does, so bots and what they open count, too."""
    shown, parts = event.shows, service.parts
    if shown is None or (isinstance(event, PullTouched) and not event.moved):
        return
    own = await parts.identity.bot_login(event.repository.installation_id)
    names = _missing(shown, own)
    if names and parts.identity.is_app and not await parts.read_only(event.repository):
        with BestEffort()():
            runs = CheckRuns(parts.api(event.repository, CHECK), bot_login=own)
            await _answer(parts.api(event.repository, READ), runs, shown, names)


_QUEUE_TITLE = "Checked on the pull requests"
_QUEUE_SUMMARY = (
    "Cairn checks pull requests, not the commits of a merge queue. This check on each pull request "
    "shows how far its change is verified; your CI shows whether all of them work together."
)


async def _queued(service: RunService, event: MergeQueued) -> None:
    """Give a merge queue the checks that it may wait for: neutral, so they hold nothing up.

    The queue may have given the commit up meanwhile; GitHub refuses checks on it then.
    """
    if await service.parts.read_only(event.repository):
        return
    own = await service.parts.identity.bot_login(event.repository.installation_id)
    runs = CheckRuns(service.parts.api(event.repository, CHECK), bot_login=own)
    output = {"title": _QUEUE_TITLE, "summary": _QUEUE_SUMMARY}
    try:
        for name in (TRUST, STACK):
            if await runs.find(name, event.head) is None:
                made = {"name": name, "conclusion": "neutral", "output": output}
                await runs.make(event.head, made)
    except TaskError as refused:
        log.warning("A merge queue gets no checks on %s: %s", event.head, refused.message)


def register() -> Feature:
    """Return what the feature adds."""
    changed = dict.fromkeys((PullPushed, PullReopened, PullTouched), _changed)
    return Feature(events={**changed, MergeQueued: _queued})
