"""The run's own nodes: read the roadmap, choose, stop. None of them asks a model."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from runner.context.memory import of_run, of_task
from runner.loop.applied import replayed
from runner.loop.deps import Deps, TaskWork
from runner.loop.problems import linked_roadmap, missing_roadmap, nothing_to_do
from runner.loop.schedule import (
    comes_back,
    counted,
    decided,
    grounded,
    is_full,
    next_move,
    next_piece,
    place_of,
    retry,
    settle,
    with_blocked,
)
from runner.loop.stacking import left_behind, linked, plan_now, reread
from runner.ports import MemoryNote
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap as parse
from runner.roadmap.plans import form_of
from runner.roadmap.plans.issue import names_issue
from runner.roadmap.task import Roadmap, from_the_top
from runner.state.options import plans_first
from runner.state.publishing import Stack
from runner.state.run_state import (
    Agreed,
    Answered,
    Attempt,
    Planned,
    RunState,
    Status,
    Step,
    VerifiedWork,
)

log = logging.getLogger(__name__)


async def parse_roadmap(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Find the tip of the stack and read the roadmap; ``rejected`` when there is no work in it.

    A run that waited comes here too: people may have merged and edited for days.
    """
    if asked := state.request.options.scope.revision:
        from runner.nodes.revise import begin_revision

        return await begin_revision(state, deps, asked)
    stack = await deps.repository.stack()
    state = grounded(state, stack)
    path = state.request.roadmap
    meant = await linked(deps.repository, stack.base or stack.tip, path)
    if meant != path:  # named in a command: what reads it later (restacking, undo) follows no links
        return Step(replace(state, problem=linked_roadmap(path, meant, deps.start)), "rejected")
    now = await plan_now(deps, stack, path)
    state = replace(
        state, stack=replace(state.stack, left=await left_behind(deps.repository, stack, path))
    )
    state = replace(state, unshown=tuple(sorted(stack.unshown)))
    if state.roadmap is not None:
        if now:  # without its roadmap the decision says so
            roadmap = parse(path, replayed(state, now.content))
            state = reread(state, roadmap, _statuses(state, roadmap, stack, now.ticked))
            state = with_blocked(await _with_others(state, deps, stack))
        return Step(state, "ok")
    if now is None:
        there = await deps.repository.snapshot(stack.base or stack.tip)
        problem = missing_roadmap(
            path, deps.start, there.entries, projects=state.request.options.projects.plans
        )
        return Step(replace(state, problem=problem), "rejected")
    roadmap = parse(path, now.content)
    statuses = _statuses(state, roadmap, stack, now.ticked)
    state = replace(state, roadmap=roadmap, statuses=statuses)
    state = with_blocked(await _with_others(state, deps, stack))
    if problem := nothing_to_do(state, roadmap, deps.start, stack.members):
        return Step(replace(state, problem=problem), "rejected")
    return Step(state, "ok")


async def _with_others(state: RunState, deps: Deps, stack: Stack) -> RunState:
    """Take down what the tasks need of other projects."""
    plans = state.request.options.projects.plans
    if state.roadmap is None or not plans:
        return state
    from runner.loop.elsewhere import needed_elsewhere

    found = await needed_elsewhere(deps.repository, stack, state.roadmap, plans)
    return replace(state, elsewhere=found)


async def decide_next(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Settle the task just left, remember what it teaches, and say what comes next."""
    left, state = state.current, with_blocked(settle(state))
    if left:
        await _remember(state, deps, of_task(state, left))
    if is_full(state):  # people may have merged some since they were counted
        state = counted(state, await deps.repository.stack())
    move = next_move(state)
    if move == "decided":
        state = replace(state, current=decided(state))
        again = replace(state.attempt, status=Status.IN_PROGRESS, turn=state.next_turn)
        state = state.put(again)
    return Step(state, move)


async def pick_task(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Take the first open task, or a group of small ones, with a fresh attempt on the tip."""
    piece = next_piece(state)
    task = piece.task
    before = state.attempts.get(task.key)
    place, revision = place_of(state, piece.keys), state.revision
    options, human_commits = state.request.options, None
    dropped = before.failure.message if before and before.failure and before.agreed.approved else ""
    by_name = options.scope.retry and options.scope.task in (task.key, task.id)
    if by_name and before is None:  # people's work on a task that is retried by name
        human_commits = await deps.repository.human_commits(task.key, state.stack.tip)
    attempt = Attempt(
        task=task.key,
        base=place.commit,
        below=place.branch,
        number=before.number + 1 if before else 1,
        turn=state.next_turn,
        planned=Planned(
            members=revision.tasks[1:] if revision else piece.keys[1:],
            former=before.planned.former if before else (),
            human_commits=human_commits,
            revision=revision,
        ),
        answered=Answered(unusable_looks=before.answered.unusable_looks if before else 0),
        agreed=Agreed(dropped=dropped),
        tested=VerifiedWork(asked_test=before.tested.asked_test if before else None),
    )
    state = replace(state.put(attempt), current=task.key)
    if folder := options.projects.folder:
        base = await deps.repository.snapshot(place.commit)
        places = from_the_top(state.task.files, folder, base.entries)
        state = state.updated(replace(state.attempt.planned, places=places))
    begun = human_commits or revision or options.scope.again
    planned = plans_first(task, options.planning, options.routing) and not begun
    if planned:
        from runner.nodes.pattern import fits

        planned = not await fits(state, deps)
    return Step(state, "ok" if planned else "direct")


async def retry_deferred(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Open the deferred tasks once more; a second deferral is not possible."""
    for task in state.tasks:
        if task.key in state.attempts and comes_back(state.attempts[task.key]):
            log.info("Retrying deferred task: %s", task.name)
    return Step(retry(state), "ok")


async def generate_report(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """End the run; who listens writes the report from the state.

    What it still proposes then can be applied by nobody, so it is closed.
    """
    if state.stopping or state.problem:
        from runner.nodes.approve import withdraw

        state = await withdraw(state, deps)
    await _remember(state, deps, of_run(state))
    times = replace(state.times, ended=deps.clock.now().timestamp())
    return Step(replace(state, times=times), "ok")


async def _remember(state: RunState, deps: Deps, notes: Sequence[MemoryNote]) -> None:
    """Keep notes for later runs, unless the repository wants none."""
    if state.request.options.memory_notes:
        await deps.earlier.memory.remember(notes)


def _statuses(
    state: RunState, roadmap: Roadmap, stack: Stack, ticked: frozenset[str]
) -> dict[str, Status]:
    """Tasks that other runs have already published or proposed.

    ``ticked`` are those whose checkbox only open pull requests tick. What is ticked on the base
    branch is done, whatever is open. What a plan says of an issue that has a checkpoint of its own
    is in review with that. A retry still works on its task, unless it is in review.
    """
    options = state.request.options
    known = {key: Status.DECLINED for key in stack.declined}
    known |= {key: Status.AWAITING_APPROVAL for key in stack.proposed}
    done = {task.key for task in roadmap.tasks if task.checked} - ticked
    known |= {key: Status.IN_REVIEW for key in (stack.in_review | ticked) - done}
    issues = () if form_of(roadmap.path).apart else stack.issues
    elsewhere = {
        task.key for task in roadmap.tasks if any(names_issue(task, each) for each in issues)
    }
    known |= dict.fromkeys(elsewhere - done, Status.IN_REVIEW)
    known |= {m.task: Status.AWAITING_APPROVAL for m in state.stack.members.values() if m.rewrites}
    again = find(roadmap, options.scope.task) if options.scope.retry else None
    if again and known.get(again.key) is not Status.IN_REVIEW:
        known.pop(again.key, None)
    return {task.key: known[task.key] for task in roadmap.tasks if task.key in known}
