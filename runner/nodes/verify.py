"""Write the tree into the task's box and run the project's own tests there."""

from __future__ import annotations

import logging

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.events import Verified
from runner.findings import Verification
from runner.nodes.judging import judged
from runner.ports import Box
from runner.preparing import prepared_image
from runner.reading import base_of, contents, everything, reader
from runner.snapshot import Snapshot
from runner.state import RunState, Step
from runner.verifiers import CONFIGURATION, new_failures, verify
from runner.workspace import materialise

log = logging.getLogger(__name__)


async def write_files(state: RunState, deps: Deps) -> Step:
    """Make the workspace equal to base + change set and read it back."""
    await _write(state, deps, await base_of(state, deps), state.attempt.changes)
    return Step(state, "ok")


async def verify_task(state: RunState, deps: Deps) -> Step:
    """Run the levels; failures that were there before the change are not the task's."""
    base = await base_of(state, deps)
    verification = await _verified(state, deps, base, state.attempt.changes)
    state = state.with_attempt(verification=verification)
    if verification.passed:
        return Step(state, "ok")
    if await _as_before(state, deps, base, verification):
        return Step(
            state.with_attempt(
                reasons=(*state.attempt.reasons, "the failing tests failed before this change too")
            ),
            "ok",
        )
    for failure in verification.failures:
        log.info("Test failed: %s", failure.test)
    return judged(state, "test")


async def _as_before(state: RunState, deps: Deps, base: Snapshot, after: Verification) -> bool:
    """Say whether every failure is a test that the base fails as well."""
    if not after.failures or any(
        level.result == "failed" and level.name != "tests" for level in after.levels
    ):
        return False
    await deps.bench.close()  # what the change left behind must not fail the baseline
    before = await _verified(state, deps, base, ChangeSet())
    return not new_failures(after, before)


async def _verified(
    state: RunState, deps: Deps, base: Snapshot, changes: ChangeSet
) -> Verification:
    """Verify a tree once: the same tree gives the same answer."""
    tree = changes.tree(base)
    if known := deps.bench.verified.get(tree):
        return known
    box = await _write(state, deps, base, changes)
    deps.bench.holds = ""
    options = state.request.options
    old = await contents(deps, base, CONFIGURATION)
    verification = await verify(
        box,
        tree=tree,
        paths=sorted(changes.entries(base)),
        changed=sorted(path for path, write in changes.files.items() if write),
        read=reader(old, changes),
        mode=options.verify_mode,
        timeout=options.test_timeout,
    )
    await deps.events.emit(Verified(state.request.id, state.current, verification))
    deps.bench.verified[tree] = verification
    return verification


async def _write(state: RunState, deps: Deps, base: Snapshot, changes: ChangeSet) -> Box:
    """Fill the box, unless it holds just this tree and nothing has run in it since."""
    box = await deps.bench.box(state, await prepared_image(state, deps, base, changes))
    tree = changes.tree(base)
    if deps.bench.holds == tree:
        return box
    deps.bench.holds = ""
    await materialise(box, await everything(deps, base, changes))
    deps.bench.holds = tree
    return box
