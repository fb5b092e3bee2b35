"""What a push did to the roadmap: its two versions as they are on GitHub, compared."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from app.github.contents import Contents
from handlers.pushes import BranchPushed, changes_tasks
from runner.config import ConfigError
from runner.roadmap.diff import RoadmapDiff, diff
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a push did to the roadmap; ``after`` is None when there is none any more.

    ``diff`` is None when the roadmap before cannot be read; ``news`` says whether there is anything
    that was not said before, in tasks or in what could become some.
    """

    path: str
    after: Roadmap | None
    diff: RoadmapDiff | None
    news: bool = True

    def tasks(self, keys: Collection[str]) -> list[Task]:
        """The tasks of these keys."""
        return [task for task in (self.after.tasks if self.after else ()) if task.key in keys]


async def compared(
    push: BranchPushed, path: str, config: bytes, contents: Contents
) -> Change | None:
    """Compare the roadmap at ``path`` before and after a push; None when nothing changed.

    ``config`` is the configuration after it: where that changed, the plan may be of another file.
    Raises ``Outage`` or ``TaskError``.
    """
    before = push.before
    new = await contents.read(path, push.after)
    old = await contents.read(path, before) if before else None
    readable = not before or old is not None or await contents.has(before)
    if readable and new == old and config == await _config(before, contents):
        return None
    after = None if new is None else await read(path, new)
    if not readable:
        return Change(path=path, after=after, diff=None)
    then, now = await read(path, old or b""), after or await read(path, b"")
    found = await asyncio.to_thread(diff, then, now)
    news = changes_tasks(found) or _titles(then) != _titles(now)
    return Change(path=path, after=after, diff=found, news=news)


async def read(path: str, content: bytes) -> Roadmap:
    """Parse a roadmap beside the loop: a large file takes a while."""
    return await asyncio.to_thread(parse_roadmap, path, content)


async def _config(commit: str, contents: Contents) -> bytes | None:
    """The configuration of a commit, empty where there is none; None where it is unusable."""
    try:
        return (await contents.config(commit) if commit else None) or b""
    except ConfigError:
        return None


def _titles(roadmap: Roadmap) -> list[str]:
    return [candidate.title for candidate in roadmap.candidates]
