"""Commit exactly the validated change set plus one ticked box, and publish it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from runner.changes import ChangeSet, Write
from runner.deps import Deps
from runner.errors import TaskError
from runner.naming import branch_name
from runner.ports import Checkpoint
from runner.reading import base_of, contents
from runner.roadmap.edit import EditRefused, find, tick
from runner.snapshot import Snapshot
from runner.state import RunState, Step
from runner.texts import commit_message, pull_request_body, title_of
from runner.validators.validate import syntax_complaint

log = logging.getLogger(__name__)


async def checkpoint(state: RunState, deps: Deps) -> Step:
    """Publish the attempt's change set; doing it twice leaves one."""
    base = await base_of(state, deps)
    path = state.request.roadmap
    roadmap = (await contents(deps, base, [path])).get(path)
    if roadmap is None:
        raise TaskError("file", f"{path} is gone from the tree this task builds on")
    repaired = await _repaired(state, deps, base)
    made = _checkpoint(state, base, _ticked(state, roadmap), repaired)
    published = await deps.repository.publish_checkpoint(made)
    log.info("Checkpoint of task [%s]: %s", state.task.name, published.url or published.commit)
    return Step(
        state.with_attempt(commit=published.commit, branch=published.branch, url=published.url),
        "ok",
    )


def _ticked(state: RunState, roadmap: bytes) -> ChangeSet:
    try:
        after = tick(state.request.roadmap, roadmap, state.task.key)
    except EditRefused as refused:
        raise TaskError("file", str(refused)) from refused
    return state.attempt.changes.merged(ChangeSet({state.request.roadmap: Write(after)}))


async def _repaired(state: RunState, deps: Deps, base: Snapshot) -> list[str]:
    """Changed files that did not parse before this task."""
    old = await contents(deps, base, state.attempt.changes.files)
    return [path for path, content in old.items() if syntax_complaint(path, content)]


def _checkpoint(
    state: RunState, base: Snapshot, changes: ChangeSet, repaired: Sequence[str]
) -> Checkpoint:
    task, run = state.task, state.request.id
    return Checkpoint(
        run=run,
        task=task.key,
        branch=branch_name(run, _only_name(state), task.title),
        below=state.attempt.below,
        parent=state.attempt.base,
        changes=changes.effective(base),
        tree=changes.tree(base),
        title=title_of(task),
        message=commit_message(task),
        body=pull_request_body(state, repaired),
        trailers=(("Cairn-Run", run), ("Cairn-Task", task.key)),
    )


def _only_name(state: RunState) -> str:
    """The task's written id, or its key where another task has the same id."""
    task = state.task
    return task.name if state.roadmap and find(state.roadmap, task.name) else task.key
