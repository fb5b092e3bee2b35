"""What a merged pull request of ours did for a task: the trees before and after it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from app.features.undo.texts import undoing_texts
from app.github.place import Place
from app.github.pulls import Pull
from runner.errors import Outage, TaskError
from runner.loop.undoing import FinishedTask
from runner.people.sentences import shared_branch
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task
from runner.state.changes import Snapshot

_FURTHEST = 100
"""Commits that are looked at below the one that a pull request ended as."""


@dataclass(frozen=True)
class FinishedTasks:
    """Those of one repository."""

    at: Place

    async def find(self, task: Task, path: str) -> tuple[FinishedTask, Pull]:
        """Return what the newest merged pull request of a task changed, and that pull request.

        However it was merged: what is compared is the default branch before and after it; of a pull
        request with several tasks, the commit of this one. Raises ``TaskError``, ``Outage``.
        """
        pull = await self._merged(task, path)
        found = await self.at.api.get(
            f"pulls/{pull.number}", f"show #{pull.number}", refused=Outage
        )
        shared = pull.head.startswith(shared_branch(pull.head.split("/")[1]))
        start = found["head"]["sha"] if shared else found["merge_commit_sha"]
        turned = await self._turned(start, task.key, path) if start else None
        if turned is None:
            raise TaskError("file", undoing_texts.not_merged_here(task.name))
        before, after = turned
        done = FinishedTask(task, path, before, after if shared else await self.at.snapshot(start))
        return done, pull

    async def _merged(self, task: Task, path: str) -> Pull:
        for pull in await self.at.pulls.all():
            ours = pull.kind == "checkpoint" and pull.merged and pull.roadmap == path
            if ours and task.key in pull.tasks:
                return pull
        raise TaskError("file", undoing_texts.not_merged_here(task.name))

    async def _turned(self, start: str, key: str, path: str) -> tuple[Snapshot, Snapshot] | None:
        """The trees before and after the commit that ticked a task, from ``start`` backwards."""
        after, ticked = await self.at.snapshot(start), True
        commit = await self.at.commits.show(start)
        for _ in range(_FURTHEST):
            if not commit.parents:
                return None
            before = await self.at.snapshot(commit.parents[0])
            was, ticked = ticked, await self._ticked(before, key, path)
            if was and not ticked:
                return before, after
            commit, after = await self.at.commits.show(commit.parents[0]), before
        return None

    async def _ticked(self, tree: Snapshot, key: str, path: str) -> bool:
        content = await self.at.file(tree.commit, path)
        task = find(await asyncio.to_thread(parse_roadmap, path, content or b""), key)
        return task is not None and task.checked
