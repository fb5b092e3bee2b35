"""How long a queued run waits: how many go first, and how long that took lately."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from app.store.runs import Run, RunRequest, StoredRuns
from app.store.wakeups import WORKING
from runner.ports import Clock
from runner.state.events import Event, RunChanged

_LATELY = 20
"""Runs whose durations make the estimate."""


@dataclass(frozen=True, slots=True)
class Turn:
    """When a run's turn comes: ``position`` - 1 runs go first.

    ``seconds`` is an estimate from the runs before, None as long as none has ended.
    """

    position: int
    seconds: float | None


class WaitEstimate:
    """Shows the turn of queued runs; listens to the runs (``Events``) to learn how long they take.

    ``at_once`` is how many runs work side by side; None: what all processes have together.
    """

    def __init__(self, runs: StoredRuns, *, at_once: int | None, clock: Clock) -> None:
        self._runs = runs
        self._at_once = at_once
        self._clock = clock
        self._began: dict[str, float] = {}
        self._lately: deque[float] = deque(maxlen=_LATELY)

    async def emit(self, event: Event) -> None:
        """Measure how long a run works from its start to its end or pause."""
        if not isinstance(event, RunChanged):
            return
        began = self._began.pop(event.run, None)
        if event.status == "started":
            self._began[event.run] = self._clock.monotonic()
        elif began is not None:
            self._lately.append(self._clock.monotonic() - began)

    async def places(self) -> int:
        """How many runs work side by side now. Raises ``Outage``."""
        return await self._runs.places() if self._at_once is None else self._at_once

    @property
    def typical(self) -> float | None:
        """How many seconds runs worked lately, on average; None as long as none has ended."""
        return round(mean(self._lately), 3) if self._lately else None

    async def turn(self, run: str) -> Turn | None:
        """Return when the run's turn comes; None when it does not wait. Raises ``Outage``."""
        line = await self._line()
        for place, row in enumerate(line):
            if row.id == run and row.status == "queued":
                return self._turn(row, line[:place], await self.places())
        return None

    async def turn_of_new(self, row: RunRequest) -> Turn | None:
        """Return when the turn of a run would come that is queued now. Raises ``Outage``."""
        line = await self._line()
        ahead = [r for r in line if r.status != "queued" or r.priority >= row.priority]
        return self._turn(row, ahead, await self.places())

    async def _line(self) -> list[Run]:
        """The unfinished runs: those at work, then the more urgent, then the older."""
        unfinished = await self._runs.by_status(*WORKING, "queued")
        return sorted(unfinished, key=lambda r: (r.status == "queued", -r.priority))

    def _turn(self, row: RunRequest, ahead: Sequence[RunRequest], places: int) -> Turn | None:
        stack = (row.repository_id, row.roadmap)
        same = sum((other.repository_id, other.roadmap) == stack for other in ahead)
        if same:  # runs of one roadmap work one after another
            return Turn(same + 1, self._estimate(same))
        if len(ahead) >= places:
            return Turn(len(ahead) + 1, self._estimate(len(ahead) / max(places, 1)))
        return None

    def _estimate(self, runs: float) -> float | None:
        return runs * mean(self._lately) if self._lately else None
