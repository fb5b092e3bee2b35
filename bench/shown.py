"""Of the true changes of real projects, how many files a first question shows well enough to edit.

``make bench ARGS=shown``. The changes are those of the oracle bench. A file counts if every line
that its change replaces, with what makes it unique, stands in the context.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from bench.finding import Finding, Line, Unmeasured
from bench.loop.hunks import edits_of
from bench.oracle.catalogue import Change, Task, change_of, tasks
from bench.oracle.fetching import NoSource
from runner.context.tokens import counter
from runner.loop.deps import FileSearch
from runner.nodes.context import describe
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import at, run_state

MODEL = "gpt-6.1-terra"
LIMITS = {4_000: None, 16_000: 70, 32_000: None}
"""Tokens of the context, and the share of files (%) that is the goal, without any look."""


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Two lines for each limit: the share of files, and how many tokens the contexts have."""
    known: list[tuple[Task, Change]] = []
    for task in tasks():
        try:
            known.append((task, await asyncio.to_thread(change_of, task)))
        except NoSource as problem:
            yield Unmeasured(task.id, str(problem))
    for limit, goal in LIMITS.items():
        seen, tokens = [], []
        for task, change in known:
            text = await _context(task, change, limit)
            seen += _seen(change, text)
            tokens.append(counter(MODEL)(text))
        share = 100 * sum(seen) / max(1, len(seen))
        yield Finding(
            what=f"files shown well enough to edit, {limit:,} tokens ({sum(seen)} of {len(seen)})",
            value=share,
            unit="%",
            goal=f">= {goal} %" if goal else "",
            ok=share >= goal if goal else None,
        )
        yield Finding(what="mean of these contexts", value=sum(tokens) / len(tokens), unit="tokens")


async def _context(task: Task, change: Change, limit: int) -> str:
    details = "".join(f"\n  {line}" for line in task.details.splitlines())
    roadmap = f"# Roadmap\n\n- [ ] {task.title}{details}\n"
    repository = MemoryRepository({**change.base, "ROADMAP.md": roadmap.encode()})
    state = at("build_context", run_state(roadmap, context_tokens=limit))
    ports = replace(deps(repository=repository), search=FileSearch(model=MODEL))
    return (await describe(state, ports))[1]


def _seen(change: Change, text: str) -> list[bool]:
    both = [path for path in change.paths if path in change.base and path in change.after]
    edits = [edits_of(change.base[path].decode(), change.after[path].decode()) for path in both]
    return [all(search in text for search, _ in each) for each in edits]
