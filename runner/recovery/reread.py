"""A run that rested goes on from what is there now: the newest tip and the roadmap of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from runner.recovery.edit import edited
from runner.roadmap.edit import EditRefused
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task
from runner.state import RunState, Status


def reread(state: RunState, roadmap: Roadmap, statuses: Mapping[str, Status]) -> RunState:
    """Return the run with the roadmap as it stands now, and how tasks stand with people.

    A task that is not there any more keeps its record. Where people put the proposed tasks in its
    place themselves, by a merge or by hand, these came of it.
    """
    there = {task.key for task in roadmap.tasks}
    known = there | {task.key for task in state.replaced}
    touched = {key for a in state.attempts.values() for key in (a.task, *a.members, *a.former)}
    gone = [task for task in state.tasks if task.key in touched and task.key not in known]
    new = {key: task.key for task in gone for key in _proposed(state, task) if key in there}
    return replace(
        state,
        roadmap=roadmap,
        statuses=dict(statuses),
        replaced=(*state.replaced, *gone),
        origins={**new, **state.origins},
    )


def stands(state: RunState, key: str) -> bool:
    """Say whether what was proposed for a task has taken its place already."""
    return key in state.origins.values()


def _proposed(state: RunState, task: Task) -> Iterator[str]:
    """The keys that the tasks proposed for one would have in its place."""
    attempt = state.attempts.get(task.key)
    if state.roadmap is None or attempt is None or attempt.proposal is None:
        return
    if not attempt.proposal.replacements:
        return
    try:
        after = edited(replace(state, current=task.key), state.roadmap.content)
    except EditRefused:
        return
    old = {each.key for each in state.tasks}
    for each in parse_roadmap(state.roadmap.path, after).tasks:
        if each.key not in old:
            yield each.key
