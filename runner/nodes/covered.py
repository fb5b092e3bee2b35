"""Measure which of the changed lines the tests run, where that takes little time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from runner.checks.blanks import added_lines
from runner.code.languages import is_among_tests
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents, reader
from runner.nodes.assess import filled
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import Verification
from runner.state.run_state import RunState
from runner.verify import configuration, is_pytest, running, tools_of
from runner.verify.assessment import Assessment
from runner.verify.coverage import coverage_level
from runner.verify.project import OnlyFiles

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
    seconds = sum(level.seconds for level in after.tests if level.result == "passed")
    if found.verdict.kind == "untested" or seconds > _LONGEST_RUN:
        return after
    suites = await _suites(deps, base, changes, found)
    lines = await changed_lines(deps, base, changes)
    if not suites or not 0 < sum(map(len, lines.values())) <= _MOST_LINES:
        return after
    session = await filled(state, deps, work, base, changes)
    work.sandbox.holds = ""
    timeout = min(3 * _LONGEST_RUN, state.request.options.sandbox.test_timeout)
    level = await coverage_level(session, lines, suites=suites, timeout=timeout)
    return replace(after, levels=(*after.levels, level)) if level else after


async def _suites(deps: Deps, base: Snapshot, changes: ChangeSet, found: Assessment) -> OnlyFiles:
    """What passed, with the test files that use the change; nothing if not all of it is pytest."""
    paths = sorted(changes.entries(base))
    read = reader(await contents(deps, base, configuration(base.entries)), changes)
    names = {level.tool for level in found.verification.tests if level.result == "passed"}
    tools = tools_of(paths, read)
    if names - {tool.name for tool in tools if is_pytest(tool)}:
        return ()
    using = [each for each in running(tools, found.testers, paths, read) if each[0].name in names]
    return using or [(tool, ()) for tool in tools if tool.name in names]


async def changed_lines(
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
