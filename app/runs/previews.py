"""What a run would do: its tasks in order (``--dry-run``), or the plan of each (``--plan``)."""

from __future__ import annotations

from dataclasses import replace

from app.jobs.worker import Outcome
from app.progress.text import progress_texts
from app.runs.begun import Begun, RunPorts
from app.store.runs import Status
from runner.errors import Stopped, TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import MARK, lines, would_do
from runner.loop.schedule import left_out
from runner.nodes.plan import plan_task
from runner.nodes.run import parse_roadmap
from runner.people.analysis_sentences import preview_text
from runner.roadmap.task import Task
from runner.state.run_state import Attempt, RunState
from runner.text.sanitize import plain_line, sanitize


async def dry_run(begun: Begun) -> Outcome:
    """List the tasks in order; no model is asked and nothing is written but the comment."""
    state = await _unbegun(begun)
    listing = "\n".join(f"- {sanitize(line, plain=True)}" for line in lines(state))
    text = f"{listing}{await _expected(state, begun.ports)}"
    await begun.ports.progress.finish("ended", text)
    return Outcome("ended", "dry run")


async def plan_only(begun: Begun) -> Outcome:
    """Ask for the plans; those that were paid for once are not asked for again.

    Raises ``Outage``; a person's request stops it between two tasks.
    """
    deps, progress = begun.ports.deps, begun.ports.progress
    state = await _unbegun(begun)
    shown: list[str] = []
    try:
        for number, task in enumerate(would_do(state), 1):
            name = plain_line(f"{task.name}: {task.title}")
            shown.append(f"**{number}.** {name}\n\n{await _planned(state, task, deps)}")
    except Stopped as stop:
        status: Status = "paused" if stop.request == "pause" else "cancelled"
        await progress.finish(status, "a person stopped it")
        return Outcome(status, "a person stopped it")
    nothing = "\n".join(plain_line(line.removeprefix(MARK)) for line in lines(state))
    plans = "\n\n".join(shown) or nothing
    await progress.finish("ended", f"{plans}{await _expected(state, begun.ports)}")
    return Outcome("ended", "plans only")


async def _unbegun(begun: Begun) -> RunState:
    """The run as it would begin: what people skip is left out."""
    deps = begun.ports.deps
    state = (await parse_roadmap(RunState(begun.request), deps, TaskWork())).state
    return left_out(state, await deps.skips())


async def _expected(state: RunState, ports: RunPorts) -> str:
    """What the tasks of a run will probably take, as a paragraph; '' if there are none."""
    tasks = would_do(state)
    if state.problem or not tasks:
        return ""
    found = await ports.lessons.expected(tasks, state.request.options)
    return f"\n\n{preview_text(found, len(tasks))}"


async def _planned(state: RunState, task: Task, deps: Deps) -> str:
    attempt = Attempt(task=task.key, base=state.stack.tip, below=state.stack.branch)
    view = replace(state.put(attempt), current=task.key)
    try:
        plan = (await plan_task(view, deps, TaskWork())).state.attempt.planned.plan
    except TaskError as error:
        return progress_texts.planned(None, error.message)
    return progress_texts.planned(plan, "")
