"""The run of ``/execute undo``: what the merged task changed, tested without it, and proposed."""

from __future__ import annotations

from dataclasses import replace

from app.features.undo.finished import FinishedTasks
from app.features.undo.offering import offered
from app.features.undo.texts import undoing_texts
from app.github.one_pull import OfferedPulls
from app.github.pulls import PREFIX
from app.jobs.worker import Outcome
from app.runs.begun import Begun
from runner.errors import TaskError
from runner.git.objects import merged
from runner.loop.reading import contents
from runner.loop.undoing import inverse
from runner.nodes.undo import verified_without
from runner.people.sentences import title_of
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.state.publishing import Checkpoint, CheckpointText
from runner.state.run_state import Attempt, RunStack, RunState


async def undone(begun: Begun) -> Outcome:
    """Propose to take back a merged task, or ask whether to; no task is worked on.

    Raises ``Outage``.
    """

    async def proposed() -> str:
        if not begun.writes:
            return undoing_texts.may_not()
        try:
            return await _proposed(begun)
        except TaskError as error:
            return undoing_texts.not_undone(error.message)

    if begun.run.request.get("red"):
        try:
            return await offered(begun, proposed)
        except TaskError as refused:  # nobody can be asked
            return Outcome("ended", refused.message)
    await begun.ports.progress.finish("ended", await proposed())
    return Outcome("ended", "it was asked to take a task back, and worked on none")


async def _proposed(begun: Begun) -> str:
    """Propose the inverse of the task that is asked for; what to tell people (Markdown).

    Doing it twice leaves one pull request. Raises ``TaskError``, ``Outage``.
    """
    request, deps, at = begun.request, begun.ports.deps, begun.ports.repository
    stack, path, name = await at.stack(), request.roadmap, request.options.scope.task
    now = await at.snapshot(stack.base)
    roadmap = parse_roadmap(path, (await contents(deps, now, [path])).get(path, b""))
    task = find(roadmap, name)
    if task is None or not task.checked:
        called = task.name if task else name
        return undoing_texts.not_undone(undoing_texts.not_finished_here(called, stack.base_branch))
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
        text=CheckpointText(
            undoing_texts.commit(task, pull.number),
            (("Cairn-Run", request.id),),
            f"Undo: {title_of(task)}",
            undoing_texts.pull(task, pull.number, changes, found),
        ),
    )
    offered = await OfferedPulls(at, "undo").offer(shown, shown.tree)
    return undoing_texts.offered(task.name, offered.url, offered.state)
