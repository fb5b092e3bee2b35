"""The runs of a folder and the proposals of theirs that can be answered, as they left them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.texts import checkout_texts as texts
from runner.errors import Outage, PortError
from runner.files.decisions import OVER, FileDecisions, FileRuns, KnownRun
from runner.files.journal import JournalView
from runner.loop.journal import Cursors
from runner.loop.recorder import PastRuns
from runner.loop.schedule import advanced
from runner.people.history_sentences import strategy_here
from runner.people.trust import MADE
from runner.ports import Decision, History, SystemClock
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap
from runner.state.options import Request
from runner.state.proposal import Proposal
from runner.state.recoveries import outcome_of
from runner.state.run_state import Attempt, RunState, Status
from runner.state.task_commits import in_review, standing, unshown

if TYPE_CHECKING:
    from runner.git.local_repository import LocalRepository

log = logging.getLogger(__name__)

MOST_ENDED = 10
"""Runs that are over and are looked through for proposals nobody was asked about."""

SHORTEST = 4
"""Characters of the beginning of an id by which a run or a proposal may be called."""


@dataclass(frozen=True, slots=True)
class LocalStore:
    """What a folder keeps about its runs."""

    runs: FileRuns
    journal: JournalView
    inbox: FileDecisions
    history: History


@dataclass(frozen=True, slots=True)
class PendingProposal:
    """A proposal that can be answered; its task is the current one of ``state``.

    ``decision`` is the answer to it that is not applied yet. A proposal that was only ``published``
    belongs to a run that asked nobody, and may be over. ``so_far`` says how its strategy did here.
    """

    run: KnownRun
    state: RunState
    decision: Decision | None
    so_far: str = ""

    @property
    def proposal(self) -> Proposal:
        """What is proposed."""
        proposal = self.state.attempt.proposal
        assert proposal is not None  # noqa: S101 - only such tasks wait
        return proposal

    @property
    def published(self) -> bool:
        """Whether nobody was asked about it."""
        return is_published(self.state.attempt)


async def state_of(run: KnownRun, kept: LocalStore) -> RunState:
    """Return the state a run is in. Raises ``Outage`` when its journal cannot be read."""
    with readable(run.id):
        return advanced(await Cursors(kept.journal).recall(Request(run.id), now=run.began))


@contextmanager
def readable(run: str) -> Iterator[None]:
    """Let rows of a run that this version cannot read be an ``Outage``."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise Outage(
            "journal", f"Run {run} was left by another version ({type(error).__name__})."
        ) from error


def named(runs: Sequence[KnownRun], wanted: str, more: str = "") -> KnownRun:
    """Return the run of this id, or the only one whose id begins so. Raises ``PortError``.

    ``more`` is what to say besides if there is none.
    """
    found = [run for run in runs if run.id == wanted] or [
        run for run in runs if run.id.startswith(wanted)
    ]
    if not found:
        text = f"{texts.no_run_called(wanted, [run.id for run in runs])} {more}"
        raise PortError("file", text.rstrip())
    if len(found) > 1:
        ids = ", ".join(run.id for run in found[:5])
        many = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise PortError("file", f"More than one run is meant: {ids}{many}. Type more of its id.")
    return found[0]


def task_called(state: RunState, word: str) -> str:
    """The key of the task that the run took up and a word names: id, key or proposal; else ''."""
    for key, attempt in state.attempts.items():
        task, proposal = state.task_of(key), attempt.proposal
        by_id = len(word) >= SHORTEST and proposal is not None
        if word in (task.key, task.id) or (
            by_id and proposal and proposal.fingerprint.startswith(word.lower())
        ):
            return key
    return ""


async def states(runs: Iterable[KnownRun], kept: LocalStore) -> list[tuple[KnownRun, RunState]]:
    """Return runs with their states; one that cannot be read is logged and left out."""
    found = []
    for run in runs:
        try:
            found.append((run, await state_of(run, kept)))
        except Outage as outage:
            log.warning("Run %s is left out: %s", run.id, outage.message)
    return found


async def as_it_stands(
    repository: LocalRepository, folder: Path, run: KnownRun, left: RunState
) -> tuple[RunState, str]:
    """Return a run with its tasks as they stand now: the one answer for every place that shows it.

    A person may have ticked a box since, accepted a change or taken it back, and a newer run may
    have done the task again. The other value is the run's branch where something else is checked
    out that does not have its commits: its tasks are as it ``left`` them. '' where that is so.
    """
    if run.replay_of:  # what it did was only played
        return left, ""
    try:
        if not await repository.holds(left.stack.tip, left.stack.branch):
            return left, left.stack.branch
        made = await repository.task_commits()
        content = (folder / left.request.roadmap).read_bytes()
    except (Outage, OSError) as error:
        log.debug("Run %s is shown as it ended: %s", run.id, error)
        return left, ""
    plan = parse_roadmap(left.request.roadmap, content)
    state = replace(restated(left, plan, in_review(made)), unshown=tuple(sorted(unshown(made))))
    makers = {key: each.about("Cairn-Run") for key, each in standing(made).items()}
    for attempt in state.attempts.values():
        again = makers.get(attempt.task, "") not in ("", run.id)
        if again and attempt.status in MADE:  # what stands now is another run's
            state = state.put(replace(attempt, status=Status.PENDING))
        if run.state in OVER and attempt.status is Status.AWAITING_APPROVAL:
            state = state.put(replace(attempt, status=Status.DEFERRED))
    if state.roadmap is not None:
        ticked = {task.key: task.checked for task in plan.tasks}
        old = state.roadmap.tasks
        tasks = tuple(replace(task, checked=ticked.get(task.key, task.checked)) for task in old)
        state = replace(state, roadmap=replace(state.roadmap, tasks=tasks))
    return state, ""


def result(left: RunState, now: RunState, key: str) -> Status:
    """How the attempt of a run at a task ended, by how that ``left`` it and how it stands now."""
    status = now.attempts[key].status
    back = status is Status.PENDING and left.attempts[key].status in MADE
    return Status.DECLINED if back else status


async def record_results(
    runs: Iterable[KnownRun],
    kept: LocalStore,
    repository: LocalRepository,
    folder: Path,
) -> None:
    """Let the history say what became of the changes of these runs. Raises ``Outage``."""
    for run, left in await states(runs, kept):
        now, _ = await as_it_stands(repository, folder, run, left)
        for each in (await kept.history.of_run(run.id)).executions:
            attempt = left.attempts.get(each.key.task)
            if attempt and attempt.status in MADE and attempt.number == each.key.attempt:
                status = str(result(left, now, attempt.task))
                if status != each.end.status:
                    await kept.history.record(replace(each, end=replace(each.end, status=status)))


async def branch_in_review(
    kept: LocalStore, repository: LocalRepository, folder: Path, name: str
) -> str:
    """The branch where a task is in review that is not checked out; '' where there is none."""
    for run, left in await states(kept.runs.all()[:MOST_ENDED], kept):
        _, branch = await as_it_stands(repository, folder, run, left)
        named = (task for task in left.tasks if name in (task.key, task.id))
        if branch and any(left.status(task) is Status.IN_REVIEW for task in named):
            return branch
    return ""


def restated(state: RunState, plan: Roadmap, reviewing: Collection[str]) -> RunState:
    """Return a run with what it or an earlier one finished as the boxes and commits say now.

    ``plan`` is the roadmap as it is now, ``reviewing`` are the tasks in review by key.
    """
    now = {task.key: Status.COMPLETED if task.checked else Status.PENDING for task in plan.tasks}
    now |= {key: Status.IN_REVIEW for key in reviewing if now.get(key) is Status.PENDING}
    for attempt in state.attempts.values():
        if attempt.status in MADE and attempt.task in now:
            state = state.put(replace(attempt, status=now[attempt.task]))
    done = (key for key, status in state.statuses.items() if status is Status.IN_REVIEW)
    known = {key: now[key] for key in done if key in now}
    return replace(state, statuses={**state.statuses, **known})


async def unfinished(kept: LocalStore) -> list[tuple[KnownRun, RunState]]:
    """Return the runs that are not over, the newest first."""
    return await states((run for run in kept.runs.all() if run.state not in OVER), kept)


async def waiting(kept: LocalStore) -> list[PendingProposal]:
    """Return what waits for a decision, or has one that is not applied, the newest run first."""
    found = await unfinished(kept)
    return await _with_past(
        [each for run, state in found for each in parked(run, state, kept.inbox)], kept
    )


async def _with_past(found: list[PendingProposal], kept: LocalStore) -> list[PendingProposal]:
    """Add how the strategy of each proposal did in earlier runs."""
    past = await PastRuns(kept.history, SystemClock()).statistics() if found else None
    if past is None:
        return found
    return [replace(e, so_far=strategy_here(past, e.proposal.strategy)) for e in found]


async def answerable(kept: LocalStore) -> list[PendingProposal]:
    """Return what waits, and what newer runs have not worked on again since it was published."""
    runs = kept.runs.all()
    over = [run for run in runs if run.state == "ended"][:MOST_ENDED]
    found: list[PendingProposal] = []
    begun: set[tuple[str, str]] = set()
    for run, state in await states((r for r in runs if r.state not in OVER or r in over), kept):
        path = state.request.roadmap
        for each in parked(run, state, kept.inbox):
            again = (path, each.proposal.task) in begun
            if (each.published and not again) or (not each.published and run not in over):
                found.append(each)
        begun |= {(path, key) for key in state.attempts}
    return await _with_past(found, kept)


def is_published(attempt: Attempt) -> bool:
    """Say whether an attempt left a proposal that nobody was asked about."""
    proposal = attempt.proposal
    if proposal is None or proposal.kind != "recovery" or attempt.status is not Status.FAILED:
        return False
    return outcome_of(attempt, proposal) == "published"


def parked(run: KnownRun, state: RunState, inbox: FileDecisions) -> Iterator[PendingProposal]:
    """The proposals of a run that can be answered."""
    decisions = [s.decision for s in inbox.stored() if s.run == run.id]
    for key in sorted(state.attempts, key=lambda key: state.task_of(key).place.line):
        attempt = state.attempts[key]
        waits = attempt.status is Status.AWAITING_APPROVAL or is_published(attempt)
        if waits and attempt.proposal:
            names = ("", attempt.proposal.fingerprint)
            about = (d for d in decisions if d.task == key and d.fingerprint in names)
            yield PendingProposal(run, replace(state, current=key), next(about, None))


def undecided(found: Sequence[PendingProposal]) -> list[PendingProposal]:
    """Those nobody has decided about."""
    return [each for each in found if each.decision is None]
