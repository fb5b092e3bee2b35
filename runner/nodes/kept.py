"""Ask the whole repository who uses what a change set takes away from a file."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.reading import Read, contents
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.strategy import MAX_CALLS
from runner.validators.kept_names import NameFindings, losses, verdict
from runner.validators.uses import CodeFiles, family_of

_MOST_FILES, _LARGEST, _MOST_BYTES = 4_000, 1 << 20, 32 << 20


async def kept_names(
    state: RunState, deps: Deps, changes: ChangeSet, base: Snapshot, read: Read
) -> NameFindings:
    """Return what is wrong with names that are gone, or take less, and what people are told.

    The repository is read only when there are some. What people pushed is their own decision.
    """
    task, attempt = state.task, state.attempt
    if attempt.handed:
        return NameFindings()
    said = "\n".join((task.title, task.text, task.details, *task.acceptance))
    found = await asyncio.to_thread(losses, changes, read=read, said=said)
    if not found:
        return NameFindings()
    families = {family_of(loss.path) for loss in found}
    paths = [path for path in code_among(base, families) if path not in changes.files]
    files = await contents(deps, base, paths)
    files |= {path: write.content for path, write in changes.files.items() if write}
    last = attempt.calls >= MAX_CALLS
    return await asyncio.to_thread(verdict, found, CodeFiles(files), asked=attempt.asked, last=last)


def code_among(base: Snapshot, families: Collection[str] | None = None) -> list[str]:
    """Return the code files of some languages (None: of all), as many as are read at once."""
    kept: list[str] = []
    size = 0
    for path, entry in sorted(base.entries.items()):
        family = family_of(path)
        wanted = bool(family) if families is None else family in families
        if wanted and entry.size <= _LARGEST:
            size += entry.size
            if size > _MOST_BYTES or len(kept) == _MOST_FILES:
                break
            kept.append(path)
    return kept
