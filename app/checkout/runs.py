"""The runs of a folder and the proposals that wait in them, read from what they left behind."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from runner.adapters.file_decisions import FileDecisions
from runner.adapters.file_journal import JournalView
from runner.adapters.file_runs import OVER, FileRuns, KnownRun
from runner.cursors import Cursors
from runner.errors import Outage
from runner.moves import advanced
from runner.ports import Decision
from runner.recovery.values import Proposal
from runner.state import Request, RunState, Status

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a folder keeps about its runs."""

    runs: FileRuns
    journal: JournalView
    inbox: FileDecisions


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal of an unfinished run; its task is the one in hand of ``state``.

    ``decision`` is what was said to it and is not applied yet.
    """

    run: KnownRun
    state: RunState
    decision: Decision | None

    @property
    def proposal(self) -> Proposal:
        """What is proposed."""
        proposal = self.state.attempt.proposal
        assert proposal is not None  # noqa: S101 - only such tasks wait
        return proposal


async def state_of(run: KnownRun, kept: Kept) -> RunState:
    """Return the state a run is in. Raises ``Outage`` when its journal cannot be read."""
    try:
        recalled = await Cursors(kept.journal).recall(Request(run.id), now=run.began)
    except (ValueError, KeyError, TypeError) as error:
        raise Outage(
            "journal", f"Run {run.id} was left by another version ({type(error).__name__})."
        ) from error
    return advanced(recalled)


async def states(runs: Iterable[KnownRun], kept: Kept) -> list[tuple[KnownRun, RunState]]:
    """Return runs with their states; one that cannot be read is said and left out."""
    found = []
    for run in runs:
        try:
            found.append((run, await state_of(run, kept)))
        except Outage as outage:
            log.warning("Run %s is left out: %s", run.id, outage.message)
    return found


async def unfinished(kept: Kept) -> list[tuple[KnownRun, RunState]]:
    """Return the runs that are not over, the newest first."""
    return await states((run for run in kept.runs.all() if run.state not in OVER), kept)


async def waiting(kept: Kept) -> list[Waiting]:
    """Return what waits for a decision, or has one that is not applied, the newest run first."""
    found = await unfinished(kept)
    return [each for run, state in found for each in parked(run, state, kept.inbox)]


def parked(run: KnownRun, state: RunState, inbox: FileDecisions) -> Iterator[Waiting]:
    """The proposals of a run that wait."""
    said = [s.decision for s in inbox.stored() if s.run == run.id]
    for key in sorted(state.attempts, key=lambda key: state.task_of(key).line):
        attempt = state.attempts[key]
        if attempt.status is Status.AWAITING_APPROVAL and attempt.proposal:
            names = ("", attempt.proposal.fingerprint)
            about = (d for d in said if d.task == key and d.fingerprint in names)
            yield Waiting(run, replace(state, current=key), next(about, None))


def undecided(found: Sequence[Waiting]) -> list[Waiting]:
    """Those nobody has decided about."""
    return [each for each in found if each.decision is None]
