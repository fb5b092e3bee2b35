"""Measure which of the changed lines the tests run, where that takes little time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from runner.checks.blanks import added_lines
from runner.code.languages import is_among_tests
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents
from runner.nodes.assess import filled
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import Verification
from runner.state.run_state import RunState
from runner.verify.assessment import Assessment
from runner.verify.coverage import coverage_level

_LONGEST_RUN = 30.0
"""Seconds; tests that take longer are not run a second time."""

_MOST_LINES = 2_000


async def covered(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, found: Assessment
) -> Verification:
    """Return the verification with a level ``coverage`` where pytest verified a change of Python.

    It says nothing about whether the change is accepted.
    """
    after, changes = found.verification, state.attempt.answered.changes
    ran = [level for level in after.tests if level.result == "passed"]
    if not found.verdict.verified or [level.tool for level in ran] != ["pytest"]:
        return after
    lines = await _changed_lines(deps, base, changes)
    if not 0 < sum(map(len, lines.values())) <= _MOST_LINES or ran[0].seconds > _LONGEST_RUN:
        return after
    session = await filled(state, deps, work, base, changes)
    work.sandbox.holds = ""
    seconds = min(3 * _LONGEST_RUN, state.request.options.sandbox.test_timeout)
    level = await coverage_level(session, lines, only=found.testers, timeout=seconds)
    return replace(after, levels=(*after.levels, level)) if level else after


async def _changed_lines(
    deps: Deps, base: Snapshot, changes: ChangeSet
) -> Mapping[str, frozenset[int]]:
    """The new and changed lines of each Python file that is not a test."""
    files = {
        path: write.content.decode("utf-8", "replace")
        for path, write in changes.files.items()
        if write and path.endswith(".py") and not is_among_tests(path)
    }
    old = await contents(deps, base, files)

    def numbers() -> dict[str, frozenset[int]]:
        before = {path: content.decode("utf-8", "replace") for path, content in old.items()}
        return {path: added_lines(text, before.get(path, "")) for path, text in files.items()}

    return await asyncio.to_thread(numbers)
