"""Drive a run through ``GRAPH``: a node, a saved row, the next node; until it ends or pauses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace

from runner.errors import REVIEWS, STOP_REQUEST, Outage, PortError, Stopped, TaskError
from runner.graph import END, REST, RUN_NODES, START, following
from runner.loop.accepted import restored
from runner.loop.bugs import bad_answer
from runner.loop.deps import Deps, TaskWork
from runner.loop.journal import BORDER, Cursors
from runner.loop.schedule import advanced, is_full, left_out, next_move, upcoming, why_full
from runner.loop.task_pool import Ended, TaskPool
from runner.money import Usage, by_name, total
from runner.roadmap.task import Task
from runner.state.events import (
    Advanced,
    NodeFinished,
    NodeStarted,
    OutageMet,
    RunChanged,
    RunRecalled,
    happened,
)
from runner.state.options import Request
from runner.state.run_state import Failure, RunState, Step
from runner.state.status_words import waits_elsewhere
from runner.text.logged import about

log = logging.getLogger(__name__)

Node = Callable[[RunState, Deps, TaskWork], Awaitable[Step]]

_ENDING = frozenset(
    {"checkpoint", "classify_failure", "propose_recovery", "await_approval", "apply_recovery"}
)
"""Nodes of a task after which its code is asked about again only if people decide so."""


async def drive(
    request: Request, nodes: Mapping[str, Node], deps: Deps, work: TaskWork | None = None
) -> Ended:
    """Drive the run from the last row of its journal until it stops."""
    async with aclosing(driving(request, nodes, deps, work)) as steps:
        async for step in steps:
            if isinstance(step, Ended):
                return step
    raise AssertionError("driving ends with how it ended")


async def driving(
    request: Request, nodes: Mapping[str, Node], deps: Deps, work: TaskWork | None = None
) -> AsyncGenerator[RunState | Ended]:
    """Drive the run; yield the state after every saved node, and last how it ended.

    The run's own cursor moves here; each current task continues beside it, one unless the request
    allows more. ``work`` is given by callers that know earlier verifications.
    """
    cursors = Cursors(deps.journal)
    state = await cursors.recall(request, now=deps.clock.now().timestamp())
    work = work or TaskWork()
    pool = TaskPool(work, lambda view, own: _next(view, nodes, deps, own, cursors))
    state = _woken(state, pool, cursors.at_work)
    await deps.events.emit(RunRecalled(request.id, "", state))
    await deps.events.emit(RunChanged(request.id, "", "started"))
    ended: Ended | None = None
    async with aclosing(pool):
        while ended is None:
            if not state.current and (task := pool.unfinished()):
                state = _started(replace(state, current=task, node=BORDER), pool)
            moves = _may_move(state, pool)
            if moves and pool and await _lets_others(state, deps):
                state, moves = replace(state, node=BORDER), False
            if moves:
                step = await _next(state, nodes, deps, work, cursors)
            else:
                step = await pool.next(state)
            if isinstance(step, Ended):
                ended = replace(step, state=await pool.drain(step.state))
            else:
                state = _started(step, pool)
                yield step
    why = ended.reason or ended.state.problem
    await deps.events.emit(RunChanged(request.id, "", ended.status, why))
    yield ended


def _woken(state: RunState, pool: TaskPool, at_work: Mapping[str, str]) -> RunState:
    """Continue the tasks that were at work; a run that waited reads the current state again."""
    state = advanced(state)
    for task in sorted(at_work, key=lambda task: state.attempts[task].turn):
        pool.start(task, at_work[task])
    if at_work:
        return replace(state, node=BORDER, current="")
    return replace(state, node=START, current="") if state.node == REST else state


def _started(state: RunState, pool: TaskPool) -> RunState:
    """Let a task that the run's cursor just left at its own node continue in the pool."""
    if not state.current:
        return state
    if state.node not in RUN_NODES:
        pool.start(state.current, state.node)
        return replace(state, node=BORDER, current="")
    pool.leave(state.current)
    return state


def _may_move(state: RunState, pool: TaskPool) -> bool:
    """Whether the run's own cursor can take a step while tasks are at work."""
    if not pool:
        return True
    if state.node != BORDER or state.current:
        return state.node != REST
    return len(pool) < state.request.options.parallel and next_move(state) == "ok"


async def _lets_others(state: RunState, deps: Deps) -> bool:
    """Whether no task is begun beside those at work, as another run waits for this one's place.

    It gets the place once none is at work, so that no answer is paid for twice.
    """
    if state.current or state.node not in (BORDER, "pick_task"):
        return False
    try:
        return await deps.others_wait()
    except Outage:
        return True  # the next step of a task at work meets it, too


async def _next(
    state: RunState, nodes: Mapping[str, Node], deps: Deps, work: TaskWork, cursors: Cursors
) -> RunState | Ended:
    """Take one step, or say why none is taken."""
    if state.node in (END, REST):
        if state.stopping:
            return Ended("cancelled", state)
        if state.node == REST and is_full(state):
            return Ended("waiting", state, REVIEWS, why_full(state))
        return Ended("ended" if state.node == END else "waiting", state)
    if state.stopping and state.node not in RUN_NODES:
        return replace(state, node=BORDER)
    try:
        if not state.stopping:
            await deps.control.check(state.request.id)
        if state.node == BORDER:  # the move itself is pure, so it is told what came in
            state = replace(state, decided=await deps.decisions.waiting(state.request.id))
            state = left_out(state, await deps.skips())
        return await _advance(state, nodes, deps, work, cursors)
    except Stopped as stop:
        if stop.request == "pause":
            return Ended("paused", state, STOP_REQUEST, "a person paused it")
        return replace(state, stopping=True, node=BORDER)
    except Outage as outage:
        with about(run=state.request.id):  # no text names it: a run may not be kept
            log.warning("Stopped at %s: %s", state.node, outage.message)
        await deps.events.emit(OutageMet(state.request.id, state.current, outage.kind))
        return Ended(
            "paused", state, outage.kind, outage.message, outage.until, advised=outage.advised
        )


async def _advance(
    state: RunState, nodes: Mapping[str, Node], deps: Deps, work: TaskWork, cursors: Cursors
) -> RunState:
    """Run one node and save what it left."""
    state = _within_budget(state)
    node, task, old = state.node, state.current, state.attempts.get(state.current)
    await deps.events.emit(NodeStarted(state.request.id, task, node))
    began = deps.clock.monotonic()
    with about(run=state.request.id, task=task, node=node):
        (step,) = await asyncio.gather(nodes[node](state, deps, work), return_exceptions=True)
    if isinstance(step, BaseException):
        step = _after_error(state, step, deps)
    after, usage = step.state, Usage(deps.clock.monotonic() - began)
    new = after.attempts.get(task)
    if old and new and old.number == new.number:  # what its model calls used
        usage = replace(new.spent.total - old.spent.total, seconds=usage.seconds)
    await deps.events.emit(NodeFinished(state.request.id, task, node, step.outcome, usage))
    if node in RUN_NODES:
        after = replace(after, usage=by_name((after.usage, {node: usage})))
    else:
        spent = after.attempt.spent
        used = by_name((spent.usage, {node: usage}))
        path = (*spent.path, node)
        after = after.updated(replace(spent, steps=spent.steps + 1, path=path, usage=used))
    after = replace(after, node=following(node, step.outcome))
    after = await cursors.save(after, node=node, task=task)
    cursors.newest = newest(cursors.newest, after, task if node not in RUN_NODES else "")
    await deps.events.emit(Advanced(state.request.id, task, cursors.newest))
    for event in happened(state, after):
        await deps.events.emit(event)
    return after


def newest(known: RunState | None, state: RunState, task: str) -> RunState:
    """Return the whole run after a step of a ``task``, or ('') of the run's own cursor.

    A task at work only knows the run as it was when its step began, and the run's own cursor may
    not have seen the last steps of the tasks at work.
    """
    if known is None:
        return state
    if task:
        now = replace(known, node=state.node, current=task, stopping=state.stopping)
        return now.put(state.attempts[task])
    newer = {
        key: attempt
        for key, attempt in known.attempts.items()
        if (seen := state.attempts.get(key)) and seen.number == attempt.number
        if attempt.spent.steps > seen.spent.steps
    }
    return replace(state, attempts={**state.attempts, **newer}) if newer else state


def _after_error(state: RunState, error: BaseException, deps: Deps) -> Step:
    """Return how a node ends that raised something: a task's own failure, or a bug.

    All else is raised: what the outside world does stops the run, and so do bugs of no task.
    """
    if isinstance(error, TaskError):
        # with no tokens left for a better change, the one that its tests accept is published
        kept = error.kind == "budget" and state.current and state.attempt.accepted
        if kept:
            return restored(state, error.message)
        log.warning("%s failed: %s", state.node, error.message)
        if not state.current:
            return Step(replace(state, problem=error.message, problem_kind=error.kind), "error")
        failure = Failure(error.kind, error.message, node=state.node)
        return Step(state.put(replace(state.attempt, failure=failure)), "error")
    outside = (PortError, Stopped, OSError, MemoryError, *deps.outside)
    if not isinstance(error, Exception) or isinstance(error, outside):
        raise error
    step = bad_answer(state, error)
    if step is None:
        raise error
    log.error("%s failed because of a bug; the run goes on", state.node, exc_info=error)
    if deps.on_bug:
        deps.on_bug(error)
    return step


def _within_budget(state: RunState) -> RunState:
    """Send an attempt that used its budget up to the classification, where no cycle is left.

    A change that its tests accept is published all the same: that asks no model.
    """
    if state.node in RUN_NODES | _ENDING:
        return state
    limits, spent = state.request.options.limits, state.attempt.spent
    if spent.steps >= limits.max_iterations:
        most = f"{limits.max_iterations} steps"
    elif spent.total.tokens >= limits.max_tokens:
        most = f"{limits.max_tokens:,} tokens"
    elif total(spent.usage.values()).seconds >= limits.max_seconds:
        most = f"{limits.max_seconds / 60:.0f} minutes"
    else:
        return state
    why = f"the attempt used up its {most}"
    if state.attempt.accepted:
        step = restored(state, why)
        return replace(step.state, node=following(state.node, step.outcome))
    attempt = replace(state.attempt, failure=Failure("budget", why, node=state.node))
    return replace(state.put(attempt), node="classify_failure")


MARK = "[DRY RUN]"


def would_do(state: RunState) -> tuple[Task, ...]:
    """Tasks in the order a run would take them, as many as it may."""
    return upcoming(replace(state, current=""))[: state.request.options.scope.max_tasks]


def lines(state: RunState) -> list[str]:
    """One marked line a task; the problem instead when there is nothing to do."""
    if state.problem:
        return [f"{MARK} {state.problem}"]
    tasks = would_do(state)
    if not tasks:
        return [f"{MARK} {state.request.roadmap} has no open task."]
    names = {task.key: task.name for task in state.tasks}
    waiting = {} if state.request.options.scope.task else state.elsewhere
    return [
        f"{MARK} {number}. {task.name}: {task.title}"
        f" ({state.request.roadmap}, line {task.place.line})"
        for number, task in enumerate(tasks, 1)
    ] + [
        f"{MARK} {names[key]} {waits_elsewhere(needed[0])}"
        for key, needed in waiting.items()
        if key in names
    ]
