"""What earlier runs of the repository did, for what this one tells people."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from runner.errors import PortError
from runner.history.inquiry import asked
from runner.history.statistics import Statistics, statistics_of
from runner.ports import Clock, History

log = logging.getLogger(__name__)


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
