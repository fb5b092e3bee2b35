"""Find the task people mean, in the roadmap as the stack has it now."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from app.store.runs import Runs
from handlers.runs import Ambiguous, NamedTask, RunRequested, Unknown
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap

Read = Callable[[RunRequested, str], Awaitable[bytes]]


class TaskFinder:
    """``roadmap_of`` says which roadmap a repository has configured, ``read`` gets its bytes."""

    def __init__(
        self, runs: Runs, *, roadmap_of: Callable[[RunRequested], Awaitable[str]], read: Read
    ) -> None:
        self._runs = runs
        self._roadmap_of = roadmap_of
        self._read = read

    async def __call__(self, request: RunRequested, name: str) -> NamedTask | Unknown | Ambiguous:
        """Find a task by key or written id; that of the issue's newest run, else the configured."""
        runs = await self._runs.by_issue(request.repository.id, request.issue)
        path = runs[0].roadmap if runs else await self._roadmap_of(request)
        content = await self._read(request, path)
        roadmap = await asyncio.to_thread(parse_roadmap, path, content)
        task = find(roadmap, name)
        if task is not None:
            return NamedTask(task.key, task.name, task.title, path)
        same = [each for each in roadmap.tasks if each.id == name]
        if same:
            return Ambiguous(tuple((each.key, each.line, each.title) for each in same))
        return Unknown(path, tuple(each.name for each in roadmap.tasks if each.kind == "work"))
