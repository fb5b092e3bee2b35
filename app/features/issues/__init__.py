"""An issue that somebody with *write* puts a label on is a task: what begins and what hinders it.

Its text counts as it was at that moment, and is kept with the run. How it reads as a task is a plan
form (``runner/roadmap/plans/issue.py``), so that all else is as for a roadmap.
"""

from __future__ import annotations

import asyncio
from typing import Any

from app.features.issues.texts import issues_texts
from app.github.comments import first_kind
from app.github.token_identity import CONVERSE
from app.runs.begun import Begun
from app.runs.feature import Feature, Hindrance
from app.runs.service import RunService
from app.store.runs import OVER, UNFINISHED, Run
from handlers.events import Issue, IssueClosed, IssueEdited, IssueLabelled, is_from_bot
from handlers.grammar import ExecuteCommand
from handlers.issue_thread import may_write
from handlers.ports import RunRequested
from runner.errors import Outage, TaskError
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.roadmap.plans.issue import issue_path, names_issue


async def _labelled(service: RunService, event: IssueLabelled) -> None:
    """Start a run for an issue that got the label of the configuration."""
    parts, place = service.parts, event.repository
    own = await parts.identity.bot_login(place.installation_id)
    if is_from_bot(event.accounts, own=own, allowed=parts.allowed_bots):
        return
    label = (await parts.config_or_default(place)).issues.label
    if not label or label.lower() != event.label.lower():
        return
    thread, who = await parts.thread(event), event.sender
    if not await may_write(thread.github, place.full_name, who):
        known = {"repository_id": place.id, "user_id": who.id}
        if thread.refusals.may_answer(**known) and await thread.may_refuse(who, to=event.delivery):
            await thread.reply(issues_texts.may_not(who, label), to=event.delivery, since=event.at)
        return
    asked = RunRequested(
        delivery=event.delivery,
        repository=place,
        issue=event.issue,
        by=who,
        command=ExecuteCommand(path=issue_path(event.issue)),
        created_at=event.at,
        told=event.told,
    )
    await service.start(asked)


async def _edited(service: RunService, event: IssueEdited) -> None:
    """Say which text counts, where one is changed that a run works on, or may work on again."""
    path, who = issue_path(event.issue), event.sender
    for run in await service.parts.runs.newest(event.repository.id, path, most=1):
        told, works = run.request.get("told"), run.status in UNFINISHED
        thread = await service.parts.thread(event)
        if not told or told == event.told:
            continue
        waits = bool((run.result or {}).get("waits"))
        may = await may_write(thread.github, event.repository.full_name, who)
        if works or waits or not may:
            asked = str(run.request.get("by") or "")
            text = issues_texts.edited(path, who.login, asked, works, waits)
            await thread.stand(text, name="edited")


async def _closed(service: RunService, event: IssueClosed) -> None:
    """Stop the work on an issue, and begin what waited for its end. Raises ``Outage``."""
    closed, place, seen = issue_path(event.issue), event.repository, set[str]()
    for run in await service.parts.runs.of_issues(place.id, most=_MOST_LOOKED_AT):
        if run.roadmap in seen:  # only the newest run of an issue counts
            continue
        seen.add(run.roadmap)
        if run.roadmap == closed:
            why = issues_texts.closed(closed, event.sender)
            await service.queue.set_status(
                run.id, "cancelling", allowed=UNFINISHED, reason=why, cause="closed"
            )
        elif run.status == "ended" and (run.result or {}).get("waits"):
            if not await _may_begin(service, run):
                continue
            await service.queue.set_status(run.id, "queued", allowed=OVER, cause="closed")
    await service.look()


_MOST_LOOKED_AT = 100


async def _may_begin(service: RunService, run: Run) -> bool:
    """Whether nothing is in the way of an issue any more, and it is wanted as it was."""
    number, api = run.roadmap.removeprefix("#"), service.parts.api(run.repository, CONVERSE)
    found = await api.find(f"issues/{number}", f"show issue {number}", refused=Outage)
    if not found or found["state"] != "open" or waits_for(found) != (0, 0):
        return False
    same = Issue.model_validate(found).told == run.request.get("told")
    return same and await service.parts.is_wanted(run)


def waits_for(found: Any) -> tuple[int, int]:
    """How many open issues an issue (as GitHub's API shows it) is blocked by, and contains."""
    blocked = (found.get("issue_dependencies_summary") or {}).get("blocked_by") or 0
    parts = found.get("sub_issues_summary") or {"total": 0, "completed": 0}
    return blocked, parts["total"] - parts["completed"]


async def _hindered(begun: Begun) -> Hindrance | None:
    """Say why an issue cannot be worked on now. Raises ``Outage``."""
    path, at = begun.request.roadmap, begun.ports.repository
    if not form_of(path).apart or begun.request.options.scope.revision:
        return None
    number = int(path.removeprefix("#"))
    try:
        found = await at.api.find(f"issues/{number}", f"show issue {number}")
    except TaskError:  # it was deleted
        found = None
    if not found or found["number"] != number:
        return Hindrance(issues_texts.hindered("gone", path))
    if first_kind(found["body"]) == "plan":
        return Hindrance(issues_texts.hindered("own", path))
    if found["state"] != "open":
        return Hindrance(issues_texts.hindered("closed", path))
    blocked, parts = waits_for(found)
    if blocked:
        return Hindrance(issues_texts.hindered("blocked", path, blocked), passes=True)
    if parts:
        return Hindrance(issues_texts.hindered("parts", path, parts), passes=True)
    plan = begun.config.roadmap.path
    content = await at.file(await at.tip(), plan) or b""
    roadmap = await asyncio.to_thread(parse_roadmap, plan, content)
    for task in roadmap.tasks:
        if task.runnable and not task.checked and names_issue(task, number, at.full_name):
            return Hindrance(issues_texts.planned(path, plan, task))
    return None


def register() -> Feature:
    """Return what the feature adds."""
    return Feature(
        events={IssueLabelled: _labelled, IssueEdited: _edited, IssueClosed: _closed},
        hindered=_hindered,
    )
