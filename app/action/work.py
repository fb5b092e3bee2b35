"""Do the work of one workflow run: decisions, missed comments, and its own event.

GitHub keeps one waiting run of a concurrency group and cancels the others
(https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency),
so a command may start nothing. The next workflow run finds such comments.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from app.action.compose import Acting
from app.action.job import STARTED, ActionRefused, Inputs, Job, comment_delivery, delivered
from app.features import COMMANDS
from app.github.api import RepositoryApi
from app.github.config import Contents
from app.plan_issue.issue import TITLE, PlanIssue
from app.plan_issue.text import plan_text
from app.pushes.push import read
from app.runs.requests import request_of, row_of
from app.store.runs import Run
from app.texts import action_texts as texts
from handlers.grammar import ExecuteCommand
from handlers.parsing import parse
from handlers.ports import RunRequested
from runner.errors import TaskError
from runner.loop.deps import TaskWork
from runner.loop.driver import lines, would_do
from runner.nodes.run import parse_roadmap
from runner.state.run_state import RunState

_FILE = "action.json"
_OVERLAP = timedelta(minutes=5)
"""Comments this old are looked at again: clocks differ, and twice is once."""


def since(folder: Path) -> datetime | None:
    """Return when the last workflow run looked; None when none has."""
    try:
        found = json.loads((folder / _FILE).read_text(encoding="utf-8"))["comments"]
        return datetime.fromisoformat(found)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember_look(folder: Path, at: datetime) -> None:
    """Remember that every comment made before was looked at."""
    text = json.dumps({"comments": at.isoformat(timespec="seconds")})
    (folder / _FILE).write_text(text, encoding="utf-8")


async def missed(
    api: RepositoryApi, repository: Mapping[str, Any], after: datetime
) -> AsyncIterator[dict[str, Any]]:
    """Yield the payload of each new comment with a command that was made after a time.

    Edited ones are left out: others may have edited them. Raises ``Outage`` or ``TaskError``.
    """
    moment = (after - _OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
    query = {"since": moment, "sort": "created", "direction": "asc", "per_page": "100"}
    path = f"issues/comments?{urlencode(query)}"
    async for comment in api.items(path, "list the comments"):
        untouched = comment["created_at"] == comment["updated_at"]
        if not untouched or not comment["user"] or not parse(comment["body"] or "", COMMANDS):
            continue
        number = str(comment["issue_url"]).rpartition("/")[2]
        issue = await api.get(f"issues/{number}", f"show #{number}")
        if issue["updated_at"] > comment["created_at"]:
            issue = {**issue, "title": ""}  # others may have edited what the comment asks for
        yield {
            "action": "created",
            "issue": issue,
            "comment": comment,
            "repository": repository,
            "sender": comment["user"],
        }


async def decided(
    api: RepositoryApi, repository: Mapping[str, Any], number: int
) -> AsyncIterator[tuple[str, str, dict[str, Any]]]:
    """Yield what people decided on a pull request: a name for it, the event and its payload.

    Reviews come first, then its end: most workflows are not started by these events. Raises
    ``Outage`` or ``TaskError``.
    """
    pull = await api.get(f"pulls/{number}", f"show #{number}")
    about = {"number": number, "pull_request": pull, "repository": repository}
    async for review in api.items(f"pulls/{number}/reviews?per_page=100", "list the reviews"):
        if review["user"] and review["state"] in ("APPROVED", "CHANGES_REQUESTED"):
            told = {**review, "state": review["state"].lower()}
            payload = {**about, "action": "submitted", "review": told, "sender": review["user"]}
            yield f"review-{review['id']}", "pull_request_review", payload
    if pull["state"] == "closed":
        issue = await api.get(f"issues/{number}", f"show #{number}")
        if by := pull["merged_by"] or issue["closed_by"]:
            name = f"closed-{number}-{pull['closed_at']}"
            yield name, "pull_request", {**about, "action": "closed", "sender": by}


log = logging.getLogger(__name__)

PATIENCE = 600.0
"""Seconds a workflow run waits in all: for GitHub to answer, for a paused run's time to come."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result besides the runs: ``said`` are lines for the summary, ``left`` is why the event
    waits for the next workflow run."""

    texts: tuple[str, ...] = ()
    left: str = ""


async def work(acting: Acting, job: Job, inputs: Inputs) -> Done:
    """Do everything there is to do now. Raises ``ActionRefused`` or ``Outage``."""
    if inputs.dry_run:
        return Done(tuple(lines(await _read(acting, job, inputs))))
    stored, now = acting.work.stored, acting.work.parts.around.clock.now()
    for each in await stored.open_since(now):  # however old: its reactions are read at once
        if each.place.number is not None:
            await stored.touch(each.repository.id, each.place.number)
            await _take_decisions(acting, each.place.number)
    await acting.work.poller.look()
    await _take_missed(acting, job)
    texts: tuple[str, ...] = ()
    if job.event in STARTED:
        texts = await _start(acting, job, inputs)
    else:
        await _deliver(acting, job.delivery, job.event, delivered(job.payload))
    left = await _finish(acting)
    return Done(texts, left)


async def _take_missed(acting: Acting, job: Job) -> None:
    """Work the commands that started no workflow run."""
    data, now = acting.work.parts.settings.cairn_data_dir, acting.work.parts.around.clock.now()
    entry, after = acting.entry, since(data)
    if after is not None:
        async for payload in missed(entry.api, entry.shape, after):
            id = comment_delivery(payload["comment"]["id"])
            if id != job.delivery:
                await _deliver(acting, id, "issue_comment", delivered(payload))
    remember_look(data, now)


async def _take_decisions(acting: Acting, number: int) -> None:
    """Work what people decided on a pull request, as if its events had started a workflow run."""
    try:
        async for id, event, payload in decided(acting.entry.api, acting.entry.shape, number):
            await _deliver(acting, id, event, delivered(payload))
    except TaskError as refused:
        log.warning("What was decided on pull request %d cannot be read: %s", number, refused)


async def _deliver(acting: Acting, id: str, event: str, body: bytes) -> None:
    repository = acting.entry.repository.id
    if await acting.work.deliveries.store(
        id=id, event=event, repository_id=repository, headers={}, payload=body
    ):
        acting.work.inbox.look()


async def _finish(acting: Acting) -> str:
    """Wait until nothing can continue; return why something is left, if it is."""
    try:
        async with asyncio.timeout(PATIENCE):
            await acting.work.inbox.idle()
    except TimeoutError:
        return texts.not_worked(why="GitHub or the database does not answer")
    left = PATIENCE
    await acting.work.idle()
    around, queue = acting.work.parts.around, acting.work.queue
    while due := await queue.due():
        seconds = max(0.0, (due - around.clock.now()).total_seconds())
        if seconds > left:
            break
        left -= max(seconds, 1.0)
        await around.rest(seconds + 1)
        await acting.work.worker.look()
        await acting.work.idle()
    return ""


async def _start(acting: Acting, job: Job, inputs: Inputs) -> tuple[str, ...]:
    """Ask for a run, if there is anything for it to do; it talks on the plan's issue."""
    state = await _read(acting, job, inputs)
    entry, path = acting.entry, state.request.roadmap
    if state.roadmap is None:
        raise ActionRefused(texts.no_roadmap(path, entry.repository.default_branch))
    if not would_do(state):
        return (texts.nothing(),)
    contents = Contents(entry.api)
    branch = entry.repository.default_branch
    content = await contents.read(path, await contents.head(branch)) or b""
    text = plan_text(await read(path, content))
    issue = 0
    if not await acting.work.parts.read_only(entry.repository):
        try:
            issue = await PlanIssue(entry.api, bot_login=entry.bot).show(TITLE, text)
        except TaskError as refused:
            raise ActionRefused(texts.lacks(refused.message)) from refused
    await acting.work.service.start(_request(acting, job, inputs, issue))
    return ()


async def _read(acting: Acting, job: Job, inputs: Inputs) -> RunState:
    """The roadmap as a run would find it now; nothing is written and no model asked."""
    parts, work = acting.work.parts, acting.work
    request = _request(acting, job, inputs, 0)
    now = parts.around.clock.now()
    row = Run(
        **vars(row_of(request, await parts.roadmap_of(request))),
        status="queued",
        reason="",
        until=None,
        progress_comment_id=None,
        created_at=now,
        updated_at=now,
        result=None,
    )
    ports = await parts.ports(row, work.watch.events, work.poller.look)
    step = await parse_roadmap(
        RunState(request_of(row, await ports.config())), ports.deps, TaskWork()
    )
    return step.state


def _request(acting: Acting, job: Job, inputs: Inputs, issue: int) -> RunRequested:
    return RunRequested(
        delivery=job.delivery,
        repository=acting.entry.repository,
        issue=issue,
        by=job.sender,
        command=ExecuteCommand(path=inputs.roadmap or None, max_tasks=inputs.max_tasks),
    )
