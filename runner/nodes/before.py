"""What the tree before the change says: failures that were there, and tests that prove nothing.

Both run in fresh boxes: what the task's code left behind must neither excuse a failure nor prove
a test.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from runner.changes import ChangeSet
from runner.context.imports import Places, imported
from runner.context.symbols import symbols_of
from runner.deps import Deps
from runner.events import Verified
from runner.findings import Level, TestFailure, Verification
from runner.nodes.filling import filled
from runner.reading import contents
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.validators.tests_inventory import inventory, source_of
from runner.verifiers import CONFIGURATION, Commands, new_failures, run_again, tools_of
from runner.verifiers.awaited import awaits_another
from runner.verifiers.detect import is_test_module

MOST_FOLLOWED = 60
"""Files that are followed from one test to see what it uses."""

_NOTHING = "these tests prove nothing: they pass without the change, too"


async def as_before(
    state: RunState, deps: Deps, base: Snapshot, after: Verification, *, own: Commands | None = None
) -> bool:
    """Say whether every failure was there before: the same test, the same error.

    Only what failed is run again on the base (with the repository's ``own`` commands, where it was
    verified with them). A test that uses a file the task touches is the task's business, whatever
    it did before.
    """
    red = [level for level in after.levels if level.result == "failed"]
    if not after.failures or any(level.name != "tests" for level in red):
        return False
    written = state.attempt.changes.files
    if any(failure.test.split("::")[0] in written for failure in after.failures):
        return False  # a test of the task's own is the task's, whatever the base says
    box = await filled(state, deps, base, ChangeSet())
    deps.bench.holds = ""
    before = await run_again(
        box,
        tree=base.tree,
        failures=after.failures,
        of=red,
        timeout=state.request.options.test_timeout,
        own=own,
    )
    await deps.events.emit(Verified(state.request.id, state.current, before))
    left = await _not_awaited(state, deps, base, after, before)
    if not left:
        return True
    same = not new_failures(Verification(after.tree, (replace(red[0], failures=left),)), before)
    return same and not await _touched_by(state, deps, base, left)


async def _not_awaited(
    state: RunState, deps: Deps, base: Snapshot, after: Verification, before: Verification
) -> tuple[TestFailure, ...]:
    """The failures but for tests that were red before and wait for another task's work."""
    red = {failure.test for failure in before.failures}
    task = state.task
    said = "\n".join((task.text, task.details, *task.acceptance, *task.files))
    left = []
    for failure in after.failures:
        path, _, name = failure.test.partition("::")
        if failure.test in red and path not in state.attempt.changes.files:
            content = (await contents(deps, base, [path])).get(path, b"")
            if awaits_another(failure, task=said, test=source_of(content, name)):
                continue
        left.append(failure)
    return tuple(left)


async def proved(state: RunState, deps: Deps, base: Snapshot, after: Verification) -> Verification:
    """Run the task's new and changed tests without its code: there at least one must fail.

    Asked only where a change brings both; tests for what was there before prove by passing.
    """
    new = await _new_tests(deps, base, state.attempt.changes)
    files = {path: state.attempt.changes.files[path] for path in _test_files(state)}
    if not new or len(files) == len(state.attempt.changes.files) or not after.verified:
        return after
    tests = ChangeSet(files)
    box = await filled(state, deps, base, tests)
    deps.bench.holds = ""
    found = await contents(deps, base, CONFIGURATION)
    levels = [
        await tool.run(box, timeout=state.request.options.test_timeout, only=new)
        for tool in tools_of(sorted(tests.entries(base)), found.get)
        if tool.name == "pytest"
    ]
    passed = bool(levels) and all(level.result == "passed" for level in levels)
    proof = Level(
        "proof",
        "failed" if passed else "passed",
        command=levels[0].command if levels else (),
        seconds=sum(level.seconds for level in levels),
        reason=_NOTHING if passed else "",
    )
    proven = Verification(after.tree, (*after.levels, proof))
    await deps.events.emit(Verified(state.request.id, state.current, proven))
    return proven


async def _touched_by(
    state: RunState, deps: Deps, base: Snapshot, failures: Sequence[TestFailure]
) -> bool:
    """Say whether any failing test uses, by way of imports, a file the change set touches."""
    changes = state.attempt.changes
    places = Places(changes.entries(base))
    todo = list(dict.fromkeys(_file_of(failure, places.paths) for failure in failures))
    seen: set[str] = set()
    while todo and len(seen) < MOST_FOLLOWED:
        path = todo.pop()
        if path in changes.files or _shares_package(path, changes):
            return True
        if path in seen:
            continue
        seen.add(path)
        content = (await contents(deps, base, [path])).get(path, b"")
        todo += sorted(imported(path, symbols_of(path, content).imports, places))
    return False


def _file_of(failure: TestFailure, paths: Collection[str]) -> str:
    """The test's file: ids of some tools begin with it, others only say where it failed."""
    first = failure.test.split("::")[0]
    return first if first in paths else failure.file


def _shares_package(path: str, changes: ChangeSet) -> bool:
    """A Go test uses the files beside it without importing them."""
    folder = path.rpartition("/")[0]
    return path.endswith(".go") and any(
        other.endswith(".go") and other.rpartition("/")[0] == folder for other in changes.files
    )


def _test_files(state: RunState) -> list[str]:
    return [path for path, write in state.attempt.changes.files.items() if write and _is_test(path)]


def _is_test(path: str) -> bool:
    return is_test_module(path) or path.rpartition("/")[2] == "conftest.py"


async def _new_tests(deps: Deps, base: Snapshot, changes: ChangeSet) -> list[str]:
    """Ids of the tests that are new, or check something else than before."""
    old = await contents(deps, base, changes.files)
    found: list[str] = []
    for path, write in changes.files.items():
        if write is None or not is_test_module(path):
            continue
        before = inventory(old.get(path, b"")) or {}
        for name, code in (inventory(write.content) or {}).items():
            known = before.get(name)
            if name and (known is None or known.checks != code.checks):
                found.append(f"{path}::{name}")
    return found
