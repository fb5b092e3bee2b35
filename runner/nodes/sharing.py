"""Where one pull request shows all tasks of a run, each commit is added to its branch."""

from __future__ import annotations

from dataclasses import replace

from runner.deps import Deps
from runner.naming import shared_branch
from runner.ports import Checkpoint, Published
from runner.state import RunState
from runner.texts_single import rows_of


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
    deps.line.tip = (published.commit, published.branch)
    deps.line.added[state.current] = state.attempt
    return state
