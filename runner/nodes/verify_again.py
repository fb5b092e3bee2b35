"""Verify the whole change of a pull request again, as its branch is now; no model is asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from runner.checks.guarded import said_by
from runner.checks.tests_kept import weaker_asserts
from runner.loop.deps import Deps, TaskSandbox
from runner.loop.reading import as_texts, base_of, contents, reader
from runner.loop.strategy import MAX_CALLS
from runner.nodes.revise import change_so_far, opened
from runner.nodes.validate import asking, kept_names
from runner.nodes.verify import accepted, measured
from runner.nodes.work import work_on
from runner.people.texts import revision_texts
from runner.state.changes import Snapshot
from runner.state.findings import Verdict, reasons_of
from runner.state.options import Request
from runner.state.revising import Revision
from runner.state.run_state import Attempt, Checked, Planned, RunState


async def verified_again(request: Request, deps: Deps, pull: Revision) -> Attempt:
    """Return an attempt with what is known of the change of a pull request, pushed parts included.

    Its verification has failed where tests fail because of the change. Raises ``TaskError`` if
    nothing can be known, ``Outage``.
    """
    options, sandbox = request.options, TaskSandbox({})
    if options.verify.verify_mode == "agent":  # its command would have to be asked for
        verify = replace(options.verify, verify_mode="auto")
        request = replace(request, options=replace(options, verify=verify))
    # what people pushed is judged like the rest
    pull = replace(pull, kept=(request.roadmap,))
    first, *members = pull.tasks
    planned = Planned(members=tuple(members), revision=pull)
    state = await opened(RunState(request), deps, pull)
    state = state.put(Attempt(task=first, base=pull.fork, below=pull.below, planned=planned))
    state = replace(state, current=first)
    state = state.with_changes(await change_so_far(state, deps))
    base = await base_of(state, deps)
    state = state.updated(await _looked_through(state, deps, base))
    try:
        state, found = await measured(await work_on(state, deps, sandbox, base))
    finally:
        await sandbox.close()
    if found.outcome == "green":
        return accepted(state, found).attempt
    why = found.verdict.reason
    if found.outcome == "red":
        why = revision_texts.tests_fail(reasons_of(found.verification))
    return replace(
        state.attempt,
        tested=replace(
            state.attempt.tested,
            verification=found.verification.lean,
            verdict=Verdict("untested", why, found.verdict.turned),
        ),
    )


async def _looked_through(state: RunState, deps: Deps, base: Snapshot) -> Checked:
    """Return what a reviewer is told without any test."""
    changes = state.attempt.answered.changes
    old = await contents(deps, base, changes.files)
    changes, read = as_texts(changes, reader(old))
    # nobody can be asked about a name
    last = state.updated(replace(state.attempt.answered, answers=MAX_CALLS + 1))
    names = await kept_names(last, deps, changes, base, read)
    weaker = await asyncio.to_thread(said_by, weaker_asserts, changes, read=read)
    *_, unasked = await asyncio.to_thread(asking, state, changes, read)
    return replace(
        state.attempt.checked,
        warnings=(*names.warnings, *weaker, *unasked),
        lost_names=None if names.complaints else names.lost,
    )
