"""A person pushed to the branch of a proposal: what was pushed is what is proposed from then on."""

from __future__ import annotations

import logging
from dataclasses import replace

from runner.deps import Deps
from runner.nodes.proposing import proposed, with_place
from runner.nodes.pushed_changes import with_pushed_changes
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


async def noticed(state: RunState, deps: Deps) -> RunState:
    """Return the state after somebody was said to have pushed: asked about on the new head.

    What is pushed to an escalation is handed over by a retry and changes nothing that is proposed;
    only its buttons move. Raises ``Outage`` and ``TaskError``.
    """
    fresh = await with_push(state, deps)
    proposal = state.attempt.proposal
    if fresh or proposal is None or not proposal.branch:
        return fresh or state
    return with_place(state, await deps.repository.publish_proposal(await proposed(state, deps)))


async def with_push(state: RunState, deps: Deps) -> RunState | None:
    """Return the state with a fresh proposal, shown, of what people pushed since; None if nothing.

    Only proposals whose diff is what approval would do are read. Raises ``Outage``, ``TaskError``.
    """
    proposal = state.attempt.proposal
    if proposal is None or not proposal.branch:
        return None
    if not proposal.replaces and proposal.kind != "changes":
        return None
    handed = await deps.repository.handed(proposal.task, state.tip)
    theirs = handed if handed and handed.branch == proposal.branch else None
    if (theirs.commit if theirs else "") == proposal.head:
        return None
    log.info("The branch of the proposal about task [%s] was pushed to", state.task.name)
    ours = proposal.ours or proposal
    fresh = replace(ours, revision=proposal.revision)
    if theirs is None:
        return await shown_anew(_as_before(state, fresh), deps)
    fresh = replace(fresh, head=theirs.commit, onto="", ours=ours)
    state = state.with_attempt(proposal=fresh)
    read = _with_pushed_tasks if proposal.replaces else with_pushed_changes
    return await shown_anew(await read(state, deps, theirs), deps)


async def shown_anew(state: RunState, deps: Deps) -> RunState:
    """Show the proposal under a name of its own: what was said to the one before does not count."""
    proposal = _of(state)
    fresh = sealed(replace(proposal, revision=proposal.revision + 1))
    state = state.with_attempt(proposal=fresh)
    return with_place(state, await deps.repository.publish_proposal(await proposed(state, deps)))


def _as_before(state: RunState, fresh: Proposal) -> RunState:
    """The state as it was before anybody pushed: what is proposed is ours again."""
    state = state.with_attempt(proposal=fresh)
    if fresh.kind != "changes":
        return state
    handed = state.attempt.handed
    handed = None if handed and handed.branch == fresh.branch else handed
    return state.with_attempt(changes=fresh.changes, handed=handed)


async def _with_pushed_tasks(state: RunState, deps: Deps, handed: Handed) -> RunState:
    """The state with the pushed tasks proposed, or held where the push proposes none."""
    proposal, path = _of(state), state.request.roadmap
    old = await deps.repository.snapshot(handed.base)
    new = await deps.repository.snapshot(handed.commit)
    paths = {*old.entries, *new.entries}
    if any(old.entries.get(p) != new.entries.get(p) for p in paths - {path}):
        return _held(state, OTHER_FILES.format(path=path))
    before = (await contents(deps, old, [path])).get(path, b"")
    after = (await contents(deps, new, [path])).get(path, b"")
    pushed = read_pushed(path, before, after, proposal.task)
    if pushed.problem:
        return _held(state, pushed.problem)
    fresh = replace(
        proposal,
        strategy="decompose" if len(pushed.tasks) > 1 else "rewrite",
        replacements=pushed.tasks,
    )
    taken = state.with_attempt(proposal=fresh)
    return taken if _exact(taken, before, after) else _held(state, OTHERWISE)


def _exact(state: RunState, before: bytes, after: bytes) -> bool:
    """Whether approval would write the very tasks that were pushed."""
    try:
        return same_tasks(state.request.roadmap, edited(state, before), after)
    except EditRefused:
        return False


def _held(state: RunState, why: str) -> RunState:
    return state.with_attempt(proposal=replace(_of(state), held=why))


def _of(state: RunState) -> Proposal:
    proposal = state.attempt.proposal
    assert proposal is not None  # noqa: S101 - the caller put it there
    return proposal
