"""The tasks in hand: each goes on node by node beside the others, in a box of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from runner.graph import RUN_NODES
from runner.loop.deps import Deps
from runner.state.run_state import RunState


@dataclass(frozen=True, slots=True)
class Ended:
    """How driving stopped: ``status`` is ended, cancelled, resting or paused.

    ``reason`` says why a paused run waits, ``until`` when it may go on by itself; ``advised`` that
    the reason tells what to type to go on.
    """

    status: Literal["ended", "cancelled", "resting", "paused"]
    state: RunState
    kind: str = ""
    reason: str = ""
    until: datetime | None = None
    advised: bool = False


Advance = Callable[[RunState, Deps], Awaitable[RunState | Ended]]


class _Flight:
    """One task: the node it is at, its own box, and the step it is taking."""

    def __init__(self, node: str, deps: Deps) -> None:
        self.node = node
        self.deps = deps
        self.step: asyncio.Task[RunState | Ended] | None = None


class TaskPool:
    """``advance`` takes one step of a task, for which the given ports are."""

    def __init__(self, deps: Deps, advance: Advance) -> None:
        self._deps = deps
        self._advance = advance
        self._flights: dict[str, _Flight] = {}
        self._left: list[_Flight] = []

    def __len__(self) -> int:
        return len(self._flights)

    def board(self, task: str, node: str) -> None:
        """Let a task go on at a node of its own."""
        if task in self._flights:
            self._flights[task].node = node
        else:
            self._flights[task] = _Flight(node, self._deps.alone())

    def leave(self, task: str) -> None:
        """Let go of a task that has come to its border."""
        if flight := self._flights.pop(task, None):
            self._left.append(flight)

    def unsettled(self) -> str:
        """A task that was saved at its border but not settled; '' when there is none."""
        return next((t for t, f in self._flights.items() if f.node in RUN_NODES), "")

    async def next(self, state: RunState) -> RunState | Ended:
        """Wait for the first step that any task takes; the state is its whole run after it."""
        await self._close_left()
        for task, flight in self._flights.items():
            if flight.step is None:
                view = replace(state, current=task, node=flight.node)
                flight.step = asyncio.ensure_future(self._advance(view, flight.deps))
        steps = [flight.step for flight in self._flights.values() if flight.step]
        await asyncio.wait(steps, return_when=asyncio.FIRST_COMPLETED)
        return self._taken(state)

    async def landed(self, state: RunState) -> RunState:
        """Let every step that is being taken come to its end, so that nothing paid for is lost."""
        steps = [flight.step for flight in self._flights.values() if flight.step]
        if steps:
            await asyncio.wait(steps)
        current, node = state.current, state.node
        while any(flight.step for flight in self._flights.values()):
            step = self._taken(state)
            state = step.state if isinstance(step, Ended) else step
        return replace(state, current=current, node=node)

    async def aclose(self) -> None:
        """End the steps that are being taken and remove every box."""
        steps = [flight.step for flight in self._flights.values() if flight.step]
        for step in steps:
            step.cancel()
        await asyncio.gather(*steps, return_exceptions=True)
        self._left += self._flights.values()
        self._flights.clear()
        await self._close_left()

    async def _close_left(self) -> None:
        while self._left:
            await self._left.pop().deps.bench.close()

    def _taken(self, state: RunState) -> RunState | Ended:
        """Take in the first step that is done: its task's record, and a request to stop."""
        task, done = next((t, f.step) for t, f in self._flights.items() if f.step and f.step.done())
        self._flights[task].step = None
        step = done.result()
        view = step.state if isinstance(step, Ended) else step
        stopping = state.stopping or view.stopping
        state = replace(state.put(view.attempts[task]), stopping=stopping)
        state = replace(state, current=task, node=view.node)
        return replace(step, state=state) if isinstance(step, Ended) else state
