"""Keep the history of a run while it works, and read what earlier runs did.

The recorder is a listener that can harm nothing. What it writes comes from the state that is saved,
so that recording once more changes nothing. When a process begins to drive a run it records what an
earlier one had saved but not recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from runner.errors import PortError
from runner.history.inquiry import HistoryQuery, asked
from runner.history.recording import (
    RunOrigin,
    execution_of,
    says_the_same,
    succeeded_later,
)
from runner.history.records import DAY, Execution, ExecutionKey
from runner.history.statistics import Statistics, statistics_of
from runner.ports import Clock, Events, History
from runner.state.error_types import ErrorType, waited_out
from runner.state.events import (
    Advanced,
    Event,
    OutageMet,
    RunChanged,
    RunRecalled,
)
from runner.state.run_state import Attempt, RunState, Status

log = logging.getLogger(__name__)

References = Callable[[str, int], Sequence[str]]
"""The artifacts of an attempt, by its task and its number."""

_STOPPED: Final = frozenset({"paused", "interrupted", "waiting", "ended", "cancelled"})


class Recorder:
    """The ``Events`` port of the history, for one run.

    A history that cannot be written is reported once and changes nothing for the run.
    """

    def __init__(
        self,
        history: History,
        origin: RunOrigin,
        clock: Clock,
        *,
        references: References = lambda _task, _number: (),
    ) -> None:
        self._history = history
        self._origin = origin
        self._clock = clock
        self._references = references
        self._known: dict[ExecutionKey, Execution] = {}
        self._waited: dict[tuple[str, int], tuple[ErrorType, ...]] = {}
        self._newest: RunState | None = None
        self._reported = False

    async def emit(self, event: Event) -> None:
        """Record what the event means for the history."""
        try:
            await self._heard(event)
        except PortError as error:
            if not self._reported:
                self._reported = True
                log.warning("The history is not recorded: %s", error.message)

    async def _heard(self, event: Event) -> None:
        match event:
            case RunRecalled(state=state):
                self._newest = state
                await self._forget(state)
                await self._catch_up(state)
            case Advanced(state=state):
                self._newest = state
                attempt = state.attempts.get(event.task)
                if attempt and attempt.status is not Status.IN_PROGRESS:
                    # also those whose recovery it may have completed
                    waits = (Status.REPLACED, Status.AWAITING_APPROVAL)
                    every = state.attempts.values()
                    others = (a for a in every if a.status in waits and a.task != event.task)
                    await self._record(state, [attempt, *others])
            case OutageMet(kind=kind) if error := waited_out(kind):
                if attempt := self._attempt(event.task):
                    key = event.task, attempt.number
                    self._waited[key] = (*self._waited.get(key, ()), error)
            case RunChanged(status=status) if status in _STOPPED and self._newest:
                await self._record(self._newest, self._newest.attempts.values())

    def _attempt(self, task: str) -> Attempt | None:
        return self._newest.attempts.get(task) if self._newest else None

    async def _forget(self, state: RunState) -> None:
        """Delete what is too old, by the clock and by what was recorded last.

        The clock alone is not believed: if it jumped ahead, everything would be deleted.
        """
        now, origin = self._clock.now().timestamp(), self._origin
        query = HistoryQuery(repository_id=origin.repository_id, until=now, most=1)
        newest = (await self._history.recent(query)).executions
        if newest:
            today = min(int(now // DAY), newest[0].day)
            days = state.request.options.remembers.history_days
            await self._history.forget(origin.repository_id, today + 1 - days)

    async def _catch_up(self, state: RunState) -> None:
        if not (state.attempts and state.request.options.remembers.history):
            return
        found = await self._history.of_run(state.request.id)
        self._known = {each.key: each for each in found.executions}
        self._waited = {
            (each.key.task, each.key.attempt): tuple(filter(waited_out, each.calls.errors))
            for each in found.executions
        }
        settled = [a for a in state.attempts.values() if a.status is not Status.IN_PROGRESS]
        await self._record(state, settled)

    async def _record(self, state: RunState, attempts: Iterable[Attempt]) -> None:
        if not state.request.options.remembers.history:
            return
        for attempt in attempts:
            made = self._made(state, attempt)
            await self._keep(state, made)
            key = replace(made.key, attempt=made.key.attempt - 1)
            earlier = self._known.get(key)
            if earlier and (better := succeeded_later(earlier, made)):
                await self._keep(state, better)

    def _made(self, state: RunState, attempt: Attempt) -> Execution:
        key = ExecutionKey(state.request.id, attempt.task, attempt.number)
        known, at = self._known.get(key), self._clock.now().timestamp()
        names = self._references(attempt.task, attempt.number)
        if known is not None:
            at = known.at
            names = tuple(dict.fromkeys((*known.references, *names)))
        waited = self._waited.get((attempt.task, attempt.number), ())
        return execution_of(state, attempt, self._origin, at=at, references=names, waited=waited)

    async def _keep(self, state: RunState, execution: Execution) -> None:
        if says_the_same(self._known.get(execution.key), execution):
            return
        details = state.request.options.remembers.history_details
        await self._history.record(execution, details=details)
        self._known[execution.key] = execution


class Isolated:
    """A listener that cannot harm what it listens to: after an error it is not told any more.

    ``on_bug`` gets the error.
    """

    def __init__(self, listener: Events, on_bug: Callable[[Exception], None] | None = None) -> None:
        self._listener = listener
        self._on_bug = on_bug
        self._lost = False

    async def emit(self, event: Event) -> None:
        """Tell the listener."""
        if self._lost:
            return
        (result,) = await asyncio.gather(self._listener.emit(event), return_exceptions=True)
        if isinstance(result, Exception):
            self._lost = True
            name = type(self._listener).__name__
            log.error("%s failed and gets no more events of this run", name, exc_info=result)
            if self._on_bug:
                self._on_bug(result)


@dataclass(frozen=True, slots=True)
class PastRuns:
    """The history of one repository (its id; 0 on a checkout); None where there is none."""

    history: History | None = None
    clock: Clock | None = None
    repository_id: int = 0

    async def statistics(self) -> Statistics | None:
        """Return what all its attempts add up to; None if that cannot be read now."""
        if self.history is None or self.clock is None:
            return None
        query = asked(now=self.clock.now().timestamp(), repository_id=self.repository_id)
        try:
            return statistics_of(await self.history.totals(query), query)
        except PortError as error:
            log.warning("The history is not read: %s", error.message)
            return None
