"""What happened to the tasks of a run between two of its states: the events of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from runner.money import total
from runner.state.events import (
    CheckpointPublished,
    Event,
    ProposalDecided,
    ProposalMade,
    TaskChanged,
)
from runner.state.run_state import Attempt, RunState


def happened(before: RunState | None, after: RunState) -> tuple[Event, ...]:
    """Return what happened in between, in order; without ``before`` all that a state tells."""
    found: list[Event] = []
    for task, new in after.attempts.items():
        old = before.attempts.get(task) if before else None
        if new is not old:
            same = old if old and old.number == new.number else None
            found += _of_attempt(after.request.id, same, new)
    return tuple(found)


def _of_attempt(run: str, old: Attempt | None, new: Attempt) -> Iterator[Event]:
    task, number = new.task, new.number
    proposal, decision, published = new.proposal, new.agreed.decision, new.published
    shown = proposal if proposal and proposal.fingerprint else None
    earlier = old.proposal if old else None
    if shown and (earlier is None or earlier.fingerprint != shown.fingerprint):
        about = (shown.id, shown.kind, shown.strategy, shown.place.url)
        yield ProposalMade(run, task, number, *about)
    if shown and decision and (old is None or old.agreed.decision != decision):
        how = (shown.id, shown.strategy, decision.verdict, decision.by, decision.channel)
        yield ProposalDecided(run, task, number, *how)
    if published.commit and (old is None or old.published.commit != published.commit):
        where = (published.commit, published.branch, published.url)
        yield CheckpointPublished(run, task, number, *where)
    if old is None or old.status is not new.status:
        error = new.failure.error if new.failure else ""
        used = replace(new.spent.total, seconds=total(new.spent.usage.values()).seconds)
        yield TaskChanged(run, task, number, str(new.status), error, used)
