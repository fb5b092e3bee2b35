"""What the pages show: runs as JSON objects, from which both pages and JSON are made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from app.pages.answers import advice
from app.pages.timeline import WorkedStep
from app.progress.waiting import Turn
from app.runs.live import LiveMessage
from app.store.database import Store
from app.store.runs import COLUMNS, Run, run_of
from app.store.schema import runs as table
from handlers.texts import stack_replies
from runner.money import Usage, cost_brief, cost_text
from runner.people.run_view import RunView, TaskView, view_of
from runner.roadmap.reviewed import ReviewedPull
from runner.state.run_state import RunState, Status
from runner.state.status_words import STEPS

MOST_TASKS = 500
"""Tasks a page shows; those the run has touched come first when there are more."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """One run as it is known now.

    ``status`` is the newest word about it, ``state`` None before the roadmap was read, ``turn`` set
    while it waits, ``messages`` the newest events (newest first), ``steps`` the work on its tasks.
    """

    run: Run
    status: str
    state: RunState | None
    turn: Turn | None = None
    messages: tuple[LiveMessage, ...] = ()
    steps: tuple[WorkedStep, ...] = ()


def run_line(sight: Sight, server_url: str, used: Usage | None) -> dict[str, Any]:
    """What the list shows of a run; ``used`` None is unknown."""
    run, name = sight.run, sight.run.repository.full_name
    return {
        "run": run.id,
        "status": sight.status,
        "repository": name,
        "roadmap": run.roadmap,
        "issue": run.issue,
        "issue_url": f"{server_url}/{name}/issues/{run.issue}" if run.issue else "",
        "asked_by": run.request.get("by", ""),
        "asked_at": _time(run.created_at),
        "updated_at": _time(run.updated_at),
        "tokens": used.tokens if used else None,
        "cost": used.known_cost if used else None,
        "cost_text": cost_text(used) if used and used.calls else "",
    }


def run_view(sight: Sight, server_url: str) -> dict[str, Any]:
    """All that the page of one run shows."""
    run, view = sight.run, view_of(sight.state) if sight.state else None
    used = view.used if view else None
    tasks = [_task(task, run.id) for task in view.standing] if view else []
    return {
        **run_line(sight, server_url, used),
        "base_branch": run.repository.default_branch,
        "reason": run.reason,
        "until": _time(run.until) if run.until else None,
        "problem": view.problem if view else "",
        "advice": advice(sight.status, until=run.until, cause=run.cause),
        "queue": _queue(sight.turn),
        "done": view.done if view else 0,
        "total": view.total if view else 0,
        "waiting": [task for task in tasks if task["status"] == Status.AWAITING_APPROVAL],
        "current": _current(view) if sight.status == "running" else None,
        "tasks_total": len(tasks),
        "tasks": _shown(tasks),
        "left_title": stack_replies.other_words(),
        "left": [
            _left(each, run, server_url) for each in (sight.state.stack.left if sight.state else ())
        ],
        "nodes": _nodes(view),
        "seconds": round(used.seconds, 1) if used else None,
        "timeline": [
            {"id": message.id, "at": _time(message.at), **message.data}
            for message in sight.messages
        ],
        "steps": _steps(sight.steps, view),
        "events": f"/runs/{run.id}/events",
        "last_event": sight.messages[0].id if sight.messages else "",
    }


def _task(task: TaskView, run: str) -> dict[str, Any]:
    effort, url = task.effort, task.place.url
    return {
        "key": task.key,
        "page": task_page(run, task.key) if task.touched else "",
        "name": task.name,
        "title": task.title,
        "line": task.line,
        "status": str(task.status),
        "stands": task.stands,
        "current": task.current,
        "touched": task.touched,
        "verified": task.verified,
        "result": task.result,
        "doubt": task.checks.doubt,
        "answers": effort.answers,
        "repairs": effort.repairs,
        "tokens": effort.used.tokens,
        "cost": effort.used.known_cost,
        "cost_text": cost_brief(effort.used) if effort.used.calls else "",
        "url": url if url.startswith(("https://", "http://")) else "",
        "why": task.why,
    }


def _left(pull: ReviewedPull, run: Run, server_url: str) -> dict[str, Any]:
    """A pull request whose task the roadmap does not have in these words any more."""
    url = f"{server_url}/{run.repository.full_name}/pull/{pull.number}"
    changed = f"changed in the roadmap since; now {pull.task.now}"
    since = {"changed": changed, "gone": "removed from the roadmap"}.get(pull.task.fate, "")
    return {"number": pull.number, "url": url, "title": pull.title, "since": since}


def _shown(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(tasks) <= MOST_TASKS:
        return tasks
    return sorted(tasks, key=lambda task: not task["touched"])[:MOST_TASKS]


def _current(view: RunView | None) -> dict[str, str] | None:
    if view is None or view.node not in STEPS:  # it is between two steps, or at its end
        return None
    task, title = view.now or ("", "")
    return {"task": task, "title": title, "node": view.node}


def _nodes(view: RunView | None) -> list[dict[str, Any]]:
    return [
        {
            "node": share.node,
            "tokens": share.usage.tokens,
            "percent": share.percent,
            "cost": share.usage.known_cost,
            "cost_text": cost_brief(share.usage) if share.usage.calls else "",
            "seconds": round(share.usage.seconds, 3),
            "calls": share.usage.calls,
        }
        for share in (view.nodes if view else ())
    ]


def _steps(steps: tuple[WorkedStep, ...], view: RunView | None) -> list[dict[str, Any]]:
    """The work on tasks, each named as people know it."""
    known = {task.key: task for task in view.tasks} if view else {}
    return [
        {
            "task": known[step.task].name if step.task in known else step.task,
            "title": known[step.task].title if step.task in known else "",
            "node": step.node,
            "at": _time(datetime.fromtimestamp(step.start, UTC)),
            "start": round(step.start, 3),
            "seconds": round(step.seconds, 3),
        }
        for step in steps
    ]


def task_page(run: str, key: str) -> str:
    """The address of a task's page."""
    return f"/runs/{quote(run, safe='')}/tasks/{quote(key, safe='')}"


def _queue(turn: Turn | None) -> dict[str, Any] | None:
    if turn is None:
        return None
    return {
        "position": turn.position,
        "seconds": None if turn.seconds is None else round(turn.seconds),
    }


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


PAGE = 25


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are asked for; '' is any. ``before`` is the number of a run that is not shown."""

    status: str = ""
    repository: str = ""
    before: int | None = None


@dataclass(frozen=True, slots=True)
class RunsPage:
    """One page of runs; ``older`` is the ``before`` of the next page, None when there is none."""

    runs: tuple[Run, ...]
    older: int | None


class Listing:
    """Reads the runs table for the pages. Raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, *, page: int = PAGE) -> None:
        self._store = store
        self._page = page

    async def find(self, wanted: RunFilter) -> RunsPage:
        """Return the newest runs that are wanted."""
        query = _SELECT.where(*_conditions(wanted)).limit(self._page + 1)
        rows = await self._store.rows(query)
        shown = rows[: self._page]
        return RunsPage(
            tuple(map(run_of, shown)), shown[-1].seq if len(rows) > len(shown) else None
        )

    async def repository_id(self, name: str) -> int | None:
        """Return the id of a repository with a run, by its newest full name."""
        query = sa.select(table.c.repository_id).where(table.c.repository == name)
        found: int | None = await self._store.value(query.order_by(table.c.seq.desc()).limit(1))
        return found

    async def repositories(self) -> list[str]:
        """Return the names of all repositories with a run, for the filter."""
        query = sa.select(table.c.repository).distinct().order_by(table.c.repository)
        return [name for (name,) in await self._store.rows(query)]


def _conditions(wanted: RunFilter) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.status:
        conditions.append(table.c.status == wanted.status)
    if wanted.repository:
        conditions.append(table.c.repository == wanted.repository)
    if wanted.before is not None:
        conditions.append(table.c.seq < wanted.before)
    return conditions


_SELECT = sa.select(table.c.seq, *COLUMNS).order_by(table.c.seq.desc())
