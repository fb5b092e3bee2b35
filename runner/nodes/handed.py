"""What people pushed to a task's recovery branch is the first answer of its retry."""

from __future__ import annotations

import logging
from dataclasses import replace

from runner.changes import ChangeSet, Write
from runner.deps import Deps
from runner.errors import TaskError
from runner.ports import Handed
from runner.reading import base_of, contents
from runner.snapshot import EXECUTABLE, FILE, Snapshot
from runner.state import RunState
from runner.texts_recovery import conflicting, left_alone, not_a_file, went_on_from

log = logging.getLogger(__name__)


async def handed_over(state: RunState, deps: Deps, key: str, id: str | None) -> Handed | None:
    """Return people's work on a task that is retried by name. Raises ``Outage``."""
    options = state.request.options
    if not options.retry or options.task not in (key, id) or key in state.attempts:
        return None
    return await deps.repository.handed(key, state.tip)


async def taken_over(state: RunState, deps: Deps) -> RunState:
    """Return the state with people's work as its answer; without ``answers`` there was none.

    It is validated and verified like any other. Their edits of the roadmap are left out: the tick
    is made anew. Raises ``TaskError`` when it does not fit on what was merged meanwhile.
    """
    handed = state.attempt.handed
    assert handed is not None  # noqa: S101 - asked only where there is some
    base = await base_of(state, deps)
    changes = await _changes(handed, base, deps, apart=state.request.roadmap)
    if not changes:
        return state.with_attempt(handed=None)
    log.info("Task [%s] goes on from %s", state.task.name, handed.branch)
    reasons = (*state.attempt.reasons, went_on_from(handed))
    return state.with_attempt(
        answers=1, changes=changes, complaints=(), failure=None, reasons=reasons
    )


def set_aside(state: RunState) -> RunState:
    """Return the state of an attempt that begins afresh: people's work stays where it is."""
    attempt = state.attempt
    if attempt.handed is None:
        return state
    reasons = (*attempt.reasons, left_alone(attempt.handed))
    return state.put(replace(attempt, handed=None, reasons=reasons))


async def _changes(handed: Handed, base: Snapshot, deps: Deps, *, apart: str) -> ChangeSet:
    """The three-way difference on ``base``: what only people changed."""
    old = await deps.repository.snapshot(handed.base)
    new = await deps.repository.snapshot(handed.commit)
    paths = {p for p in {*old.entries, *new.entries} if old.entries.get(p) != new.entries.get(p)}
    theirs = sorted(p for p in paths - {apart} if new.entries.get(p) != base.entries.get(p))
    if both := [p for p in theirs if old.entries.get(p) != base.entries.get(p)]:
        raise TaskError("conflict", conflicting(handed, both))
    written = [path for path in theirs if path in new.entries]
    if odd := [p for p in written if new.entries[p].mode not in (FILE, EXECUTABLE)]:
        raise TaskError("file", not_a_file(handed, odd))
    found = await contents(deps, new, written)
    return ChangeSet(
        {p: Write(found[p], new.entries[p].mode) if p in found else None for p in theirs}
    )
