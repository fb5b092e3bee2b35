"""Take a run up again: on the branch as it is now, with what was said anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.checkout.asked import LocalRun
from app.checkout.runs import is_published, state_of
from app.composition.checkout import Here
from runner.adapters.file_runs import KnownRun
from runner.codec import encode_attempt, encode_run
from runner.cursors import BORDER, Cursors
from runner.errors import Outage
from runner.graph import END, REST
from runner.moves import advanced
from runner.ports import Row
from runner.reading import contents
from runner.roadmap.parse import parse_roadmap
from runner.state import Attempt, Request, RunState, Status

_BEGUN = (Status.IN_PROGRESS, Status.AWAITING_APPROVAL)


async def taken_up(asked: LocalRun, here: Here) -> Request:
    """Bring the run's journal up to date and return its request.

    Commits made since are built upon; tasks ticked in them are done. Raises ``Outage`` when the
    branch is another one or has lost the run's commits.
    """
    await state_of(KnownRun(asked.run), here.kept)  # says so when it cannot be read
    cursors = Cursors(here.deps.journal)
    before = await cursors.recall(Request(asked.run), now=0.0)
    state = _reopened(before, here)
    before = _at_border(before, at_work=bool(cursors.at_work))
    state = _at_border(state, at_work=bool(cursors.at_work))
    state = _asked_anew(await _on_the_branch(advanced(state), here), asked)
    if state != before:
        await _saved(before, state, here)
    return state.request


def _reopened(state: RunState, here: Here) -> RunState:
    """Let proposals wait that nobody was asked about and somebody answered all the same.

    Raises ``Outage`` for a run that is over and has none.
    """
    run = state.request.id
    said = {s.decision.task for s in here.kept.inbox.stored() if s.run == run and not s.step}
    again = [a for key, a in state.attempts.items() if key in said and is_published(a)]
    if not again and state.node == END:
        raise Outage("journal", f"Run {run} has ended. Type `cairn run` for a new one.")
    for attempt in again:
        state = state.put(replace(attempt, status=Status.AWAITING_APPROVAL))
    return replace(state, node=REST, current="", ended=0.0) if state.node == END else state


def _at_border(state: RunState, *, at_work: bool) -> RunState:
    """The state as its next step finds it: tasks at work have cursors of their own."""
    return replace(state, node=BORDER, current="") if at_work or state.node == REST else state


def _asked_anew(state: RunState, asked: LocalRun) -> RunState:
    given: dict[str, Any] = dict(asked.given)
    return replace(
        state, request=replace(state.request, options=replace(state.request.options, **given))
    )


async def _on_the_branch(state: RunState, here: Here) -> RunState:
    """Move the run to the newest commit of its branch."""
    run = state.request.id
    stack = await here.repository.stack()
    if not state.tip:
        return state
    if stack.branch != state.tip_branch:
        raise Outage(
            "git",
            f"Run {run} works on branch {state.tip_branch}, but {stack.branch} is checked out."
            f" Type: git switch {state.tip_branch}",
        )
    stands = await here.repository.since(state.tip, run)
    if stands == "apart":
        raise Outage(
            "git",
            f"Run {run} builds on {state.tip[:12]}, which branch {stack.branch} does not contain"
            " any more. Type `cairn run` for a new run.",
        )
    return await _moved(state, stack.tip, here) if stands == "ahead" else state


async def _moved(state: RunState, tip: str, here: Here) -> RunState:
    path = state.request.roadmap
    found = await contents(here.deps, await here.repository.snapshot(tip), [path])
    if path not in found:
        raise Outage("file", f"{path} is gone from the branch. Bring it back, or type `cairn run`.")
    roadmap = parse_roadmap(path, found[path])
    keys = {task.key for task in (*roadmap.tasks, *state.replaced)}
    gone = [task for task in state.tasks if task.key in state.attempts and task.key not in keys]
    state = replace(state, tip=tip, roadmap=roadmap, replaced=(*state.replaced, *gone))
    ticked = {task.key for task in roadmap.tasks if task.checked}
    for key, attempt in state.attempts.items():
        if key in ticked and attempt.status in _BEGUN:
            state = state.put(replace(attempt, status=Status.COMPLETED))
    return state


async def _saved(before: RunState, state: RunState, here: Here) -> None:
    """Write the rows that changed after the newest ones."""
    journal, run = here.deps.journal, state.request.id
    seq = {row.task: row.seq for row in await journal.recall(run)}
    for key, attempt in state.attempts.items():
        if attempt != before.attempts[key]:
            await journal.save(_row(run, attempt, seq[key] + 1), encode_attempt(attempt)[1])
    data, held = encode_run(state)
    await journal.save(Row(run, "", seq[""] + 1, state.node, data), held)


def _row(run: str, attempt: Attempt, seq: int) -> Row:
    return Row(run, attempt.task, seq, BORDER, encode_attempt(attempt)[0])
