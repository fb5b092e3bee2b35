"""``/execute undo``: a pull request that takes back a merged task, and clears its checkbox."""

from __future__ import annotations

from dataclasses import replace

from app.github.finished import FinishedTasks
from app.github.one_pull import OfferedPulls
from app.github.pulls import PREFIX
from app.github.repository import GitHubRepository
from runner.errors import TaskError
from runner.git.objects import merged
from runner.loop.deps import Deps
from runner.loop.reading import contents
from runner.loop.undoing import inverse
from runner.nodes.undo import verified_without
from runner.people.pull_requests import undo_pull
from runner.people.texts import undo_texts
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.state.options import Request
from runner.state.publishing import Checkpoint
from runner.state.run_state import Attempt, RunStack, RunState

MAY_NOT_UNDO = (
    "Cairn writes nothing to this repository (`github_mode: disabled` in `.github/cairn.yml`), so "
    "it cannot propose to take back a task."
)


async def undo(request: Request, deps: Deps, at: GitHubRepository) -> str:
    """Propose the inverse of the task that is asked for; what to tell people (Markdown).

    Doing it twice leaves one pull request. Raises ``Outage``.
    """
    try:
        stack, path, name = await at.stack(), request.roadmap, request.options.scope.task
        now = await at.snapshot(stack.base)
        roadmap = parse_roadmap(path, (await contents(deps, now, [path])).get(path, b""))
        task = find(roadmap, name)
        if task is None or not task.checked:
            called = task.name if task else name
            return undo_texts.not_undone(undo_texts.not_finished_here(called, stack.base_branch))
        done, pull = await FinishedTasks(at).find(task, path)
        changes = await inverse(done, now, at, merged)
        attempt = Attempt(task=task.key, base=stack.base, below=stack.base_branch)
        place = RunStack(stack.base, stack.base_branch, stack.base)
        state = RunState(request, roadmap=roadmap, stack=place).put(attempt)
        state = replace(state, current=task.key).with_changes(changes)
        found = await verified_without(state, deps)
        shown = Checkpoint(
            run=request.id,
            task=task.key,
            branch=f"{PREFIX}undo/{task.key}",
            below=stack.base_branch,
            parent=stack.base,
            changes=changes,
            tree=changes.tree(now),
            text=undo_pull(task, pull.number, request.id, changes, found),
        )
        offered = await OfferedPulls(at, "undo").offer(shown, shown.tree)
    except TaskError as error:
        return undo_texts.not_undone(error.message)
    return undo_texts.offered(task.name, offered.url, offered.state)
