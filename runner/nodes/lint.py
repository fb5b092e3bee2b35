"""Ask the repository's own linters what they say about a change that they did not say before."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

from runner.nodes.work import NodeWork
from runner.state.changes import ChangeSet
from runner.state.findings import Level, Verification
from runner.verify.linters import LintRun, lint_level, new_findings, runs_of, settings_files


async def lint_levels(work: NodeWork) -> tuple[Level, ...]:
    """Return a level for each linter that the tree before configures, before any test runs.

    None fails the verification. The linters run in their own session, so that what they leave there
    cannot reach the tests; the same tree is looked at once.
    """
    known, tree, base = work.sandbox.verified, work.tree, work.base
    changes = work.changes.files
    if work.state.request.options.verify.verify_mode in ("off", "syntax"):
        return ()
    changed = [path for path, write in changes.items() if write]
    settings = await work.contents(settings_files(changed, base.entries))
    words = " ".join(
        word for command in (work.own.commands if work.own else ()) for word in command
    )
    runs = [run for run in runs_of(changed, settings) if run.linter.name not in words]
    if not runs:
        return ()
    key = " ".join(("linted", tree, base.tree, *(word for run in runs for word in run.command)))
    if key in known:
        return known[key].levels
    session, old = await work.session(), await work.contents(changes)
    levels = [await lint_level(session, run, timeout=work.seconds) for run in runs]
    for at, (run, level) in enumerate(zip(runs, levels, strict=True)):
        there = _there(run, old)
        before = await _before(work, there) if level.failures and there else None
        if before and before.result == "skipped":
            levels[at] = before
        elif level.result != "skipped":
            judged = asyncio.to_thread(new_findings, level, before, work.changes, old.get)
            levels[at] = await judged
    known[key] = Verification(tree, tuple(levels))
    return known[key].levels


def with_linters(after: Verification, levels: Collection[Level]) -> Verification:
    """Return the verification with what linters said, before its tests.

    They say nothing of worth about code that cannot be read.
    """
    unread = any(v.result == "failed" and v.name in ("files", "syntax") for v in after.levels)
    if unread or not levels:
        return after
    at = next((n for n, v in enumerate(after.levels) if v.name == "tests"), len(after.levels))
    return replace(after, levels=(*after.levels[:at], *levels, *after.levels[at:]))


def _there(run: LintRun, old: Collection[str]) -> LintRun | None:
    """The same for the files before the change, deleted ones among them; None where none is."""
    start = f"{run.folder}/" if run.folder else ""
    own = sorted(p for p in old if p.startswith(start) and p.endswith(run.linter.suffixes))
    files = tuple(own) if run.files else ()
    return LintRun(run.linter, run.folder, files, frozenset(own)) if own else None


async def _before(work: NodeWork, run: LintRun) -> Level:
    """What a linter says about the same files without the change; asked once for the same files."""
    known, tree = work.sandbox.verified, work.base.tree
    key = " ".join(("lint", tree, run.name, *sorted(run.judged), *run.command))
    if key in known:
        return known[key].levels[0]
    level = await lint_level(await work.session(ChangeSet()), run, timeout=work.seconds)
    known[key] = Verification(tree, (level,))
    return level
