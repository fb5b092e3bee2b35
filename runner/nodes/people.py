"""Put a change set before a person, and remember what was approved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runner.checks.destructive import Destructive
from runner.errors import TaskError
from runner.people.texts import recovery_texts
from runner.recovery.facts import reading_of
from runner.recovery.patterns.tasks import UNCLEAR, is_vague
from runner.roadmap.lint.rules import vague
from runner.state.proposal import Proposal, original_of, sealed
from runner.state.run_state import Failure, RunState, Step


def needs_a_person(
    state: RunState,
    found: Sequence[Destructive],
    paths: Sequence[str] = (),
    doubts: Sequence[str] = (),
) -> Step:
    """Put a change set before a person: it waits for approval.

    ``found`` are destructive operations in it, ``paths`` those that people want to be asked about,
    ``doubts`` what a check says of an answer with which the model stayed.
    """
    message, evidence = about(found, paths, doubts)
    return _asked_about(state, message, evidence, explained(message), "validate_code")


def _asked_about(
    state: RunState, message: str, evidence: tuple[str, ...], explanation: str, node: str
) -> Step:
    """Put the attempt's change set before a person, for all that it is now."""
    proposal = Proposal(
        task=state.current,
        kind="changes",
        strategy="escalate",
        reason="unknown",
        explanation=explanation,
        original=original_of(state.roadmap, state.task) if state.roadmap else "",
        evidence=evidence,
        changes=state.attempt.answered.changes,
    )
    failure = Failure("approval", message, node=node, evidence=evidence)
    attempt, asked = state.attempt, sealed(proposal.after(state.attempt.proposal))
    agreed = replace(attempt.agreed, approved="")
    attempt = replace(attempt, proposal=asked, failure=failure, agreed=agreed)
    return Step(state.put(attempt), "approve")


def stands_in_the_way(state: RunState, tests: Sequence[str]) -> Step:
    """Ask about an attempt that old failures keep from being called done.

    ``tests`` fail with the change as they did without it, and nothing shows that it works. Approval
    excuses them for the rest of the run.
    """
    return _asked_about(
        state,
        recovery_texts.old_failure(),
        tuple(tests),
        f"{recovery_texts.old_failure()}.",
        "verify_task",
    )


def to_be_pushed(state: RunState) -> bool:
    """Say whether a person has to approve the attempt's change set before it is pushed."""
    changes, asks = state.attempt.answered.changes, state.request.options.push == "approved"
    return asks and bool(changes) and state.attempt.agreed.approved != changes.digest


def asked_to_push(state: RunState) -> Step:
    """Put a verified change set before a person, who decides whether it is pushed."""
    message = recovery_texts.not_pushed()
    return _asked_about(state, message, (), recovery_texts.held_back(), "checkpoint")


def excused(state: RunState) -> frozenset[str]:
    """The old failures that a person approved in this run."""
    return frozenset(
        test
        for attempt in state.attempts.values()
        if attempt.proposal and attempt.proposal.kind == "changes" and attempt.agreed.approved
        for test in attempt.proposal.evidence
    )


def about(
    found: Sequence[Destructive],
    paths: Sequence[str] = (),
    doubts: Sequence[str] = (),
    *,
    people: str = "",
) -> tuple[str, tuple[str, ...]]:
    """Say why a person is asked, and with what evidence; ``people`` are who pushed it, if any."""
    named = dict.fromkeys(f"{one.pattern} ({one.category})" for one in found)
    parts = [
        f"is what {people} pushed to this branch" if people else "",
        f"has destructive operations: {', '.join(named)}" if named else "",
        f"writes files that need approval: {', '.join(paths)}" if paths else "",
        f"was refused, and the model repeated it ({doubts[0].rstrip('.')})" if doubts else "",
    ]
    evidence = (
        *(f"{o.path}, line {o.line}: {o.pattern} ({o.category})" for o in found),
        *(f"{path} (pause_protected)" for path in paths),
        *doubts,
    )
    return f"the change set {' and '.join(filter(None, parts))}", evidence


def explained(message: str) -> str:
    """The proposal's explanation."""
    return f"Before it is written and run: {message}."


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
