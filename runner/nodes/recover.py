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
    """Park the task until a person decides; no decision is known here, so it waits."""
    return Step(state.with_attempt(status=Status.AWAITING_APPROVAL), "waiting")


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
