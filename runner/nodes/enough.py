"""Whether what tests say about a change is enough: to take it, and to tick the box of its task."""

from __future__ import annotations

from runner.checks.asked import TaskWords, is_text
from runner.code.languages import is_test_file
from runner.loop.deps import Deps
from runner.nodes.preflight import has_tests
from runner.people.trust import verdict_of
from runner.state.changes import Snapshot
from runner.state.findings import VerdictKind
from runner.state.run_state import RunState

_ENOUGH: dict[str, tuple[VerdictKind, ...]] = {
    "shown": ("shown",),
    "unbroken": ("shown", "unbroken"),
    "any": ("shown", "unbroken", "untested"),
}
"""The verdicts with which a checkout's box is ticked, by ``verify.tick``."""


async def is_done(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether the task's box is ticked with its change, and not left to a person.

    Merging a pull request says that the task is done. On a checkout tests have to show it, or a
    person to have approved this change; where no test can ever show it, nobody is asked.
    """
    attempt, options = state.attempt, state.request.options.verify
    if state.stack.base or verdict_of(attempt).kind in _ENOUGH[options.verify_tick]:
        return True
    approved = attempt.agreed.approved == attempt.answered.changes.digest
    return approved or not await _can_be_shown(state, deps, base)


async def falls_short(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether an accepted change is sent back because tests have to show that it does its task.

    What people wrote or approved is theirs to judge.
    """
    attempt = state.attempt
    if state.request.options.verify.verify_require != "shown" or verdict_of(attempt).verified:
        return False
    approved = attempt.agreed.approved == attempt.answered.changes.digest
    if attempt.planned.human_commits is not None or approved:
        return False
    return await _can_be_shown(state, deps, base)


async def _can_be_shown(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether a test could show the change to do its task: there are tests, and it is no text."""
    task, changed = state.task, state.attempt.answered.changes.files
    text_only = all(map(is_text, (*changed, *task.files)))
    if text_only and not (changed.keys().isdisjoint(task.files) and TaskWords.of(task).names):
        return False  # the task names that text, or no code
    return any(map(is_test_file, base.entries)) or await has_tests(state, deps, base)
