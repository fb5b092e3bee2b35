"""What happens when a task cannot be finished: say why, with evidence, and propose what to do."""

from __future__ import annotations

import logging
from dataclasses import replace

from runner.deps import Deps
from runner.errors import TaskError
from runner.nodes.drafting import drafted
from runner.nodes.gathering import explained_failure
from runner.nodes.proposing import proposed, with_place
from runner.recovery.approval import disposition
from runner.recovery.choose import choose
from runner.recovery.fingerprint import sealed
from runner.recovery.propose import proposal_of
from runner.recovery.values import Proposal
from runner.state import RunState, Status, Step

log = logging.getLogger(__name__)


async def classify_failure(state: RunState, deps: Deps) -> Step:
    """Name the failure and its reason, and collect what was seen."""
    state, failure = await explained_failure(state, deps)
    log.info("Classified failure: %s", failure.reason.upper())
    return Step(state.with_attempt(failure=failure), "ok")


async def propose_recovery(state: RunState, deps: Deps) -> Step:
    """Propose what to do, and put it before people where the approval mode wants them asked."""
    if members := state.attempt.members:
        log.info("The group of task [%s] falls apart: its tasks are worked on alone", state.current)
        alone = state.with_attempt(members=(), former=members, status=Status.PENDING)
        return Step(alone, "publish")
    if not state.request.options.recovery:
        return Step(state.with_attempt(status=Status.FAILED), "publish")
    state, made = await _made(state, deps)
    made = replace(made, made_at=deps.clock.now().timestamp(), attempt=state.attempt.number)
    if made.replaces:  # an escalation leaves what people pushed where a retry finds it
        made = made.after(state.attempt.proposal)
    state = state.with_attempt(proposal=sealed(made))
    log.info("Recovery strategy: %s", made.strategy.upper())
    what = disposition(made, state.request.options.approval_mode)
    if what == "apply":
        return Step(state, "ok")
    try:
        published = await deps.repository.publish_proposal(await proposed(state, deps))
    except TaskError as error:
        log.warning("The proposal of task [%s] was refused: %s", state.task.name, error.message)
        return Step(state.with_attempt(status=Status.FAILED), "error")
    state = with_place(state, published)
    if what == "ask":
        return Step(state, "approve")
    return Step(state.with_attempt(status=Status.FAILED), "publish")


async def _made(state: RunState, deps: Deps) -> tuple[RunState, Proposal]:
    """Make the proposal that fits the reason, as far as the bounds of the run allow it."""
    choice = choose(state)
    if choice.strategy not in ("rewrite", "decompose"):
        return state, proposal_of(state, choice.strategy, instead=choice.instead)
    state, draft = await drafted(state, deps, choice.strategy)
    if draft.tasks:
        return state, proposal_of(state, choice.strategy, draft.tasks)
    return state, proposal_of(state, "escalate", instead=draft.why_none)
