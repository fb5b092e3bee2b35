"""The names that a task promises, looked for in an answer and in the whole repository."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from runner.checks.asked import TaskWords
from runner.checks.members import members_of_several, without_members
from runner.checks.misplaced import another_task
from runner.checks.promises import (
    PromisedName,
    has_name,
    missing_names,
    name_complaint,
    promised_names,
)
from runner.checks.uses import family_of
from runner.code.languages import is_test_file
from runner.loop.deps import Deps
from runner.loop.reading import Read, texts
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import Complaint
from runner.state.run_state import RunState

_MOST_FILES, LARGEST, _MOST_BYTES = 4_000, 1 << 20, 32 << 20
"""Files of code that are read at once, bytes of one and of all."""


def code_among(base: Snapshot, families: Collection[str] | None = None) -> list[str]:
    """Return the code files of some languages (None: of all), as many as are read at once."""
    kept: list[str] = []
    size = 0
    for path, entry in sorted(base.entries.items()):
        family = family_of(path)
        wanted = bool(family) if families is None else family in families
        if wanted and entry.size <= LARGEST:
            size += entry.size
            if size > _MOST_BYTES or len(kept) == _MOST_FILES:
                break
            kept.append(path)
    return kept


async def without_members_of(
    deps: Deps, changes: ChangeSet, base: Snapshot, asked: TaskWords
) -> tuple[Complaint, ...]:
    """Return the classes that lack a method promised for several; read the others only then."""
    if not members_of_several(asked):
        return ()
    others = [path for path in code_among(base) if path not in changes.files]
    files = {path: write.content for path, write in changes.files.items() if write}
    files |= await texts(deps, base, others)
    return await asyncio.to_thread(lambda: tuple(without_members(files, asked)))


async def without_names(
    state: RunState, deps: Deps, changes: ChangeSet, base: Snapshot, read: Read
) -> tuple[Complaint, ...]:
    """Return the promised names that nothing has; or that the answer does another task."""
    asked = TaskWords.of(state.task)
    missing = await asyncio.to_thread(missing_names, changes, asked)
    if not missing:
        return ()
    paths = [path for path in code_among(base) if path not in changes.files]
    there = await texts(deps, base, paths)
    # in a thread: a hostile repository may cost a second
    nowhere = await asyncio.to_thread(_nowhere, missing, there)
    if nowhere and len({promise.name for promise in missing}) == len(promised_names(asked)):
        others = [task for task in state.tasks if task.key != state.task.key]
        other = await asyncio.to_thread(another_task, changes, asked, others, read=read)
        if other:
            return (other,)
    return tuple(map(name_complaint, nowhere))


def _nowhere(missing: Sequence[PromisedName], there: Mapping[str, bytes]) -> list[str]:
    """Return the names that no file has that did not change; a test's are good for tests only."""
    code, tests = (
        "\n".join(
            content.decode("utf-8", "replace")
            for path, content in there.items()
            if is_test_file(path) == are_tests
        )
        for are_tests in (False, True)
    )
    return [
        promise.name
        for promise in missing
        if not has_name(code, promise.name)
        and not (promise.for_tests and has_name(tests, promise.name))
    ]
