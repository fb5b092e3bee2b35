"""How long a queued run waits: how many go first, and how long that took lately."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from statistics import mean

from app.store.line import Waiting, WaitingLine
from app.store.runs import RunRequest, StoredRuns
from app.store.wakeups import WORKING
from runner.ports import Clock
from runner.state.events import Event, RunChanged

_LATELY = 20
"""Runs whose durations make the estimate."""


@dataclass(frozen=True, slots=True)
class Turn:
    """When a run's turn comes: of those that wait it is at this ``position``; 1 goes next.

    ``seconds`` is an estimate from the runs before, None as long as none has ended.
    """

    position: int
    seconds: float | None


class WaitEstimate:
    """Shows the turn of queued runs; listens to the runs (``Events``) to learn how long they take.

    ``at_once`` is how many runs work side by side; None: what all processes have together.
    """

    def __init__(
        self, runs: StoredRuns, line: WaitingLine, *, at_once: int | None, clock: Clock
    ) -> None:
        self._runs = runs
        self._line = line
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

    async def turns(self, tell: Collection[str] = ()) -> dict[str, tuple[Turn, Waiting]]:
        """Return when the turn of each run comes that waits; ``tell`` are those who are told.

        Raises ``Outage``.
        """
        places = await self.places()
        return {
            run: (self._turn(place, places), waiting)
            for run, (place, waiting) in (await self._line.places(tell)).items()
        }

    async def turn(self, run: str) -> Turn | None:
        """Return when the run's turn comes; None when it does not wait. Raises ``Outage``."""
        found = (await self.turns([run])).get(run)
        return found[0] if found else None

    async def turn_of_new(self, row: RunRequest) -> Turn | None:
        """Return when the turn of a run would come that is queued now. Raises ``Outage``."""
        places = await self.places()
        at_work = await self._runs.by_status(*WORKING)
        stack = (row.repository.id, row.roadmap)
        waits = any((other.repository.id, other.roadmap) == stack for other in at_work)
        position = await self._line.place_of_new(row.repository.id, row.priority)
        if waits or len(at_work) + position > places:
            return self._turn(position, places)
        return None

    def _turn(self, position: int, places: int) -> Turn:
        lately = mean(self._lately) if self._lately else None
        return Turn(position, lately and position / max(places, 1) * lately)
