"""What an applied recovery does to the run: other tasks in the place of one. Pure."""

from __future__ import annotations

from dataclasses import replace

from runner.roadmap.parse import parse_roadmap
from runner.state import Attempt, RunState


def applied(state: RunState, attempt: Attempt) -> RunState:
    """Return the run with the roadmap its recovery left, and whose place the new tasks took."""
    if not attempt.rewritten or any(task.key == attempt.task for task in state.replaced):
        return state
    old = {task.key for task in state.tasks}
    roadmap = parse_roadmap(state.request.roadmap, attempt.rewritten)
    new = {task.key: attempt.task for task in roadmap.tasks if task.key not in old}
    return replace(
        state,
        roadmap=roadmap,
        replaced=(*state.replaced, state.task_of(attempt.task)),
        origins={**state.origins, **new},
    )
