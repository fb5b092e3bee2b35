"""A proposal as people read it, from the failure and the replacement tasks. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from runner.checks.paths import protection
from runner.people.texts import recovery_texts
from runner.roadmap.task import NewTask
from runner.roadmap.writing import propose_ids
from runner.state.changes import ChangeSet
from runner.state.proposal import Proposal, Strategy, original_of
from runner.state.run_state import Failure, RunState

MOST_EVIDENCE = 8


def proposal_of(
    state: RunState, strategy: Strategy, tasks: Sequence[NewTask] = (), *, instead: str = ""
) -> Proposal:
    """Return the proposal for the current attempt; ``instead`` says why it is not another one.

    The diff of an escalation is the last attempt that was fit to be written.
    """
    attempt, roadmap = state.attempt, state.roadmap
    failure = attempt.failure or Failure("internal", "the cause is unknown", node=state.node)
    fit = attempt.answered.changes
    never = protection(state.request.options.approvals.protect)  # its CI would run on the branch
    if strategy != "escalate" or attempt.checked.complaints or any(map(never, fit.files)):
        fit = ChangeSet()
    return Proposal(
        task=attempt.task,
        kind="recovery",
        strategy=strategy,
        reason=failure.reason,
        explanation=recovery_texts.explained(strategy, failure, len(tasks), instead),
        original=original_of(roadmap, state.task) if roadmap else "",
        evidence=failure.evidence[:MOST_EVIDENCE],
        replacements=numbered(state, [_new(state, strategy, task) for task in tasks]),
        changes=fit,
    )


def _new(state: RunState, strategy: Strategy, task: NewTask) -> NewTask:
    """A rewritten task without the lines that stay in it anyway."""
    if strategy != "rewrite":
        return task
    old = {_words(line) for line in state.task.details.split("\n")}
    return replace(
        task,
        details=tuple(line for line in task.details if _words(line) not in old),
        acceptance=tuple(line for line in task.acceptance if _words(line) not in old),
    )


def _words(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def numbered(state: RunState, tasks: Sequence[NewTask]) -> tuple[NewTask, ...]:
    """Return the tasks with ids in the manner of the roadmap; ids they came with are dropped."""
    if state.roadmap is None or not tasks:
        return tuple(tasks)
    ids = propose_ids(state.roadmap, state.task, len(tasks))
    return tuple(replace(task, id=name) for task, name in zip(tasks, ids, strict=True))
