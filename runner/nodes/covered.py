"""Which of the changed lines the tests run, and whether old failures or what shows the task do."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from runner.checks.asked import TaskWords
from runner.checks.blanks import added_lines
from runner.code.languages import is_among_tests, is_test_file
from runner.code.symbols import Definition, symbols_of
from runner.nodes.work import NodeWork
from runner.state.findings import Verification
from runner.verify import is_pytest, running
from runner.verify.assessment import Assessment
from runner.verify.coverage import coverage_level
from runner.verify.evidence import evidence
from runner.verify.reach import lines_run
from runner.verify.rows import plain_id

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
    level = await coverage_level(
        await work.session(), lines, heads=_heads(work, lines), suites=suites, timeout=timeout
    )
    return replace(after, levels=(*after.levels, level)) if level else after


def _heads(work: NodeWork, lines: Mapping[str, frozenset[int]]) -> frozenset[tuple[str, int]]:
    """First lines of definitions of which more changed: an import runs these, and no test."""
    return frozenset(
        (path, each.line)
        for path, numbers in lines.items()
        if (write := work.changes.files[path])
        for each in symbols_of(path, write.content).definitions
        if numbers & {*range(each.line + 1, each.end_line + 1)}
    )


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


_MOST_TRACED, _LONGEST_TRACE = 50, 120.0


async def apart_from(work: NodeWork, found: Assessment) -> frozenset[str]:
    """The tests in the way that run no changed line; none where not all of it can be traced.

    What is not a test has to be Python with lines that are there now. They are run once more
    together: where one of them reaches the change, all may.
    """
    lines, ids = await changed_lines(work), found.in_the_way
    if not 0 < len(ids) <= _MOST_TRACED or not all(
        lines.get(path) or is_test_file(path) for path in work.changes.files
    ):
        return frozenset()
    tools = {tool.name: tool for tool in work.tools if is_pytest(tool)}
    apart: set[str] = set()
    for level in found.verification.tests:
        own = [f.test for f in level.failures if f.test in ids]
        tool = tools.get(level.tool)
        if tool is None or not own:
            continue
        session, seconds = await work.session(), min(_LONGEST_TRACE, work.seconds)
        only = sorted(set(map(plain_id, own)))
        if await lines_run(session, lines, tool, only, timeout=seconds) == frozenset():
            apart.update(own)
    return frozenset(apart)


async def beside_the_task(work: NodeWork, found: Assessment) -> tuple[str, ...]:
    """The changed definitions that nothing leads to: no path of the task, no test that shows it.

    None where that cannot be told: what shows it has to be tests of pytest.
    """
    planned, task = work.state.attempt.planned, TaskWords.of(work.state.task)
    changed: dict[str, list[Definition]] = {}
    for path, numbers in (await changed_lines(work)).items():
        write = work.changes.files[path]
        if numbers and write and not task.names_file(path):
            changed[path] = _changed(symbols_of(path, write.content).definitions, numbers)
    left = set(map(plain_id, evidence(found.rows, only_tests=False).shown))
    told_apart = not planned.members and not planned.by_people
    if not any(changed.values()) or not 0 < len(left) <= _MOST_TRACED or not told_apart:
        return ()
    lines = {
        path: frozenset(n for each in those for n in range(each.line, each.end_line + 1))
        for path, those in changed.items()
    }
    tools = {tool.name: tool for tool in work.tools if is_pytest(tool)}
    reached: set[tuple[str, int]] = set()
    for level in found.verification.tests:
        own = sorted(set(map(plain_id, level.found)) & left)
        tool = tools.get(level.tool)
        if tool is None or not own:
            continue
        session, seconds = await work.session(), min(_LONGEST_RUN, work.seconds)
        run = await lines_run(session, lines, tool, own, timeout=seconds)
        if run is None:
            return ()
        reached |= run
        left.difference_update(own)
    return tuple(
        f"`{each.name}` in `{path}`"
        for path, those in changed.items()
        for each in those
        if not left and not any((path, n) in reached for n in range(each.line, each.end_line + 1))
    )


def _changed(definitions: Sequence[Definition], numbers: Collection[int]) -> list[Definition]:
    """The innermost definitions that have some of these lines."""
    found: list[Definition] = []
    taken: set[int] = set()
    for each in sorted(definitions, key=lambda each: -each.depth):
        own = {n for n in numbers if each.line <= n <= each.end_line} - taken
        if own:
            found.append(each)
            taken |= own
    return found
