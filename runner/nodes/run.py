"""The run's own nodes: read the roadmap, choose, stop. None of them asks a model."""

from __future__ import annotations

import logging
from dataclasses import replace

from runner.deps import Deps
from runner.moves import decided, next_move, open_tasks, retry, settle
from runner.ports import Stack
from runner.problems import missing_roadmap, nothing_to_do
from runner.reading import contents
from runner.roadmap.parse import parse_roadmap as parse
from runner.roadmap.task import Roadmap
from runner.state import Attempt, RunState, Status, Step

log = logging.getLogger(__name__)


async def parse_roadmap(state: RunState, deps: Deps) -> Step:
    """Find the tip of the stack and read its roadmap; ``rejected`` when there is no work in it."""
    stack = await deps.repository.stack()
    base = await deps.repository.snapshot(stack.tip)
    path = state.request.roadmap
    found = await contents(deps, base, [path])
    state = replace(state, tip=stack.tip, tip_branch=stack.branch)
    if path not in found:
        return Step(replace(state, problem=missing_roadmap(path)), "rejected")
    roadmap = parse(path, found[path])
    state = replace(state, roadmap=roadmap, statuses=_statuses(roadmap, stack))
    if problem := nothing_to_do(state, roadmap):
        return Step(replace(state, problem=problem), "rejected")
    return Step(state, "ok")


async def decide_next(state: RunState, deps: Deps) -> Step:
    """Settle the task just left and say what comes next."""
    state = settle(state)
    move = next_move(state)
    if move == "decided":
        state = replace(state, current=decided(state))
    return Step(state, move)


async def pick_task(state: RunState, deps: Deps) -> Step:
    """Take the first open task in document order, with a fresh attempt on the tip."""
    task = open_tasks(state)[0]
    before = state.attempts.get(task.key)
    attempt = Attempt(
        task=task.key,
        base=state.tip,
        below=state.tip_branch,
        number=before.number + 1 if before else 1,
    )
    picked = state.picked if before else state.picked + 1
    state = replace(state.put(attempt), current=task.key, picked=picked)
    return Step(state, "ok" if state.request.options.planning else "direct")


async def retry_deferred(state: RunState, deps: Deps) -> Step:
    """Open the deferred tasks once more; a second deferral is not possible."""
    return Step(retry(state), "ok")


async def generate_report(state: RunState, deps: Deps) -> Step:
    """End the run; who listens writes the report from the state."""
    return Step(replace(state, ended=deps.clock.now().timestamp()), "ok")


def _statuses(roadmap: Roadmap, stack: Stack) -> dict[str, Status]:
    """Tasks that other runs have already brought before people."""
    known = {key: Status.DECLINED for key in stack.declined}
    known |= {key: Status.IN_REVIEW for key in stack.in_review}
    return {task.key: known[task.key] for task in roadmap.tasks if task.key in known}
