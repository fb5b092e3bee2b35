"""A person pushed to the branch of a change set that asks: theirs is validated like a model's."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.findings import Complaint
from runner.nodes.asking_first import about, explained
from runner.nodes.handed import Theirs, changed_by
from runner.nodes.validate import asking, complaints_of
from runner.ports import Handed
from runner.reading import Read, base_of, contents, reader
from runner.snapshot import Snapshot
from runner.state import Failure, RunState
from runner.texts_recovery import BOTH_CHANGED, NO_FILES, NO_PUSH, named_paths, people_of


async def with_pushed_changes(state: RunState, deps: Deps, handed: Handed) -> RunState:
    """Return the state with the pushed change set in the place of ours, or with ours and why.

    Nothing is mended, for what is approved is what the branch shows. Raises ``Outage``.
    """
    base = await base_of(state, deps)
    theirs = await changed_by(handed, base, deps)
    read = reader(await contents(deps, base, theirs.changes.files))
    if why := await asyncio.to_thread(_fault, state, theirs, base, read):
        proposal = state.attempt.proposal
        assert proposal is not None  # noqa: S101 - the caller put it there
        return state.with_attempt(proposal=replace(proposal, held=why))
    return await asyncio.to_thread(_taken, state, handed, theirs.changes, read)


def _fault(state: RunState, theirs: Theirs, base: Snapshot, read: Read) -> str:
    """Say why what was pushed cannot be written, '' when it can."""
    if theirs.both:
        return BOTH_CHANGED.format(paths=named_paths(theirs.both))
    if theirs.odd:
        return NO_FILES.format(paths=named_paths(theirs.odd))
    if not theirs.changes:
        return NO_PUSH
    return next(map(_said, complaints_of(state, theirs.changes, base, read)), "")


def _said(complaint: Complaint) -> str:
    line = f", line {complaint.line}" if complaint.line else ""
    return f"{complaint.path}{line}: {complaint.message}".rstrip(".")


def _taken(state: RunState, handed: Handed, changes: ChangeSet, read: Read) -> RunState:
    """The pushed change set, asked about anew: nobody agreed to it by pushing it."""
    proposal = state.attempt.proposal
    assert proposal is not None  # noqa: S101 - the caller put it there
    state = state.with_attempt(changes=changes, handed=handed)
    found, paths = asking(state, changes, read)
    message, evidence = about(found, paths, people=people_of(handed))
    fresh = replace(proposal, changes=changes, explanation=explained(message), evidence=evidence)
    failure = Failure("approval", message, node="await_approval", evidence=evidence)
    return state.with_attempt(proposal=fresh, failure=failure)
