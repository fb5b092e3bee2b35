"""Do the task's new tests prove anything? They are run without its code, and with faults in it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from runner.checks.asked import TaskWords
from runner.checks.tests_asked import keeps_behaviour, promises_tests
from runner.code.languages import is_among_tests, is_test_file, language_of
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents
from runner.nodes.assess import filled, kept_tests
from runner.nodes.new_tests import (
    SCRIPTS,
    NewTests,
    is_test,
    new_pytest_tests,
    new_tests,
)
from runner.ports import SandboxSession
from runner.state.changes import ChangeSet, Snapshot
from runner.state.events import verified
from runner.state.findings import Level, Verification
from runner.state.run_state import RunState
from runner.verify.assessment import path_of, red_tests
from runner.verify.mutants import Mutant, mutants

_NOTHING = "these tests prove nothing, because they also pass without the change"
_SKIPPED = "the new tests are skipped without the change"
_UNKNOWN = "without the change the tests were stopped before their end"
_MOST_NAMED = 10
_MOST_MUTANTS = 3
_LONGEST_RUN, _LEAST_SECONDS = 20.0, 20.0
"""New tests that take longer than this are not run again for each fault."""

_NOT_STARTED = 126
"""From this exit code on a program could not be started, or was stopped."""

_REPLACE = 'cat >"$1" && find . -name __pycache__ -type d -prune -exec rm -rf {} +'


async def proved(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, after: Verification
) -> Verification:
    """Run the task's new and changed tests without its code: at least one must fail.

    Then run them with small faults in its code, most of which they should notice. Only where a
    change brings both code and tests; tests for what was there before prove by passing.
    """
    if not after.verified:
        return after
    new = await new_tests(state, deps, work, base, after)
    if new is None:
        return after
    proof = await _without_code(state, deps, work, base, new)
    levels = [*after.levels, proof]
    if proof.result != "failed" and proof.seconds <= _LONGEST_RUN:
        levels += await _with_faults(state, deps, work, base, new)
    proven = Verification(after.tree, tuple(levels))
    await deps.events.emit(verified(state, proven, "proof"))
    return proven


async def proven_files(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, after: Verification
) -> frozenset[str]:
    """The files of the change in which a new test passes that fails without the task's code.

    Asked only where nothing but old tests fail in files of the change: see ``kept_tests``.
    """
    changes, red = state.attempt.answered.changes, red_tests(after)
    own = {failure.test for failure in red if path_of(failure) in changes.files}
    if not own or own - await kept_tests(deps, base, changes, red):
        return frozenset()
    if (new := await new_pytest_tests(deps, base, changes)) is None:
        return frozenset()
    proof = await _without_code(state, deps, work, base, new)
    return frozenset(each.partition("::")[0] for each in proof.found)


async def _without_code(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, new: NewTests
) -> Level:
    session = await filled(state, deps, work, base, new.files)
    work.sandbox.holds = ""
    seconds = state.request.options.sandbox.test_timeout
    ran = await new.tool.run(session, timeout=seconds, only=new.ids)
    if ran.broken and ran.cause != "timeout":  # no test of it is known where a file is not loaded
        files = sorted({each.partition("::")[0] for each in new.ids})
        ran = await new.tool.run(session, timeout=seconds, only=files)
    level = Level("proof", "passed", command=ran.command, seconds=ran.seconds)
    if new.by_file:
        return _of_report(level, new.ids, ran)
    level = replace(level, found=_failing(new.ids, ran))
    if ran.result == "failed":
        return replace(level, passed=len(new.ids) - len(level.found))
    if ran.result == "skipped":
        return replace(level, result="skipped", reason=_SKIPPED)
    return _proves_nothing(level, new.ids)


def _proves_nothing(level: Level, ids: Sequence[str]) -> Level:
    output = f"{_NOTHING}: {', '.join(ids[:_MOST_NAMED])}"
    return replace(level, result="failed", reason=_NOTHING, output=output)


def _of_report(level: Level, ids: Sequence[str], ran: Level) -> Level:
    """The level where whole files ran: each new test by what the report says about it.

    The other tests of its file do not count, and neither does a run that was stopped.
    """
    code = ran.exit_code or 0
    if ran.broken and (ran.cause == "timeout" or not 0 < code < _NOT_STARTED):
        return replace(level, result="skipped", reason=_UNKNOWN)
    red = {failure.test for failure in ran.failures}
    found = [i for i in ids if ran.broken or i in red or i.partition("::")[0] in red]
    idle = [each for each in ids if each in ran.found]
    if found:
        return replace(level, found=tuple(found), passed=len(idle))
    return (
        _proves_nothing(level, idle) if idle else replace(level, result="skipped", reason=_SKIPPED)
    )


def _failing(ids: Sequence[str], ran: Level) -> tuple[str, ...]:
    """The tests that failed: by name, or all of a file that could not be loaded, or of a run."""
    if ran.result != "failed":
        return ()
    red = {failure.test.partition("[")[0] for failure in ran.failures}
    red |= {failure.file for failure in ran.failures if not failure.is_case}
    found = tuple(each for each in ids if each in red or each.partition("::")[0] in red)
    return found or tuple(ids)


async def _with_faults(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, new: NewTests
) -> list[Level]:
    """Return a level that says which faults the new tests did not notice; none where none fits."""
    changes = state.attempt.answered.changes
    faults = await _faults(deps, base, changes)
    if not faults:
        return []
    session = await filled(state, deps, work, base, changes)
    work.sandbox.holds = ""
    seconds = min(_LEAST_SECONDS, state.request.options.sandbox.test_timeout)
    began = asyncio.get_running_loop().time()
    tried = [(f, await _goes_unnoticed(session, f, changes, new, seconds)) for f in faults]
    written = [fault for fault, unnoticed in tried if unnoticed is not None]
    missed = [str(fault) for fault, unnoticed in tried if unnoticed]
    reason = f"{len(missed)} of {len(written)} small faults not noticed" if missed else ""
    level = Level(
        "mutants",
        "failed" if missed else "passed",
        passed=len(written) - len(missed),
        seconds=asyncio.get_running_loop().time() - began,
        reason=reason,
        output="\n".join(missed),
        found=tuple(missed),
    )
    return [level] if written else []


async def _faults(deps: Deps, base: Snapshot, changes: ChangeSet) -> list[Mutant]:
    """Faults in the changed lines of the code, the same ones for the same change."""
    files = {
        path: write.content for path, write in changes.files.items() if write and _is_code(path)
    }
    old = await contents(deps, base, files)
    found: list[Mutant] = []
    for path, content in files.items():
        left = _MOST_MUTANTS - len(found)
        found += await asyncio.to_thread(mutants, path, old.get(path), content, most=left)
    return found


def _is_code(path: str) -> bool:
    """Whether it is code, in a language in which faults are put, and not a test."""
    if language_of(path) in SCRIPTS:
        return not is_test_file(path) and not is_among_tests(path)
    return path.endswith(".py") and not is_test(path) and not is_test_file(path)


async def _goes_unnoticed(
    session: SandboxSession, fault: Mutant, changes: ChangeSet, new: NewTests, seconds: float
) -> bool | None:
    """Whether the new tests pass with a fault in the code; the file is put back afterwards.

    None where the fault could not be written: then the tests say nothing about it.
    """
    if not await _write(session, fault.path, fault.content):
        return None
    ran = await new.tool.run(session, timeout=seconds, only=new.ids)
    passes = set(new.ids) <= set(ran.found) if new.by_file else ran.result == "passed"
    whole = changes.files[fault.path]
    await _write(session, fault.path, whole.content if whole else b"")
    return passes


async def _write(session: SandboxSession, path: str, content: bytes) -> bool:
    """Replace a file, and say whether that was possible: tests may do anything to their tree."""
    ran = await session.run(["sh", "-c", _REPLACE, "sh", path], stdin=content, timeout=60)
    return ran.exit_code == 0 and not ran.timed_out


def unproven(verification: Verification | None) -> Level | None:
    """The level that says that the new tests prove nothing; None where none says so."""
    return _failed(verification, "proof")


def unnoticed(verification: Verification | None) -> Level | None:
    """The level that says which faults the new tests do not notice; None where none says so."""
    return _failed(verification, "mutants")


def _failed(verification: Verification | None, name: str) -> Level | None:
    levels = verification.levels if verification else ()
    return next((each for each in levels if each.name == name and each.result == "failed"), None)


async def must_prove(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether the task's new tests have to fail without its change.

    They have to where the task promised them, by name or as "with tests". Tests of a task that
    changes no behaviour (a refactoring, something made faster) may well pass before.
    """
    asked, changes = TaskWords.of(state.task), state.attempt.answered.changes
    if state.attempt.planned.human_commits is not None or keeps_behaviour(asked):
        return False
    paths = [p for p, write in changes.files.items() if write and (is_test(p) or is_test_file(p))]
    old = await contents(deps, base, paths)
    return promises_tests(asked) or any(asked.names_file(path) for path in paths if path not in old)
