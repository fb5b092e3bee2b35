"""Check the repository without a finished task, before anybody is asked to take it back."""

from __future__ import annotations

from dataclasses import replace

from runner.errors import TaskError
from runner.loop.deps import Deps, TaskSandbox
from runner.loop.reading import base_of
from runner.nodes.assess import assessed, run_levels
from runner.nodes.preflight import configured
from runner.nodes.steadied import steadied
from runner.nodes.work import work_on
from runner.people.texts import undo_texts
from runner.state.findings import Level, Verification, reasons_of
from runner.state.run_state import RunState

_NONE_LEFT = "without the task, no test is left"


async def verified_without(state: RunState, deps: Deps) -> Verification:
    """Return what the checks say about the current attempt's change set, which undoes its task.

    What failed before is not its fault, and neither is it that no test is left. Raises
    ``TaskError`` if something else fails, ``Outage``.
    """
    sandbox, name, base = TaskSandbox({}), state.task.name, await base_of(state, deps)
    try:
        work = await work_on(state, deps, sandbox, base, configured(state))
        if work.tools_before and not (work.tools or work.own):
            return Verification(work.tree, (Level("tests", "skipped", reason=_NONE_LEFT),))
        after = await steadied(work, await run_levels(work, seconds=work.seconds))
        found, _ = await assessed(work, after)
    finally:
        await sandbox.close()
    if found.outcome == "unverifiable":
        raise TaskError("environment", undo_texts.cannot_test(name, found.verdict.reason))
    if found.outcome == "red":
        as_before = {r.test for r in found.rows if r.before == r.after == "failed" and r.same_error}
        levels = [
            replace(level, failures=tuple(f for f in level.failures if f.test not in as_before))
            for level in found.verification.levels
        ]
        if not as_before or any(level.failures for level in levels):
            lost = reasons_of(replace(found.verification, levels=tuple(levels)))
            raise TaskError("file", undo_texts.fails_without(name, lost))
        found = found.otherwise or found
    return found.verification
