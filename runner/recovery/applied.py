"""What an applied recovery does to the run: other tasks in the place of one. Pure."""

from __future__ import annotations

from dataclasses import replace

from runner.recovery.edit import edited
from runner.roadmap.edit import EditRefused
from runner.roadmap.parse import parse_roadmap
from runner.state import Attempt, RunState


def applied(state: RunState, attempt: Attempt) -> RunState:
    """Return the run with the roadmap its recovery left, and whose place the new tasks took."""
    if not attempt.rewritten or any(task.key == attempt.task for task in state.replaced):
        return state
    old = {task.key for task in state.tasks}
    roadmap = parse_roadmap(state.request.roadmap, _rewritten(state, attempt))
    new = {task.key: attempt.task for task in roadmap.tasks if task.key not in old}
    return replace(
        state,
        roadmap=roadmap,
        replaced=(*state.replaced, state.task_of(attempt.task)),
        origins={**state.origins, **new},
    )


def replayed(state: RunState, content: bytes) -> bytes:
    """Return a roadmap with the recoveries of the run whose pull requests are open."""
    for attempt in state.attempts.values():
        member = state.members.get(attempt.task)
        if attempt.rewritten and member and member.rewrites:
            content = _edited(state, attempt, content)
    return content


def _rewritten(state: RunState, attempt: Attempt) -> bytes:
    """The roadmap of the run after a recovery: its branch has not all that the run has read."""
    if state.roadmap is None:
        return attempt.rewritten
    return _edited(state, attempt, state.roadmap.content)


def _edited(state: RunState, attempt: Attempt, content: bytes) -> bytes:
    try:
        return edited(replace(state.put(attempt), current=attempt.task), content)
    except EditRefused:
        return content  # people did it, or took the task out
