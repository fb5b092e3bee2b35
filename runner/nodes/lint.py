"""Ask the repository's own linters what they say about a change that they did not say before."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents
from runner.nodes.assess import filled
from runner.state.changes import ChangeSet, Snapshot
from runner.state.events import CommandRan
from runner.state.findings import Level, Verification
from runner.state.run_state import RunState
from runner.verify import Commands
from runner.verify.linters import LintRun, lint_level, new_findings, runs_of, settings_files


async def lint_levels(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, *, own: Commands | None
) -> tuple[Level, ...]:
    """Return a level for each linter that the tree before configures, before any test runs.

    None fails the verification. The linters run in their own session, so that what they leave there
    cannot reach the tests; the same tree is looked at once.
    """
    runs = await _runs(state, deps, base, own)
    if not runs:
        return ()
    tree = state.attempt.answered.changes.tree(base)
    key = " ".join(("linted", tree, base.tree, *(word for run in runs for word in run.command)))
    if known := work.sandbox.verified.get(key):
        return known.levels
    found = Verification(tree, tuple(await _levels(state, deps, work, base, runs)))
    work.sandbox.verified[key] = found
    return found.levels


def with_linters(after: Verification, levels: Collection[Level]) -> Verification:
    """Return the verification with what linters said, before its tests.

    They say nothing of worth about code that cannot be read.
    """
    unread = any(v.result == "failed" and v.name in ("files", "syntax") for v in after.levels)
    if unread or not levels:
        return after
    at = next((n for n, v in enumerate(after.levels) if v.name == "tests"), len(after.levels))
    return replace(after, levels=(*after.levels[:at], *levels, *after.levels[at:]))


async def _runs(state: RunState, deps: Deps, base: Snapshot, own: Commands | None) -> list[LintRun]:
    """What is to be run; nothing where nothing is to be verified."""
    if state.request.options.verify.verify_mode in ("off", "syntax"):
        return []
    changes = state.attempt.answered.changes
    changed = [path for path, write in changes.files.items() if write]
    settings = await contents(deps, base, settings_files(changed, base.entries))
    words = " ".join(word for command in (own.commands if own else ()) for word in command)
    return [run for run in runs_of(changed, settings) if run.linter.name not in words]


async def _levels(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, runs: Collection[LintRun]
) -> list[Level]:
    changes = state.attempt.answered.changes
    found = await _found(state, deps, work, base, runs)
    old = await contents(deps, base, changes.files)
    levels: list[Level] = []
    for run, level in zip(runs, found, strict=True):
        there = _there(run, old)
        before = await _before(state, deps, work, base, there) if level.failures and there else None
        if before and before.result == "skipped":
            levels.append(before)
        elif level.result == "skipped":
            levels.append(level)
        else:
            levels.append(await asyncio.to_thread(new_findings, level, before, changes, old.get))
    return levels


def _there(run: LintRun, old: Collection[str]) -> LintRun | None:
    """The same for the files before the change, deleted ones among them; None where none is."""
    start = f"{run.folder}/" if run.folder else ""
    own = sorted(p for p in old if p.startswith(start) and p.endswith(run.linter.suffixes))
    files = tuple(own) if run.files else ()
    return LintRun(run.linter, run.folder, files, frozenset(own)) if own else None


async def _found(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, runs: Collection[LintRun]
) -> list[Level]:
    """What each of them says about the tree with the change."""
    session = await filled(state, deps, work, base, state.attempt.answered.changes)
    work.sandbox.holds = ""
    seconds = state.request.options.sandbox.test_timeout
    return [await lint_level(session, run, timeout=seconds) for run in runs]


async def _before(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, run: LintRun
) -> Level:
    """What a linter says about the same files without the change; asked once for the same files."""
    key = " ".join(("lint", base.tree, run.name, *sorted(run.judged), *run.command))
    if known := work.sandbox.verified.get(key):
        return known.levels[0]
    session = await filled(state, deps, work, base, ChangeSet())
    work.sandbox.holds = ""
    level = await lint_level(session, run, timeout=state.request.options.sandbox.test_timeout)
    work.sandbox.verified[key] = Verification(base.tree, (level,))
    who = (state.request.id, state.current)
    await deps.events.emit(CommandRan(*who, "lint", level.command, level.exit_code, level.seconds))
    return level
