"""Write the tree into the task's box and run the project's own tests there."""

from __future__ import annotations

import logging

from runner.deps import Deps
from runner.errors import TaskError
from runner.events import Verified
from runner.findings import Verification
from runner.nodes.before import must_prove, proved, unproven
from runner.nodes.commands import own_commands
from runner.nodes.filling import filled
from runner.nodes.flaky import steadied
from runner.nodes.gathering import gathered
from runner.nodes.judging import given_up, judged
from runner.nodes.weighed import weighed
from runner.reading import base_of, contents, reader
from runner.recovery.beyond_repair import beyond_repair
from runner.snapshot import Snapshot
from runner.state import RunState, Step
from runner.texts import UNPROVEN
from runner.verifiers import CONFIGURATION, Commands, tools_of, verify
from runner.verifiers.weighing import Assessment
from runner.waiting import upcoming

log = logging.getLogger(__name__)


async def write_files(state: RunState, deps: Deps) -> Step:
    """Make the workspace equal to base + change set and read it back."""
    await filled(state, deps, await base_of(state, deps), state.attempt.changes)
    return Step(state, "ok")


async def verify_task(state: RunState, deps: Deps) -> Step:
    """Run the levels; failures that were there before the change are not the task's."""
    base = await base_of(state, deps)
    state, own, verification = await _verified(state, deps, base)
    found = await weighed(state, deps, base, verification, own=own)
    verification = found.verification
    if found.outcome == "unverifiable":
        raise TaskError("environment", f"The change cannot be verified: {found.verdict.reason}.")
    if found.outcome == "green":
        verification = await proved(state, deps, base, verification)
        nothing = unproven(verification)
        if nothing is None or not await must_prove(state, deps, base):
            return Step(_accepted(state, verification, found), "ok")
        log.info("Test failed: %s", nothing.output)
        return judged(state.with_attempt(verification=verification, verdict=None), "test")
    state = state.with_attempt(verification=verification, verdict=None)
    for failure in verification.failures:
        log.info("Test failed: %s", failure.test)
    if await _beyond_repair(state, deps):
        return given_up(state, "the task asks for a module that no repair can bring here")
    return judged(state, "test")


def _accepted(state: RunState, verification: Verification, found: Assessment) -> RunState:
    reasons = state.attempt.reasons
    if found.verdict.unchanged:
        reasons = (*reasons, "the failing tests failed before this change too")
    said = (UNPROVEN,) if unproven(verification) else ()
    return state.with_attempt(
        verification=verification,
        verdict=found.verdict,
        reasons=reasons,
        warnings=tuple(dict.fromkeys((*state.attempt.warnings, *found.hints, *said))),
    )


async def _beyond_repair(state: RunState, deps: Deps) -> bool:
    """Whether the failure is known to be of the surroundings; a deferred task comes back once."""
    to_come = {task.key for task in upcoming(state)} if state.attempt.number == 1 else ()
    return beyond_repair(await gathered(state, deps), to_come=to_come)


async def _verified(
    state: RunState, deps: Deps, base: Snapshot
) -> tuple[RunState, Commands | None, Verification]:
    """Verify a tree once: the same tree gives the same answer. Also what it was verified with."""
    changes = state.attempt.changes
    tree, paths = changes.tree(base), sorted(changes.entries(base))
    old = await contents(deps, base, CONFIGURATION)
    read = reader(old, changes)
    state, own = await own_commands(state, deps, paths=paths, read=read)
    if known := deps.bench.verified.get(tree):
        return state, own, known
    box = await filled(state, deps, base, changes)
    deps.bench.holds = ""
    options = state.request.options
    verification = await verify(
        box,
        tree=tree,
        paths=paths,
        changed=sorted(path for path, write in changes.files.items() if write),
        read=read,
        mode=options.verify_mode,
        timeout=options.test_timeout,
        own=own,
        tested=bool(tools_of(base.entries, old.get)),
    )
    await deps.events.emit(Verified(state.request.id, state.current, verification))
    verification = await steadied(state, deps, base, verification, own=own)
    deps.bench.verified[tree] = verification
    return state, own, verification
