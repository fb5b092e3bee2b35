"""Which tests of a change are new or check something else than before, and what runs them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from runner.checks.tests_inventory import changed_tests, inventory
from runner.checks.tests_titles import changed_cases
from runner.code.languages import is_among_tests, is_other_test, is_pytest_module, language_of
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents, reader
from runner.nodes.assess import filled
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import Verification
from runner.state.run_state import RunState
from runner.verify import configuration, node_of, pytest_of, running, tools_of
from runner.verify.judging import Tool

SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
"""Languages whose tests a report names one by one, and which can be run file by file."""

_LONGEST_RUN = 60.0
"""Seconds; slower tests are not run again where a script names its files, so that all run."""


@dataclass(frozen=True, slots=True)
class NewTests:
    """The ids of new tests, the tool that runs them, and their part of the change.

    ``by_file``: the tool runs whole files, so its report says which of the tests passed.
    """

    ids: Sequence[str]
    tool: Tool
    files: ChangeSet
    by_file: bool = False


async def new_tests(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, after: Verification
) -> NewTests | None:
    """The new and changed tests of a change that is verified: pytest's, else Node's.

    None where only tests change, and where no report names them.
    """
    found = await new_pytest_tests(deps, base, state.attempt.answered.changes)
    return found or await _new_scripts(state, deps, work, base, after)


async def new_pytest_tests(deps: Deps, base: Snapshot, changes: ChangeSet) -> NewTests | None:
    """The tests of pytest that are new or changed; None where only tests change."""
    old = await contents(deps, base, changes.files)
    ids: list[str] = []
    for path, write in changes.files.items():
        if write is None or not is_pytest_module(path):
            continue
        changed = await asyncio.to_thread(changed_tests, old.get(path, b""), write.content)
        ids += (f"{path}::{name}" for name in inventory(write.content) or {} if name in changed)
    tests = ChangeSet({path: changes.files[path] for path in test_files(changes)})
    found = await contents(deps, base, configuration(base.entries))
    tools = tools_of(sorted(tests.entries(base)), found.get)
    tool = pytest_of(tools, {each.partition("::")[0] for each in ids})
    if tool is None or not ids or len(tests.files) == len(changes.files):
        return None
    return NewTests(ids, tool, tests)


def test_files(changes: ChangeSet) -> list[str]:
    """The files of a change that pytest reads its tests from."""
    return [path for path, write in changes.files.items() if write and is_test(path)]


def is_test(path: str) -> bool:
    """Whether pytest reads tests or fixtures from the file."""
    return is_pytest_module(path) or path.rpartition("/")[2] == "conftest.py"


async def _new_scripts(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, after: Verification
) -> NewTests | None:
    """The tests of JavaScript and TypeScript: what passes with the change and is not as it was."""
    changes = state.attempt.answered.changes
    there = {path: write for path, write in changes.files.items() if write}
    tests = {p: w for p, w in there.items() if is_other_test(p) or is_among_tests(p)}
    files = sorted(path for path in tests if is_other_test(path) and language_of(path) in SCRIPTS)
    if not files or len(tests) == len(changes.files):
        return None
    tool = await _tool(deps, base, changes, files, after)
    if tool is None:
        return None
    session = await filled(state, deps, work, base, changes)
    work.sandbox.holds = ""
    seconds = state.request.options.sandbox.test_timeout
    passing = (await tool.run(session, timeout=seconds, only=files)).found
    old = await contents(deps, base, files)
    ids: list[str] = []
    for path in files:
        names = [name.partition("::")[2] for name in passing if name.startswith(f"{path}::")]
        was, now = old.get(path, b""), tests[path].content
        changed = await asyncio.to_thread(changed_cases, path, was, now, names)
        ids += (f"{path}::{name}" for name in changed)
    return NewTests(ids, tool, ChangeSet(dict(tests)), by_file=True) if ids else None


async def _tool(
    deps: Deps, base: Snapshot, changes: ChangeSet, files: Collection[str], after: Verification
) -> Tool | None:
    """What runs these files, if it can run them alone or all its tests take little time."""
    paths = sorted(changes.entries(base))
    read = reader(await contents(deps, base, configuration(base.entries)), changes)
    tools = tools_of(paths, read)
    tool = node_of(tools, files)
    if tool is None:
        return None
    alone = next(
        (own for each, own in running(tools, sorted(files), paths, read) if each == tool), ()
    )
    seconds = sum(level.seconds for level in after.tests if level.tool == tool.name)
    return tool if set(files) <= set(alone) or seconds <= _LONGEST_RUN else None
