"""``/execute undo``: a pull request that takes back a merged task, and clears its checkbox."""

from __future__ import annotations

from dataclasses import replace

from app.github.finished import FinishedTasks
from app.github.one_pull import OfferedPulls
from app.github.pulls import PREFIX, Pull
from runner.errors import TaskError
from runner.git.objects import merged
from runner.loop.deps import Deps
from runner.loop.reading import contents
from runner.loop.undoing import inverse
from runner.nodes.undo import verified_without
from runner.people.undo_sentences import (
    not_finished_here,
    not_undone,
    undo_offered,
    undo_pull,
)
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import Verification
from runner.state.options import Request
from runner.state.publishing import Checkpoint
from runner.state.run_state import Attempt, RunStack, RunState

MAY_NOT_UNDO = (
    "Cairn writes nothing to this repository (`github_mode: disabled` in `.github/cairn.yml`), so "
    "it cannot propose to take back a task."
)


class Undoing:
    """Takes back tasks in one repository; ``pulls`` shows what it proposes."""

    def __init__(self, finished: FinishedTasks, pulls: OfferedPulls) -> None:
        self._finished = finished
        self._pulls = pulls

    async def answer(self, request: Request, deps: Deps) -> str:
        """Propose the inverse of the task that is asked for; what to tell people (Markdown).

        Doing it twice leaves one pull request. Raises ``Outage``.
        """
        try:
            return await self._offered(request, deps)
        except TaskError as error:
            return not_undone(error.message)

    async def _offered(self, request: Request, deps: Deps) -> str:
        state = await _begun(request, deps)
        task, now = state.task, await deps.repository.snapshot(state.stack.base)
        if not task.checked:
            raise TaskError("file", not_finished_here(task.name, state.stack.branch))
        done, pull = await self._finished.find(task, request.roadmap)
        changes = await inverse(done, now, deps.repository, merged)
        state = state.with_changes(changes)
        shown = _shown(state, pull, now, changes, await verified_without(state, deps))
        offered = await self._pulls.offer(shown, shown.tree)
        return undo_offered(task.name, offered.url, offered.state)


async def _begun(request: Request, deps: Deps) -> RunState:
    """A run on the default branch as it is now, whose one attempt is at the task to take back."""
    stack = await deps.repository.stack()
    now = await deps.repository.snapshot(stack.base)
    roadmap = await _roadmap(request.roadmap, now, deps)
    task = find(roadmap, request.options.scope.task)
    if task is None:
        name = request.options.scope.task
        raise TaskError("file", not_finished_here(name, stack.base_branch))
    attempt = Attempt(task=task.key, base=stack.base, below=stack.base_branch)
    place = RunStack(stack.base, stack.base_branch, stack.base)
    return replace(RunState(request, roadmap=roadmap, stack=place).put(attempt), current=task.key)


async def _roadmap(path: str, tree: Snapshot, deps: Deps) -> Roadmap:
    return parse_roadmap(path, (await contents(deps, tree, [path])).get(path, b""))


def _shown(
    state: RunState, pull: Pull, now: Snapshot, changes: ChangeSet, found: Verification
) -> Checkpoint:
    run = state.request.id
    return Checkpoint(
        run=run,
        task=state.current,
        branch=f"{PREFIX}undo/{state.current}",
        below=state.stack.branch,
        parent=state.stack.base,
        changes=changes,
        tree=changes.tree(now),
        text=undo_pull(state.task, pull.number, run, changes, found),
    )
