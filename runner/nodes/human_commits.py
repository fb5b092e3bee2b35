"""Use what people pushed: as the first answer of a retry, or as the new proposal."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace

from runner.errors import TaskError
from runner.loop.applied import edited
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import Read, base_of, contents, reader
from runner.nodes.people import about, explained
from runner.nodes.recover import shown
from runner.nodes.validate import asking, complaints_of
from runner.people.texts import recovery_texts
from runner.recovery.reading import read_pushed, same_tasks
from runner.roadmap.edit import EditRefused
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Snapshot, Write
from runner.state.proposal import sealed
from runner.state.publishing import HumanCommits
from runner.state.run_state import Failure, RunState

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Theirs:
    """What only people changed, or why not: ``both`` others changed, ``odd`` are not files."""

    changes: ChangeSet = field(default_factory=ChangeSet)
    both: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()


async def taken_over(state: RunState, deps: Deps) -> RunState:
    """Return the state with people's work as its answer; without ``answers`` there was none.

    It is validated and verified like any other. Their edits of the roadmap are left out: Cairn
    makes the tick itself. Raises ``TaskError`` if it conflicts with what was merged since.
    """
    human_commits = state.attempt.planned.human_commits
    assert human_commits is not None  # noqa: S101 - asked only where there is some
    base = await base_of(state, deps)
    theirs = await changed_by(human_commits, base, deps, apart=state.request.roadmap)
    if theirs.both:
        raise TaskError("conflict", recovery_texts.conflicting(human_commits, theirs.both))
    if theirs.odd:
        raise TaskError("file", recovery_texts.not_a_file(human_commits, theirs.odd))
    changes = theirs.changes
    if not changes:
        return state.updated(replace(state.attempt.planned, human_commits=None))
    log.info("Task [%s] continues from %s", state.task.name, human_commits.branch)
    attempt = replace(
        state.attempt,
        failure=None,
        answered=replace(state.attempt.answered, answers=1, changes=changes),
        checked=replace(state.attempt.checked, complaints=()),
    )
    return state.put(attempt).noted(recovery_texts.went_on_from(human_commits))


def set_aside(state: RunState) -> RunState:
    """Return the state of an attempt that begins afresh: people's work stays where it is."""
    attempt = state.attempt
    if attempt.planned.human_commits is None:
        return state
    state = state.noted(recovery_texts.left_alone(attempt.planned.human_commits))
    return state.updated(replace(attempt.planned, human_commits=None))


async def changed_by(
    human_commits: HumanCommits, base: Snapshot, deps: Deps, *, apart: str = ""
) -> Theirs:
    """Return the three-way difference on ``base``, without the path ``apart``."""
    old = await deps.repository.snapshot(human_commits.base)
    new = await deps.repository.snapshot(human_commits.commit)
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


async def with_pushed_changes(state: RunState, deps: Deps, human_commits: HumanCommits) -> RunState:
    """Return the state with the pushed change set instead of ours, or with ours and why.

    Nothing is repaired, because people approve what the branch shows, and it is asked about anew:
    nobody agreed to it by pushing it. Raises ``Outage``.
    """
    base = await base_of(state, deps)
    theirs = await changed_by(human_commits, base, deps)
    read = reader(await contents(deps, base, theirs.changes.files))

    def taken() -> RunState:
        if why := _fault(state, theirs, base, read):
            return _held(state, why)
        found, paths, _ = asking(state, theirs.changes, read)
        message, evidence = about(found, paths, people=recovery_texts.people(human_commits))
        attempt = replace(
            state.attempt,
            proposal=replace(
                state.proposal,
                changes=theirs.changes,
                explanation=explained(message),
                evidence=evidence,
            ),
            failure=Failure("approval", message, node="await_approval", evidence=evidence),
            answered=replace(state.attempt.answered, changes=theirs.changes),
            planned=replace(state.attempt.planned, human_commits=human_commits),
        )
        return state.put(attempt)

    return await asyncio.to_thread(taken)


def _fault(state: RunState, theirs: Theirs, base: Snapshot, read: Read) -> str:
    """Say why what was pushed cannot be written, '' when it can."""
    if theirs.both:
        return recovery_texts.both_changed(theirs.both)
    if theirs.odd:
        return recovery_texts.no_files(theirs.odd)
    if not theirs.changes:
        return recovery_texts.no_push()
    for complaint in complaints_of(state, theirs.changes, base, read, {}):
        line = f", line {complaint.line}" if complaint.line else ""
        return f"{complaint.path}{line}: {complaint.message}".rstrip(".")
    return ""


async def noticed(state: RunState, deps: Deps, work: TaskWork) -> RunState:
    """Return the state after somebody was said to have pushed: asked about on the new head.

    What is pushed to an escalation is handed over by a retry and changes nothing that is proposed;
    only its buttons move. Raises ``Outage`` and ``TaskError``.
    """
    fresh = await with_push(state, deps, work)
    proposal = state.attempt.proposal
    if fresh or proposal is None or not proposal.branch:
        return fresh or state
    return await shown(state, deps, work)


async def with_push(state: RunState, deps: Deps, work: TaskWork) -> RunState | None:
    """Return the state with a fresh proposal, shown, of what people pushed since; None if nothing.

    Only proposals whose diff is what approval would do are read. Raises ``Outage``, ``TaskError``.
    """
    proposal = state.attempt.proposal
    if proposal is None or not proposal.branch:
        return None
    if not proposal.replaces and proposal.kind != "changes":
        return None
    human_commits = await deps.repository.human_commits(proposal.task, state.stack.tip)
    theirs = human_commits if human_commits and human_commits.branch == proposal.branch else None
    if (theirs.commit if theirs else "") == proposal.pushes.head:
        return None
    log.info("The branch of the proposal about task [%s] was pushed to", state.task.name)
    ours = proposal.pushes.ours or proposal
    pushes = replace(ours.pushes, revision=proposal.pushes.revision)
    fresh = replace(ours, pushes=pushes)
    if theirs is None:  # as before anybody pushed: what is proposed is ours again
        state = state.put(replace(state.attempt, proposal=fresh))
        if fresh.kind == "changes":
            message = recovery_texts.ours_again()
            why = Failure("approval", message, node="await_approval", evidence=fresh.evidence)
            state = state.with_changes(fresh.changes)
            state = state.put(replace(state.attempt, failure=why))
            planned = state.attempt.planned
            if planned.human_commits and planned.human_commits.branch == fresh.branch:
                state = state.updated(replace(planned, human_commits=None))
        return await shown_anew(state, deps, work)
    pushes = replace(pushes, head=theirs.commit, onto="", ours=ours)
    fresh = replace(ours, pushes=pushes)
    state = state.put(replace(state.attempt, proposal=fresh))
    read = _with_pushed_tasks if proposal.replaces else with_pushed_changes
    return await shown_anew(await read(state, deps, theirs), deps, work)


async def shown_anew(state: RunState, deps: Deps, work: TaskWork) -> RunState:
    """Show the proposal under a name of its own: what was said to the one before does not count."""
    proposal = state.proposal
    pushes = replace(proposal.pushes, revision=proposal.pushes.revision + 1)
    fresh = sealed(replace(proposal, pushes=pushes))
    return await shown(state.put(replace(state.attempt, proposal=fresh)), deps, work)


async def _with_pushed_tasks(state: RunState, deps: Deps, human_commits: HumanCommits) -> RunState:
    """The state with the pushed tasks proposed, or held where the push proposes none."""
    proposal, path = state.proposal, state.request.roadmap
    old = await deps.repository.snapshot(human_commits.base)
    new = await deps.repository.snapshot(human_commits.commit)
    paths = {*old.entries, *new.entries}
    if any(old.entries.get(p) != new.entries.get(p) for p in paths - {path}):
        return _held(state, recovery_texts.other_files(path))
    before = (await contents(deps, old, [path])).get(path, b"")
    after = (await contents(deps, new, [path])).get(path, b"")
    pushed = read_pushed(path, before, after, proposal.task)
    if pushed.problem:
        return _held(state, pushed.problem)
    fresh = replace(
        proposal,
        strategy="decompose" if len(pushed.tasks) > 1 else "rewrite",
        replacements=pushed.tasks,
    )
    taken = state.put(replace(state.attempt, proposal=fresh))
    try:  # approval has to write the very tasks that were pushed
        exact = same_tasks(path, edited(taken, before), after)
    except EditRefused:
        exact = False
    return taken if exact else _held(state, recovery_texts.otherwise())


def _held(state: RunState, why: str) -> RunState:
    return state.put(replace(state.attempt, proposal=state.proposal.held(why)))
