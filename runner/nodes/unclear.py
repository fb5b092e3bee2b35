"""Ask people what a vague task means before a model is asked, where somebody can answer.

Where nobody can, the model gets its chance; only if it cannot do anything with the task either, a
rewrite is proposed.
"""

from __future__ import annotations

from runner.errors import TaskError
from runner.recovery.facts import reading_of
from runner.recovery.patterns.tasks import UNCLEAR, is_vague
from runner.roadmap.lint.rules import vague
from runner.state.run_state import RunState

_ANSWERED = frozenset({"interactive", "approve_decompose"})
"""The approval modes in which people are there to be asked."""


def ask_people_first(state: RunState) -> None:
    """Raise ``TaskError`` with what to ask people about a vague task.

    Not for a task that somebody has asked for once more: who retries it has read the question.
    Nor for one that is begun: a review or a commit of people says what it means.
    """
    options, attempt = state.request.options, state.attempt
    begun = attempt.planned.revision or attempt.planned.human_commits or attempt.number > 1
    answered = options.approvals.recovery and options.approvals.approval_mode in _ANSWERED
    if begun or not answered or options.scope.retry or attempt.answered.answers:
        return
    reading = reading_of(state)
    found = vague(reading) if is_vague(state.task, reading) else None
    if found:
        raise TaskError(UNCLEAR, found.message)
