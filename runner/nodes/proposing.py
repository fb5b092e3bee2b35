"""Put a proposal into the form people see: a pull request whose diff is what approval would do."""

from __future__ import annotations

from dataclasses import replace

from runner.changes import ChangeSet, Write
from runner.deps import Deps
from runner.nodes.checkpoint import branch_of
from runner.nodes.sharing import ground
from runner.ports import Checkpoint, Proposed, Published
from runner.reading import contents
from runner.recovery.edit import edited
from runner.recovery.values import Proposal
from runner.roadmap.edit import EditRefused
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.texts_recovery import proposal_body, proposal_comment, proposal_title, recovery_message
from runner.unmerged import roadmap_for


async def proposed(state: RunState, deps: Deps, *, stale: bool = False) -> Proposed:
    """Return the proposal of the task in hand as it is published on the newest commit.

    ``stale`` says that an older one was refused since the task changed. Raises ``TaskError``.
    """
    attempt = state.attempt
    proposal = attempt.proposal
    assert proposal is not None  # noqa: S101 - the callers have just made one
    place = ground(state, deps)
    tip, below = place.commit, place.branch
    base = await deps.repository.snapshot(tip)
    changes = (await _shown(state, deps, proposal, base)).effective(base)
    run, task = state.request.id, state.task
    return Proposed(
        shown=Checkpoint(
            run=run,
            task=task.key,
            branch=proposal.branch or branch_of(state, kind="recovery"),
            below=below,
            parent=tip,
            changes=changes,
            tree=changes.tree(base),
            title=proposal_title(state),
            message=recovery_message(state),
            body=proposal_body(state),
            trailers=(("Cairn-Run", run), ("Cairn-Task", task.key)),
            kind="recovery",
            onto=proposal.onto,
        ),
        strategy=proposal.strategy,
        comment=proposal_comment(state, stale=stale),
        fingerprint=proposal.fingerprint,
    )


def with_place(state: RunState, published: Published) -> RunState:
    """Note where the proposal of the task in hand can be seen."""
    proposal = state.attempt.proposal
    assert proposal is not None  # noqa: S101 - it has just been published
    placed = replace(
        proposal,
        branch=published.branch,
        url=published.url,
        number=published.number,
        comment_id=published.comment_id,
        comment_node_id=published.comment_node_id,
    )
    notes = (*state.attempt.notes, *published.notes)
    return state.with_attempt(proposal=placed, url=published.url, notes=notes)


async def _shown(state: RunState, deps: Deps, proposal: Proposal, base: Snapshot) -> ChangeSet:
    """What the pull request's diff shows: the edit, the attempt to go on from, or nothing."""
    if proposal.strategy not in ("rewrite", "decompose"):
        return proposal.changes
    path = state.request.roadmap
    before = (await contents(deps, base, [path])).get(path, b"")
    try:
        after = edited(state, roadmap_for(state, before, [proposal.task]))
    except EditRefused:
        return ChangeSet()  # the tip's task is another one now: the text alone is shown
    return ChangeSet({path: Write(after)})
