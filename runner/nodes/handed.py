"""What people pushed to a task's recovery branch is the first answer of its retry."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace

from runner.changes import ChangeSet, Write
from runner.deps import Deps
from runner.errors import TaskError
from runner.ports import Handed
from runner.reading import base_of, contents
from runner.snapshot import EXECUTABLE, FILE, Snapshot
from runner.state import RunState
from runner.texts_recovery import conflicting, left_alone, not_a_file, went_on_from

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Theirs:
    """What only people changed; none where others changed it too (``both``: the paths), or where
    they wrote what is no file (``odd``)."""

    changes: ChangeSet = field(default_factory=ChangeSet)
    both: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()


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
    theirs = await changed_by(handed, base, deps, apart=state.request.roadmap)
    if theirs.both:
        raise TaskError("conflict", conflicting(handed, theirs.both))
    if theirs.odd:
        raise TaskError("file", not_a_file(handed, theirs.odd))
    changes = theirs.changes
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


async def changed_by(handed: Handed, base: Snapshot, deps: Deps, *, apart: str = "") -> Theirs:
    """Return the three-way difference on ``base``, but for the path ``apart``."""
    old = await deps.repository.snapshot(handed.base)
    new = await deps.repository.snapshot(handed.commit)
    paths = {p for p in {*old.entries, *new.entries} if old.entries.get(p) != new.entries.get(p)}
    theirs = sorted(p for p in paths - {apart} if new.entries.get(p) != base.entries.get(p))
    both = [p for p in theirs if old.entries.get(p) != base.entries.get(p)]
    written = [path for path in theirs if path in new.entries]
    odd = [p for p in written if new.entries[p].mode not in (FILE, EXECUTABLE)]
    if both or odd:
        return Theirs(both=tuple(both), odd=tuple(odd))
    found = await contents(deps, new, written)
    changes = {p: Write(found[p], new.entries[p].mode) if p in found else None for p in theirs}
    return Theirs(ChangeSet(changes))
