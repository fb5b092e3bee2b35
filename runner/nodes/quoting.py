"""Files as a question quotes them, and which of them it shows only in part."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from runner.changes import ChangeSet
from runner.context.cut import cut
from runner.context.symbols import symbols_of
from runner.context.terms import terms
from runner.deps import Deps
from runner.reading import Quoted, base_of, contents, quote
from runner.state import RunState

MAX_QUOTED = 12_000
LONG = 50
"""Lines of a file from which on a repair is asked for the lines that change alone."""


def quoted_changes(changes: ChangeSet, wanted: Iterable[str]) -> list[Quoted]:
    """Files of the change set as they are quoted back."""
    chosen = set(wanted)
    return [
        quote(path, write.content, limit=MAX_QUOTED)
        for path, write in changes.files.items()
        if write is not None and path in chosen
    ]


async def with_tests(state: RunState, deps: Deps, tests: Sequence[str]) -> list[Quoted]:
    """The changed files, and the failing test files that the change set does not hold."""
    changes = state.attempt.changes
    base = await base_of(state, deps)
    others = [path for path in dict.fromkeys(tests) if path not in changes.files]
    found = await contents(deps, base, others[:3])
    quoted = [quote(path, content, limit=MAX_QUOTED // 2) for path, content in found.items()]
    return quoted_changes(changes, changes.files) + quoted


async def originals(state: RunState, deps: Deps, paths: Iterable[str]) -> list[Quoted]:
    """Files of the base whose new version was refused; of a long one what the task is about."""
    changes = state.attempt.changes.files
    base = await base_of(state, deps)
    found = await contents(deps, base, sorted({path for path in paths if path not in changes}))
    about = frozenset(terms(f"{state.task.text}\n{state.task.details}"))
    return [
        await asyncio.to_thread(_original, path, content, about) for path, content in found.items()
    ]


def _original(path: str, content: bytes, about: frozenset[str]) -> Quoted:
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    shown = cut(text, symbols_of(path, content), about=about, limit=MAX_QUOTED, count=len)
    return replace(quote(path, shown.encode(), limit=MAX_QUOTED), partial=shown != text)


def long_one(files: Iterable[Quoted]) -> str:
    """The path of a file too long to be repeated for a small correction, '' when there is none."""
    return next((f.path for f in files if f.partial or f.text.count("\n") >= LONG), "")


def unseen(state: RunState, files: Iterable[Quoted]) -> tuple[str, ...]:
    """Paths of which the model saw only a part, in the context or in these files of a question."""
    partial = set(state.attempt.partial)
    for file in files:
        partial = partial | {file.path} if file.partial else partial - {file.path}
    return tuple(sorted(partial))
