"""What an applied recovery does to the run and to the roadmap: other tasks replace one. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from runner.roadmap.edit import EditRefused, find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replace import Audit, replace_task
from runner.roadmap.task import Roadmap, Task
from runner.state.run_state import Attempt, ReplacedTasks, RunState


def edited(state: RunState, before: bytes) -> bytes:
    """Return the roadmap with the proposed tasks instead of the current task.

    Raises ``EditRefused`` if they cannot be written there.
    """
    proposal = state.proposal
    path = state.request.roadmap
    parsed = parse_roadmap(path, before)
    task = find(parsed, proposal.task)
    return replace_task(
        path,
        before,
        proposal.task,
        proposal.replacements,
        audit=audit_of(state),
        keep_nested=task is None or not divides(state, parsed, task),
    )


def audit_of(state: RunState) -> Audit:
    """What the roadmap keeps of the recovery: the same whenever it is written."""
    proposal, decision, task = state.proposal, state.attempt.agreed.decision, state.task
    return Audit(
        strategy=proposal.strategy,
        at=datetime.fromtimestamp(proposal.made_at, UTC),
        original=f"{task.text}\n{task.details}" if task.details else task.text,
        reason=f"{proposal.reason}: {proposal.explanation}",
        approved_by=decision.by if decision else "",
    )


def divides(state: RunState, roadmap: Roadmap, task: Task) -> bool:
    """Say whether the new tasks replace everything nested in the task, so that it is removed.

    Parts of a divided task do, and so does what a person pushed instead of it. Nested checkboxes
    are separate tasks and stay; so does what a person did not see removed.
    """
    place = task.place
    boxes = any(place.line < other.place.line <= place.end_line for other in roadmap.tasks)
    decision = state.attempt.agreed.decision
    as_shown = decision is None or decision.verdict != "edit"
    whole = state.proposal.strategy == "decompose" or bool(state.proposal.pushes.head)
    return whole and as_shown and not boxes


def applied(state: RunState, attempt: Attempt) -> RunState:
    """Return the run with the roadmap its recovery left, and whose place the new tasks took."""
    if not attempt.agreed.rewritten or any(
        task.key == attempt.task for task in state.replaced.tasks
    ):
        return state
    old = {task.key for task in state.tasks}
    # the branch of a recovery has not all that the run has read
    now = state.roadmap
    content = _edited(state, attempt, now.content) if now else attempt.agreed.rewritten
    roadmap = parse_roadmap(state.request.roadmap, content)
    new = {task.key: attempt.task for task in roadmap.tasks if task.key not in old}
    return replace(
        state,
        roadmap=roadmap,
        replaced=ReplacedTasks(
            (*state.replaced.tasks, state.task_of(attempt.task)),
            origins={**state.replaced.origins, **new},
        ),
    )


def replayed(state: RunState, content: bytes) -> bytes:
    """Return a roadmap with the recoveries of the run whose pull requests are open."""
    for attempt in state.attempts.values():
        member = state.stack.members.get(attempt.task)
        if attempt.agreed.rewritten and member and member.rewrites:
            content = _edited(state, attempt, content)
    return content


def _edited(state: RunState, attempt: Attempt, content: bytes) -> bytes:
    try:
        return edited(replace(state.put(attempt), current=attempt.task), content)
    except EditRefused:
        return content  # people did it, or took the task out
