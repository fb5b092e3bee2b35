"""The cursors of a run in its journal: one of the run itself, one of each task it touched.

A row says which node its cursor is at and holds that cursor's own record. Recovery is a fold over
the newest rows, so a process that died is followed by one that goes on from the last saved node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from runner.codec import decode_attempt, decode_run, encode_attempt, encode_run, references
from runner.graph import END, REST, RUN_NODES
from runner.ports import Journal, Row
from runner.state import Request, RunState, Status

BORDER = "decide_next"
"""Where a task's cursor ends and the run's goes on."""


class Cursors:
    """Saves and recalls the rows of one run; knows the sequence number of each cursor.

    ``at_work`` are the tasks that were begun and not settled when it was recalled, each with the
    node it is at; several where tasks go side by side.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._seq: dict[str, int] = {}
        self.at_work: dict[str, str] = {}

    async def recall(self, request: Request, *, now: float) -> RunState:
        """Fold the newest row of every cursor into the state; an unknown run starts at ``now``."""
        rows = {row.task: row for row in await self._journal.recall(request.id)}
        self._seq = {task: row.seq for task, row in rows.items()}
        own = rows.pop("", None)
        if own is None:
            self._seq = {}
            return RunState(request, started=now)
        state = await self._run_of(own)
        for row in rows.values():
            state = state.put(decode_attempt(row.data, await self._contents(row)))
        nodes = {row.task: row.node for row in rows.values()}
        self.at_work = {
            task: nodes[task]
            for task, attempt in state.attempts.items()
            if attempt.status is Status.IN_PROGRESS
        }
        return _in_hand(state, self.at_work)

    async def save(self, state: RunState, *, node: str, task: str) -> RunState:
        """Save what ``node`` left; where the cursor crosses a border the task's row comes first.

        So a crash between the two rows repeats the run's step, which is a pure function. Returns
        the state that is stored: the first writer of a row wins.
        """
        if node not in RUN_NODES:
            return await self._save_task(state, task, state.node)
        if task and state.current != task:
            state = replace(await self._save_task(state, task, BORDER), node=state.node)
        if state.current and state.node not in RUN_NODES | {END, REST}:
            state = await self._save_task(state, state.current, state.node)
        return await self._save_run(state)

    async def _save_run(self, state: RunState) -> RunState:
        data, contents = encode_run(state)
        row = Row(state.request.id, "", self._next(""), state.node, data)
        stored = await self._write(row, contents)
        if stored == row:
            return state
        return replace(await self._run_of(stored), attempts=state.attempts)

    async def _save_task(self, state: RunState, task: str, node: str) -> RunState:
        data, contents = encode_attempt(state.attempts[task])
        row = Row(state.request.id, task, self._next(task), node, data)
        stored = await self._write(row, contents)
        if stored == row:
            return state
        attempt = decode_attempt(stored.data, await self._contents(stored))
        return replace(state.put(attempt), node=stored.node)

    async def _run_of(self, row: Row) -> RunState:
        return replace(decode_run(row.data, await self._contents(row)), node=row.node)

    def _next(self, task: str) -> int:
        return self._seq.get(task, 0) + 1

    async def _write(self, row: Row, contents: dict[str, bytes]) -> Row:
        stored = await self._journal.save(row, contents)
        self._seq[row.task] = row.seq
        return stored

    async def _contents(self, row: Row) -> dict[str, bytes]:
        return {sha: await self._journal.content(sha) for sha in references(row.data)}


def _in_hand(state: RunState, at_work: Mapping[str, str]) -> RunState:
    """Put a task that is at work in hand, the one of the run's own row first."""
    if not at_work:
        return replace(state, node=BORDER) if state.current else state
    task = state.current if state.current in at_work else next(iter(at_work))
    return replace(state, current=task, node=at_work[task])
