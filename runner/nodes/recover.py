"""What happens when a task cannot be finished: say why, with evidence, and hand it to people."""

from __future__ import annotations

import logging
from dataclasses import replace

from runner.deps import Deps
from runner.errors import TaskError
from runner.state import Failure, RunState, Status, Step
from runner.texts import escalation_body, title_of

log = logging.getLogger(__name__)


async def classify_failure(state: RunState, deps: Deps) -> Step:
    """Name the failure and collect what was seen."""
    failure = _named(state)
    log.info("Classified failure: %s", failure.reason.upper())
    return Step(state.with_attempt(failure=failure), "ok")


async def propose_recovery(state: RunState, deps: Deps) -> Step:
    """Escalate: tell people on the run's issue what was tried and what stands in the way."""
    log.info("Recovery strategy: ESCALATE")
    task = state.task
    try:
        body = escalation_body(state)
        url = await deps.repository.publish_escalation(task.key, title_of(task), body)
    except TaskError as error:
        log.warning("The escalation of task [%s] was refused: %s", task.name, error.message)
        return Step(state.with_attempt(status=Status.FAILED), "error")
    return Step(state.with_attempt(status=Status.FAILED, url=url), "publish")


async def await_approval(state: RunState, deps: Deps) -> Step:
    """Park the task until a person decides, or take the decision that came."""
    attempt = state.attempt
    step = f"{attempt.number}.{attempt.steps}"
    decision = await deps.decisions.take(state.request.id, attempt.task, step)
    if decision is None:
        return Step(state.with_attempt(status=Status.AWAITING_APPROVAL), "waiting")
    log.info("Task [%s]: %s by %s", state.task.name, decision.verdict, decision.by)
    said = f"{decision.verdict} by {decision.by}{f': {decision.why}' if decision.why else ''}"
    state = state.with_attempt(reasons=(*attempt.reasons, said))
    if decision.verdict == "reject":
        return Step(state.with_attempt(status=Status.FAILED), "rejected")
    return Step(state, "ok")


async def apply_recovery(state: RunState, deps: Deps) -> Step:
    """Apply an approved proposal; an escalation leaves the task failed and unticked."""
    return Step(state.with_attempt(status=Status.FAILED), "ok")


def _named(state: RunState) -> Failure:
    """Take the failure of the node, or make one of what every answer was refused for."""
    attempt = state.attempt
    evidence = (*attempt.avoid, *attempt.reasons)
    if attempt.failure:
        return replace(attempt.failure, evidence=evidence)
    kind = "syntax" if attempt.complaints else "test"
    message = (
        "the code the model wrote could not be accepted"
        if attempt.complaints
        else "the tests still fail after every repair"
    )
    return Failure(kind, message, node=attempt.path[-1], evidence=evidence)
