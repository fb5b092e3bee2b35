"""Leave out of an answer what the task did not ask for, before anything else is said about it."""

from __future__ import annotations

import asyncio
import logging

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.reading import Read, contents
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.validators.asked import TaskWords
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
        TaskWords.of(state.task),
        paths=changes.entries(base).keys(),
        read=read,
        guidance=guidance,
        roadmap=state.request.roadmap,
    )
    for path, why in found.left_out.items():
        log.info("Left out %s: %s", path, why)
    return found
