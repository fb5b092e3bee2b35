"""Commit exactly the validated change set plus its ticked box, and publish it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from runner.checks.validate import syntax_complaint
from runner.errors import BranchMoved, TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import base_of, contents, seen_of
from runner.loop.schedule import Base, Bases, independent
from runner.loop.stacking import roadmap_for
from runner.money import cost_brief
from runner.nodes.people import asked_to_push, to_be_pushed
from runner.nodes.preflight import is_done
from runner.nodes.revise import after_push
from runner.nodes.verify import verify_task
from runner.people.pull_requests import check_details, fix_pull, rows_of
from runner.people.sentences import branch_name, fix_branch, outside, shared_branch, title_of
from runner.people.texts import commit_texts, pull_texts, recovery_texts, trust_texts
from runner.people.trust import trust_of, verdict_of, verified_trailer
from runner.roadmap.edit import EditRefused, find, turned
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.findings import reasons_of
from runner.state.publishing import Checkpoint, CheckpointText, Published, ShownTasks
from runner.state.run_state import Attempt, RunState, Step
from runner.state.task_commits import IN_REVIEW
from runner.text.sanitize import as_typed, plain_line


def ground(state: RunState, work: TaskWork) -> Base:
    """Return what the current task is published on now: others may have been added since.

    Raises ``TaskError`` if no branch has everything it needs.
    """
    if not independent(state):
        return Base(*(work.tip.newest or (state.stack.tip, state.stack.branch)))
    place = Bases(state, work.tip.added).of(state.current, *state.attempt.planned.members)
    if place is None:
        raise TaskError("conflict", "it depends on several branches that are not merged yet")
    return place


def added(state: RunState, work: TaskWork, made: Checkpoint) -> tuple[RunState, Checkpoint]:
    """Return what is published instead of a checkpoint, and what is kept of its text."""
    if state.request.options.pull_requests != "single" or made.kind == "revision":
        return state, made
    state = state.updated(replace(state.attempt.published, body=made.text.body.encode()))
    rows = rows_of(state, work.tip.added)
    # the other tasks that the pull request shows with the current one
    every = {**state.attempts, **work.tip.added}
    others = [
        attempt
        for key, attempt in every.items()
        if key != state.current and attempt.published.body and not attempt.agreed.rewritten
    ]
    trust = tuple((title_of(state.task_of(each.task)), trust_of(each)) for each in others)
    shows = ShownTasks(
        rows,
        (*trust, *made.shows.trust),
        (*map(check_details, others), *made.shows.details),
    )
    return state, replace(made, branch=shared_branch(made.run), shows=shows)


def committed(state: RunState, work: TaskWork, published: Published) -> RunState:
    """Return the state with its published commit, which the next one of the line builds on."""
    state = state.updated(
        replace(
            state.attempt.published,
            commit=published.commit,
            branch=published.branch,
            url=published.url or state.attempt.published.url,
            notes=(*state.attempt.published.notes, *published.notes),
        )
    )
    if not independent(state):
        work.tip.newest = (published.commit, published.branch)
    work.tip.added[state.current] = state.attempt
    return state


log = logging.getLogger(__name__)


async def checkpoint(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Publish the attempt's change set, as soon as that is wanted; doing it twice leaves one.

    A task that was worked on beside others builds on the newest commit of theirs.
    """
    async with work.tip.lock:
        publish, revision = _published, state.attempt.planned.revision
        if revision:
            publish = _fixed if revision.fixes else _revised
        else:
            place = ground(state, work)
            if place.commit != state.attempt.base:
                state = await _moved(state, deps, work, place.commit)
            state = state.put(replace(state.attempt, below=place.branch))
        if to_be_pushed(state):
            return asked_to_push(state)
        return Step(await publish(state, deps, work), "ok")


async def _moved(state: RunState, deps: Deps, work: TaskWork, tip: str) -> RunState:
    """Put the change set on a newer commit and verify what comes of it.

    Raises ``TaskError`` (kind ``conflict``) when both touch a file, or the tests fail together.
    """
    old, new = await base_of(state, deps), await deps.repository.snapshot(tip)
    both = [
        p for p in state.attempt.answered.changes.files if old.entries.get(p) != new.entries.get(p)
    ]
    if both:
        raise TaskError("conflict", f"{', '.join(both)} changed in the meantime")
    state = state.put(replace(state.attempt, base=tip))
    return await _together(state, deps, work, "others did")


async def _together(state: RunState, deps: Deps, work: TaskWork, what: str) -> RunState:
    """Verify the change with what somebody else did at the same time."""
    verified = await verify_task(state, deps, work)
    if verified.outcome != "ok":
        reasons = "; ".join(reasons_of(verified.state.attempt.tested.verification))
        raise TaskError("conflict", f"with what {what} at the same time: {reasons}")
    return verified.state


async def _revised(state: RunState, deps: Deps, work: TaskWork) -> RunState:
    """Add a commit to the branch of the pull request; on top of what somebody pushed meanwhile.

    Raises ``TaskError`` (kind ``conflict``) if they changed the same files, or the tests fail
    together with theirs.
    """
    try:
        return await _published(state, deps, work)
    except BranchMoved:
        revision = state.attempt.planned.revision
        assert revision is not None  # noqa: S101 - the caller looked
        asks = state.request.options.push == "approved"
        if revision.conflict or asks:  # they may have resolved it; and nobody approved the new one
            raise
        log.info("%s was pushed to: the change is verified on top of that", revision.branch)
        moved = await deps.reviews.moved(revision)
        old = await deps.repository.snapshot(revision.head)
        new = await deps.repository.snapshot(moved.head)
        mine = await on_head(state, deps)
        state = after_push(state, moved, (old, new, mine))
    state = await _together(state, deps, work, "somebody pushed")
    return await _published(state, deps, work)


async def _fixed(state: RunState, deps: Deps, work: TaskWork) -> RunState:
    """Put the repair before people as a pull request against the branch that it repairs.

    Raises ``BranchMoved`` if somebody pushed there, and ``TaskError`` if nothing waits for it now.
    """
    revision, base = state.attempt.planned.revision, await base_of(state, deps)
    assert revision is not None  # noqa: S101 - the caller looked
    changes, trust = state.attempt.answered.changes, trust_of(state.attempt)
    made = Checkpoint(
        run=state.request.id,
        task=state.current,
        branch=fix_branch(revision.pull),
        below=revision.branch,
        parent=revision.head,
        changes=changes.effective(base),
        tree=changes.tree(base),
        text=fix_pull(state, revision),
        kind="fix",
        shows=ShownTasks(
            trust=((title_of(state.task), trust),), details=(check_details(state.attempt),)
        ),
    )
    await deps.reviews.moved(revision)
    published = await deps.repository.publish_checkpoint(made)
    log.info("A repair of pull request %d: %s", revision.pull, published.url)
    await unasked(state.attempt, deps, recovery_texts.written(published.url))
    return committed(state, work, published)


async def on_head(state: RunState, deps: Deps) -> ChangeSet:
    """What an attempt does to what its model was shown: of a revision the head of the branch."""
    base, head = await base_of(state, deps), await seen_of(state, deps)
    after = state.attempt.answered.changes.entries(base)
    paths = {p for p in {*after, *head.entries} if after.get(p) != head.entries.get(p)}
    writes = state.attempt.answered.changes.files
    old = await contents(deps, base, paths - writes.keys())
    kept = {path: Write(content, after[path].mode) for path, content in old.items()}
    return ChangeSet({path: writes.get(path, kept.get(path)) for path in paths})


async def _published(state: RunState, deps: Deps, work: TaskWork) -> RunState:
    base = await base_of(state, deps)
    path = state.request.roadmap
    roadmap = (await contents(deps, base, [path])).get(path)
    if roadmap is None:
        raise TaskError("file", f"{path} no longer exists in the commit that this task builds on")
    changes = state.attempt.answered.changes
    old = await contents(deps, base, changes.files)
    # what did not parse before this task, and does now
    repaired = [
        path
        for path, content in old.items()
        if (write := changes.files[path])
        and syntax_complaint(path, content)
        and not syntax_complaint(path, write.content)
    ]
    state = state.updated(
        replace(state.attempt.published, unticked=not await is_done(state, deps, base))
    )
    more = ""
    form = form_of(path)
    if not (form.apart or state.attempt.published.unticked):
        keys = (state.current, *state.attempt.planned.members)
        try:
            now = parse_roadmap(path, roadmap_for(state, roadmap, keys))
            verified = state.attempt.tested.verification
            passed = [
                f"{each.tool} {as_typed(each.command)}"
                for each in (verified.tests if verified and verified.verified else ())
            ]
            also = form.also_done(now, keys, passed)
            after = turned(now, dict.fromkeys((*keys, *also), True))
        except EditRefused as refused:
            raise TaskError("file", str(refused)) from refused
        changes = changes.merged(ChangeSet({path: Write(after)}))
        ticked = [task for task in now.tasks if task.key in also]
        more = pull_texts.also_ticked(ticked, form.left(now, {*keys, *also}))
    made = _checkpoint(state, base, changes, repaired, more)
    if revision := state.attempt.planned.revision:  # one more commit on its pull request's branch
        explanation = state.attempt.answered.explanation
        message = commit_texts.revision(made.text.title, explanation, revision)
        text = replace(made.text, message=message)
        made = replace(
            made, text=text, kind="revision", branch=revision.branch, below=revision.below
        )
        if revision.conflict:
            made = replace(made, onto=revision.head, rebuild=revision.conflict.rebuild)
        else:
            changes = await on_head(state, deps)
            tree = changes.tree(await seen_of(state, deps))
            made = replace(made, parent=revision.head, changes=changes, tree=tree)
    if not made.changes:  # published and built upon before a crash could save this step
        return committed(state, work, Published(made.parent, made.below))
    state, made = added(state, work, made)
    published = await deps.repository.publish_checkpoint(made)
    log.info("Checkpoint of task [%s]: %s", state.task.name, published.url or published.commit)
    asked, theirs = state.attempt.proposal, made.human_commits
    if not (asked and theirs and theirs.branch == asked.branch):  # which was closed with that
        await unasked(state.attempt, deps, recovery_texts.written(published.url))
    return committed(state, work, published)


async def unasked(attempt: Attempt, deps: Deps, why: str) -> None:
    """Close what asks people about an attempt; a refusal changes nothing else."""
    if attempt.proposal is None or attempt.proposal.place.number is None:
        return
    try:
        await deps.repository.end_proposal(attempt.task, ready=False, why=why)
    except TaskError as error:
        log.warning("The proposal of task %s was not closed: %s", attempt.task, error.message)


def _checkpoint(
    state: RunState, base: Snapshot, changes: ChangeSet, repaired: Sequence[str], more: str
) -> Checkpoint:
    task, run = state.task, state.request.id
    keys = (task.key, *state.attempt.planned.members)
    human_commits = state.attempt.planned.human_commits
    body = [
        pull_texts.checkpoint(state, repaired),
        more,
        recovery_texts.builds_on(human_commits) if human_commits else "",
    ]
    people = human_commits.people if human_commits else ()
    trust, spent = trust_of(state.attempt), state.attempt.spent
    models = dict.fromkeys(spent.models.values())
    return Checkpoint(
        run=run,
        task=task.key,
        branch=branch_of(state),
        below=state.attempt.below,
        parent=state.attempt.base,
        changes=changes.effective(base),
        tree=changes.tree(base),
        text=CheckpointText(
            title=outside(state.request.options.projects.name, title_of(task), task.id),
            message=commit_texts.checkpoint(task, state.attempt.answered.explanation),
            body="\n\n".join(filter(None, body)),
            trailers=(
                *(("Co-authored-by", person) for person in people),
                ("Cairn-Run", run),
                *(("Cairn-Task", key) for key in keys),
                # who wrote it, at what cost; none where no model was asked
                *([("Cairn-Model", plain_line(", ".join(models)))] if models else []),
                *([("Cairn-Cost", cost_brief(spent.total))] if models else []),
                ("Cairn-Attempt", str(state.attempt.number)),
                *([IN_REVIEW] if state.attempt.published.unticked else []),
                ("Cairn-Verdict", trust.verdict),
                ("Cairn-Verified", verified_trailer(verdict_of(state.attempt))),
                ("Cairn-Trust", trust_texts.line(trust)),
            ),
        ),
        members=keys[1:],
        human_commits=human_commits,
        shows=ShownTasks(trust=((title_of(task), trust),), details=(check_details(state.attempt),)),
    )


def branch_of(state: RunState, *, kind: str = "") -> str:
    """Name the branch of the current task; ``kind`` separates recoveries from checkpoints."""
    task = state.task
    # the written id, or the key where another task has the same id
    name = task.name if state.roadmap and find(state.roadmap, task.name) else task.key
    return branch_name(state.request.id, f"{kind}-{name}" if kind else name, task.title)
