"""Measure which of the changed lines the tests run, where that takes little time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from runner.checks.blanks import added_lines
from runner.code.languages import is_among_tests
from runner.nodes.work import NodeWork
from runner.state.findings import Verification
from runner.verify import is_pytest, running
from runner.verify.assessment import Assessment
from runner.verify.coverage import coverage_level

_LONGEST_RUN = 30.0
"""Seconds; tests that take longer are not run a second time."""

_MOST_LINES = 2_000


async def covered(work: NodeWork, found: Assessment) -> Verification:
    """Return the verification with a level ``coverage`` where pytest verified a change of Python.

    It says nothing about whether the change is accepted.
    """
    after = found.verification
    passed = [level for level in after.tests if level.result == "passed"]
    if found.verdict.kind == "untested" or sum(v.seconds for v in passed) > _LONGEST_RUN:
        return after
    names = {level.tool for level in passed}
    tools = [tool for tool in work.tools if tool.name in names and is_pytest(tool)]
    lines = await changed_lines(work)
    some = 0 < sum(map(len, lines.values())) <= _MOST_LINES
    if not tools or names - {tool.name for tool in tools} or not some:
        return after
    using = running(work.tools, found.testers, work.paths, work.read)
    suites = [each for each in using if each[0].name in names] or [(tool, ()) for tool in tools]
    timeout = min(3 * _LONGEST_RUN, work.seconds)
    level = await coverage_level(await work.session(), lines, suites=suites, timeout=timeout)
    return replace(after, levels=(*after.levels, level)) if level else after


async def changed_lines(work: NodeWork) -> Mapping[str, frozenset[int]]:
    """The new and changed lines of each Python file that is not a test."""
    files = {
        path: write.content.decode("utf-8", "replace")
        for path, write in work.changes.files.items()
        if write and path.endswith(".py") and not is_among_tests(path)
    }
    old = await work.contents(files)
    before = {path: content.decode("utf-8", "replace") for path, content in old.items()}
    return await asyncio.to_thread(
        lambda: {path: added_lines(text, before.get(path, "")) for path, text in files.items()}
    )
