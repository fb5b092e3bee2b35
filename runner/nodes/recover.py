"""Handle a task that cannot be finished: say why, with evidence, and propose what to do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.errors import TaskError
from runner.loop.applied import edited
from runner.loop.asking import ask
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents, seen_of
from runner.loop.stacking import roadmap_for
from runner.nodes.checkpoint import branch_of, ground, on_head, unasked
from runner.nodes.evidence import SHORT, explained_failure, gathered, lines, task_text
from runner.people.task_detail import unified
from runner.people.texts import recovery_texts
from runner.prompts import render_text
from runner.prompts.questions import Message
from runner.recovery.checks import Ground, fault
from runner.recovery.choose import choose, disposition, parts_of, room
from runner.recovery.facts import FailureFacts, failure_of
from runner.recovery.propose import proposal_of
from runner.recovery.reading import read_tasks
from runner.roadmap.edit import EditRefused
from runner.roadmap.task import NewTask
from runner.state.changes import ChangeSet, Write
from runner.state.proposal import (
    MOST_PARTS,
    REPLACED_BY,
    ProposalPlace,
    Strategy,
    sealed,
)
from runner.state.publishing import Checkpoint, CheckpointText, Proposed
from runner.state.run_state import RunState, Status, Step
from runner.text.counting import counted

MAX_QUESTIONS = 2
"""Model calls for one proposal."""

_MOST_PATHS = 40


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """Checked tasks, or why no task was found."""

    tasks: tuple[NewTask, ...] = ()
    why_none: str = ""


async def drafted(
    state: RunState, deps: Deps, work: TaskWork, strategy: Strategy
) -> tuple[RunState, TaskDraft]:
    """Return tasks that can replace the current one in the newest roadmap.

    Raises ``Outage``, ``Stopped``; a question that is refused ends the asking.
    """
    facts, ground = await gathered(state, deps), await _ground(state, deps, work)
    failure, why = state.attempt.failure, ""
    fewest, most = REPLACED_BY[strategy]
    for _ in range(MAX_QUESTIONS):
        text = render_text(
            f"propose_{strategy}",
            task=task_text(facts),
            evidence=list(lines(failure)) if failure else [],
            paths=_near(facts),
            complaint=why,
            fewest=fewest,
            most=min(most, room(state)),
        )
        try:
            messages = (Message("user", text),)
            state, reply = await ask(state, deps, messages, temperature=0.2, max_tokens=SHORT)
        except TaskError as error:
            why = error.message
            break
        tasks = await asyncio.to_thread(read_tasks, reply.text)
        why = await _fault(state, ground, strategy, tasks)
        if not why:
            return state, TaskDraft(tasks)
    parts = parts_of(state.task, state.attempt.planned.plan) if strategy == "decompose" else ()
    if parts and not await _fault(state, ground, strategy, parts):
        return state, TaskDraft(parts)
    return state, TaskDraft(
        why_none=f"no usable {'division' if strategy == 'decompose' else 'new text'} of the task "
        f"was proposed ({why.rstrip('.')})"
    )


async def _ground(state: RunState, deps: Deps, work: TaskWork) -> Ground:
    """The newest roadmap: other tasks may have changed it since this one was begun."""
    tip = ground(state, work).commit
    path = state.request.roadmap
    try:
        base = await deps.repository.snapshot(tip)
        found = await contents(deps, base, [path])
    except TaskError:
        return Ground(state.roadmap.content if state.roadmap else b"")
    return Ground(found.get(path, b""), frozenset(base.entries))


async def _fault(
    state: RunState, ground: Ground, strategy: Strategy, tasks: Sequence[NewTask]
) -> str:
    if len(tasks) > room(state):
        found = counted(len(tasks), "task is", "tasks are")
        return f"{found} more than this run may still get; write fewer."
    if len(tasks) > MOST_PARTS:  # before they are numbered and tried
        return f"{len(tasks)} tasks were found; write at most {MOST_PARTS}."
    proposed = state.put(replace(state.attempt, proposal=proposal_of(state, strategy, tasks)))
    return await asyncio.to_thread(fault, proposed, ground)


def _near(facts: FailureFacts) -> list[str]:
    """Files worth naming: those the task is about, then their neighbours, then any."""
    about = {*facts.task.files, *facts.changed} & (facts.paths | facts.changed)
    folders = {path.rpartition("/")[0] for path in about}
    ranked = sorted(
        facts.paths, key=lambda p: (p not in about, p.rpartition("/")[0] not in folders, p)
    )
    return [path for path in ranked if not path.startswith(".")][:_MOST_PATHS]


async def proposed(state: RunState, deps: Deps, work: TaskWork, *, stale: bool = False) -> Proposed:
    """Return the proposal of the current task as it is published on the newest commit.

    Code that nobody may push unasked is only in its text. ``stale`` says that an older one was
    refused since the task changed. Raises ``TaskError``.
    """
    proposal, place = state.proposal, ground(state, work)
    base = await deps.repository.snapshot(place.commit)
    changes, path = proposal.changes, state.request.roadmap
    if proposal.strategy in REPLACED_BY:
        before = (await contents(deps, base, [path])).get(path, b"")
        try:
            after = edited(state, roadmap_for(state, before, [proposal.task]))
            changes = ChangeSet({path: Write(after)})
        except EditRefused:  # the tip's task is another one now: the text alone is shown
            changes = ChangeSet()
    changes, patch = changes.effective(base), ""
    if state.request.options.push == "approved" and not proposal.replaces:
        mine = await on_head(state.with_changes(proposal.changes), deps)
        there = await contents(deps, await seen_of(state, deps), mine.files)
        changes, patch = ChangeSet(), await asyncio.to_thread(unified, there, mine)
    run, task = state.request.id, state.task
    return Proposed(
        shown=Checkpoint(
            run=run,
            task=task.key,
            branch=proposal.branch or branch_of(state, kind="recovery"),
            below=place.branch,
            parent=place.commit,
            changes=changes,
            tree=changes.tree(base),
            text=CheckpointText(
                title=recovery_texts.proposal_title(state),
                message=recovery_texts.applied_message(state),
                body=recovery_texts.proposal_body(state, patch),
                trailers=(("Cairn-Run", run), ("Cairn-Task", task.key)),
            ),
            kind="recovery",
            onto=proposal.pushes.onto,
        ),
        strategy=proposal.strategy,
        comment=recovery_texts.proposal_comment(
            state, patch, stale=stale, past=await deps.earlier.past.statistics()
        ),
        fingerprint=proposal.fingerprint,
    )


async def shown(state: RunState, deps: Deps, work: TaskWork, *, stale: bool = False) -> RunState:
    """Put the proposal of the current task before people, and note where it can be seen.

    Raises as ``proposed`` does, and ``Outage``.
    """
    made = await proposed(state, deps, work, stale=stale)
    published = await deps.repository.publish_proposal(made)
    placed = replace(
        state.proposal,
        branch=published.branch,
        place=ProposalPlace(
            published.number, published.url, published.comment_id, published.comment_node_id
        ),
    )
    seen = state.attempt.published
    seen = replace(seen, url=published.url, notes=(*seen.notes, *published.notes))
    return state.put(replace(state.attempt, proposal=placed, published=seen))


log = logging.getLogger(__name__)


async def classify_failure(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Name the failure and its reason, and collect what was seen."""
    state, failure = await explained_failure(state, deps)
    log.info("Classified failure: %s", failure.reason.upper())
    return Step(state.put(replace(state.attempt, failure=failure)), "ok")


async def propose_recovery(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Propose what to do, and put it before people where the approval mode wants them asked.

    What reviewers asked for stays theirs to decide: they are told why it was not done.
    """
    if state.attempt.planned.revision:
        await unasked(state.attempt, deps, failure_of(state.attempt).message)
        return Step(state.with_status(Status.FAILED), "publish")
    if members := state.attempt.planned.members:
        log.info("The group of task [%s] falls apart: its tasks are worked on alone", state.current)
        alone = state.put(
            replace(
                state.attempt,
                status=Status.PENDING,
                planned=replace(state.attempt.planned, members=(), former=members),
            )
        )
        return Step(alone, "publish")
    if not state.request.options.approvals.recovery:
        return Step(state.with_status(Status.FAILED), "publish")
    # what fits the reason, as far as the bounds of the run allow it
    choice, new, instead = choose(state), tuple[NewTask, ...](), ""
    strategy, instead = choice.strategy, choice.instead
    if strategy in REPLACED_BY:
        state, draft = await drafted(state, deps, work, strategy)
        if not draft.tasks:
            strategy, instead = "escalate", draft.why_none
        new = draft.tasks
    made = proposal_of(state, strategy, new, instead=instead)
    made = replace(made, made_at=deps.clock.now().timestamp(), attempt=state.attempt.number)
    if made.replaces:  # an escalation leaves what people pushed where a retry finds it
        made = made.after(state.attempt.proposal)
    state = state.put(replace(state.attempt, proposal=sealed(made)))
    log.info("Recovery strategy: %s", made.strategy.upper())
    what = disposition(made, state.request.options.approvals.approval_mode)
    if what == "apply":
        return Step(state, "ok")
    try:
        state = await shown(state, deps, work)
    except TaskError as error:
        log.warning("The proposal of task [%s] was refused: %s", state.task.name, error.message)
        return Step(state.with_status(Status.FAILED), "error")
    if what == "ask":
        return Step(state, "approve")
    return Step(state.with_status(Status.FAILED), "publish")
