"""Wait for a person's word about a proposal, and do what was agreed to."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import assert_never

from runner.errors import TaskError
from runner.loop.applied import edited
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents
from runner.loop.schedule import independent
from runner.loop.stacking import plan_now, roadmap_for, stands
from runner.nodes.checkpoint import added, branch_of, committed, ground, unasked
from runner.nodes.human_commits import noticed, shown_anew, with_push
from runner.nodes.recover import shown
from runner.people.texts import recovery_texts
from runner.ports import Decision
from runner.roadmap.edit import EditRefused, find
from runner.roadmap.parse import parse_roadmap
from runner.state.changes import ChangeSet, Write
from runner.state.proposal import Proposal, Strategy, original_of, sealed
from runner.state.publishing import Checkpoint, CheckpointText
from runner.state.run_state import Decided, Failure, RunState, Status, Step
from runner.state.status_words import DECISIONS

log = logging.getLogger(__name__)


async def await_approval(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Park the task until a person decides, or take the decision that came."""
    attempt = state.attempt
    decision = await deps.decisions.take(
        state.request.id, attempt.task, f"{attempt.number}.{attempt.spent.steps}"
    )
    proposal = state.proposal
    if decision is None:  # a recovery was shown when it was made, a change set is shown now
        new = proposal.kind == "changes" and not proposal.branch
        return _parked(await shown(state, deps, work) if new else state)
    log.info("Task [%s]: %s by %s", state.task.name, decision.verdict, decision.by)
    if decision.verdict == "pushed":
        return _parked(await noticed(state, deps, work))
    if decision.fingerprint not in ("", proposal.fingerprint):
        return _parked(state.noted(f"{_decision_text(decision)} was about an older proposal"))
    attempt = state.noted(_decision_text(decision)).attempt
    said = Decided(decision.verdict, decision.by, decision.channel, decision.at, decision.why)
    agreed = replace(attempt.agreed, decision=said)
    state = state.put(replace(attempt, status=Status.IN_PROGRESS, agreed=agreed))
    if decision.verdict == "reject":
        return await _rejected(state, deps, _decision_text(decision))
    if decision.verdict == "defer":
        return await _rejected(state, deps, decision.why, status=Status.DEFERRED)
    looks = decision.channel != "merge" and decision.verdict != "skip"  # which write nothing of it
    if looks and (fresh := await _pushed_since(state, deps, work)):
        return _parked(fresh)
    if decision.verdict == "skip":
        proposal = replace(proposal, kind="recovery", strategy="skip")
    if decision.verdict == "edit":
        several = len(decision.tasks) > 1
        strategy: Strategy = "decompose" if several else "rewrite"
        if proposal.kind == "changes":  # why it was asked about is no reason for other tasks
            why = Failure("approval", recovery_texts.other_tasks(decision.by), "await_approval")
            state = state.put(replace(state.attempt, failure=why))
            proposal = replace(proposal, explanation="")
        proposal = replace(
            proposal, kind="recovery", strategy=strategy, replacements=decision.tasks
        )
    return await _agreed(state.put(replace(state.attempt, proposal=proposal)), deps, work)


async def _pushed_since(state: RunState, deps: Deps, work: TaskWork) -> RunState | None:
    """A fresh proposal where the branch does not show what was agreed to; None where it does."""
    fresh = await with_push(state, deps, work)
    proposal = state.proposal
    if fresh is None and proposal.pushes.held and state.attempt.agreed.decision:
        fresh = await shown_anew(state, deps, work)
    if fresh is None:
        return None
    attempt = fresh.noted(recovery_texts.pushed_since()).attempt
    return fresh.put(replace(attempt, agreed=replace(attempt.agreed, decision=None)))


async def apply_recovery(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Do what was proposed: edit the roadmap on the newest commit, defer, skip or hand over."""
    proposal = state.proposal
    match proposal.strategy:
        case "rewrite" | "decompose":
            async with work.tip.lock:
                return Step(await _rewritten(state, deps, work, proposal), "ok")
        case "defer":
            log.info("Deferring task: %s (%s)", state.task.name, proposal.reason.upper())
            return Step(state.with_status(Status.DEFERRED), "ok")
        case "skip" | "escalate":
            leaves = proposal.strategy == "escalate"  # its pull request to a person, as ready
            if proposal.branch:
                said = state.attempt.agreed.decision
                why = _decision_text(said) if said else "decided by the approval mode"
                await deps.repository.end_proposal(state.task.key, ready=leaves, why=why)
            return Step(state.with_status(Status.FAILED if leaves else Status.SKIPPED), "ok")
        case other:
            assert_never(other)


async def withdraw(state: RunState, deps: Deps) -> RunState:
    """Close what a run that ends still asks people about; a refusal changes nothing else."""
    why = state.problem or recovery_texts.cancelled()
    for attempt in state.attempts.values():
        waits = attempt.status in (Status.AWAITING_APPROVAL, Status.PENDING)
        if attempt.proposal is None or attempt.agreed.decision or not waits:
            continue
        if state.problem:
            failure = Failure(state.problem_kind or "withdrawn", why, node="await_approval")
            state = state.put(replace(attempt, status=Status.FAILED, failure=failure))
        await unasked(attempt, deps, why)
    return state


async def _rejected(
    state: RunState, deps: Deps, why: str, *, status: Status = Status.FAILED
) -> Step:
    await deps.repository.end_proposal(state.task.key, ready=False, why=why)
    failure = state.attempt.failure
    if failure and failure.type == "approval":  # which nobody misses any more
        state = state.put(replace(state.attempt, failure=replace(failure, message=why)))
    return Step(state.with_status(status), "rejected")


async def _agreed(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Apply only if the task is unchanged; otherwise ask again about the task as it is now."""
    proposal = state.proposal
    path = state.request.roadmap
    roadmap = parse_roadmap(path, await _newest(state, deps, work, proposal))
    task = find(roadmap, proposal.task)
    if task is None and stands(state, proposal.task):
        return Step(state, "ok")  # people put the proposed tasks in its place themselves
    if task is None:
        why = f"{path} no longer has this task in these words, so nothing is applied"
        return await _rejected(state.noted(why), deps, why)
    if task.checked:
        return await _rejected(
            state, deps, recovery_texts.done_by_people(), status=Status.COMPLETED
        )
    original = original_of(roadmap, task)
    if original == proposal.original:
        if proposal.kind == "recovery":
            return Step(state, "ok")
        agreed, failure = state.attempt.agreed, state.attempt.failure
        agreed = replace(agreed, approved=proposal.changes.digest)
        state = state.put(replace(state.attempt, failure=None, agreed=agreed))
        if failure and failure.node == "checkpoint":
            return Step(state, "publish")  # it is verified
        merged = agreed.decision is not None and agreed.decision.channel == "merge"
        if not merged or state.request.options.push == "approved":  # which merged nothing of it
            return Step(state, "proceed")
        # what was merged is already there, and is verified there
        tip = ground(state, work).commit
        if proposal.changes.effective(await deps.repository.snapshot(tip)):
            failure = Failure("approval", recovery_texts.merged_otherwise(), node="await_approval")
            attempt = replace(state.attempt, status=Status.FAILED, failure=failure)
            return Step(state.put(attempt), "rejected")
        planned = replace(state.attempt.planned, human_commits=None)
        attempt = replace(state.attempt, base=tip, planned=planned)
        return Step(state.put(attempt).with_changes(ChangeSet()), "proceed")
    log.info("The task [%s] has changed since its proposal was made", task.name)
    fresh = sealed(replace(proposal, original=original))
    state = state.noted("the task has changed since, so the approval does not count")
    state = state.put(replace(state.attempt, proposal=fresh))
    return _parked(await shown(state, deps, work, stale=True))


async def _newest(state: RunState, deps: Deps, work: TaskWork, proposal: Proposal) -> bytes:
    """The roadmap that shows whether the task is unchanged; empty without one."""
    decision, path = state.attempt.agreed.decision, state.request.roadmap
    if state.attempt.planned.revision and state.roadmap:
        return state.roadmap.content  # of its branch, read again just now, its own tick aside
    merged = decision and decision.channel == "merge"  # which put the replacements there itself
    if work.tip.newest or merged or independent(state):
        tip = work.tip.newest[0] if work.tip.newest else ground(state, work).commit
        found = await contents(deps, await deps.repository.snapshot(tip), [path])
        return roadmap_for(state, found[path], [proposal.task]) if path in found else b""
    # days may have passed: what people edited since is on the branch, not in this run
    now = await plan_now(deps, await deps.repository.stack(), path)
    return now.content if now else b""


async def _rewritten(state: RunState, deps: Deps, work: TaskWork, proposal: Proposal) -> RunState:
    """Replay the edit by task key on the newest commit. Raises ``TaskError`` when it is refused."""
    place = ground(state, work)
    if stands(state, proposal.task):
        return state.put(
            replace(
                state.attempt,
                status=Status.REPLACED,
                published=replace(state.attempt.published, url=proposal.place.url),
            )
        )
    base = await deps.repository.snapshot(place.commit)
    path = state.request.roadmap
    before = (await contents(deps, base, [path])).get(path)
    if before is None:
        raise TaskError("file", f"{path} no longer exists in the commit the recovery builds on")
    try:
        after = edited(state, roadmap_for(state, before, [proposal.task]))
    except EditRefused as refused:
        raise TaskError("file", str(refused)) from refused
    if find(parse_roadmap(path, after), proposal.task):
        raise TaskError("file", "the replacement is the same task, so it was not written")
    changes = ChangeSet({path: Write(after)})
    agreed = replace(state.attempt.agreed, rewritten=after)
    where = replace(state.attempt, base=place.commit, below=place.branch, agreed=agreed)
    state = state.put(replace(where, status=Status.REPLACED))
    decision = agreed.decision
    made = Checkpoint(
        run=state.request.id,
        task=proposal.task,
        branch=proposal.branch or branch_of(state, kind="recovery"),
        below=place.branch,
        parent=place.commit,
        changes=changes,
        tree=changes.tree(base),
        text=CheckpointText(
            title=recovery_texts.applied_title(state),
            message=recovery_texts.applied_message(state),
            body=recovery_texts.applied_body(state),
            trailers=(
                ("Cairn-Run", state.request.id),
                ("Cairn-Task", state.task.key),
                *([("Approved-by", decision.by)] if decision else []),
            ),
        ),
        kind="recovery",
        onto=proposal.pushes.head or proposal.pushes.onto,
    )
    state, made = added(state, work, made)
    return committed(state, work, await deps.repository.publish_checkpoint(made))


def _parked(state: RunState) -> Step:
    return Step(state.with_status(Status.AWAITING_APPROVAL), "waiting")


def _decision_text(decision: Decision | Decided) -> str:
    if decision.channel == "retry":
        return f"{decision.by} asked to try the task again"
    how = f" ({decision.channel})" if decision.channel else ""
    why = f": {decision.why}" if decision.why else ""
    return f"{DECISIONS[decision.verdict]} by {decision.by}{how}{why}"
