"""What a task builds on where pull requests are independent of each other. Pure.

Without an unmerged dependency that is the default branch, with one that one's branch. Tasks that a
later one needs together lie on each other, so that a single branch has them all: see ``families``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from runner.families import families
from runner.publishing import Member, Stack
from runner.recovery.applied import applied
from runner.roadmap.task import Task
from runner.state import Attempt, RunState, Status


@dataclass(frozen=True, slots=True)
class Place:
    """``commit`` is the head of ``branch``."""

    commit: str
    branch: str


def independent(state: RunState) -> bool:
    """Say whether the pull requests of a run are independent."""
    return state.request.options.pull_requests == "independent"


class Places:
    """Finds the places of a run's tasks; ``added`` are commits its state does not know yet."""

    def __init__(self, state: RunState, added: Mapping[str, Attempt] | None = None) -> None:
        for attempt in (added or {}).values():
            state = _taken(state, attempt)
        self._state = state
        self._members = tuple(state.members.values())
        self._by_branch = {member.branch: member for member in self._members}
        self._by_task = {key: member for member in self._members for key in member.tasks}
        self._tasks = {task.key: task for task in state.tasks}

    def of(self, *keys: str) -> Place | None:
        """Return what one task or group builds on; None where no branch has all it needs.

        Of several branches that would do the newest is taken.
        """
        needed = frozenset(self._needed(keys))
        fit = needed.union(self._mates(keys))
        for member in reversed(self._members):
            if member in fit and all(self._holds(member, each) for each in needed):
                return Place(member.commit, member.branch)
        return None if needed else Place(self._state.tip, self._state.tip_branch)

    def awaited(self, *keys: str) -> str:
        """Return a task that must be merged before another one has a place; '' if it has one."""
        if self.of(*keys):
            return ""
        return next((member.task for member in self._needed(keys)), "")

    def below(self, branch: str) -> Iterator[str]:
        """Yield a branch and those it stands on, as far as they are not merged."""
        seen: set[str] = set()
        while branch in self._by_branch and branch not in seen:
            seen.add(branch)
            yield branch
            branch = self._by_branch[branch].below

    def _needed(self, keys: tuple[str, ...]) -> list[Member]:
        found = (self._by_task.get(need) for key in keys for need in self._needs(key))
        return [each for each in found if each and each.task not in keys]

    def _mates(self, keys: tuple[str, ...]) -> list[Member]:
        family = {self._families[key] for key in keys if key in self._families}
        mates = {key for key, name in self._families.items() if name in family}
        return [member for member in self._members if not mates.isdisjoint(member.tasks)]

    def _holds(self, member: Member, other: Member) -> bool:
        return other.branch in self.below(member.branch)

    def _needs(self, key: str) -> tuple[str, ...]:
        """What a task builds on and is not merged: its dependencies, and what it came of."""
        task = self._tasks.get(key)
        wanted = (*(task.depends_on if task else ()), *self._origin(key))
        return tuple(each for each in wanted if self._counts(each))

    def _origin(self, key: str) -> tuple[str, ...]:
        return (self._state.origins[key],) if key in self._state.origins else ()

    def _counts(self, key: str) -> bool:
        task = self._tasks.get(key)
        return key in self._by_task or (task is not None and not task.checked)

    @cached_property
    def _families(self) -> dict[str, str]:
        return families([*self._tasks, *self._by_task], self._needs)


def grounded(state: RunState, stack: Stack) -> RunState:
    """Return the run on what is there now: the tip of the stack, or the branch below all of it."""
    state = replace(state, base=stack.base)
    if not independent(state):
        return replace(state, tip=stack.tip, tip_branch=stack.branch)
    members = {member.task: member for member in stack.members}
    return replace(state, tip=stack.base, tip_branch=stack.base_branch, members=members)


def place_of(state: RunState, keys: tuple[str, ...]) -> Place:
    """Return what a task or group that is picked builds on; ``ready`` ones have a place."""
    place = Places(state).of(*keys) if independent(state) else None
    return place or Place(state.tip, state.tip_branch)


def unplaced(state: RunState, tasks: tuple[Task, ...]) -> dict[str, str]:
    """Return which tasks have no place before another one is merged, each with that one."""
    if not independent(state) or not state.members:
        return {}
    places = Places(state)
    return {task.key: by for task in tasks if (by := places.awaited(task.key))}


def advanced_apart(state: RunState) -> RunState:
    """Take in the commits of the run: open members, or what was merged into the default branch."""
    no = {key for key, status in state.statuses.items() if status is Status.DECLINED}
    for attempt in state.attempts.values():
        if attempt.commit and attempt.task not in (*state.taken, *no):
            state = applied(_taken(state, attempt), attempt)
    return state


def _taken(state: RunState, attempt: Attempt) -> RunState:
    state = replace(state, taken=(*state.taken, attempt.task))
    if attempt.branch == state.tip_branch:
        return replace(state, tip=attempt.commit)
    keys = (attempt.task, *attempt.members)
    rewrites = bool(attempt.rewritten)
    place = (attempt.commit, attempt.branch, attempt.below, attempt.url)
    made = Member(keys, *place, rewrites=rewrites)
    return replace(state, members={**state.members, attempt.task: made})
