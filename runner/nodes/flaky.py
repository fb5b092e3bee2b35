"""Old tests that fail are run again: one that passes then is flaky, and named so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.events import Verified
from runner.findings import Level, TestFailure, Verification
from runner.nodes.filling import filled
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.verifiers import Commands, run_again

MOST = 10
"""So many failing tests are run again; more than that are not flaky."""

_LEAST_SECONDS = 30.0


async def steadied(
    state: RunState, deps: Deps, base: Snapshot, after: Verification, *, own: Commands | None
) -> Verification:
    """Return the verification with tests that pass when they are run again taken as passed.

    Never so for a test, or an error in code, that the task itself wrote or changed.
    """
    options, changes = state.request.options, state.attempt.changes
    # an import that seems to lead nowhere may do no harm
    red = [v for v in after.levels if v.result == "failed" and v.name != "imports"]
    if not _may_be_flaky(red, changes):
        return after
    seconds = max(_LEAST_SECONDS, 3 * sum(level.seconds for level in red))
    for _ in range(options.verify_reruns):
        box = await filled(state, deps, base, changes)
        deps.bench.holds = ""
        again = await run_again(
            box,
            tree=after.tree,
            failures=[failure for level in red for failure in level.failures],
            of=red,
            timeout=min(seconds, options.test_timeout),
            own=own,
        )
        await deps.events.emit(Verified(state.request.id, state.current, again))
        if again.levels and all(level.result == "passed" for level in again.levels):
            return replace(after, levels=tuple(_named(level) for level in after.levels))
    return after


def _may_be_flaky(red: Sequence[Level], changes: ChangeSet) -> bool:
    failures = [failure for level in red for failure in level.failures]
    if not failures or len(failures) > MOST:
        return False
    if any(level.name != "tests" or not level.failures for level in red):
        return False
    return all("::" in f.test or "#" in f.test for f in failures) and not any(
        path in changes.files for failure in failures for path in _paths(failure)
    )


def _paths(failure: TestFailure) -> tuple[str, str]:
    return failure.test.split("::")[0], failure.file


def _named(level: Level) -> Level:
    if level.result != "failed" or level.name != "tests":
        return level
    names = ", ".join(failure.test for failure in level.failures)
    reason = f"flaky, failed once and passed when run again: {names}"
    return replace(level, result="passed", reason=reason, failures=())
