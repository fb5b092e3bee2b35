"""Leave out of an answer what the task did not ask for, before anything else is said about it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.reading import Read, contents
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.validators.asked import Asked
from runner.validators.reach import Trimmed, trimmed
from runner.validators.unasked import guidance_among

log = logging.getLogger(__name__)


async def without_the_unasked(
    state: RunState, deps: Deps, changes: ChangeSet, base: Snapshot, read: Read
) -> Trimmed:
    """Return the change set without what lies outside the task's reach.

    What people pushed is their own: nothing of it is left out. Raises ``Outage``.
    """
    if state.attempt.handed is not None or not changes:
        return Trimmed(changes)
    guidance = await contents(deps, base, guidance_among(base.entries))
    found = await asyncio.to_thread(  # a hostile answer may cost seconds
        trimmed,
        changes,
        Asked.of(state.task),
        paths=changes.entries(base).keys(),
        read=read,
        guidance=guidance,
        roadmap=state.request.roadmap,
    )
    for note in found.notes:
        log.info("%s", note)
    return found


def still_true(notes: Iterable[str], changes: ChangeSet) -> list[str]:
    """Those of earlier notes that do not speak of a file left out that is in the change set now."""
    kept = tuple(f"left out {path}: " for path in changes.files)
    return [note for note in notes if not (kept and note.startswith(kept))]
