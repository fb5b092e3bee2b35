"""Ask whether an answer does what the task says to make, before anything is written."""

from __future__ import annotations

import asyncio

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.findings import Complaint
from runner.nodes.kept import code_among
from runner.reading import Read, contents
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.validators.asked import TaskWords
from runner.validators.broken_code import broken_code
from runner.validators.unfinished import has_name, missing_names, name_complaint, unfinished


async def undone(
    state: RunState, deps: Deps, changes: ChangeSet, base: Snapshot, read: Read
) -> tuple[Complaint, ...]:
    """Return what the answer leaves undone, or breaks although it parses.

    The repository is read only where a promised name is missing. What people pushed is their own
    decision. Raises ``Outage``.
    """
    if state.attempt.handed is not None or not changes:
        return ()
    asked = TaskWords.of(state.task)
    found = await asyncio.to_thread(_found, changes, asked, read)
    missing = missing_names(changes, asked)
    if not missing:
        return found
    paths = [path for path in code_among(base) if path not in changes.files]
    there = (await contents(deps, base, paths)).values()
    text = "\n".join(content.decode("utf-8", "replace") for content in there)
    return (*found, *(name_complaint(name) for name in missing if not has_name(text, name)))


def _found(changes: ChangeSet, asked: TaskWords, read: Read) -> tuple[Complaint, ...]:
    return (*unfinished(changes, asked, read=read), *broken_code(changes, asked, read=read))
