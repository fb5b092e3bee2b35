"""Verify the change that an earlier run kept for a task once more; no model is asked."""

from __future__ import annotations

from dataclasses import replace

from runner.errors import TaskError
from runner.loop.deps import Deps
from runner.loop.journal import Cursors
from runner.loop.reading import base_of
from runner.people.texts import recovery_texts
from runner.state.options import Request
from runner.state.run_state import RunState


async def kept_again(state: RunState, deps: Deps) -> RunState:
    """Return the state with the change of the earlier run as its answer.

    Raises ``TaskError`` if there is none, or what it changes was changed by others since.
    """
    request = state.request
    of = Request(request.options.scope.again, request.roadmap)
    earlier = await Cursors(deps.journal).recall(of, now=0.0)
    kept = earlier.attempts.get(state.attempt.task)
    if kept is None or not kept.answered.changes:
        raise TaskError("conflict", recovery_texts.nothing_kept(of.id))
    old, new = await deps.repository.snapshot(kept.base), await base_of(state, deps)
    files = kept.answered.changes.files
    if both := [path for path in files if old.entries.get(path) != new.entries.get(path)]:
        raise TaskError("conflict", recovery_texts.kept_is_old(of.id, both))
    answered = replace(
        state.attempt.answered,
        answers=1,
        changes=kept.answered.changes,
        explanation=kept.answered.explanation,
    )
    return state.put(replace(state.attempt, answered=answered))
