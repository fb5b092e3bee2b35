"""What a checkpoint is published on, and where: the ways of ``pull_requests``."""

from __future__ import annotations

from dataclasses import replace

from runner.deps import Deps
from runner.errors import TaskError
from runner.naming import shared_branch
from runner.placing import Place, Places, independent
from runner.ports import Checkpoint, Published
from runner.state import RunState
from runner.texts_single import rows_of


def ground(state: RunState, deps: Deps) -> Place:
    """Return what the task in hand is published on now: others may have been added meanwhile.

    Raises ``TaskError`` where no branch has all it needs.
    """
    if not independent(state):
        return Place(*(deps.line.tip or (state.tip, state.tip_branch)))
    place = Places(state, deps.line.added).of(state.current, *state.attempt.members)
    if place is None:
        raise TaskError("conflict", "what it depends on lies on branches apart, none is merged")
    return place


def added(state: RunState, deps: Deps, made: Checkpoint) -> tuple[RunState, Checkpoint]:
    """Return what is published in the place of a checkpoint, and what is kept of its text."""
    if state.request.options.pull_requests != "single":
        return state, made
    state = state.with_attempt(told=made.body.encode())
    rows = rows_of(state, deps.line.added)
    return state, replace(made, branch=shared_branch(made.run), rows=rows)


def landed(state: RunState, deps: Deps, published: Published) -> RunState:
    """Return the state with its published commit, which the next one of the line builds on."""
    state = state.with_attempt(
        commit=published.commit,
        branch=published.branch,
        url=published.url or state.attempt.url,
        notes=(*state.attempt.notes, *published.notes),
    )
    if not independent(state):
        deps.line.tip = (published.commit, published.branch)
    deps.line.added[state.current] = state.attempt
    return state
