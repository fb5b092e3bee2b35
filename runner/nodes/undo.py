"""Check the repository without a finished task, before anybody is asked to take it back."""

from __future__ import annotations

from runner.errors import TaskError
from runner.loop.deps import Deps, TaskSandbox
from runner.loop.reading import base_of
from runner.nodes.assess import assessed, run_levels
from runner.nodes.preflight import configured
from runner.nodes.steadied import steadied
from runner.nodes.work import work_on
from runner.people.texts import undo_texts
from runner.state.findings import Verification, reasons_of
from runner.state.run_state import RunState


async def verified_without(state: RunState, deps: Deps) -> Verification:
    """Return what the checks say about the current attempt's change set, which undoes its task.

    What failed before is not its fault. Raises ``TaskError`` if something else fails, ``Outage``.
    """
    sandbox, name, base = TaskSandbox({}), state.task.name, await base_of(state, deps)
    try:
        work = await work_on(state, deps, sandbox, base, configured(state))
        after = await steadied(work, await run_levels(work, seconds=work.seconds))
        found, _ = await assessed(work, after)
    finally:
        await sandbox.close()
    if found.outcome == "unverifiable":
        raise TaskError("environment", undo_texts.cannot_test(name, found.verdict.reason))
    reasons = reasons_of(found.verification)
    worse = any(
        row.after not in ("passed", row.before) or (row.after == "failed" and not row.same_error)
        for row in found.rows
    )
    if found.outcome == "red" and found.in_the_way and not worse:
        raise TaskError("file", undo_texts.fails_with_it_too(name, reasons))
    if found.outcome == "red":
        raise TaskError("file", undo_texts.fails_without(name, reasons))
    return found.verification
