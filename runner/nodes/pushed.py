"""A person pushed to the branch of a proposal: what was pushed is what is proposed from then on."""

from __future__ import annotations

import logging
from dataclasses import replace

from runner.deps import Deps
from runner.nodes.proposing import proposed, with_place
from runner.ports import Handed
from runner.reading import contents
from runner.recovery.edit import edited
from runner.recovery.fingerprint import sealed
from runner.recovery.pushed import read_pushed, same_tasks
from runner.recovery.values import Proposal
from runner.roadmap.edit import EditRefused
from runner.state import RunState
from runner.texts_recovery import OTHER_FILES, OTHERWISE

log = logging.getLogger(__name__)


async def with_push(state: RunState, deps: Deps) -> RunState | None:
    """Return the state with a fresh proposal, shown, of what people pushed since; None if nothing.

    Only recoveries whose diff is what approval would do are read; what is pushed to an escalation
    is handed over by a retry. Raises ``Outage`` and ``TaskError``.
    """
    proposal = state.attempt.proposal
    if proposal is None or not proposal.branch or not proposal.replaces:
        return None
    handed = await deps.repository.handed(proposal.task, state.tip)
    theirs = handed if handed and handed.branch == proposal.branch else None
    head = theirs.commit if theirs else ""
    if head == proposal.head:
        return None
    log.info("The branch of the proposal about task [%s] was pushed to", state.task.name)
    fresh = replace(proposal, head=head, held="")
    if theirs:
        fresh = await _taken(state.with_attempt(proposal=fresh), deps, theirs)
    return await shown_anew(state, deps, fresh)


async def shown_anew(state: RunState, deps: Deps, proposal: Proposal) -> RunState:
    """Show a proposal under a name of its own: what was said to the one before does not count."""
    fresh = sealed(replace(proposal, revision=proposal.revision + 1))
    state = state.with_attempt(proposal=fresh)
    return with_place(state, await deps.repository.publish_proposal(await proposed(state, deps)))


async def _taken(state: RunState, deps: Deps, handed: Handed) -> Proposal:
    """The proposal with the pushed tasks, or held where the push proposes none."""
    proposal, path = state.attempt.proposal, state.request.roadmap
    assert proposal is not None  # noqa: S101 - the caller put it there
    old = await deps.repository.snapshot(handed.base)
    new = await deps.repository.snapshot(handed.commit)
    paths = {*old.entries, *new.entries}
    if any(old.entries.get(p) != new.entries.get(p) for p in paths - {path}):
        return replace(proposal, held=OTHER_FILES.format(path=path))
    before = (await contents(deps, old, [path])).get(path, b"")
    after = (await contents(deps, new, [path])).get(path, b"")
    pushed = read_pushed(path, before, after, proposal.task)
    if pushed.problem:
        return replace(proposal, held=pushed.problem)
    fresh = replace(
        proposal,
        strategy="decompose" if len(pushed.tasks) > 1 else "rewrite",
        replacements=pushed.tasks,
    )
    exact = _exact(state.with_attempt(proposal=fresh), before, after)
    return fresh if exact else replace(proposal, held=OTHERWISE)


def _exact(state: RunState, before: bytes, after: bytes) -> bool:
    """Whether approval would write the very tasks that were pushed."""
    try:
        return same_tasks(state.request.roadmap, edited(state, before), after)
    except EditRefused:
        return False
