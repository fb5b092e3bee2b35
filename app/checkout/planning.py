"""``--plan``: plan each task a run would take, show the plans, and write nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.progress.comment import Progress
from app.runs.worker import Outcome
from runner.defuse import defuse
from runner.deps import Deps
from runner.dry_run import MARK, lines, would_do
from runner.errors import Stopped, TaskError
from runner.nodes.plan import plan_task
from runner.nodes.run import parse_roadmap
from runner.roadmap.task import Task
from runner.state import Attempt, Plan, Request, RunState


async def plan_only(request: Request, deps: Deps, progress: Progress) -> Outcome:
    """Ask for the plans; those that were paid for once are not asked for again.

    Raises ``Outage``; a person's order stops it between two tasks.
    """
    state = (await parse_roadmap(RunState(request), deps)).state
    shown: list[str] = []
    try:
        for number, task in enumerate(would_do(state), 1):
            shown.append(f"**{number}.** {_name(task)}\n\n{await _planned(state, task, deps)}")
    except Stopped as order:
        stopped = "paused" if order.order == "pause" else "cancelled"
        await progress.finish(stopped, "a person stopped it")
        return Outcome("paused" if stopped == "paused" else "cancelled", "a person stopped it")
    await progress.finish("ended", "\n\n".join(shown) or _nothing(state))
    return Outcome("ended", "plans only")


async def _planned(state: RunState, task: Task, deps: Deps) -> str:
    attempt = Attempt(task=task.key, base=state.tip, below=state.tip_branch)
    view = replace(state.put(attempt), current=task.key)
    try:
        plan = (await plan_task(view, deps)).state.attempt.plan
    except TaskError as error:
        return f"No plan: {_plain(error.message)}"
    return _said(plan) if plan else "The model's answer was no plan."


def _said(plan: Plan) -> str:
    parts = [f"complexity: {plan.complexity}"]
    parts += _list("files", [f"`{path.replace('`', chr(39))}`" for path in plan.likely_files])
    parts += _list("steps", [_plain(step) for step in plan.steps])
    parts += _list("acceptance", [_plain(each) for each in plan.acceptance])
    return "\n".join(parts)


def _list(name: str, items: Sequence[str]) -> list[str]:
    return [f"- {name}: " + "; ".join(items)] if items else []


def _nothing(state: RunState) -> str:
    return "\n".join(_plain(line.removeprefix(MARK)) for line in lines(state))


def _name(task: Task) -> str:
    return f"{_plain(task.name)}: {_plain(task.title)}"


def _plain(text: str) -> str:
    return defuse(" ".join(text.split()), plain=True)
