"""Tests that prove nothing: the task's new tests are run without its code, in a fresh box."""

from __future__ import annotations

from runner.changes import ChangeSet
from runner.context.testing import is_pytest_module
from runner.deps import Deps
from runner.events import Verified
from runner.findings import Level, Verification
from runner.nodes.filling import filled
from runner.reading import contents
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.validators.asked import TaskWords
from runner.validators.tests_asked import keeps_behaviour, promises_tests
from runner.validators.tests_inventory import inventory
from runner.verifiers import CONFIGURATION, tools_of

_NOTHING = "these tests prove nothing: they pass without the change, too"
_MOST_NAMED = 10


async def proved(state: RunState, deps: Deps, base: Snapshot, after: Verification) -> Verification:
    """Run the task's new and changed tests without its code: there at least one must fail.

    TaskWords only where a change brings both; tests for what was there before prove by passing.
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
        output=f"{_NOTHING}: {', '.join(new[:_MOST_NAMED])}" if passed else "",
    )
    proven = Verification(after.tree, (*after.levels, proof))
    await deps.events.emit(Verified(state.request.id, state.current, proven))
    return proven


def unproven(verification: Verification | None) -> Level | None:
    """The level that says that the new tests prove nothing; None where none says so."""
    levels = verification.levels if verification else ()
    failed = (level for level in levels if level.name == "proof" and level.result == "failed")
    return next(failed, None)


async def must_prove(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether the task's new tests have to fail without its change.

    They have to where the task promised them, by name or as "with tests". Tests of a task that
    changes no behaviour (a refactoring, something made faster) may well pass before.
    """
    asked = TaskWords.of(state.task)
    if state.attempt.handed is not None or keeps_behaviour(asked):
        return False
    old = await contents(deps, base, _test_files(state))
    return promises_tests(asked) or any(
        asked.names_file(path) for path in _test_files(state) if path not in old
    )


def _test_files(state: RunState) -> list[str]:
    return [path for path, write in state.attempt.changes.files.items() if write and _is_test(path)]


def _is_test(path: str) -> bool:
    return is_pytest_module(path) or path.rpartition("/")[2] == "conftest.py"


async def _new_tests(deps: Deps, base: Snapshot, changes: ChangeSet) -> list[str]:
    """Ids of the tests that are new, or check something else than before."""
    old = await contents(deps, base, changes.files)
    found: list[str] = []
    for path, write in changes.files.items():
        if write is None or not is_pytest_module(path):
            continue
        before = inventory(old.get(path, b"")) or {}
        for name, code in (inventory(write.content) or {}).items():
            known = before.get(name)
            if name and (known is None or known.checks != code.checks):
                found.append(f"{path}::{name}")
    return found
