"""The current tasks: each continues node by node beside the others, in its own sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from runner.graph import COMMITS, RUN_NODES
from runner.loop.deps import TaskWork
from runner.state.run_state import RunState


@dataclass(frozen=True, slots=True)
class Ended:
    """How driving stopped: ``status`` is ended, cancelled, waiting or paused.

    ``reason`` says why a paused run waits, ``until`` when it continues automatically; ``advised``
    that the reason says what to type to continue.
    """

    status: Literal["ended", "cancelled", "waiting", "paused"]
    state: RunState
    kind: str = ""
    reason: str = ""
    until: datetime | None = None
    advised: bool = False


Advance = Callable[[RunState, TaskWork], Awaitable[RunState | Ended]]


class _Started:
    """One task: the node it is at, its own sandbox, and the step it is taking."""

    def __init__(self, node: str, work: TaskWork) -> None:
        self.node = node
        self.work = work
        self.step: asyncio.Task[RunState | Ended] | None = None


class TaskPool:
    """``advance`` takes one step of a task, with the work that is given; ``work`` is the run's."""

    def __init__(self, work: TaskWork, advance: Advance) -> None:
        self._work = work
        self._advance = advance
        self._tasks: dict[str, _Started] = {}
        self._left: list[_Started] = []

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, task: str, node: str) -> None:
        """Let a task continue at its own node."""
        if task in self._tasks:
            self._tasks[task].node = node
        else:
            self._tasks[task] = _Started(node, self._work.beside())

    def leave(self, task: str) -> None:
        """Let go of a task that has come to its border."""
        if started := self._tasks.pop(task, None):
            self._left.append(started)

    def unfinished(self) -> str:
        """A task that was saved at its border but not settled, or ''."""
        return next((t for t, started in self._tasks.items() if started.node in RUN_NODES), "")

    async def next(self, state: RunState) -> RunState | Ended:
        """Wait for the first step of any task; the state is that of the run after it.

        Commits are added in the order in which the tasks began, each once the row that says so of
        the one before it is saved: after a crash, a commit that was published is found where it was
        put.
        """
        await self._close_left()
        first = next(iter(self._tasks))
        for task, started in self._tasks.items():
            if started.step is None and (task == first or started.node not in COMMITS):
                view = replace(state, current=task, node=started.node)
                started.step = asyncio.ensure_future(self._advance(view, started.work))
        steps = [started.step for started in self._tasks.values() if started.step]
        await asyncio.wait(steps, return_when=asyncio.FIRST_COMPLETED)
        return self._taken(state)

    async def drain(self, state: RunState) -> RunState:
        """Let every step that is being taken come to its end, so that nothing paid for is lost."""
        steps = [started.step for started in self._tasks.values() if started.step]
        if steps:
            await asyncio.wait(steps)
        current, node = state.current, state.node
        while any(started.step for started in self._tasks.values()):
            step = self._taken(state)
            state = step.state if isinstance(step, Ended) else step
        return replace(state, current=current, node=node)

    async def aclose(self) -> None:
        """End the steps that are being taken and remove every sandbox."""
        steps = [started.step for started in self._tasks.values() if started.step]
        for step in steps:
            step.cancel()
        await asyncio.gather(*steps, return_exceptions=True)
        self._left += self._tasks.values()
        self._tasks.clear()
        await self._close_left()
        await self._work.sandbox.close()

    async def _close_left(self) -> None:
        while self._left:
            await self._left.pop().work.sandbox.close()

    def _taken(self, state: RunState) -> RunState | Ended:
        """Take in the first step that is done: its task's record, and a request to stop."""
        steps = ((task, started.step) for task, started in self._tasks.items())
        task, done = next((task, step) for task, step in steps if step and step.done())
        self._tasks[task].step = None
        step = done.result()
        view = step.state if isinstance(step, Ended) else step
        stopping = state.stopping or view.stopping
        state = replace(state.put(view.attempts[task]), stopping=stopping)
        state = replace(state, current=task, node=view.node)
        return replace(step, state=state) if isinstance(step, Ended) else state
