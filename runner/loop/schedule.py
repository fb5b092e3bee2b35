"""What comes next in a run, and what it builds on: pure functions of the state.

With independent pull requests, a task builds on the default branch, or on the branch of its
unmerged dependency. Tasks that a later one needs together build on each other, so that a single
branch has them all: see ``shared_branches``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from runner.loop.applied import applied
from runner.roadmap.named_work import in_phase
from runner.roadmap.order import apart, ordered
from runner.roadmap.parse import Grouping, TaskGroup, group
from runner.roadmap.task import Task
from runner.state.publishing import Member, Stack
from runner.state.run_state import Attempt, Failure, RunState, Status
from runner.text import counting


def shared_branches(keys: Iterable[str], needs: Callable[[str], tuple[str, ...]]) -> dict[str, str]:
    """Return the tasks that must share a branch, each with the one that represents it.

    Two tasks that one task needs share a branch, with what these need in turn. ``needs`` are the
    tasks that one builds on. Tasks that share a branch with no other are absent.
    """
    families: list[set[str]] = []
    todo = [needed for needed in dict.fromkeys(map(needs, keys)) if len(needed) > 1]
    seen: set[str] = set()
    while todo:
        family = set(todo.pop())
        todo += [(key, *needs(key)) for key in family - seen]
        seen |= family
        near = [each for each in families if not family.isdisjoint(each)]
        families = [each for each in families if each not in near] + [family.union(*near)]
    return {key: min(family) for family in families for key in family}


@dataclass(frozen=True, slots=True)
class Base:
    """``commit`` is the head of ``branch``."""

    commit: str
    branch: str


def independent(state: RunState) -> bool:
    """Say whether the pull requests of a run are independent."""
    return state.request.options.pull_requests == "independent"


class Bases:
    """Finds the places of a run's tasks; ``added`` are commits its state does not know yet."""

    def __init__(self, state: RunState, added: Mapping[str, Attempt] | None = None) -> None:
        for attempt in (added or {}).values():
            state = _taken(state, attempt)
        self._state = state
        self._members = tuple(state.stack.members.values())
        self._by_branch = {member.branch: member for member in self._members}
        self._by_task = {key: member for member in self._members for key in member.tasks}
        self._tasks = {task.key: task for task in state.tasks}
        self._unticked = {task.key for task in state.tasks if not task.checked}

    def of(self, *keys: str) -> Base | None:
        """Return what one task or group builds on; None where no branch has all it needs.

        Of several branches that would do the newest is taken.
        """
        needed = frozenset(self._needed(keys))
        family = {self._families[key] for key in keys if key in self._families}
        mates = {key for key, name in self._families.items() if name in family}
        for member in reversed(self._members):
            below = {*self.below(member.branch)}
            fit = member in needed or not mates.isdisjoint(member.tasks)
            if fit and all(each.branch in below for each in needed):
                return Base(member.commit, member.branch)
        return None if needed else Base(self._state.stack.tip, self._state.stack.branch)

    def awaited(self, *keys: str) -> str:
        """Return a task that must be merged before another one has a place; '' if it has one."""
        if self.of(*keys):
            return ""
        return next((member.task for member in self._needed(keys)), "")

    def below(self, branch: str) -> Iterator[str]:
        """Yield a branch and those it builds on, as far as they are not merged."""
        seen: set[str] = set()
        while branch in self._by_branch and branch not in seen:
            seen.add(branch)
            yield branch
            branch = self._by_branch[branch].below

    def _needed(self, keys: tuple[str, ...]) -> list[Member]:
        found = (self._by_task.get(need) for key in keys for need in self._needs(key))
        return [each for each in found if each and each.task not in keys]

    def _needs(self, key: str) -> tuple[str, ...]:
        """What a task builds on and is not merged: its dependencies, and what it came of."""
        task, origin = self._tasks.get(key), self._state.replaced.origins.get(key)
        wanted = (*(task.depends_on if task else ()), *([origin] if origin else ()))
        return tuple(each for each in wanted if each in self._by_task or each in self._unticked)

    @cached_property
    def _families(self) -> dict[str, str]:
        return shared_branches([*self._tasks, *self._by_task], self._needs)


def grounded(state: RunState, stack: Stack) -> RunState:
    """Return the run on the current tip of the stack, or on the branch below all of it."""
    state = counted(replace(state, stack=replace(state.stack, base=stack.base)), stack)
    if not independent(state):
        return replace(state, stack=replace(state.stack, tip=stack.tip, branch=stack.branch))
    members = {member.task: member for member in stack.members}
    return replace(
        state, stack=replace(state.stack, tip=stack.base, branch=stack.base_branch, members=members)
    )


def place_of(state: RunState, keys: tuple[str, ...]) -> Base:
    """Return what a task or group that is picked builds on; ``ready`` ones have a place."""
    place = Bases(state).of(*keys) if independent(state) else None
    return place or Base(state.stack.tip, state.stack.branch)


def unplaced(state: RunState, tasks: tuple[Task, ...]) -> dict[str, str]:
    """Return which tasks have no place before another one is merged, each with that one."""
    if not independent(state) or not state.stack.members:
        return {}
    places = Bases(state)
    return {task.key: by for task in tasks if (by := places.awaited(task.key))}


def _taken(state: RunState, attempt: Attempt) -> RunState:
    state = replace(state, stack=replace(state.stack, taken=(*state.stack.taken, attempt.task)))
    if attempt.published.branch == state.stack.branch:
        return replace(state, stack=replace(state.stack, tip=attempt.published.commit))
    made = Member(
        (attempt.task, *attempt.planned.members),
        attempt.published.commit,
        attempt.published.branch,
        attempt.below,
        attempt.published.url,
        rewrites=bool(attempt.agreed.rewritten),
    )
    return replace(
        state, stack=replace(state.stack, members={**state.stack.members, attempt.task: made})
    )


_DONE = {Status.COMPLETED, Status.IN_REVIEW, Status.REPLACED}
"""What a run can build on: it works on the tip of the stack, reviewed or not."""
_ON_THE_WAY = {Status.PENDING, Status.IN_PROGRESS}


def asked_for(state: RunState, task: Task) -> bool:
    """Say whether a task is part of the run.

    Optional and crossed-out work, or that of a template, is done only when it is named.
    """
    options = state.request.options
    if options.scope.phase and not in_phase(task, options.scope.phase):
        return False
    if options.scope.tasks and task.key not in options.scope.tasks and task.key not in state.depths:
        return False
    if options.scope.task:
        came_of_it = task.key in state.depths
        return task.kind == "work" and (came_of_it or options.scope.task in (task.key, task.id))
    return task.runnable and not (state.roadmap and state.roadmap.asks)


def comes_back(attempt: Attempt) -> bool:
    """Say whether a task is tried once more; one that another run was asked to retry is not.

    A proposal that nobody answered ends as deferred, so its task comes back too.
    """
    elsewhere = attempt.agreed.decision is not None and attempt.agreed.decision.channel == "retry"
    return attempt.status is Status.DEFERRED and attempt.number == 1 and not elsewhere


def upcoming(state: RunState) -> tuple[Task, ...]:
    """The tasks a run has still before it if all goes well, in the order it takes them."""
    vain = blocked(state)
    return tuple(task for task in _open(_afresh(state)) if task.key not in vain)


def ready(state: RunState) -> tuple[Task, ...]:
    """Open tasks that wait for nothing of this run, in the order it takes them."""
    state = _afresh(state)
    waits = _Waits(state)
    found = tuple(task for task in _open(state) if not waits.first(task))
    apart_from = unplaced(state, found).keys() | _waits_elsewhere(state).keys()
    return tuple(task for task in found if task.key not in apart_from)


def with_blocked(state: RunState) -> RunState:
    """Take down which tasks wait in vain; a decision or a retry can free them again."""
    return replace(state, blocked_by=blocked(state))


def blocked(state: RunState) -> dict[str, str]:
    """Return the tasks of the run that cannot be worked on, each with what blocks it.

    That is a task it depends on which failed, was skipped, declined, parked or finally deferred, is
    blocked itself, or is not part of a run of the whole roadmap; or one that must be merged first.
    """
    state = _afresh(state)
    waits, still_open, elsewhere = _Waits(state), tuple(_open(state)), _waits_elsewhere(state)
    homeless = unplaced(state, tuple(task for task in still_open if not waits.first(task)))
    for task in still_open:
        by = elsewhere.get(task.key) or waits.first(task, vain=True)
        if by := by or homeless.get(task.key, ""):
            waits.blocked[task.key] = by
    return waits.blocked


def _waits_elsewhere(state: RunState) -> dict[str, str]:
    """The tasks that wait for other projects, each with what; one that is named does not wait."""
    if _by_name(state):
        return {}
    return {key: needed[0].name for key, needed in state.elsewhere.items()}


def missing(state: RunState, task: Task) -> tuple[Task, ...]:
    """Return what a task depends on that is not done and was left out of the run by name."""
    if not _by_name(state):
        return ()
    needed = set(task.depends_on)
    return tuple(
        other
        for other in state.tasks
        if other.key in needed and state.status(other) not in _DONE and not asked_for(state, other)
    )


def _open(state: RunState) -> Iterator[Task]:
    """The tasks of the run that are still to be done, in order."""
    for task in ordered(state.tasks):
        if state.status(task) is Status.PENDING and asked_for(state, task):
            yield task


def _afresh(state: RunState) -> RunState:
    """The state without what was blocked: that may have gone since."""
    return replace(state, blocked_by={})


def _by_name(state: RunState) -> bool:
    return bool(state.request.options.scope.task or state.request.options.scope.phase)


class _Waits:
    """Looks through each list of dependencies once, however many tasks share it."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._tasks = {task.key: task for task in state.tasks}
        self._found: dict[tuple[int, bool], str] = {}
        self.blocked: dict[str, str] = {}

    def first(self, task: Task, *, vain: bool = False) -> str:
        """The first task of this run that one waits for, or waits for in ``vain``; or ''.

        Before the latter is asked, all that it depends on have to be looked at.
        """
        at = id(task.depends_on), vain
        if at not in self._found:
            test = self._is_hopeless if vain else self._is_awaited
            self._found[at] = next(filter(test, task.depends_on), "")
        return self._found[at]

    def _is_awaited(self, key: str) -> bool:
        task = self._tasks.get(key)
        if task is None or self._state.status(task) in _DONE:
            return False
        return not _by_name(self._state) or asked_for(self._state, task)

    def _is_hopeless(self, key: str) -> bool:
        if not self._is_awaited(key):
            return False
        if key in self.blocked:
            return True
        task, attempt = self._tasks[key], self._state.attempts.get(key)
        if attempt and comes_back(attempt):
            return False
        on_the_way = self._state.status(task) in _ON_THE_WAY
        return not on_the_way or not asked_for(self._state, task)


def open_tasks(state: RunState) -> tuple[Task, ...]:
    """Tasks that may be worked on now, in document order but behind what they depend on.

    A retry does not count as one more. A task that is likely to write what another one at work
    writes waits for it; one that was tried before waits for all of them, so that its commit is the
    next one and fits.
    """
    more = state.picked < state.request.options.scope.max_tasks
    busy = [state.task_of(key) for key in state.at_work]
    return tuple(
        task
        for task in ready(state)
        if (more or task.key in state.attempts)
        and (not busy or task.key not in state.attempts)
        and all(apart(task, other) for other in busy)
    )


def next_piece(state: RunState) -> TaskGroup:
    """The first open task, together with the small neighbours that are worked on with it."""
    tasks = open_tasks(state)
    options = state.request.options
    most = max(1, min(options.grouping, options.scope.max_tasks - state.picked))
    tried = {key for a in state.attempts.values() for key in (a.task, *a.planned.former)}
    return group(tasks, by=Grouping(tasks=most), apart=frozenset(tried))[0]


def settle(state: RunState) -> RunState:
    """Give the task just left its last word, whatever happened: none is picked for ever."""
    if not state.current:
        return state
    attempt = state.attempt
    state = advanced(state)
    if attempt.published.commit and not attempt.agreed.rewritten:
        made = Status.IN_REVIEW if attempt.published.unticked else Status.COMPLETED
        attempt = replace(attempt, status=made)
    elif attempt.status is Status.IN_PROGRESS:
        attempt = replace(attempt, status=Status.PENDING if state.stopping else Status.FAILED)
        if not (attempt.failure or state.stopping):
            why = "the attempt ended without a checkpoint"
            failure = Failure("internal", why, node=attempt.spent.path[-1])
            attempt = replace(attempt, failure=failure)
    return replace(state.put(attempt), current="")


def advanced(state: RunState) -> RunState:
    """Move the tip to the newest commit of the run's line, and take in what recoveries rewrote.

    Read off the attempts, so that a crash between the rows of a border loses no commit, and tasks
    that were worked on side by side may be settled in any order.
    """
    no = {key for key, status in state.statuses.items() if status is Status.DECLINED}
    made = [a for a in state.attempts.values() if a.published.commit and a.task not in no]
    if independent(state):  # open members, or what was merged into the default branch
        for attempt in made:
            if attempt.task not in state.stack.taken:
                state = applied(_taken(state, attempt), attempt)
        return state
    on = {a.base: a for a in made if a.published.commit != a.base}
    while (newest := on.pop(state.stack.tip, None)) is not None:
        tip, branch = newest.published.commit, newest.published.branch
        state = replace(state, stack=replace(state.stack, tip=tip, branch=branch))
        state = applied(state, newest)
    return state


def left_out(state: RunState, keys: Collection[str]) -> RunState:
    """Leave out the tasks that people want skipped, as far as nothing was begun of them."""
    options = state.request.options
    skipped = {
        task.key: Status.SKIPPED
        for task in state.tasks
        if task.key in keys
        and task.key not in state.attempts
        and not (options.scope.by_name and options.scope.task in (task.key, task.id))
    }
    return replace(state, statuses={**state.statuses, **skipped}) if skipped else state


def next_move(state: RunState) -> str:
    """Say what ``decide_next`` ends with, for a state without a current task."""
    if state.stopping:
        return "stop"
    if decided(state):
        return "decided"
    attempts = state.attempts.values()
    asks = state.request.options.push == "approved" and any(map(_waits_to_be_pushed, attempts))
    full = asks or is_full(state)
    more = open_tasks(state)
    if more and not full:
        return "ok"
    if state.at_work:
        return "rest"  # until the next of them lands
    deferred = any(comes_back(a) for a in attempts)
    if full and (more or deferred):
        return "rest"  # until people have merged or closed a pull request, or answered
    if deferred and open_tasks(retry(state)):
        return "deferred"
    return "rest" if any(a.status is Status.AWAITING_APPROVAL for a in attempts) else "stop"


def _waits_to_be_pushed(attempt: Attempt) -> bool:
    """Say whether its change set is before people: with others it could become a stack."""
    asked = attempt.proposal is not None and attempt.proposal.kind == "changes"
    return asked and attempt.status is Status.AWAITING_APPROVAL


def decided(state: RunState) -> str:
    """The parked task that was decided first, or ''."""
    parked = (key for key in state.decided if key in state.attempts)
    waits = Status.AWAITING_APPROVAL
    return next((key for key in parked if state.attempts[key].status is waits), "")


def retry(state: RunState) -> RunState:
    """Open every task that was deferred once; its next attempt is its last."""
    for attempt in list(state.attempts.values()):
        if comes_back(attempt):
            state = state.put(replace(attempt, status=Status.PENDING))
    return state


def counted(state: RunState, stack: Stack) -> RunState:
    """Return the state with how many pull requests are open now."""
    return replace(state, stack=replace(state.stack, open=stack.open, published=_published(state)))


def is_full(state: RunState) -> bool:
    """Say whether the run would open more pull requests than may be open.

    What was merged since they were counted is not known, so it is asked for before a run rests.
    Each task at work is going to open one. A revision opens none, nor does the next task of a
    single pull request.
    """
    options = state.request.options
    if not options.open_pull_requests or options.scope.revision is not None:
        return False
    if options.pull_requests == "single" and _published(state):
        return False
    return _open_pulls(state) + len(state.at_work) >= options.open_pull_requests


def why_full(state: RunState) -> str:
    """Say why the run rests."""
    now, most = _open_pulls(state), state.request.options.open_pull_requests
    some, verb = counting.counted(now, "pull request"), "is" if now == 1 else "are"
    limit, until = "which is the limit", "when one of them is merged or closed"
    if now > most:
        limit, until = f"and the limit is {most}", f"when fewer than {most} are"
    asks = state.request.options.push == "approved"
    why = "pull_requests.push: approved" if asks else "limits.open_pull_requests"
    return (
        f"{some} of Cairn {verb} open, {limit} (`{why}`). The run continues automatically {until}."
    )


def _open_pulls(state: RunState) -> int:
    """How many are open, as far as the run knows."""
    return state.stack.open + _published(state) - state.stack.published


def _published(state: RunState) -> int:
    """How many have a commit of the run: what asks about a proposal is none of them."""
    shown = (each.published for each in state.attempts.values())
    return len({each.url for each in shown if each.commit} - {""})
